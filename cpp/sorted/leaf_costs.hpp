// sorted/leaf_costs.hpp
//
// WHAT    What the leaves of sorted rows cost, and how few and shallow they are therefore.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/types.hpp"

namespace hornbeam::sorted {

/// Cost of losing a weight of one, leaf penalty and the least rows of a leaf.
struct LeafCosts {
  Ticks error_cost;
  Ticks leaf;
  std::uint32_t rows_per_leaf = 1;  // at least

  /// Of rows that lose so much by the best prediction.
  Ticks leaf_cost(std::int64_t loss) const { return leaf + error_cost * loss; }

  /// Of two leaves that lose so much together.
  Ticks stump_cost(std::int64_t loss) const { return 2 * leaf + error_cost * loss; }
  /// What a stump has to lose less than to cost less than `bound`.
  std::int64_t loss_of_stump(Ticks bound) const {
    return (std::max<Ticks>(bound - 2 * leaf, 0) + error_cost - 1) / error_cost;
  }

  /// No tree of so many rows has more leaves.
  std::uint32_t possible_leaves(std::uint32_t n_rows, std::uint32_t most) const {
    return std::clamp(n_rows / rows_per_leaf, 1u, most);
  }

  /// Whether a split into so many rows leaves enough of them for a leaf on both sides.
  bool has_leaves(std::uint32_t n_true, std::uint32_t n_rows) const {
    return std::min(n_true, n_rows - n_true) >= rows_per_leaf;
  }

  /// The largest depth of a tree that costs less than `best`: it has more leaves than levels of splits.
  std::uint32_t useful_depth(std::uint32_t depth, Ticks best) const {
    if (leaf == 0) return best > 0 ? depth : 0;
    return static_cast<std::uint32_t>(std::clamp<Ticks>((best - 1) / leaf - 1, 0, depth));
  }
};

}  // namespace hornbeam::sorted
