// shallow/shallow_tree.hpp
//
// WHAT    Trees of a few leaves as shallow/two_levels and shallow/sum_solver compare them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "table/subproblem_table.hpp"

namespace hornbeam::shallow {

/// A tree of a few leaves; its cost leaves out what every tree loses.
struct ShallowTree {
  Ticks cost;
  table::TreeShape shape;
  std::uint32_t root = 0;  // number of a column of the solver; meaningless for a leaf
  void improve(const ShallowTree& by) {
    if (by.cost < cost || (by.cost == cost && by.shape < shape)) *this = by;
  }
};

inline ShallowTree joined(const ShallowTree& a, const ShallowTree& b, std::uint32_t root) {
  return {a.cost + b.cost, {a.shape.leaves + b.shape.leaves, std::max(a.shape.depth, b.shape.depth) + 1}, root};
}

/// The best tree of at most two levels on one side of the root of a tree found, and the loss of a leaf there.
struct Below {
  table::KnownTree tree;
  Ticks loss;
};

}  // namespace hornbeam::shallow
