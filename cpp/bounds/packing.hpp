// bounds/packing.hpp
//
// SAYS     Let u >= 0 weigh pairs of rows of different classes such that for each column the pairs that it tells apart
//          weigh at most L together, and for each row its pairs weigh at most what the row adds to a loss beyond q.
//          Then best(s) >= L + q + sum of u.
// SO       A set whose rows cannot be told apart by few columns is closed without a look at its splits.
// WHY      A tree of H leaves asks at most H - 1 columns. A pair that none of them tells apart ends in one leaf, which
//          loses one of its rows. Pay L for each column asked and the row's weight for each row lost: every pair is
//          paid for by one of them, and neither is asked for more than its price. So L (H - 1) + loss - q >= sum of u.
//          (This is linear programming duality for the least of L |C| + loss over all sets C of columns.)
// NEEDS    additive loss, two classes of one price, rows netted (kernels.hpp): then no group of equal rows has both
//          classes. Limits only shrink the set of trees. Columns that bounds/support_condition.hpp drops need no price.
// KEEPS    one optimum, as the support condition does (all optima if every column is counted).
// SOURCE   ours; the least of L |C| + loss is the bound of the columns asked, of which this is a relaxation.
// Switch   packing
#pragma once

#include "base/types.hpp"

namespace hornbeam {

constexpr Ticks packing_bound(Ticks leaf_cost, Ticks least_loss, Ticks packed) {
  return leaf_cost + least_loss + packed;
}

}  // namespace hornbeam
