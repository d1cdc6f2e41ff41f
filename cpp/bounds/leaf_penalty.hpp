// bounds/leaf_penalty.hpp
//
// SAYS     Let best(p) be the least cost of a tree of a set if a leaf costs p. For p <= r: trees with at least k leaves
//          cost at least best(p) + (r - p) * k at r, and trees with at most k leaves at least best(r) - (r - p) * k at
//          p. For p <= t <= r: best(t) is at least what the line through best(p) and best(r) is at t.
// SO       What one search has proven of a set bounds it in a search with another leaf penalty.
// WHY      The cost of a tree is a line in the leaf penalty, with its number of leaves as slope; best is the least of
//          these lines at each penalty, and so concave. With lower bounds for best(p) and best(r) all of this holds.
// NEEDS    the same rows, costs of predictions, and limits on depth, leaves and rows per leaf; no guessed bounds.
// KEEPS    all optima (it bounds the set and drops no tree).
// SOURCE   ours; the lines in the leaf penalty are those of cost-complexity pruning [breiman1984cart, section 3.3].
// Switch   leaf_penalty
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
