// primal/subtree_improvement.hpp
//
// WHAT    Replaces small subtrees of a tree by the best ones of two levels, over all thresholds of all variables.
// FLOW    primal/primal_search -> here -> primal/two_level_subtree.
// HOLDS   The cost of the tree never rises, and it stays within the limits.
// COST    Nodes whose points take too much of the work allowed, or too much memory, are left alone. So are those known
//         to gain nothing, which most trees of the local search share.
#pragma once

#include <array>

#include "primal/two_level_subtree.hpp"
#include "primal/working_tree.hpp"

namespace hornbeam::primal {

class SubtreeImprovement {
 public:
  SubtreeImprovement(const Points& points, const models::LeafModel& model, Ticks leaf_penalty,
                     std::uint64_t rows_per_leaf, std::uint32_t most_depth, std::uint32_t most_leaves,
                     run::WorkMeter& meter);

  /// Improves the subtrees of few leaves, from the root on, while this reads no more than about so many points. True if
  /// the cost has fallen.
  bool improve(WorkingTree& tree, std::uint64_t most_work);
  /// Of all calls together.
  std::uint64_t spent() const { return spent_; }
  std::uint64_t bytes() const { return bytes_; }
  /// At least what `bytes` is for so many points.
  static std::uint64_t most_bytes(std::uint64_t n_points, std::uint64_t n_variables);

 private:
  /// No subtree for the points with this key costs less, or none was found with the work allowed then.
  struct Known {
    std::uint64_t key = 0;
    Ticks cost = 0;
  };

  bool improve_node(WorkingTree& tree, WorkingTree::NodeIndex index, std::uint64_t most_work);
  std::uint32_t leaves_allowed(const WorkingTree& tree, const WorkingTree::Node& node) const;

  const Ticks leaf_penalty_;
  const bool counts_rows_;
  const std::uint32_t most_depth_, most_leaves_;
  run::WorkMeter& meter_;
  TwoLevelSubtree solver_;
  const std::uint64_t most_bytes_;
  std::uint64_t spent_ = 0, bytes_ = 0;
  std::array<Known, 1u << 12> known_{};  // by key; a new one takes the place of an old one
};

}  // namespace hornbeam::primal
