#include "primal/working_tree.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::primal {

WorkingTree::WorkingTree(const Points& points, const models::LeafModel& model, std::uint64_t rows_per_leaf)
    : points_(&points), model_(&model), rows_per_leaf_(rows_per_leaf), order_(points.size()) {
  std::vector<std::int64_t> one(model.n_targets(), 0);
  for (std::uint32_t t = 0; t < model.n_targets() && !points.are_joint; ++t) {
    one[t] = 1;
    for (std::uint32_t k = 0; k < model.n_predictions(); ++k) cost_of_target_.push_back(model.loss_of(one.data(), k));
    one[t] = 0;
  }
  std::iota(order_.begin(), order_.end(), 0u);
  nodes_.emplace_back();
  nodes_[kRoot].end = points.size();
  route(kRoot);
}

WorkingTree::NodeIndex WorkingTree::leaf_of(std::uint32_t point, NodeIndex from) const {
  while (!nodes_[from].is_leaf()) {
    const Split& split = nodes_[from].split;
    const bool is_true =
        points_->variables[split.variable].with_condition(split.bin, [&](auto holds) { return holds(point); });
    from = nodes_[from].child[is_true ? 1 : 0];
  }
  return from;
}

std::vector<WorkingTree::NodeIndex> WorkingTree::nodes_below(NodeIndex from) const {
  std::vector<NodeIndex> found{from};
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (nodes_[found[i]].is_leaf()) continue;
    found.push_back(nodes_[found[i]].child[1]);
    found.push_back(nodes_[found[i]].child[0]);
  }
  return found;
}

Preorder WorkingTree::preorder(NodeIndex from) const {
  const Node& node = nodes_[from];
  if (node.is_leaf()) return {std::nullopt};
  Preorder all{node.split};
  for (const int x : {1, 0}) {
    const Preorder side = preorder(node.child[x]);
    all.insert(all.end(), side.begin(), side.end());
  }
  return all;
}

void WorkingTree::replace(NodeIndex index, const Preorder& subtree) {
  make_leaf(index);
  std::size_t next = 0;
  build(index, subtree, next);
  route(index);
  for (NodeIndex up = nodes_[index].parent; up != kNone; up = nodes_[up].parent) update(up);
}

WorkingTree::NodeIndex WorkingTree::add(NodeIndex parent) {
  nodes_.emplace_back();
  nodes_.back().parent = parent;
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

void WorkingTree::build(NodeIndex index, const Preorder& subtree, std::size_t& next) {
  const std::optional<Split> split = subtree[next++];
  if (!split) return;
  nodes_[index].split = *split;
  for (const int x : {1, 0}) {
    const NodeIndex child = add(index);
    nodes_[index].child[x] = child;
    build(child, subtree, next);
  }
}

/// Distributes the points of a node below it.
void WorkingTree::route(NodeIndex index) {
  std::vector<std::int64_t> weight(points_->n_targets, 0);
  std::uint64_t rows = 0;
  for (const std::uint32_t point : points(index)) {
    points_->add_to(weight.data(), point);
    rows += points_->row_count[point];
  }
  nodes_[index].rows = rows;
  nodes_[index].prediction = model_->best_prediction(weight.data());
  nodes_[index].leaf_loss = model_->loss_of(weight.data(), nodes_[index].prediction);
  for (bool is_lifted = true; is_lifted && !nodes_[index].is_leaf();) {
    const Node& node = nodes_[index];
    std::uint32_t n_true = 0;
    std::uint64_t rows_of_true = 0;
    false_side_.clear();
    points_->variables[node.split.variable].with_condition(node.split.bin, [&](auto holds) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        const std::uint32_t point = order_[i];
        if (holds(point)) {
          order_[node.begin + n_true++] = point;
          rows_of_true += points_->row_count[point];
        } else {
          false_side_.push_back(point);
        }
      }
    });
    std::copy(false_side_.begin(), false_side_.end(), order_.begin() + node.begin + n_true);
    const std::uint64_t needed = std::max<std::uint64_t>(rows_per_leaf_, 1);
    const bool is_kept = n_true > 0 && !false_side_.empty() && std::min(rows_of_true, rows - rows_of_true) >= needed;
    is_lifted = !is_kept;
    if (is_lifted) {
      lift(index, node.child[rows_of_true >= rows - rows_of_true ? 1 : 0]);
      continue;
    }
    for (const int x : {1, 0}) {
      Node& child = nodes_[node.child[x]];
      child.depth = node.depth + 1;
      child.begin = x == 1 ? node.begin : node.begin + n_true;
      child.end = x == 1 ? node.begin + n_true : node.end;
    }
    const NodeIndex of_true = node.child[1], of_false = node.child[0];
    route(of_true);
    route(of_false);
  }
  update(index);
}

void WorkingTree::make_leaf(NodeIndex index) {
  nodes_[index].child[0] = nodes_[index].child[1] = kNone;
  update(index);
}

