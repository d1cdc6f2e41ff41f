// primal/split_improvement.hpp
//
// WHAT    Improves the splits of a tree one by one, over all thresholds of all variables, with the subtrees of both
//         sides kept: each point adds to a side what it would lose there.
// HOLDS   The cost of the tree never rises.
// COST    For each node one pass over the points that would lose more on one side than on the other.
// SOURCE  Alternating optimization of trees [carreira2018tao], restricted to splits on one variable, where the best
//         split of a node is found exactly.
#pragma once

#include "primal/split_finder.hpp"
#include "primal/working_tree.hpp"

namespace hornbeam::primal {

class SplitImprovement {
 public:
  SplitImprovement(SplitFinder& finder, run::WorkMeter& meter) : finder_(finder), meter_(meter) {}

  /// Improves every inner node, from below, until a pass over all of them changes nothing, or has been the last of
  /// `most_passes`.
  void improve(WorkingTree& tree, Ticks leaf_penalty, std::uint32_t most_passes);

 private:
  bool improve_node(WorkingTree& tree, WorkingTree::NodeIndex index, Ticks leaf_penalty);

  SplitFinder& finder_;
  run::WorkMeter& meter_;
  std::vector<std::uint32_t> points_;  // of the node, whose side matters
  std::vector<std::int64_t> numbers_;  // what each of them loses more on the true side
};

}  // namespace hornbeam::primal
