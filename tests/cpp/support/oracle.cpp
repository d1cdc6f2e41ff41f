#include "support/oracle.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::testing {

using namespace hornbeam::tree;

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
  return best(rows, problem_.limits.depth.value_or(kNoLimit), problem_.limits.leaves.value_or(kNoLimit));
}

Ticks Oracle::best(const RowNumbers& rows, std::uint32_t depth, std::uint32_t leaves) {
  const auto key = std::make_tuple(rows, depth, leaves);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  Ticks least = problem_.leaf_cost + loss_of_leaf(problem_, rows);
  for (std::uint32_t column = 0; column < problem_.n_columns && depth > 0 && leaves > 1; ++column) {
    const RowNumbers true_side = rows_where(problem_, rows, column, true),
                     false_side = rows_where(problem_, rows, column, false);
    if (std::min(true_side.size(), false_side.size()) >= problem_.limits.rows_per_leaf)
      least = std::min(least, best_split(true_side, false_side, depth, leaves));
  }
  return known_[key] = least;
}

/// The least cost of a tree with these two sides, over all ways to share the leaves between them.
Ticks Oracle::best_split(const RowNumbers& true_side, const RowNumbers& false_side, std::uint32_t depth,
                         std::uint32_t leaves) {
  const std::uint32_t depth_of_side = depth == kNoLimit ? kNoLimit : depth - 1;
  if (leaves == kNoLimit) return best(true_side, depth_of_side, kNoLimit) + best(false_side, depth_of_side, kNoLimit);
  Ticks least = kInfinity;
  for (std::uint32_t of_true = 1; of_true < leaves; ++of_true)
    least =
        std::min(least, best(true_side, depth_of_side, of_true) + best(false_side, depth_of_side, leaves - of_true));
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
    const Ticks true_side = cost(tree.left[at], rows_where(problem, rows, column, true), depth + 1);
    const Ticks false_side =
        true_side < 0 ? -1 : cost(tree.right[at], rows_where(problem, rows, column, false), depth + 1);
    return false_side < 0 ? -1 : true_side + false_side;
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
  const bool is_complete = walk.n_seen == tree.column.size();
  return is_complete && walk.n_leaves <= problem.limits.leaves.value_or(walk.n_leaves) ? cost : -1;
}

}  // namespace hornbeam::testing
