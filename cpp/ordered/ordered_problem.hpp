// ordered/ordered_problem.hpp
//
// WHAT    The problem of the ordered search: bins and losses of the rows, costs, the limits on the tree.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/types.hpp"
#include "data/ordered_columns.hpp"
#include "ordered/row_gains.hpp"

namespace hornbeam::ordered {

inline constexpr std::uint32_t kMostOrderedRows = 1u << 24;
inline constexpr std::uint32_t kAnyDepth = ~std::uint32_t{0} - 1;  // without a limit
inline constexpr std::uint32_t kAnyLeaves = ~std::uint32_t{0};

/// The largest depth and number of leaves of a tree.
struct TreeSize {
  std::uint32_t depth = kAnyDepth;
  std::uint32_t leaves = kAnyLeaves;  // at least 1
};

/// Cost of losing a weight of one, leaf penalty and the least rows of a leaf.
struct OrderedCosts {
  Ticks error_cost;
  Ticks leaf;
  std::uint32_t rows_per_leaf = 1;  // at least

  /// Of rows of this weight; the best prediction gains so much on them.
  Ticks leaf_cost(std::int64_t weight, std::int64_t gain) const { return leaf + error_cost * (weight - gain); }

  /// No tree of so many rows has more leaves.
  std::uint32_t possible_leaves(std::uint32_t n_rows, std::uint32_t most) const {
    return std::clamp(n_rows / rows_per_leaf, 1u, most);
  }

  /// The largest depth of a tree that costs less than `best`: it has more leaves than levels of splits.
  std::uint32_t useful_depth(std::uint32_t depth, Ticks best) const {
    if (leaf == 0) return best > 0 ? depth : 0;
    return static_cast<std::uint32_t>(std::clamp<Ticks>((best - 1) / leaf - 1, 0, depth));
  }
};

struct OrderedProblem {
  const data::OrderedColumns& columns;
  const RowGains& rows;
  OrderedCosts costs;
  TreeSize size;                                // the limits
  bool closes_thresholds;                       // Bounds::similarity
  std::uint64_t work_between_polls = 1u << 20;  // entries read between two checks of the clock
};

}  // namespace hornbeam::ordered
