// ordered/two_level_cuts.hpp
//
// WHAT    The best tree of depth at most two on ordered rows: the root's cuts are tried 32 at a time, the stumps below
//         them found by one walk over the rows in the order of each variable.
// FLOW    ordered/ordered_search asks -> kernels' scan_stumps.
// HOLDS   Exact: every cut of every variable is tried as root or closed by ordered/open_cuts.hpp.
// COST    rows x variables for each 32 cuts tried.
// SOURCE  Depth-two search over sorted values: [brita2025contree]; 32 roots in one walk: ours.
#pragma once

#include <functional>
#include <vector>

#include "kernels/kernels.hpp"
#include "ordered/open_cuts.hpp"
#include "ordered/ordered_rows.hpp"

namespace hornbeam {

/// Price of a unit of weight in a wrong leaf, and of a leaf.
struct OrderedCosts {
  Ticks price;
  Ticks leaf;
};

/// A cut as a split: the rank up to which it holds.
struct RankSplit {
  std::uint32_t variable;
  std::uint32_t threshold;
};

struct TwoLevelResult {
  Ticks lower;  // no tree of depth one or two costs less
  Ticks cost;   // of the best one if it costs less than asked for, else infinite
  RankSplit root;
};

class TwoLevelCuts {
 public:
  TwoLevelCuts(const OrderedCosts& costs, const Kernels& kernels, bool closes_cuts,
               std::function<bool(std::uint64_t)> goes_on)
      : costs_(costs), kernels_(kernels), closes_cuts_(closes_cuts), goes_on_(std::move(goes_on)) {}

  /// The best tree with one or two levels of splits of those that cost less than `bound`.
  TwoLevelResult solve(const OrderedRows& rows, Ticks bound);

 private:
  struct Trial {
    std::uint32_t run;  // in open_
    std::int64_t cut;
  };

  void choose_trials(const OrderedRows& rows);
  void try_cuts(const OrderedRows& rows);
  void mark_members(const OrderedRows& rows);
  Ticks side_cost(const OrderedRows& rows, std::uint32_t trial, int side) const;
  void divide_runs();

  const OrderedCosts costs_;
  const Kernels& kernels_;
  const bool closes_cuts_;
  const std::function<bool(std::uint64_t)> goes_on_;

  std::vector<std::vector<Cut>> cuts_;  // of each variable
  std::vector<OpenCuts> open_, next_;
  std::vector<Trial> trials_;  // by run, cuts rising
  std::vector<std::uint32_t> member_;
  std::vector<std::int32_t> held_, least_loss_[2];
  std::vector<Ticks> side_cost_[2];  // of each trial
  std::vector<std::uint64_t> scratch_;
};

}  // namespace hornbeam
