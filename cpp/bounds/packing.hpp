// bounds/packing.hpp
//
// SAYS     Let u >= 0 be weights of pairs of rows of different classes such that the pairs that a column separates have
//          a total of at most L, for each column, and the pairs of a row at most what the row adds to a loss beyond q,
//          for each row. Then best(s) >= L + q + sum of u.
// SO       A set whose rows cannot be separated by few columns is closed without examining its splits.
// WHY      A tree of H leaves tests at most H - 1 columns. A pair that none of them separates ends in one leaf, which
//          loses one of its rows. Pay L for each tested column and the row's weight for each lost row: one of them
//          pays for each pair, and none pays more than it has. So L (H - 1) + loss - q >= sum of u.
//          (This is linear programming duality for the least of L |C| + loss over all sets C of columns.)
// NEEDS    additive loss, two classes with the same cost of a mistake, rows cancelled (kernels.hpp): then no group of
//          equal rows has both classes. Limits only shrink the set of trees. Columns that bounds/support_condition.hpp
//          drops pay nothing.
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
