// bounds/row_prices.hpp
//
// SAYS     Let u >= 0 be prices of rows such that, for every conjunction of conditions on columns, the rows that meet
//          it have a total price of at most what they cost as a leaf, L included. Then best(s) is at least the total
//          price of the rows of s, for every subproblem s.
// SO       One set of prices bounds the whole problem and all of its subproblems. Where classes overlap, the best
//          prices for the whole problem are often within some percent of its optimum.
// WHY      The leaves of a tree for s are conjunctions, and each row of s is in one of them: the prices of the rows of
//          s add up to at most what the leaves cost. (This is linear programming duality for covering all rows by
//          leaves at the least cost.)
// NEEDS    additive loss. Limits only shrink the set of trees.
// KEEPS    all optima.
// SOURCE   the linear program of column generation for decision trees (Firat, Crognier, Gabor, Hurkens and Zhang,
//          2020), with leaves that may overlap; prices as a bound of subproblems are ours.
// Switch   row_prices
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

/// Prices are in units of 2^-shift ticks, or of 2^-shift ticks for a negative shift; the cost of a tree is a whole
/// number of ticks.
constexpr Ticks bound_by_prices(Ticks total_price, int shift) {
  return shift >= 0 ? (total_price + (Ticks{1} << shift) - 1) >> shift : total_price << -shift;
}

}  // namespace hornbeam::bounds
