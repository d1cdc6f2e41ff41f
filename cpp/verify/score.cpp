#include "verify/score.hpp"

#include <stdexcept>

namespace hornbeam {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace

Ticks score(const FlatTree& tree, const PackedColumns& columns, std::span<const std::int32_t> classes,
            std::span<const std::int64_t> weights, const Costs& costs, Ticks leaf_cost, const TreeLimits& limits) {
  const auto n_nodes = static_cast<std::int32_t>(tree.column.size());
  require(n_nodes > 0, "a tree has at least one node");
  std::vector<std::uint32_t> depth(tree.column.size(), 0);
  std::uint32_t n_leaves = 0;
  for (std::int32_t node = 0; node < n_nodes; ++node) {
    const auto at = static_cast<std::size_t>(node);
    require(!limits.depth || depth[at] <= *limits.depth, "the tree is deeper than allowed");
    if (tree.column[at] < 0) {
      ++n_leaves;
      continue;
    }
    for (const std::int32_t child : {tree.left[at], tree.right[at]}) {
      require(child > node && child < n_nodes, "a child stands after its parent");
      depth[static_cast<std::size_t>(child)] = depth[at] + 1;
    }
  }
  require(!limits.leaves || n_leaves <= *limits.leaves, "the tree has more leaves than allowed");

  Ticks cost = static_cast<Ticks>(n_leaves) * leaf_cost;
  std::vector<std::uint64_t> rows_in(tree.column.size(), 0);
  for (std::uint32_t row = 0; row < columns.n_rows; ++row) {
    std::size_t node = 0;
    while (tree.column[node] >= 0) {
      const bool holds = columns.test(static_cast<std::uint32_t>(tree.column[node]), row);
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
