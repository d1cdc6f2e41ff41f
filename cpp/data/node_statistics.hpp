// data/node_statistics.hpp
//
// WHAT    Statistics of the nodes of a tree: the number of rows that reach each, and their weight by target.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/row_targets.hpp"

namespace hornbeam::data {

struct NodeStatistics {
  std::vector<std::int64_t> n_rows;    // of each node
  std::vector<double> target_weights;  // node by node
};

/// Adds up the rows of each leaf in their order, then leaves into their parents. Children come after their parents, and
/// leaves have child -1; every leaf of a row and every target must be in range.
template <class Weight>
NodeStatistics node_statistics(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                               std::span<const std::int32_t> leaf_of_row, const BasicRowTargets<Weight>& targets) {
  const std::size_t n_targets = targets.n_targets;
  NodeStatistics of;
  of.n_rows.assign(left.size(), 0);
  of.target_weights.assign(left.size() * n_targets, 0.0);
  for (std::size_t row = 0; row < leaf_of_row.size(); ++row) {
    const auto leaf = static_cast<std::size_t>(leaf_of_row[row]);
    of.n_rows[leaf] += 1;
    double* const weights = &of.target_weights[leaf * n_targets];
    targets.for_each(row,
                     [weights](std::size_t target, Weight weight) { weights[target] += static_cast<double>(weight); });
  }
  for (std::size_t node = left.size(); node-- > 0;) {
    if (left[node] < 0) continue;
    const auto true_side = static_cast<std::size_t>(left[node]), false_side = static_cast<std::size_t>(right[node]);
    of.n_rows[node] = of.n_rows[true_side] + of.n_rows[false_side];
    for (std::size_t t = 0; t < n_targets; ++t)
      of.target_weights[node * n_targets + t] =
          of.target_weights[true_side * n_targets + t] + of.target_weights[false_side * n_targets + t];
  }
  return of;
}

}  // namespace hornbeam::data
