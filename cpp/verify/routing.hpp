// verify/routing.hpp
//
// WHAT    The first part of the second opinion: checks that the arrays are a tree within its limits, and finds the leaf
//         of each of the caller's rows, one row at a time.
// HOLDS   Shares no code with the search; kept plain, never optimized.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/options.hpp"

namespace hornbeam::verify {

struct FlatTree {
  std::span<const std::int32_t> column, left, right, prediction;
};

/// Checks that the arrays are one tree within the depth limit; returns its number of leaves.
/// Throws std::logic_error if they are not.
std::uint32_t check_tree(const FlatTree& tree, std::uint32_t n_columns, std::uint32_t n_predictions,
                         const std::optional<std::uint32_t>& most_depth);

/// Throws std::logic_error if neither side of some split of a tree is a leaf.
void check_rule_list(const FlatTree& tree);

/// The number of the leaf that each row reaches; `columns` has n_columns, n_rows and test(column, row).
/// `row_counts` says how many rows each row stands for; empty: itself.
/// Throws std::logic_error if the arrays are not a tree or the tree exceeds a limit.
template <class Columns>
std::vector<std::int32_t> leaf_of_rows(const FlatTree& tree, const Columns& columns, std::uint32_t n_predictions,
                                       const TreeLimits& limits, std::span<const std::int64_t> row_counts = {}) {
  const std::uint32_t n_leaves = check_tree(tree, columns.n_columns, n_predictions, limits.depth);
  if (limits.leaves && n_leaves > *limits.leaves) throw std::logic_error("the tree has more leaves than allowed");
  if (limits.is_rule_list) check_rule_list(tree);
  std::vector<std::int32_t> leaves;
  leaves.reserve(columns.n_rows);
  std::vector<std::uint64_t> rows_in(tree.column.size(), 0);
  for (std::uint32_t row = 0; row < columns.n_rows; ++row) {
    std::size_t node = 0;
    while (tree.column[node] >= 0) {
      const bool holds = columns.test(static_cast<std::uint32_t>(tree.column[node]), row);
      node = static_cast<std::size_t>(holds ? tree.left[node] : tree.right[node]);
    }
    rows_in[node] += row_counts.empty() ? 1 : static_cast<std::uint64_t>(row_counts[row]);
    leaves.push_back(static_cast<std::int32_t>(node));
  }
  for (std::size_t node = 0; node < tree.column.size(); ++node)
    if (tree.column[node] < 0 && n_leaves > 1 && rows_in[node] < limits.rows_per_leaf)
      throw std::logic_error("a leaf has fewer rows than allowed");
  return leaves;
}

}  // namespace hornbeam::verify
