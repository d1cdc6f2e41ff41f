// primal/best_first_growth.hpp
//
// WHAT    CART's best-first growth: the leaf whose split lowers the impurity most is split next.
// SOURCE  [breiman1984cart]; the order is that of best-first trees [shi2007best].
#pragma once

#include "primal/split_finder.hpp"
#include "primal/working_tree.hpp"

namespace hornbeam::primal {

/// Splits the leaves of a tree until it has `most_leaves`. A leaf that loses no more than `leaf_penalty` is not split.
void grow_best_first(WorkingTree& tree, SplitFinder& finder, SplitFinder::Criterion criterion, Ticks leaf_penalty,
                     std::uint32_t most_depth, std::uint32_t most_leaves, run::WorkMeter& meter);

}  // namespace hornbeam::primal
