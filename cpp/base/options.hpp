// base/options.hpp
//
// WHAT    Limits on the tree; the switches of the bounds are in base/bounds.hpp.
#pragma once

#include <cstdint>
#include <optional>

namespace hornbeam {

/// Hard limits on the tree. Depth is counted in edges: a single leaf has depth 0.
struct TreeLimits {
  std::optional<std::uint32_t> depth;
  std::optional<std::uint32_t> leaves;
  std::uint64_t rows_per_leaf = 1;
  bool is_rule_list = false;  // of the two sides of every split, one is a leaf
};

}  // namespace hornbeam
