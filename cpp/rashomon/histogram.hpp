// rashomon/histogram.hpp
//
// WHAT    The number of trees of a subproblem by cost: a sorted list, and the sum of products of such lists.
// WHY     Costs add up over the two sides of a split, so the numbers of trees are the coefficients of a product. How
//         many trees cost at most a budget is then exact without a tree being listed.
// COST    A list has an entry for each cost that occurs, up to the budget of its subproblem.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/number_index.hpp"
#include "base/types.hpp"

namespace hornbeam::rashomon {

template <class Count>
struct CostCount {
  Ticks cost;
  Count count;
};

/// By ascending cost.
template <class Count>
using Histogram = std::vector<CostCount<Count>>;

template <class Count>
Count count_of(const Histogram<Count>& trees, Ticks cost) {
  const auto at = std::lower_bound(trees.begin(), trees.end(), cost, [](const auto& a, Ticks b) { return a.cost < b; });
  return at != trees.end() && at->cost == cost ? at->count : Count();
}

/// Adds up numbers by cost.
template <class Count>
class HistogramSum {
 public:
  void add(Ticks cost, const Count& count) { sum_of(cost) += count; }

  /// Adds all pairs of a tree of `a` and one of `b` that together cost at most `most`, `copies` times.
  void add_products(const Histogram<Count>& a, const Histogram<Count>& b, const Count& copies, Ticks most) {
    if (a.empty() || b.empty()) return;
    for (const CostCount<Count>& x : a) {
      const Ticks left = most - x.cost;
      if (left < b.front().cost) break;
      const Count count = x.count * copies;
      for (const CostCount<Count>& y : b) {
        if (y.cost > left) break;
        add(x.cost + y.cost, count * y.count);
      }
    }
  }

  /// Subtracts from what was added before.
  void subtract(Ticks cost, const Count& count) { sum_of(cost) -= count; }

  /// Returns the sums other than 0, and resets them.
  Histogram<Count> take() {
    Histogram<Count> sums;
    sums.reserve(sums_.size());
    for (CostCount<Count>& each : sums_)
      if (!each.count.is_zero()) sums.push_back(std::move(each));
    clear();
    std::sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    return sums;
  }

  /// Leaves space for as many sums as there were.
  void clear() {
    if (sums_.empty()) return;
    index_.reset(sums_.size());
    sums_.clear();
  }

 private:
  Count& sum_of(Ticks cost) {
    const auto next = static_cast<std::uint32_t>(sums_.size());
    const std::uint64_t hash = (static_cast<std::uint64_t>(cost) * 0x9e3779b97f4a7c15ULL) >> 32;
    const std::uint32_t at =
        index_.find_or_add(hash, next, [&](std::uint32_t each) { return sums_[each].cost == cost; });
    if (at == next) sums_.push_back({cost, Count()});
    return sums_[at].count;
  }

  NumberIndex index_;
  Histogram<Count> sums_;  // in the order in which the costs came
};

}  // namespace hornbeam::rashomon
