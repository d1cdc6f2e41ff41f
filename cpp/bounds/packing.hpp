// bounds/packing.hpp
//
// SAYS     Let u >= 0 be weights of pairs of groups of equal rows that have different best predictions, such that the
//          pairs that a column separates have a total of at most L, for each column, and the pairs of a group at most
//          what it loses with its second best prediction beyond its best one, for each group. Then best(s) >= L + q +
//          sum of u, where q is what all groups lose with their best predictions.
// SO       A set whose rows cannot be separated by few columns is closed without examining its splits. On sorted
//          numbers, where the thresholds between two rows are a run for each variable, it bounds the whole problem and
//          the sides of a threshold before they are solved.
// WHY      A tree of H leaves tests at most H - 1 columns. A pair that none of them separates ends in one leaf, whose
//          prediction is not the best one of both. Pay L for each tested column, and for each group without its best
//          prediction what that loses at least: one of them pays for each pair, and none pays more than it has. So
//          L (H - 1) + loss - q >= sum of u.
//          (This is linear programming duality for the least of L |C| + loss over all sets C of columns.)
// NEEDS    additive loss. Limits only shrink the set of trees. Columns that bounds/support_condition.hpp drops pay
//          nothing, and rows that are equal on the others count as equal.
// KEEPS    one optimum, as the support condition does (all optima if every column is counted).
// SOURCE   ours; this is a relaxation of a bound by the number of tested columns, the least of L |C| + loss.
// Switch   packing
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr Ticks packing_bound(Ticks leaf_cost, Ticks least_loss, Ticks packed) {
  return leaf_cost + least_loss + packed;
}

}  // namespace hornbeam::bounds
