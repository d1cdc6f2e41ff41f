// ordered/ordered_problem.hpp
//
// WHAT    The problem of the ordered search: bins and losses of the rows, costs, the limits on the tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/types.hpp"
#include "data/ordered_columns.hpp"
#include "packing/root_packing.hpp"
#include "sorted/leaf_costs.hpp"
#include "sorted/row_gains.hpp"

namespace hornbeam::ordered {

inline constexpr std::uint64_t kWorkBetweenPolls = 1u << 20;  // entries read between two checks of the clock
/// From so many rows on, sums of bins (sorted/binned_roots.hpp) cost less than the scans that they save.
inline constexpr std::uint32_t kLeastBinnedRows = 1u << 12;
/// From so many rows on, sums of pairs of bins (sorted/three_level_roots.hpp) cost less than the trials that they save.
inline constexpr std::uint32_t kLeastNarrowedRows = 1u << 17;
inline constexpr std::uint32_t kMostOrderedRows = 1u << 24;
inline constexpr std::uint32_t kAnyDepth = ~std::uint32_t{0} - 1;  // without a limit
inline constexpr std::uint32_t kAnyLeaves = ~std::uint32_t{0};

/// The largest depth and number of leaves of a tree.
struct TreeSize {
  std::uint32_t depth = kAnyDepth;
  std::uint32_t leaves = kAnyLeaves;  // at least 1
};

struct OrderedProblem {
  const data::OrderedColumns& columns;
  const sorted::RowGains& rows;
  sorted::LeafCosts costs;
  TreeSize size;           // the limits
  bool closes_thresholds;  // Bounds::similarity
  std::uint64_t work_between_polls = kWorkBetweenPolls;
  std::uint32_t least_binned_rows = kLeastBinnedRows;
  bool packs_pairs = true;  // Bounds::packing
  bool uses_slack = true;   // Bounds::packing_slack
  packing::Schedule pair_packing{};

  /// The largest depth of a tree that costs less than `best`.
  std::uint32_t useful_depth(Ticks best) const {
    return costs.useful_depth(std::min(size.depth, costs.possible_leaves(columns.n_rows, size.leaves) - 1), best);
  }
};

/// The depth to solve after the trees of so many levels are known, if deeper ones may be useful: every depth up to
/// four, then only depths that double, since few subproblems are that deep.
inline std::optional<std::uint32_t> next_depth(std::uint32_t known, std::uint32_t useful) {
  constexpr std::uint32_t kMostSmallDepth = 4;
  if (known >= useful) return std::nullopt;
  return known < kMostSmallDepth ? known + 1 : std::min(useful, 2 * known);
}

/// All trees of so many levels are known, none costs less than `best`: others have a leaf more than levels of splits.
inline Ticks bound_of_deeper_trees(std::uint32_t known, Ticks leaf_cost, Ticks best) {
  return std::min(best, (Ticks{known} + 2) * leaf_cost);
}

}  // namespace hornbeam::ordered
