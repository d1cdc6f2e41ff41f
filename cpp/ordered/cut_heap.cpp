#include "ordered/cut_heap.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam {

namespace {

bool comes_later(const OpenCuts& a, const OpenCuts& b) { return a.bound() > b.bound(); }

/// The cut nearest to the middle of a run by weight.
std::int64_t middle(const OpenCuts& run, const std::vector<Cut>& cuts) {
  const auto begin = cuts.begin() + run.first, last = cuts.begin() + run.last;
  const auto at = std::lower_bound(begin, last, (begin->weight + last->weight) / 2,
                                   [](const Cut& cut, std::int32_t weight) { return cut.weight < weight; });
  return at - cuts.begin();
}

std::int64_t cut_of(const OrderedRows& rows, const RankSplit& split, const std::vector<Cut>& cuts) {
  const auto at = std::lower_bound(cuts.begin(), cuts.end(), rows.n_held_by(split),
                                   [](const Cut& cut, std::uint32_t n) { return cut.n_rows < n; });
  return at - cuts.begin();
}

}  // namespace

std::uint64_t bytes_of(const std::vector<std::vector<Cut>>& cuts) {
  std::uint64_t bytes = 0;
  for (const std::vector<Cut>& of_variable : cuts) bytes += of_variable.capacity() * sizeof(Cut);
  return bytes;
}

void CutHeap::open(std::vector<std::vector<Cut>>& cuts, const OrderedRows& rows, const std::optional<RankSplit>& first,
                   Ticks leaf_cost) {
  cuts_.swap(cuts);  // both keep their memory
  open_.clear();
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v)
    if (!cuts_[v].empty()) open_.push_back(all_open(v, cuts_[v], leaf_cost));
  first_.reset();
  if (!first) return;
  // All bounds are equal, so any order is a heap.
  const auto has_first = [&](const OpenCuts& run) { return run.variable == first->variable; };
  std::iter_swap(open_.begin(), std::find_if(open_.begin(), open_.end(), has_first));
  first_ = cut_of(rows, *first, cuts_[first->variable]);
}

std::optional<CutTrial> CutHeap::take(const OrderedProblem& problem, Ticks best) {
  while (!open_.empty()) {
    std::pop_heap(open_.begin(), open_.end(), comes_later);
    OpenCuts run = open_.back();
    open_.pop_back();
    const std::optional<std::int64_t> first = std::exchange(first_, std::nullopt);
    const std::vector<Cut>& cuts = cuts_[run.variable];
    // Only now, when the best tree may be better than when the run was pushed.
    if (problem.closes_cuts) n_closed_ += run.close(cuts, problem.costs.price, best);
    if (!run.is_empty()) return CutTrial{run, first.value_or(middle(run, cuts))};
  }
  return std::nullopt;
}

void CutHeap::put_back(const OpenCuts& run, const CutBounds& tried) {
  push({run.variable, run.low, tried, run.first, tried.index - 1});
  push({run.variable, tried, run.high, tried.index + 1, run.last});
}

void CutHeap::push(const OpenCuts& run) {
  if (run.is_empty()) return;
  open_.push_back(run);
  std::push_heap(open_.begin(), open_.end(), comes_later);
}

}  // namespace hornbeam
