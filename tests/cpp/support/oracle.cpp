#include "support/oracle.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::testing {

Ticks loss_of_leaf(const TestProblem& problem, const RowNumbers& rows) {
  Ticks least = kInfinity;
  for (std::uint32_t k = 0; k < problem.n_predictions; ++k) {
    Ticks loss = 0;
    for (const std::uint32_t row : rows) loss += problem.weights[row] * problem.cost(problem.classes[row], k);
    least = std::min(least, loss);
  }
  return least;
}

Ticks largest_loss(const TestProblem& problem, const RowNumbers& rows) {
  Ticks sum = 0;
  for (const std::uint32_t row : rows) {
    Ticks largest = 0;
    for (std::uint32_t k = 0; k < problem.n_predictions; ++k)
      largest = std::max(largest, problem.cost(problem.classes[row], k));
    sum += problem.weights[row] * largest;
  }
  return sum;
}

Ticks least_loss(const TestProblem& problem, const RowNumbers& rows) {
  std::map<std::vector<bool>, RowNumbers> groups;
  for (const std::uint32_t row : rows) groups[problem.rows[row]].push_back(row);
  Ticks sum = 0;
  for (const auto& [bits, members] : groups) sum += loss_of_leaf(problem, members);
  return sum;
}

RowNumbers all_rows(const TestProblem& problem) {
  RowNumbers rows(problem.n_rows());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

RowNumbers rows_where(const TestProblem& problem, const RowNumbers& rows, std::uint32_t column, bool value) {
  RowNumbers found;
  for (const std::uint32_t row : rows)
    if (problem.rows[row][column] == value) found.push_back(row);
  return found;
}

Ticks Oracle::best(const RowNumbers& rows) {
  known_.clear();
  Path nothing_asked(problem_.n_columns, -1);
  return best(rows, nothing_asked, problem_.limits.depth.value_or(problem_.n_columns),
              problem_.limits.leaves.value_or(kNoLimit));
}

Ticks Oracle::best(const RowNumbers& rows, Path& path, std::uint32_t depth, std::uint32_t leaves) {
  const auto key = std::make_tuple(path, depth, leaves);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  Ticks least = problem_.leaf_cost + loss_of_leaf(problem_, rows);
  for (std::uint32_t column = 0; column < problem_.n_columns && depth > 0 && leaves > 1; ++column) {
    if (path[column] != -1) continue;
    const RowNumbers sides[2] = {rows_where(problem_, rows, column, false), rows_where(problem_, rows, column, true)};
    if (std::min(sides[0].size(), sides[1].size()) < problem_.limits.rows_per_leaf) continue;
    least = std::min(least, best_split(sides, column, path, depth, leaves));
  }
  return known_[key] = least;
}

/// The least cost of a tree with this root split, over all ways to share the leaves between the sides.
Ticks Oracle::best_split(const RowNumbers sides[2], std::uint32_t column, Path& path, std::uint32_t depth,
                         std::uint32_t leaves) {
  const auto best_side = [&](int value, std::uint32_t leaves_of_side) {
    path[column] = value;
    const Ticks cost = best(sides[value], path, depth - 1, leaves_of_side);
    path[column] = -1;
    return cost;
  };
  if (leaves == kNoLimit) return best_side(0, kNoLimit) + best_side(1, kNoLimit);
  Ticks least = kInfinity;
  for (std::uint32_t of_false = 1; of_false < leaves; ++of_false)
    least = std::min(least, best_side(0, of_false) + best_side(1, leaves - of_false));
  return least;
}

namespace {

struct Walk {
  const TestProblem& problem;
  const ResultTree& tree;
  std::size_t n_seen = 0;
  std::uint32_t n_leaves = 0;

  /// Cost of the subtree at `node`, or -1.
  Ticks cost(std::int32_t node, const RowNumbers& rows, std::uint32_t depth) {
    if (node < 0 || static_cast<std::size_t>(node) != n_seen || n_seen >= tree.column.size()) return -1;  // pre-order
    ++n_seen;
    if (problem.limits.depth && depth > *problem.limits.depth) return -1;
    const auto at = static_cast<std::size_t>(node);
    if (loss_of(at, rows) != loss_of_leaf(problem, rows)) return -1;
    if (tree.column[at] < 0) {
      ++n_leaves;
      if (depth > 0 && rows.size() < problem.limits.rows_per_leaf) return -1;
      return tree.left[at] == -1 && tree.right[at] == -1 ? problem.leaf_cost + loss_of(at, rows) : -1;
    }
    const auto column = static_cast<std::uint32_t>(tree.column[at]);
    const Ticks held = cost(tree.left[at], rows_where(problem, rows, column, true), depth + 1);
    const Ticks failed = held < 0 ? -1 : cost(tree.right[at], rows_where(problem, rows, column, false), depth + 1);
    return failed < 0 ? -1 : held + failed;
  }

  Ticks loss_of(std::size_t node, const RowNumbers& rows) const {
    Ticks loss = 0;
    for (const std::uint32_t row : rows)
      loss +=
          problem.weights[row] * problem.cost(problem.classes[row], static_cast<std::uint32_t>(tree.prediction[node]));
    return loss;
  }
};

}  // namespace

Ticks cost_of_tree(const TestProblem& problem, const ResultTree& tree) {
  Walk walk{problem, tree};
  const Ticks cost = walk.cost(0, all_rows(problem), 0);
  const bool is_whole = walk.n_seen == tree.column.size();
  return is_whole && walk.n_leaves <= problem.limits.leaves.value_or(walk.n_leaves) ? cost : -1;
}

}  // namespace hornbeam::testing
