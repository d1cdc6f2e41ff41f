// bounds/subset.hpp
//
// SAYS     For every split f of a set s, best(s) >= best(f1) + q(f0) and best(s) >= best(f0) + q(f1).
// SO       What is proven about one side of any split bounds the whole set.
// WHY      Restrict an optimal tree of s to the rows of f1 and close the leaves that became empty: a tree of f1 with no
//          more leaves. The rows of f0 cost at least q(f0) in the tree of s.
// NEEDS    additive loss; no limit on depth or leaves (the restricted tree may be deeper than a side of the split
//          may be) and no minimum of rows per leaf.
// KEEPS    all optima (it bounds the set and drops no tree).
// SOURCE   ours; same idea as the subset bound of [lin2020gosdt, theorem G.1] and hierarchical bound of [hu2019osdt].
// Switch   subset
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr Ticks subset_bound(Ticks best_of_side, Ticks least_loss_of_other) {
  return best_of_side + least_loss_of_other;
}

}  // namespace hornbeam::bounds
