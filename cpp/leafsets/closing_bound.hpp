// leafsets/closing_bound.hpp
//
// WHAT    The first of the bounds of a set of leaves, added up in this order, that closes the set: the loss of the kept
//         leaves plus the penalty of all leaves, the leaf that each split adds, the loss of equal rows, all others.
#pragma once

#include <cstddef>

#include "base/bounds.hpp"
#include "bounds/lookahead.hpp"

namespace hornbeam::leafsets {

struct BoundsOfSet {
  Ticks so_far;   // bounds/hierarchical_objective.hpp
  Ticks by_rows;  // all but bounds/few_segments.hpp
  std::size_t n_to_split;
  bool splits_are_known;  // by_rows has bounds/split_lookahead.hpp for bounds/equivalent_points.hpp
};

/// The counter of the bound by which no tree of the set costs less than `upper`.
inline std::uint64_t Counters::* closing_bound(const BoundsOfSet& set, const Bounds& bounds, Ticks leaf_cost,
                                               Ticks upper) {
  const Ticks known = bounds.hierarchical_objective ? set.so_far : 0;
  if (known >= upper) return &Counters::hierarchical_objective;
  if (bounds.lookahead && known + bounds::lookahead(leaf_cost, set.n_to_split) >= upper) return &Counters::lookahead;
  if (set.by_rows < upper) return &Counters::few_segments;
  return set.splits_are_known ? &Counters::split_lookahead : &Counters::equivalent_points;
}

}  // namespace hornbeam::leafsets
