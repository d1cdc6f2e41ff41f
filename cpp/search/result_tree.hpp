// search/result_tree.hpp
//
// WHAT    A found tree as flat arrays, and how it is read off the table.
// HOLDS   Pre-order; node 0 is the root; the true side comes first.
#pragma once

#include <cstdint>
#include <vector>

#include "search/problem.hpp"

namespace hornbeam {

struct ResultTree {
  std::vector<std::int32_t> column;      // -1 at a leaf
  std::vector<std::int32_t> left;        // child where the column holds, -1 at a leaf
  std::vector<std::int32_t> right;       // child where it does not
  std::vector<std::int32_t> prediction;  // of least loss on the node's rows, also at inner nodes
  Ticks cost = 0;
  std::vector<std::int32_t> leaf_of_row;  // of the caller's rows; empty until api/checks has sent them down
};

/// Follows the best known splits from the whole problem down. Costs no more than the root's upper bound.
ResultTree read_tree(const Problem& problem, const SubproblemTable& table, const Room& room);

}  // namespace hornbeam
