// ordered/ordered_problem.hpp
//
// WHAT    The problem of the ordered search: bins, classes and weights of the rows, costs, the largest depth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/types.hpp"
#include "data/ordered_columns.hpp"

namespace hornbeam::ordered {

inline constexpr std::uint32_t kMostOrderedRows = 1u << 24;
inline constexpr std::uint32_t kMostOrderedClasses = 128;
inline constexpr std::uint32_t kAnyDepth = ~std::uint32_t{0} - 1;  // without a limit
inline constexpr std::uint32_t kAnyLeaves = ~std::uint32_t{0};

/// The largest depth and number of leaves of a tree.
struct TreeSize {
  std::uint32_t depth = kAnyDepth;
  std::uint32_t leaves = kAnyLeaves;  // at least 1
};

/// Cost of an error of weight one, leaf penalty and the least rows of a leaf.
struct OrderedCosts {
  Ticks error_cost;
  Ticks leaf;
  std::uint32_t rows_per_leaf = 1;  // at least

  template <class Weights>
  Ticks leaf_cost(const Weights& class_weight) const {
    Ticks all = 0, most = 0;
    for (const Ticks weight : class_weight) {
      all += weight;
      most = std::max(most, weight);
    }
    return leaf + error_cost * (all - most);
  }

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
  std::span<const std::int32_t> classes;
  std::span<const std::int64_t> weights;
  std::uint32_t n_classes;
  OrderedCosts costs;
  TreeSize size;                                // the limits
  bool closes_thresholds;                       // Bounds::similarity
  std::uint64_t work_between_polls = 1u << 20;  // entries read between two checks of the clock
};

}  // namespace hornbeam::ordered
