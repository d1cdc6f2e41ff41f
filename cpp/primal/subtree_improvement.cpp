#include "primal/subtree_improvement.hpp"

#include <algorithm>

#include "base/fingerprint.hpp"

namespace hornbeam::primal {

namespace {

constexpr std::uint32_t kMostReplaced = 5;  // leaves
constexpr std::uint64_t kNodes = 16;        // that may take all of the work together
constexpr std::uint64_t kTimesRead = 32;    // how often the rows of a column are read, or more often
// What one subtree may take: of large tables little, so that rows stay far below 2^24, the most that can be sorted; and
// of small ones enough for a few times as many rows as points.
constexpr std::uint64_t kLeastBytes = 1u << 18, kMostBytes = 1u << 25, kBytesPerCell = 128, kBytesPerPoint = 4096;

}  // namespace

SubtreeImprovement::SubtreeImprovement(const Points& points, const models::LeafModel& model, Ticks leaf_penalty,
                                       std::uint64_t rows_per_leaf, std::uint32_t most_depth, std::uint32_t most_leaves,
                                       run::WorkMeter& meter)
    : leaf_penalty_(leaf_penalty),
      counts_rows_(rows_per_leaf > 1),
      most_depth_(most_depth),
      most_leaves_(most_leaves),
      meter_(meter),
      solver_(points, model, leaf_penalty, rows_per_leaf, meter),
      most_bytes_(most_bytes(points.size(), solver_.most_columns())) {}

std::uint64_t SubtreeImprovement::most_bytes(std::uint64_t n_points, std::uint64_t n_variables) {
  return std::clamp(n_points * (kBytesPerCell * n_variables + kBytesPerPoint), kLeastBytes, kMostBytes);
}

bool SubtreeImprovement::improve(WorkingTree& tree, std::uint64_t most_work) {
  const std::uint64_t before = meter_.spent();
  bool has_improved = false;
  std::vector<WorkingTree::NodeIndex> open{WorkingTree::kRoot};
  while (!open.empty() && meter_.spent() - before < most_work && meter_.spend(0)) {
    const WorkingTree::NodeIndex index = open.back();
    open.pop_back();
    if (tree.node(index).n_leaves <= kMostReplaced && improve_node(tree, index, most_work / kNodes)) {
      has_improved = true;
      continue;
    }
    const WorkingTree::Node& node = tree.node(index);
    if (!node.is_leaf()) open.insert(open.end(), {node.child[0], node.child[1]});
  }
  spent_ += meter_.spent() - before;
  return has_improved;
}

/// True if the cost has fallen.
bool SubtreeImprovement::improve_node(WorkingTree& tree, WorkingTree::NodeIndex index, std::uint64_t most_work) {
  const std::uint32_t leaves = leaves_allowed(tree, tree.node(index));
  const Ticks before = tree.cost(index, leaf_penalty_);
  if (leaves < 2 || before <= 2 * leaf_penalty_) return false;
  const std::span<const std::uint32_t> points = tree.points(index);
  const std::uint64_t n_rows = counts_rows_ ? std::max(tree.node(index).rows, points.size()) : points.size();
  if (kTimesRead * n_rows * solver_.most_columns() > most_work || solver_.bytes_of(n_rows) > most_bytes_) return false;
  std::uint64_t key = mix(leaves);
  for (const std::uint32_t point : points) key ^= mix(point);
  meter_.add(points.size());
  Known& known = known_[key % known_.size()];
  if (known.key == key && before <= known.cost) return false;
  known = {key, before};
  bytes_ = std::max(bytes_, solver_.bytes_of(n_rows));
  const auto found = solver_.find(points, leaves, before, most_work);
  if (!found) return false;
  const Preorder old = tree.preorder(index);
  tree.replace(index, *found);
  known.cost = tree.cost(index, leaf_penalty_);
  if (known.cost < before) return true;
  tree.replace(index, old);
  return false;
}

/// Of the best subtree of two levels in the place of a node.
std::uint32_t SubtreeImprovement::leaves_allowed(const WorkingTree& tree, const WorkingTree::Node& node) const {
  const std::uint32_t others = tree.root().n_leaves - node.n_leaves;
  if (node.depth >= most_depth_ || others >= most_leaves_) return 1;
  return std::min(node.depth + 1 == most_depth_ ? 2u : 4u, most_leaves_ - others);
}

}  // namespace hornbeam::primal
