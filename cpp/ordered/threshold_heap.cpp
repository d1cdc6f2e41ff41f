#include "ordered/threshold_heap.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam::ordered {

namespace {

bool comes_later(const sorted::OpenThresholds& a, const sorted::OpenThresholds& b) { return a.bound() > b.bound(); }

/// The threshold nearest to the middle of a run by weight.
std::int64_t middle(const sorted::OpenThresholds& run, const std::vector<sorted::Threshold>& thresholds) {
  const auto begin = thresholds.begin() + run.first, last = thresholds.begin() + run.last;
  const auto at = std::lower_bound(
      begin, last, (begin->weight + last->weight) / 2,
      [](const sorted::Threshold& threshold, std::int64_t weight) { return threshold.weight < weight; });
  return at - thresholds.begin();
}

std::int64_t threshold_of(const sorted::SortedRows& rows, const sorted::ThresholdSplit& split,
                          const std::vector<sorted::Threshold>& thresholds) {
  const auto at =
      std::lower_bound(thresholds.begin(), thresholds.end(), rows.n_true_by(split),
                       [](const sorted::Threshold& threshold, std::uint32_t n) { return threshold.n_rows < n; });
  return std::min<std::int64_t>(at - thresholds.begin(), std::ssize(thresholds) - 1);
}

}  // namespace

void ThresholdHeap::open(std::vector<std::vector<sorted::Threshold>>& thresholds, const sorted::SortedRows& rows,
                         const std::optional<sorted::ThresholdSplit>& first, Ticks leaf_cost) {
  thresholds_.swap(thresholds);  // both keep their memory
  open_.clear();
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v)
    if (!thresholds_[v].empty()) open_.push_back(sorted::all_open(v, thresholds_[v], leaf_cost));
  first_.reset();
  if (!first) return;
  // All bounds are equal, so any order is a heap.
  if (thresholds_[first->variable].empty()) return;
  const auto has_first = [&](const sorted::OpenThresholds& run) { return run.variable == first->variable; };
  std::iter_swap(open_.begin(), std::find_if(open_.begin(), open_.end(), has_first));
  first_ = threshold_of(rows, *first, thresholds_[first->variable]);
}

std::optional<ThresholdTrial> ThresholdHeap::take(const OrderedProblem& problem, Ticks best) {
  while (!open_.empty()) {
    std::pop_heap(open_.begin(), open_.end(), comes_later);
    sorted::OpenThresholds run = open_.back();
    open_.pop_back();
    const std::optional<std::int64_t> first = std::exchange(first_, std::nullopt);
    const std::vector<sorted::Threshold>& thresholds = thresholds_[run.variable];
    // Only now, when the best tree may be better than when the run was pushed.
    if (problem.closes_thresholds) n_closed_ += run.close(thresholds, problem.costs.error_cost, best);
    if (!run.is_empty()) return ThresholdTrial{run, first.value_or(middle(run, thresholds))};
  }
  return std::nullopt;
}

void ThresholdHeap::put_back(const sorted::OpenThresholds& run, const sorted::ThresholdBounds& tried) {
  for (const sorted::OpenThresholds& rest : run.divide(tried)) push(rest);
}

void ThresholdHeap::replace(const std::vector<sorted::OpenThresholds>& runs) {
  open_.clear();
  first_.reset();
  for (const sorted::OpenThresholds& run : runs) push(run);
}

void ThresholdHeap::close_short_sides(const sorted::LeafCosts& costs, std::uint32_t n_rows) {
  std::vector<sorted::OpenThresholds> runs;
  runs.swap(open_);
  for (sorted::OpenThresholds& run : runs) {
    const std::vector<sorted::Threshold>& thresholds = thresholds_[run.variable];
    const auto is_short = [&](std::int64_t threshold) {
      return !costs.has_leaves(thresholds[static_cast<std::size_t>(threshold)].n_rows, n_rows);
    };
    while (!run.is_empty() && is_short(run.first)) ++run.first;
    while (!run.is_empty() && is_short(run.last)) --run.last;
    push(run);
  }
}

std::uint64_t ThresholdHeap::close_if(const std::function<bool(std::uint32_t, std::int64_t)>& is_closed) {
  std::uint64_t n_closed = 0;
  const std::vector<sorted::OpenThresholds> runs(open_);
  open_.clear();
  first_.reset();
  for (const sorted::OpenThresholds& run : runs) {
    // What bounds each threshold of the run bounds its neighbors, too.
    const auto bounds_at = [&](std::int64_t index) {
      return sorted::ThresholdBounds{index, run.low.true_side, run.high.false_side};
    };
    sorted::OpenThresholds part = run;
    for (std::int64_t t = run.first; t <= run.last; ++t) {
      if (!is_closed(run.variable, t)) continue;
      ++n_closed;
      part.high = bounds_at(t);
      part.last = t - 1;
      push(part);
      part = {run.variable, bounds_at(t), run.high, t + 1, run.last};
    }
    push(part);
  }
  return n_closed;
}

void ThresholdHeap::reopen(const std::vector<std::vector<sorted::ThresholdBounds>>& known, Ticks leaf_cost) {
  open_.clear();
  first_.reset();
  for (std::uint32_t v = 0; v < known.size(); ++v) {
    if (thresholds_[v].empty()) continue;
    sorted::OpenThresholds rest = sorted::all_open(v, thresholds_[v], leaf_cost);
    for (const sorted::ThresholdBounds& at : known[v]) {
      const auto [before, behind] = rest.divide(at);
      push(before);
      push({v, at, at, at.index, at.index});
      rest = behind;
    }
    push(rest);
  }
}

void ThresholdHeap::push(const sorted::OpenThresholds& run) {
  if (run.is_empty()) return;
  open_.push_back(run);
  std::push_heap(open_.begin(), open_.end(), comes_later);
}

}  // namespace hornbeam::ordered
