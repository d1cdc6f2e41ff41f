// tree/result_tree.hpp
//
// WHAT    A tree as flat arrays: what every search returns.
// HOLDS   Pre-order; node 0 is the root; the true side comes first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace hornbeam {

struct ResultTree {
  std::vector<std::int32_t> column;      // -1 at a leaf
  std::vector<std::int32_t> left;        // child where the column holds, -1 at a leaf
  std::vector<std::int32_t> right;       // child where it does not
  std::vector<std::int32_t> prediction;  // of least loss on the node's rows, also at inner nodes
  Ticks cost = 0;
  std::vector<std::int32_t> leaf_of_row;  // of the caller's rows; empty until api/checks has routed them
};

}  // namespace hornbeam
