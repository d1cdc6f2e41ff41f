// search/column_pairs.hpp
//
// WHAT    The rows of the data as packing/near_pairs.hpp reads them: each column is a variable of one threshold.
// FLOW    search/search, once the search is a long one.
#pragma once

#include <vector>

#include "packing/near_pairs.hpp"
#include "rows/problem.hpp"

namespace hornbeam::search {

/// Whether rows have best predictions that nothing guesses, and columns a penalty.
bool can_pack_pairs(const rows::Problem& problem);
/// The pairs of all rows.
packing::NearPairs pairs_of(const rows::Problem& problem, run::WorkMeter& meter);
/// The data row by row, `words_for(n_columns)` each.
std::vector<Word> bits_of_rows(const data::DistinctRows& rows);

}  // namespace hornbeam::search
