// ordered/ordered_problem.hpp
//
// WHAT    The problem of the ordered search: bins and losses of the rows, costs, the limits on the tree.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "data/ordered_columns.hpp"
#include "sorted/leaf_costs.hpp"
#include "sorted/row_gains.hpp"

namespace hornbeam::ordered {

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
  TreeSize size;                                // the limits
  bool closes_thresholds;                       // Bounds::similarity
  std::uint64_t work_between_polls = 1u << 20;  // entries read between two checks of the clock
};

}  // namespace hornbeam::ordered
