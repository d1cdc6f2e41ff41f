// bounds/equivalent_points.hpp
//
// SAYS     Every tree loses at least q on its rows, the sum over groups of equal rows of the least loss that one
//          prediction for the whole group incurs.
// SO       A tree with two leaves or more costs at least 2L + q; a set whose leaf costs no more is closed.
// WHY      Equal rows fall into the same leaf and get the same prediction.
// NEEDS    additive loss. Rows are equal if they agree on the remaining columns; a column dropped by
//          bounds/support_condition.hpp is in no tree that is still searched, so q grows as columns are dropped.
// KEEPS    all trees on the remaining columns.
// SOURCE   [hu2019osdt, proposition 8 and theorem 9]; [lin2020gosdt, theorem B.9]; growing q: ours.
// Switch   equivalent_points
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr Ticks cost_of_two_leaves_or_more(Ticks leaf_cost, Ticks least_loss) { return 2 * leaf_cost + least_loss; }

/// The largest number of leaves of a tree that is no worse than a single leaf: L leaves + q <= L + err.
constexpr Ticks most_leaves(Ticks leaf_cost, Ticks loss, Ticks least_loss) {
  return leaf_cost == 0 ? kInfinity : 1 + (loss - least_loss) / leaf_cost;
}

}  // namespace hornbeam::bounds
