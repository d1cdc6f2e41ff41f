#include "verify/score.hpp"

#include <stdexcept>

namespace hornbeam {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

std::uint32_t check_tree(const FlatTree& tree, std::uint32_t n_columns, std::uint32_t n_predictions,
                         const std::optional<std::uint32_t>& most_depth) {
  const std::size_t n_nodes = tree.column.size();
  require(n_nodes > 0, "a tree has at least one node");
  require(tree.left.size() == n_nodes && tree.right.size() == n_nodes && tree.prediction.size() == n_nodes,
          "the arrays of a tree are equally long");
  std::vector<std::uint32_t> depth(n_nodes, 0);
  std::vector<bool> has_parent(n_nodes, false);
  std::uint32_t n_leaves = 0;
  for (std::size_t node = 0; node < n_nodes; ++node) {
    require(node == 0 || has_parent[node], "every node but the first has a parent");
    require(!most_depth || depth[node] <= *most_depth, "the tree is deeper than allowed");
    require(tree.prediction[node] >= 0 && static_cast<std::uint32_t>(tree.prediction[node]) < n_predictions,
            "a node predicts what has a cost");
    if (tree.column[node] < 0) {
      ++n_leaves;
      continue;
    }
    require(static_cast<std::uint32_t>(tree.column[node]) < n_columns, "a node asks for a column of the data");
    for (const std::int32_t number : {tree.left[node], tree.right[node]}) {
      const auto child = static_cast<std::size_t>(number);
      require(number >= 0 && child > node && child < n_nodes, "a child stands after its parent");
      require(!has_parent[child], "a node has one parent");
      has_parent[child] = true;
      depth[child] = depth[node] + 1;
    }
  }
  return n_leaves;
}

Ticks score(const FlatTree& tree, const ColumnTest& columns, std::span<const std::int32_t> classes,
            std::span<const std::int64_t> weights, const Costs& costs, Ticks leaf_cost, const TreeLimits& limits) {
  const std::uint32_t n_leaves = check_tree(tree, columns.n_columns, costs.n_predictions(), limits.depth);
  require(!limits.leaves || n_leaves <= *limits.leaves, "the tree has more leaves than allowed");

  Ticks cost = static_cast<Ticks>(n_leaves) * leaf_cost;
  std::vector<std::uint64_t> rows_in(tree.column.size(), 0);
  for (std::uint32_t row = 0; row < classes.size(); ++row) {
    std::size_t node = 0;
    while (tree.column[node] >= 0) {
      const bool holds = columns.holds(static_cast<std::uint32_t>(tree.column[node]), row);
      node = static_cast<std::size_t>(holds ? tree.left[node] : tree.right[node]);
    }
    ++rows_in[node];
    cost += weights[row] *
            costs.of(static_cast<std::uint32_t>(classes[row]), static_cast<std::uint32_t>(tree.prediction[node]));
  }
  for (std::size_t node = 0; node < tree.column.size(); ++node)
    require(tree.column[node] >= 0 || n_leaves == 1 || rows_in[node] >= limits.rows_per_leaf,
            "a leaf has fewer rows than allowed");
  return cost;
}

}  // namespace hornbeam
