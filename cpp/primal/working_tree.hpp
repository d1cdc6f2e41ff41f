// primal/working_tree.hpp
//
// WHAT    A tree with the points of each node, whose subtrees can be replaced and pruned.
// FLOW    primal/best_first_growth, primal/split_improvement, primal/primal_search change it.
// HOLDS   Between two calls every leaf has the prediction of least loss and at least `rows_per_leaf` rows, and costs
//         are exact. A subtree that is put in place of another may be given splits that do not separate its points, or
//         leave too few: they are replaced by their larger side.
// COST    A change costs the points below its node, once a level; costs are updated up to the root.
#pragma once

#include <span>
#include <vector>

#include "base/options.hpp"
#include "models/leaf_model.hpp"
#include "primal/preorder.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::primal {

class WorkingTree {
 public:
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kRoot = 0;
  static constexpr NodeIndex kNone = ~NodeIndex{0};

  struct Node {
    NodeIndex parent = kNone;
    NodeIndex child[2] = {kNone, kNone};  // 1: where the split holds
    Split split;
    std::uint32_t begin = 0, end = 0;  // of its points
    std::uint32_t depth = 0;
    std::uint32_t n_leaves = 1;
    std::uint32_t prediction = 0;
    std::uint64_t rows = 0;
    Ticks leaf_loss = 0;  // with one prediction
    Ticks loss = 0;       // of the subtree
    bool is_leaf() const { return child[0] == kNone; }
  };

  /// A single leaf.
  WorkingTree(const Points& points, const models::LeafModel& model, std::uint64_t rows_per_leaf);

  const Node& node(NodeIndex index) const { return nodes_[index]; }
  const Node& root() const { return nodes_[kRoot]; }
  std::span<const std::uint32_t> points(NodeIndex index) const {
    return {order_.data() + nodes_[index].begin, order_.data() + nodes_[index].end};
  }
  Ticks cost(Ticks leaf_penalty) const { return root().loss + leaf_penalty * root().n_leaves; }
  Ticks cost(NodeIndex index, Ticks leaf_penalty) const {
    return nodes_[index].loss + leaf_penalty * nodes_[index].n_leaves;
  }
  /// What a point loses by a prediction.
  Ticks loss_of(std::uint32_t point, std::uint32_t prediction) const {
    if (points_->are_joint) return model_->loss_of(points_->weights_of(point).data(), prediction);
    return points_->weight[point] * cost_of_target_[points_->target[point] * model_->n_predictions() + prediction];
  }
  /// The leaf below a node that a point reaches.
  NodeIndex leaf_of(std::uint32_t point, NodeIndex from) const;

  /// All nodes below a node and itself, parents before their children.
  std::vector<NodeIndex> nodes_below(NodeIndex from) const;
  Preorder preorder(NodeIndex from) const;

  void replace(NodeIndex index, const Preorder& subtree);
  /// The best tree that is left when inner nodes become leaves, with at most so many leaves.
  void prune(Ticks leaf_penalty, std::uint32_t most_leaves);
  /// The least loss of the pruned trees with 1, 2, ..., `most_leaves` leaves.
  std::vector<Ticks> pruned_losses(std::uint32_t most_leaves) const;

  tree::ResultTree result(Ticks leaf_penalty) const;

 private:
  NodeIndex add(NodeIndex parent);
  void build(NodeIndex index, const Preorder& subtree, std::size_t& next);
  void route(NodeIndex index);
  void make_leaf(NodeIndex index);
  void lift(NodeIndex index, NodeIndex child);
  void update(NodeIndex index);
  void prune_by_penalty(Ticks leaf_penalty);
  void prune_to(Ticks leaf_penalty, std::uint32_t most_leaves);
  void add_to(tree::ResultTree& tree, NodeIndex index) const;

  const Points* points_;
  const models::LeafModel* model_;
  std::uint64_t rows_per_leaf_;
  std::vector<Ticks> cost_of_target_;  // (n_targets, n_predictions); empty for joint points
  std::vector<Node> nodes_;            // those that are no longer in the tree stay unused
  std::vector<std::uint32_t> order_;   // the points, those of a node together
  std::vector<std::uint32_t> false_side_;
};

}  // namespace hornbeam::primal
