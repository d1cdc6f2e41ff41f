#include "primal/best_first_growth.hpp"

#include <queue>

namespace hornbeam::primal {

namespace {

struct OpenLeaf {
  double gain;
  WorkingTree::NodeIndex node;
  Split split;
  /// The first of several in a queue: the largest gain, then the node that was made first.
  friend bool operator<(const OpenLeaf& a, const OpenLeaf& b) {
    return a.gain != b.gain ? a.gain < b.gain : a.node > b.node;
  }
};

}  // namespace

void grow_best_first(WorkingTree& tree, SplitFinder& finder, SplitFinder::Criterion criterion, Ticks leaf_penalty,
                     std::uint32_t most_depth, std::uint32_t most_leaves, run::WorkMeter& meter) {
  std::priority_queue<OpenLeaf> open;
  const auto open_leaf = [&](WorkingTree::NodeIndex index) {
    const WorkingTree::Node& node = tree.node(index);
    if (node.leaf_loss <= leaf_penalty || node.depth >= most_depth || !meter.spend(0)) return;
    finder.load(tree.points(index));
    if (const auto found = finder.best(criterion))
      open.push({finder.score_as_leaf(criterion) - found->score, index, found->split});
  };
  for (const WorkingTree::NodeIndex index : tree.nodes_below(WorkingTree::kRoot))
    if (tree.node(index).is_leaf()) open_leaf(index);
  while (!open.empty() && tree.root().n_leaves < most_leaves && meter.spend(0)) {
    const OpenLeaf next = open.top();
    open.pop();
    tree.replace(next.node, {next.split, std::nullopt, std::nullopt});
    if (tree.node(next.node).is_leaf()) continue;
    open_leaf(tree.node(next.node).child[1]);
    open_leaf(tree.node(next.node).child[0]);
  }
}

}  // namespace hornbeam::primal
