// bounds/leaf_accuracy.hpp
//
// SAYS     In some optimal tree every leaf saves more than L of the largest loss that its rows can have: if every
//          mistake costs 1, it predicts a weight of more than L correctly.
// SO       A split with a side that saves less is left out, for the leaf and for all leaves below it.
// WHY      If the rows of the leaf go to the subtree of its sibling instead, they lose at most the largest loss, and a
//          leaf is saved. What a leaf saves only shrinks in its parts, and so does what all leaves of a subtree below
//          the side save.
// NEEDS    a loss that is a sum over the leaves; the same penalty for all leaves; the merge only adds rows to leaves.
// KEEPS    one optimum, one of the fewest leaves.
// SOURCE   [hu2019osdt, theorem 5], which it states for sums of any two sibling leaves' losses; any costs: ours.
// Switch   leaf_accuracy
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr bool accurate_enough(Ticks largest_loss, Ticks loss, Ticks leaf_cost) {
  return largest_loss - loss > leaf_cost;
}

}  // namespace hornbeam::bounds