/// Puts what is below a child in the place of a node, whose points stay.
void WorkingTree::lift(NodeIndex index, NodeIndex child) {
  for (const int x : {0, 1}) {
    nodes_[index].child[x] = nodes_[child].child[x];
    if (nodes_[index].child[x] != kNone) nodes_[nodes_[index].child[x]].parent = index;
  }
  nodes_[index].split = nodes_[child].split;
}

void WorkingTree::update(NodeIndex index) {
  Node& node = nodes_[index];
  node.n_leaves = node.is_leaf() ? 1 : nodes_[node.child[0]].n_leaves + nodes_[node.child[1]].n_leaves;
  node.loss = node.is_leaf() ? node.leaf_loss : nodes_[node.child[0]].loss + nodes_[node.child[1]].loss;
}

void WorkingTree::prune(Ticks leaf_penalty, std::uint32_t most_leaves) {
  prune_by_penalty(leaf_penalty);
  if (root().n_leaves > most_leaves) prune_to(leaf_penalty, most_leaves);
}

void WorkingTree::prune_by_penalty(Ticks leaf_penalty) {
  const std::vector<NodeIndex> all = nodes_below(kRoot);
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    update(*it);
    if (!nodes_[*it].is_leaf() && nodes_[*it].leaf_loss + leaf_penalty <= cost(*it, leaf_penalty)) make_leaf(*it);
  }
}

namespace {

/// The least loss of two sides that have j leaves together, and the leaves of the first side; no more than `most`.
std::vector<Ticks> join_losses(const std::vector<Ticks>& a, const std::vector<Ticks>& b, std::size_t most,
                               std::vector<std::uint32_t>& of_a) {
  std::vector<Ticks> joined(std::min(a.size() + b.size(), most), kInfinity);
  of_a.assign(joined.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size() && i + j + 1 < joined.size(); ++j) {
      if (a[i] + b[j] >= joined[i + j + 1]) continue;
      joined[i + j + 1] = a[i] + b[j];
      of_a[i + j + 1] = static_cast<std::uint32_t>(i + 1);
    }
  }
  return joined;
}

}  // namespace

/// Entry j of the losses of a node is the least with j + 1 leaves below it.
struct PrunedLosses {
  std::vector<Ticks> loss;
  std::vector<std::uint32_t> of_true;  // leaves on the true side, for each number of leaves
};

namespace {

std::vector<PrunedLosses> losses_below(const WorkingTree& tree, const std::vector<WorkingTree::NodeIndex>& all,
                                       std::size_t most) {
  std::vector<PrunedLosses> losses(all.size());
  // Breadth first, the children of a node follow each other: the place of the first is found by counting.
  std::vector<std::size_t> first_child(all.size(), 0);
  std::size_t next = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (tree.node(all[i]).is_leaf()) continue;
    first_child[i] = next;
    next += 2;
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    const WorkingTree::Node& node = tree.node(all[i]);
    if (first_child[i] == 0) {
      losses[i] = {{node.leaf_loss}, {0}};
      continue;
    }
    PrunedLosses& below = losses[i];
    below.loss = join_losses(losses[first_child[i]].loss, losses[first_child[i] + 1].loss, most, below.of_true);
    below.loss[0] = node.leaf_loss;
  }
  return losses;
}

}  // namespace

std::vector<Ticks> WorkingTree::pruned_losses(std::uint32_t most_leaves) const {
  return losses_below(*this, nodes_below(kRoot), most_leaves).front().loss;
}

void WorkingTree::prune_to(Ticks leaf_penalty, std::uint32_t most_leaves) {
  const std::vector<NodeIndex> all = nodes_below(kRoot);
  const std::vector<PrunedLosses> losses = losses_below(*this, all, most_leaves);
  std::vector<std::uint32_t> leaves(all.size(), 0);  // 0: below a new leaf
  const std::vector<Ticks>& of_root = losses.front().loss;
  Ticks least = kInfinity;
  for (std::uint32_t j = 0; j < of_root.size(); ++j) {
    if (of_root[j] + leaf_penalty * (j + 1) >= least) continue;
    least = of_root[j] + leaf_penalty * (j + 1);
    leaves[0] = j + 1;
  }
  std::size_t next = 1;
  std::vector<bool> is_leaf(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    is_leaf[i] = nodes_[all[i]].is_leaf();
    if (is_leaf[i]) continue;
    if (leaves[i] > 1) {
      leaves[next] = losses[i].of_true[leaves[i] - 1];
      leaves[next + 1] = leaves[i] - leaves[next];
    }
    next += 2;
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    if (leaves[i] == 1)
      make_leaf(all[i]);
    else
      update(all[i]);
  }
}

tree::ResultTree WorkingTree::result(Ticks leaf_penalty) const {
  tree::ResultTree tree;
  add_to(tree, kRoot);
  tree.cost = cost(leaf_penalty);
  return tree;
}

void WorkingTree::add_to(tree::ResultTree& tree, NodeIndex index) const {
  const Node& node = nodes_[index];
  if (node.is_leaf()) return tree.add_leaf(node.prediction);
  tree.add_split(points_->column_of(node.split), node.prediction,
                 [&](bool side) { add_to(tree, node.child[side ? 1 : 0]); });
}

}  // namespace hornbeam::primal
