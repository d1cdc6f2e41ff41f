#include "verify/routing.hpp"

namespace hornbeam::verify {

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
    require(static_cast<std::uint32_t>(tree.column[node]) < n_columns, "a node tests a column of the data");
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

void check_rule_list(const FlatTree& tree) {
  const auto is_leaf = [&](std::int32_t node) { return tree.column[static_cast<std::size_t>(node)] < 0; };
  for (std::size_t node = 0; node < tree.column.size(); ++node)
    if (tree.column[node] >= 0)
      require(is_leaf(tree.left[node]) || is_leaf(tree.right[node]), "a side of each split of a rule list is a leaf");
}

}  // namespace hornbeam::verify
