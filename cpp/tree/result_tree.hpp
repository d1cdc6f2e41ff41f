// tree/result_tree.hpp
//
// WHAT    A tree as flat arrays, the result of every search, and the functions that build it.
// HOLDS   Pre-order; node 0 is the root; the true side comes first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::tree {

struct ResultTree {
  std::vector<std::int32_t> column;      // -1 at a leaf
  std::vector<std::int32_t> left;        // child where the column holds, -1 at a leaf
  std::vector<std::int32_t> right;       // child where it does not
  std::vector<std::int32_t> prediction;  // of least loss on the node's rows, also at inner nodes
  Ticks cost = 0;
  std::vector<std::int32_t> leaf_of_row;  // of the caller's rows; empty until api/checks has routed them

  std::uint32_t n_leaves() const { return static_cast<std::uint32_t>((column.size() + 1) / 2); }

  void add_leaf(std::uint32_t predicted) {
    column.push_back(-1);
    left.push_back(-1);
    right.push_back(-1);
    prediction.push_back(static_cast<std::int32_t>(predicted));
  }

  void add_subtree(const ResultTree& subtree) {
    const auto offset = static_cast<std::int32_t>(column.size());
    for (std::size_t node = 0; node < subtree.column.size(); ++node) {
      const bool is_leaf = subtree.column[node] < 0;
      column.push_back(subtree.column[node]);
      left.push_back(is_leaf ? -1 : subtree.left[node] + offset);
      right.push_back(is_leaf ? -1 : subtree.right[node] + offset);
      prediction.push_back(subtree.prediction[node]);
    }
  }

  /// `add_side(side)` adds the subtree where the column equals `side`.
  template <class AddSide>
  void add_split(std::uint32_t on_column, std::uint32_t predicted, AddSide add_side) {
    const std::size_t node = column.size();
    add_leaf(predicted);
    column[node] = static_cast<std::int32_t>(on_column);
    left[node] = static_cast<std::int32_t>(column.size());
    add_side(true);
    right[node] = static_cast<std::int32_t>(column.size());
    add_side(false);
  }
};

}  // namespace hornbeam::tree
