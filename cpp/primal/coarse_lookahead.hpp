// primal/coarse_lookahead.hpp
//
// WHAT    Trees over some conditions of each variable, in a sample of many points: LicketySPLIT's, which completes them
//         all at every node, where primal/lookahead_growth completes a few; and the best tree of three levels.
// FLOW    primal/primal_search -> here -> lookahead/lookahead_search. The splits are then improved over all conditions.
// CHOICE  Not for squared error: a square takes a word for each of its bits.
// SOURCE  [babbar2025split, algorithms 1 and 3]. A prefix of two levels, completed by splits of least loss, is the best
//         tree of three levels.
#pragma once

#include <span>
#include <vector>

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

  /// LicketySPLIT's tree, or the best of at most three levels, which takes fewer conditions.
  enum class Kind { lickety_split, three_levels };

  /// What `grow` spends at most, about.
  std::uint64_t estimate(Kind kind, std::uint32_t depth) const;
  /// The tree for all points; a leaf after a stop. `depth` is at least 1.
  Preorder grow(std::span<const std::uint32_t> all, Ticks leaf_penalty, Kind kind, std::uint32_t depth);

 private:
  struct Size {
    std::size_t conditions, points;
  };
  Size size_of(Kind kind) const;
  std::uint32_t n_conditions() const;
  std::vector<Split> choose(std::span<const std::uint32_t> all, std::size_t most);

  const Points& points_;
  const models::LeafModel& model_;
  const std::uint64_t rows_per_leaf_;
  SplitFinder& finder_;
  run::WorkMeter& meter_;
};

}  // namespace hornbeam::primal
