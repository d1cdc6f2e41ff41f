#include "primal/split_improvement.hpp"

#include <algorithm>

namespace hornbeam::primal {

void SplitImprovement::improve(WorkingTree& tree, Ticks leaf_penalty, std::uint32_t most_passes) {
  bool has_improved = true;
  for (std::uint32_t pass = 0; has_improved && pass < most_passes; ++pass) {
    has_improved = false;
    const std::vector<WorkingTree::NodeIndex> all = tree.nodes_below(WorkingTree::kRoot);
    for (auto it = all.rbegin(); it != all.rend() && meter_.spend(0); ++it)
      has_improved |= improve_node(tree, *it, leaf_penalty);
  }
}

/// True if the cost has fallen.
bool SplitImprovement::improve_node(WorkingTree& tree, WorkingTree::NodeIndex index, Ticks leaf_penalty) {
  const WorkingTree::Node node = tree.node(index);
  if (node.is_leaf()) return false;
  points_.clear();
  numbers_.clear();
  Ticks loss_on_false = 0, all = 0;
  for (const std::uint32_t point : tree.points(index)) {
    const Ticks on_false = tree.loss_of(point, tree.node(tree.leaf_of(point, node.child[0])).prediction);
    const Ticks on_true = tree.loss_of(point, tree.node(tree.leaf_of(point, node.child[1])).prediction);
    loss_on_false += on_false;
    if (on_true == on_false) continue;
    all += on_true - on_false;
    points_.push_back(point);
    numbers_.push_back(on_true - on_false);
  }
  meter_.add(4 * tree.points(index).size());
  const Ticks before = tree.cost(index, leaf_penalty);
  Ticks least = before;
  Preorder best;
  const auto offer = [&](Ticks loss, std::uint32_t n_leaves, auto make) {
    if (loss + leaf_penalty * n_leaves >= least) return;
    least = loss + leaf_penalty * n_leaves;
    best = make();
  };
  for (const int x : {0, 1})
    offer(loss_on_false + (x == 1 ? all : 0), tree.node(node.child[x]).n_leaves,
          [&] { return tree.preorder(node.child[x]); });
  if (const auto found = finder_.least_sum(points_, numbers_)) {
    const bool swaps_sides = found->of_false < found->of_true;
    offer(loss_on_false + std::min(found->of_true, found->of_false), node.n_leaves, [&] {
      Preorder joined{found->split};
      for (const int x : {1, 0}) {
        const Preorder side = tree.preorder(node.child[swaps_sides ? 1 - x : x]);
        joined.insert(joined.end(), side.begin(), side.end());
      }
      return joined;
    });
  }
  if (best.empty()) return false;
  const Preorder old = tree.preorder(index);
  tree.replace(index, best);
  // The limit on the rows of a leaf may have cost more than the split gains.
  if (tree.cost(index, leaf_penalty) < before) return true;
  tree.replace(index, old);
  return false;
}

}  // namespace hornbeam::primal
