// base/options.hpp
//
// WHAT    What a tree may look like, and which bounds are switched on.
#pragma once

#include <cstdint>
#include <optional>

namespace hornbeam {

/// Hard limits on the tree. Depth is counted in edges: a single leaf has depth 0.
struct TreeLimits {
  std::optional<std::uint32_t> depth;
  std::optional<std::uint32_t> leaves;
  std::uint64_t rows_per_leaf = 1;
};

/// A switch is off only to measure or to test; it never changes the optimum. One file in bounds/ for each.
struct Switches {
  bool support_condition = true;
  bool pair_stage = true;
  bool equivalent_points = true;
  bool similarity = true;
  bool packing = true;
  bool subset = true;
};

}  // namespace hornbeam
