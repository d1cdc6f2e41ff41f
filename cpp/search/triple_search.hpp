// search/triple_search.hpp
//
// WHAT    Proves trees of at most three levels over very many distinct rows by counting the rows of each class where
//         three columns hold, which takes less time than a search: no set of rows is made.
// FLOW    api/solve -> here -> data/triple_counter -> search/triple_tree.
// HOLDS   Whether it is used depends on the distinct rows, the columns, the costs and the limits alone, and so does the
//         tree. A table that is read in batches, of which no row need be kept, gets the same tree from the same counts.
// CHOICE  Rows are counted in an order in which those so far are spread over the table: if the search is stopped, the
//         tree that is best on them is a good one for all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/row_targets.hpp"
#include "rows/problem.hpp"
#include "run/run.hpp"
#include "tree/start_tree.hpp"

namespace hornbeam::search {

/// The most columns and targets for which triples are counted.
inline constexpr std::uint32_t kMostTripleColumns = 128, kMostTripleTargets = 16;

/// What a row of each target weighs, where rows of a target all weigh the same; 0 of targets without rows.
std::optional<std::vector<std::int64_t>> weights_of_targets(const data::RowTargets& targets, std::size_t n_rows);

/// Whether counting triples is expected to end sooner than a search. `least_rows` are the most distinct rows for which
/// it is not; none: it never is.
bool suits_triples(const rows::Problem& problem, std::optional<std::uint64_t> least_rows);

/// The tree with these splits, and what it costs.
using Score = std::function<tree::ResultTree(const tree::StartTree&)>;

/// `weights` are those of the targets. None if the limits have no room for the counts.
std::optional<run::Outcome> search_triples(const rows::Problem& problem, const std::vector<std::int64_t>& weights,
                                           run::Run& run, const Score& score);

}  // namespace hornbeam::search
