// primal/coarse_lookahead.hpp
//
// WHAT    LicketySPLIT's tree over some conditions of each variable, in a sample of many points: all of these
// conditions
//         are completed greedily at every node, where primal/lookahead_growth completes a few of all conditions.
// FLOW    primal/primal_search -> here -> lookahead/lookahead_search. The splits are then improved over all conditions.
// SOURCE  [babbar2025split, algorithm 3].
#pragma once

#include "base/options.hpp"
#include "models/leaf_model.hpp"
#include "primal/preorder.hpp"
#include "primal/split_finder.hpp"
#include "run/run.hpp"

namespace hornbeam::primal {

class CoarseLookahead {
 public:
  CoarseLookahead(const Points& points, const models::LeafModel& model, std::uint64_t rows_per_leaf,
                  SplitFinder& finder, run::WorkMeter& meter)
      : points_(points), model_(model), rows_per_leaf_(rows_per_leaf), finder_(finder), meter_(meter) {}

  /// What `grow` spends at most, about.
  std::uint64_t estimate(std::uint32_t depth) const;
  /// The tree for all points; a leaf after a stop. `depth` is at least 1.
  Preorder grow(std::span<const std::uint32_t> all, Ticks leaf_penalty, std::uint32_t depth);

 private:
  std::size_t most_conditions() const;
  std::size_t most_points() const;

  const Points& points_;
  const models::LeafModel& model_;
  const std::uint64_t rows_per_leaf_;
  SplitFinder& finder_;
  run::WorkMeter& meter_;
};

}  // namespace hornbeam::primal
