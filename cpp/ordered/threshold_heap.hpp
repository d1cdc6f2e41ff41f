// ordered/threshold_heap.hpp
//
// WHAT    The thresholds of one subproblem that remain to be tried as roots: runs of them, the lowest bound first.
// HOLDS   No tree whose root is a threshold of a run costs less than `bound`.
// COST    A threshold that is tried replaces its run by at most two.
#pragma once

#include <optional>
#include <vector>

#include "ordered/open_thresholds.hpp"
#include "ordered/ordered_problem.hpp"

namespace hornbeam::ordered {

/// Bytes of lists of thresholds.
std::uint64_t bytes_of(const std::vector<std::vector<Threshold>>& thresholds);

/// A threshold to try, and the run it divides.
struct ThresholdTrial {
  OpenThresholds run;
  std::int64_t threshold;
};

class ThresholdHeap {
 public:
  /// Opens all thresholds of each variable, which are moved out of `thresholds`; that of `first` is tried before all
  /// others.
  void open(std::vector<std::vector<Threshold>>& thresholds, const OrderedRows& rows,
            const std::optional<ThresholdSplit>& first, Ticks leaf_cost);

  /// Closes the thresholds that cannot cost less than `best`, then returns the first threshold, or the middle of the
  /// run of lowest bound. None if none is left.
  std::optional<ThresholdTrial> take(const OrderedProblem& problem, Ticks best);

  /// Opens the rest of a run again after its threshold was tried.
  void put_back(const OpenThresholds& run, const ThresholdBounds& tried, const OrderedCosts& costs);

  Ticks bound() const { return open_.empty() ? kInfinity : open_.front().bound(); }
  std::vector<std::vector<Threshold>>& thresholds() { return thresholds_; }
  const std::vector<Threshold>& thresholds_of(std::uint32_t variable) const { return thresholds_[variable]; }
  /// Thresholds that were closed without being tried.
  std::uint64_t n_closed() const { return n_closed_; }
  std::uint64_t bytes() const { return bytes_of(thresholds_) + open_.capacity() * sizeof(OpenThresholds); }

 private:
  void push(const OpenThresholds& run);

  std::vector<std::vector<Threshold>> thresholds_;  // of each variable
  std::vector<OpenThresholds> open_;                // a heap
  std::optional<std::int64_t> first_;               // threshold of the run in front
  std::uint64_t n_closed_ = 0;
};

}  // namespace hornbeam::ordered
