// bounds/split_lookahead.hpp
//
// SAYS     A leaf that is split costs at least, over the splits that it may have, the least that the two sides cost,
//          each as a leaf or as two leaves or more.
// SO       It stands for the leaf in the bounds of all sets in which the leaf is split next.
// WHY      A side is kept, and then has its own loss, or split, and then costs a leaf more and loses what its
//          equivalent points lose at least.
// NEEDS    a loss that is a sum over the leaves, one price for all leaves; all splits of the leaf must be known. For
//          ranks the search asks the same of sides already chosen, all together, since their losses do not add up.
// KEEPS    one optimum (of the splits that other bounds leave).
// SOURCE   ours: [hu2019osdt, lemma 2 and theorem 9], asked of each split instead of the leaf.
// Switch   split_lookahead
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace hornbeam {

/// What a side costs at least beyond the leaf that it is.
constexpr Ticks least_of_side(Ticks loss, Ticks least_loss, Ticks leaf_cost) {
  return std::min(loss, least_loss + leaf_cost);
}

}  // namespace hornbeam
