// sorted/two_level_thresholds.hpp
//
// WHAT    The best tree of depth at most two on ordered rows: the root's thresholds are tried many at a time, and one
//         walk over the rows in the order of each variable finds the stumps below them.
// FLOW    ordered/ordered_worker, primal/two_level_subtree -> here -> sorted/binned_roots first if there are many rows;
//         then scan_stumps of the kernels, or scan_gains, by way of sorted/root_splits, where several predictions gain
//         on a row.
// HOLDS   Exact: every threshold of every variable is tried as root or closed by sorted/open_thresholds.hpp.
// COST    rows x variables for each 32 thresholds tried; rows x variables^2 for each 256 if several predictions gain,
//         and for all of few values.
// SOURCE  Depth-two search over sorted values: [brita2025contree]; many roots in one walk: ours.
#pragma once

#include <vector>

#include "kernels/kernels.hpp"
#include "run/run.hpp"
#include "sorted/binned_roots.hpp"
#include "sorted/open_thresholds.hpp"
#include "sorted/root_splits.hpp"

namespace hornbeam::sorted {

struct TwoLevelResult {
  Ticks lower;  // no tree of depth one or two costs less
  Ticks cost;   // of the best one if it costs less than the bound given, else infinite
  ThresholdSplit root;
  bool has_stump[2] = {false, false};  // whether a side of the root is a stump instead of a leaf; the true side last
  Ticks relaxed = 0;                   // as `lower`, if leaves may have any number of rows
};

/// More rows than there are.
inline constexpr std::uint32_t kNeverBinned = ~std::uint32_t{0};

class TwoLevelThresholds {
 public:
  TwoLevelThresholds(const LeafCosts& costs, const kernels::Kernels& kernels, bool closes_thresholds,
                     std::uint32_t least_binned_rows, run::WorkMeter& meter)
      : costs_(costs),
        kernels_(kernels),
        closes_thresholds_(closes_thresholds),
        least_binned_rows_(least_binned_rows),
        meter_(meter),
        bins_(kernels, meter) {}

  /// The best tree with one or two levels of splits, and at most so many leaves, of those that cost less than `bound`.
  TwoLevelResult solve(const SortedRows& rows, std::uint32_t leaves, Ticks bound);

  /// All thresholds of each variable of the rows that were solved last, unless that was stopped or the bound was too
  /// low.
  std::vector<std::vector<Threshold>>& thresholds() { return thresholds_; }
  /// Roots that were closed without being tried.
  std::uint64_t n_closed() const { return n_closed_; }
  std::uint64_t bytes() const;
  /// Bytes that solving these rows takes in addition to those already allocated, not counting open runs.
  std::uint64_t growth_for(const SortedRows& rows) const;

 private:
  struct Trial {
    std::uint32_t run;  // in open_
    std::int64_t threshold;
  };

  const Threshold& threshold_of(std::uint32_t trial) const {
    const auto [run, threshold] = trials_[trial];
    return thresholds_[open_[run].variable][static_cast<std::size_t>(threshold)];
  }
  bool list_thresholds(const SortedRows& rows);
  bool is_binned(const SortedRows& rows) const {
    return rows.n_rows() >= least_binned_rows_ && BinnedRoots::suits(rows);
  }
  bool try_borders(const SortedRows& rows, std::uint32_t leaves, TwoLevelResult& best);
  bool try_borders_of(const SortedRows& rows, std::uint32_t leaves, OpenThresholds run, TwoLevelResult& best);
  void choose_trials(const SortedRows& rows);
  bool try_thresholds(const SortedRows& rows, Ticks best);
  bool mark_trials(const SortedRows& rows);
  bool mark_members(const SortedRows& rows);
  bool scan(const SortedRows& rows, std::uint32_t least_rows, std::vector<Ticks> (&side_cost)[2]);
  kernels::StumpScan stump_scan(const SortedRows& rows, std::uint32_t variable, std::uint32_t least_rows);
  template <class SumOf>
  Ticks leaf_cost(const SortedRows& rows, std::int64_t true_weight, int side, SumOf true_sum) const;
  Ticks leaf_cost(const SortedRows& rows, std::uint32_t trial, int side) const;
  void limit_losses(const SortedRows& rows);
  void divide_runs();
  void close_runs(Ticks best);

  const LeafCosts costs_;
  const kernels::Kernels& kernels_;
  const bool closes_thresholds_;
  const std::uint32_t least_binned_rows_;
  run::WorkMeter& meter_;
  BinnedRoots bins_;
  std::uint64_t n_closed_ = 0;

  std::vector<std::vector<Threshold>> thresholds_;  // of each variable
  std::vector<OpenThresholds> open_, next_;
  std::vector<Trial> trials_;            // by run, thresholds rising
  std::vector<std::uint32_t> member_;    // of each row: bit i is set where trial i holds
  std::vector<std::int64_t> true_side_;  // the sums of the rows where trial i holds: [k * stride_ + i]
  std::size_t stride_ = kernels::kScanLanes;
  RootSplits roots_;
  std::vector<std::int64_t> true_weight_, least_loss_[2];
  std::vector<std::int32_t> true_rows_;
  std::vector<Ticks> side_cost_[2];     // of each trial
  std::vector<Ticks> relaxed_cost_[2];  // the same, if leaves may have any number of rows
  Ticks relaxed_ = 0;                   // the least of what was tried
  std::vector<std::uint64_t> scratch_;
};

/// The best tree with two leaves if it costs less than `bound`. One pass over the rows, so it is not stopped.
TwoLevelResult best_stump(const SortedRows& rows, const LeafCosts& costs, Ticks bound);

}  // namespace hornbeam::sorted
