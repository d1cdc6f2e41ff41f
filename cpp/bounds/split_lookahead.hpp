// bounds/split_lookahead.hpp
//
// SAYS     A leaf that is split costs at least the least, over its possible splits, of the costs of the two sides, each
//          as a leaf or as two leaves or more.
// SO       This replaces the leaf in the bounds of all sets in which the leaf is split next.
// WHY      A side that is kept has its own loss; a side that is split costs one more leaf and loses at least as much as
//          its equivalent points.
// NEEDS    a loss that is a sum over the leaves; the same penalty for all leaves; all splits of the leaf must be known.
//          For the AUC the search applies it to all sides chosen so far together, since their losses do not add up.
// KEEPS    one optimum (of the splits that other bounds leave).
// SOURCE   ours: [hu2019osdt, lemma 2 and theorem 9], applied to each split instead of the leaf.
// Switch   split_lookahead
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace hornbeam::bounds {

/// The least cost of a side, without the penalty of its first leaf.
constexpr Ticks least_of_side(Ticks loss, Ticks least_loss, Ticks leaf_cost) {
  return std::min(loss, least_loss + leaf_cost);
}

}  // namespace hornbeam::bounds
