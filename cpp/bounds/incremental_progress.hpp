// bounds/incremental_progress.hpp
//
// SAYS     In some optimal tree, any two leaves of one split together lose less than their parent, by more than L.
// SO       If they do not, one of them is split again.
// WHY      Otherwise the tree with their parent instead costs no more and has fewer leaves. This holds for every tree
//          with the same leaves, so it may be checked for whichever was found first.
// NEEDS    a loss that is a sum over the leaves: what a split of one leaf gains must not depend on the other leaves. It
//          is wrong for the AUC, where a leaf may be split later into one that is ordered between the two.
// KEEPS    one optimum, one of the fewest leaves.
// SOURCE   [hu2019osdt, theorem 4]; [lin2020gosdt, theorem B.7].
// Switch   incremental_progress
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr bool progresses(Ticks loss_of_parent, Ticks loss_of_sides, Ticks leaf_cost) {
  return loss_of_parent - loss_of_sides > leaf_cost;
}

}  // namespace hornbeam::bounds
