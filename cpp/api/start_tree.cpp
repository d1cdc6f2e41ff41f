#include "api/start_tree.hpp"

#include <vector>

namespace hornbeam::api {

namespace {

void add_node(tree::ResultTree& tree, const tree::StartTree& start, std::int32_t node) {
  const auto at = static_cast<std::size_t>(node);
  if (start.column[at] < 0) return tree.add_leaf(0);
  tree.add_split(static_cast<std::uint32_t>(start.column[at]), 0,
                 [&](bool side) { add_node(tree, start, side ? start.left[at] : start.right[at]); });
}

}  // namespace

void check_start_tree(const tree::StartTree& start, std::uint32_t n_columns, std::uint32_t n_predictions,
                      std::optional<std::uint32_t> max_depth) {
  if (start.column.empty()) return;
  const std::vector<std::int32_t> any_predictions(start.column.size(), 0);
  verify::check_tree({start.column, start.left, start.right, any_predictions}, n_columns, n_predictions, max_depth);
}

tree::ResultTree in_preorder(const tree::StartTree& start) {
  tree::ResultTree tree;
  add_node(tree, start, 0);
  return tree;
}

void label(tree::ResultTree& tree, const data::RowLosses& losses, const models::LeafModel& model, Ticks leaf_cost) {
  const std::size_t n_nodes = tree.column.size(), n_targets = losses.targets.n_targets;
  std::vector<std::int64_t> weight(n_nodes * n_targets, 0);
  for (std::size_t row = 0; row < tree.leaf_of_row.size(); ++row) {
    std::int64_t* const of_leaf = &weight[static_cast<std::size_t>(tree.leaf_of_row[row]) * n_targets];
    losses.targets.for_each(row, [&](std::uint32_t target, std::int64_t more) { of_leaf[target] += more; });
  }
  tree.cost = static_cast<Ticks>(tree.n_leaves()) * leaf_cost;
  for (std::size_t node = n_nodes; node-- > 0;) {  // children stand after their parents
    std::int64_t* const here = &weight[node * n_targets];
    const bool is_leaf = tree.column[node] < 0;
    for (std::size_t target = 0; target < n_targets && !is_leaf; ++target)
      for (const std::int32_t child : {tree.left[node], tree.right[node]})
        here[target] += weight[static_cast<std::size_t>(child) * n_targets + target];
    const std::uint32_t prediction = model.best_prediction(here);
    tree.prediction[node] = static_cast<std::int32_t>(prediction);
    if (is_leaf) tree.cost += model.loss_of(here, prediction);
  }
}

}  // namespace hornbeam::api
