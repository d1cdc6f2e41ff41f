// verify/score.hpp
//
// WHAT    A second opinion: the cost of a tree, counted again from the caller's rows, one row at a time.
// HOLDS   Calls no code of the search, its table, its kernels or its bounds. It reads the cost matrix that the search
//         reads. Kept plain, never optimized.
#pragma once

#include "base/types.hpp"
#include "data/costs.hpp"
#include "verify/routing.hpp"

namespace hornbeam {

/// Cost of the tree on the rows, given the leaf that each reaches.
Ticks score(const FlatTree& tree, std::span<const std::int32_t> leaf_of_row, std::span<const std::int32_t> classes,
            std::span<const std::int64_t> weights, const Costs& costs, Ticks leaf_cost);

}  // namespace hornbeam
