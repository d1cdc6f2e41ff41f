// data/node_statistics.hpp
//
// WHAT    Statistics of the nodes of a tree: the number of rows that reach each, and their weight by class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hornbeam {

struct NodeStatistics {
  std::vector<std::int64_t> n_rows;   // of each node
  std::vector<double> class_weights;  // node by node
};

/// Adds up the rows of each leaf in their order, then leaves into their parents. Children come after their parents, and
/// leaves have child -1; every leaf of a row and every class must be in range.
template <class Weight>
NodeStatistics node_statistics(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                               std::span<const std::int32_t> leaf_of_row, std::span<const std::int32_t> classes,
                               std::span<const Weight> weights, std::size_t n_classes) {
  NodeStatistics of;
  of.n_rows.assign(left.size(), 0);
  of.class_weights.assign(left.size() * n_classes, 0.0);
  for (std::size_t row = 0; row < leaf_of_row.size(); ++row) {
    const auto leaf = static_cast<std::size_t>(leaf_of_row[row]);
    of.n_rows[leaf] += 1;
    of.class_weights[leaf * n_classes + static_cast<std::size_t>(classes[row])] += static_cast<double>(weights[row]);
  }
  for (std::size_t node = left.size(); node-- > 0;) {
    if (left[node] < 0) continue;
    const auto held = static_cast<std::size_t>(left[node]), failed = static_cast<std::size_t>(right[node]);
    of.n_rows[node] = of.n_rows[held] + of.n_rows[failed];
    for (std::size_t c = 0; c < n_classes; ++c)
      of.class_weights[node * n_classes + c] =
          of.class_weights[held * n_classes + c] + of.class_weights[failed * n_classes + c];
  }
  return of;
}

}  // namespace hornbeam
