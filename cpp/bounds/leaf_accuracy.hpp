// bounds/leaf_accuracy.hpp
//
// SAYS     In some optimal tree every leaf saves more than L of the largest loss that its rows can have: with the price
//          1 of each mistake, it predicts more than L rightly.
// SO       A split with a side that does not is left out, for the leaf and for all leaves below it.
// WHY      If the rows of the leaf fall where they fall in the tree beside it instead, they lose at most the largest
//          loss, and a leaf is saved. What a leaf saves only shrinks in its parts, and so does that of all leaves of a
//          subtree below the side.
// NEEDS    a loss that is a sum over the leaves, one price for all leaves; the merge only adds rows to leaves.
// KEEPS    one optimum, one of the fewest leaves.
// SOURCE   [hu2019osdt, theorem 5], which it states for sums of any two sibling leaves' losses; any costs: ours.
// Switch   leaf_accuracy
#pragma once

#include "base/types.hpp"

namespace hornbeam {

constexpr bool accurate_enough(Ticks largest_loss, Ticks loss, Ticks leaf_cost) {
  return largest_loss - loss > leaf_cost;
}

}  // namespace hornbeam
