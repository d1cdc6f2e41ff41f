// bounds/leaf_penalty.hpp
//
// SAYS     Let best(p) be the least cost of a tree of a set if a leaf costs p. For p <= r: trees with at least k leaves
//          cost at least best(p) + (r - p) * k at r; trees with at most k leaves cost at least best(r) - (r - p) * k at
//          p; and for p <= t <= r, best(t) is at least the value at t of the line through best(p) and best(r).
// SO       What one search has proven of a set bounds it in a search with another leaf penalty.
// WHY      The cost of a tree is a line in the leaf penalty, with its number of leaves as slope; best is the least of
//          these lines at each penalty, and so concave. Lower bounds in place of best(p) and best(r) weaken the result.
// NEEDS    the same rows, costs of predictions, and limits on depth, leaves and rows per leaf; no bound that is a
// guess. KEEPS    all optima (it bounds the set and drops no tree). SOURCE   ours; concavity as in parametric linear
// programming, and in the pruning of [breiman1984cart, section 3.3]. Switch   leaf_penalty
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr Ticks bound_at_larger_penalty(Ticks bound, Ticks more, Ticks least_leaves) {
  return bound + more * least_leaves;
}

/// At least 0.
constexpr Ticks bound_at_smaller_penalty(Ticks bound, Ticks less, Ticks most_leaves) {
  return less > bound / most_leaves ? 0 : bound - less * most_leaves;
}

/// `bound` holds for a leaf penalty that is smaller by `more`, `bound_above` for one that is larger by `less`; not both
/// are 0. Rounded down.
constexpr Ticks bound_between_penalties(Ticks bound, Ticks more, Ticks bound_above, Ticks less) {
  if (bound_above <= bound) return bound;  // costs do not fall with the penalty
  const auto rise = static_cast<unsigned __int128>(bound_above - bound) * static_cast<std::uint64_t>(more);
  return bound + static_cast<Ticks>(rise / static_cast<std::uint64_t>(more + less));
}

}  // namespace hornbeam::bounds
