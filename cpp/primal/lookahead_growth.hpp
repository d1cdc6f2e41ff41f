// primal/lookahead_growth.hpp
//
// WHAT    Trees grown from the root down. Greedy: the split of least impurity, the last one of least loss, and subtrees
//         that do not pay for their leaves are pruned. With lookahead: of several promising splits the one whose two
//         sides cost least when they are completed greedily; the same again on both sides.
// FLOW    primal/primal_search grows subtrees of its tree with it.
// SOURCE  LicketySPLIT [babbar2025split, section 4.2], over thresholds of numbers instead of all binary columns: only
//         the best splits of each variable by impurity and by loss are completed.
#pragma once

#include <span>
#include <vector>

#include "primal/preorder.hpp"
#include "primal/split_finder.hpp"

namespace hornbeam::primal {

class LookaheadGrowth {
 public:
  struct Grown {
    Ticks cost;
    Preorder preorder;
  };

  LookaheadGrowth(const Points& points, SplitFinder& finder, run::WorkMeter& meter)
      : points_(points), finder_(finder), meter_(meter) {}

  /// The best of a leaf, the greedy tree and the tree grown with `candidates` splits a node. After a stop, nodes that
  /// were not reached are leaves.
  Grown grow(std::span<const std::uint32_t> points, std::uint32_t depth, Ticks leaf_penalty, std::size_t candidates,
             SplitFinder::Criterion impurity);

 private:
  using PointList = std::vector<std::uint32_t>;

  Ticks greedy(std::span<std::uint32_t> points, std::uint32_t depth, Preorder* preorder);
  Grown lookahead(std::span<std::uint32_t> points, std::uint32_t depth, std::size_t candidates);
  std::size_t partition(std::span<std::uint32_t> points, const Split& split);

  const Points& points_;
  SplitFinder& finder_;
  run::WorkMeter& meter_;
  Ticks leaf_penalty_ = 0;
  SplitFinder::Criterion impurity_ = SplitFinder::Criterion::entropy;
  PointList false_side_;
};

}  // namespace hornbeam::primal
