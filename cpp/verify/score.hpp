// verify/score.hpp
//
// WHAT    A second opinion: the cost of a tree, counted again from the caller's rows, one row at a time.
// HOLDS   Calls no code of the search, its models, its table, its kernels or its bounds. Kept plain, never optimized.
#pragma once

#include "data/row_targets.hpp"
#include "verify/routing.hpp"

namespace hornbeam::verify {

/// Cost of the tree on the rows, given the leaf that each reaches.
Ticks score(const FlatTree& tree, std::span<const std::int32_t> leaf_of_row, const data::RowLosses& losses,
            Ticks leaf_cost);

}  // namespace hornbeam::verify
