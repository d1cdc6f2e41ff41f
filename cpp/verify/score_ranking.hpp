// verify/score_ranking.hpp
//
// WHAT    A second opinion: the area above the ROC curve of a tree's leaves, from the caller's rows.
// HOLDS   Shares no code with the search, its leaves or its bounds; kept plain, never optimized.
#pragma once

#include "base/types.hpp"
#include "verify/routing.hpp"

namespace hornbeam::verify {

/// `half_pair_cost` for twice the area above the curve of the leaves, in pairs of class 1 and class 0 and rounded up,
/// where the curve counts as 0 after `max_false_positives` x 2^-20 of a row of class 0 and weight 1; plus `leaf_cost`
/// for each leaf. `leaf_of_row` is the leaf that each row reaches.
Ticks score_ranking(const FlatTree& tree, std::span<const std::int32_t> leaf_of_row,
                    std::span<const std::int32_t> classes, std::span<const std::int64_t> weights, Ticks half_pair_cost,
                    std::int64_t max_false_positives, Ticks leaf_cost);

}  // namespace hornbeam::verify
