// ordered/threshold_heap.hpp
//
// WHAT    The thresholds of one subproblem that remain to be tried as roots: runs of them, the lowest bound first.
// HOLDS   No tree whose root is a threshold of a run costs less than `bound`.
// COST    A threshold that is tried replaces its run by at most two.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ordered/ordered_problem.hpp"
#include "sorted/open_thresholds.hpp"

namespace hornbeam::ordered {

/// A threshold to try, and the run it divides.
struct ThresholdTrial {
  sorted::OpenThresholds run;
  std::int64_t threshold;
};

class ThresholdHeap {
 public:
  /// Opens all thresholds of each variable, which are moved out of `thresholds`; that of `first` is tried before all
  /// others.
  void open(std::vector<std::vector<sorted::Threshold>>& thresholds, const sorted::SortedRows& rows,
            const std::optional<sorted::ThresholdSplit>& first, Ticks leaf_cost);

  /// Closes the thresholds that cannot cost less than `best`, then returns the first threshold, or the middle of the
  /// run of lowest bound. None if none is left.
  std::optional<ThresholdTrial> take(const OrderedProblem& problem, Ticks best);

  /// Opens the rest of a run again after its threshold was tried.
  void put_back(const sorted::OpenThresholds& run, const sorted::ThresholdBounds& tried);

  /// The runs that are open, in any order; and others in their place, of the same thresholds.
  const std::vector<sorted::OpenThresholds>& open_runs() const { return open_; }
  void replace(const std::vector<sorted::OpenThresholds>& runs);
  /// Closes the thresholds that leave a side with too few rows for a leaf. Only for rows without larger ones, which
  /// such thresholds would bound.
  void close_short_sides(const sorted::LeafCosts& costs, std::uint32_t n_rows);
  /// Closes the thresholds for which `is_closed(variable, index)`, and returns how many.
  std::uint64_t close_if(const std::function<bool(std::uint32_t, std::int64_t)>& is_closed);
  /// What that may add to `bytes`, where no two thresholds that stay open are neighbors.
  std::uint64_t growth_by_closing() const {
    std::uint64_t n_runs = 0;
    for (const sorted::OpenThresholds& run : open_) n_runs += static_cast<std::uint64_t>(run.size() / 2 + 1);
    return n_runs > open_.capacity() ? (n_runs - open_.capacity()) * sizeof(sorted::OpenThresholds) : 0;
  }
  /// Opens all thresholds again. `known` has what is proven of some of them, by variable and sorted.
  void reopen(const std::vector<std::vector<sorted::ThresholdBounds>>& known, Ticks leaf_cost);

  Ticks bound() const { return open_.empty() ? kInfinity : open_.front().bound(); }
  std::vector<std::vector<sorted::Threshold>>& thresholds() { return thresholds_; }
  const std::vector<sorted::Threshold>& thresholds_of(std::uint32_t variable) const { return thresholds_[variable]; }
  /// Thresholds that were closed without being tried.
  std::uint64_t n_closed() const { return n_closed_; }
  std::uint64_t bytes() const {
    return sorted::bytes_of(thresholds_) + open_.capacity() * sizeof(sorted::OpenThresholds);
  }

 private:
  void push(const sorted::OpenThresholds& run);

  std::vector<std::vector<sorted::Threshold>> thresholds_;  // of each variable
  std::vector<sorted::OpenThresholds> open_;                // a heap
  std::optional<std::int64_t> first_;                       // threshold of the run in front
  std::uint64_t n_closed_ = 0;
};

}  // namespace hornbeam::ordered
