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

#include "base/types.hpp"

namespace hornbeam {

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

/// Adds up numbers by cost, in an open-addressing table.
template <class Count>
class HistogramSum {
 public:
  void add(Ticks cost, const Count& count) { slot_of(cost).count += count; }

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
  void subtract(Ticks cost, const Count& count) { slot_of(cost).count -= count; }

  /// Returns the sums other than 0, and resets them.
  Histogram<Count> take() {
    Histogram<Count> sums;
    sums.reserve(used_.size());
    for (const std::uint32_t at : used_) {
      if (!slots_[at].count.is_zero()) sums.push_back(std::move(slots_[at]));
      slots_[at] = {kFree, Count()};
    }
    used_.clear();
    std::sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    return sums;
  }

  void clear() { take(); }

 private:
  static constexpr Ticks kFree = -1;

  CostCount<Count>& slot_of(Ticks cost) {
    std::size_t at = place_of(cost);
    for (; slots_[at].cost != cost; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].cost != kFree) continue;
      if (2 * (used_.size() + 1) > slots_.size()) {
        grow();
        return slot_of(cost);
      }
      slots_[at].cost = cost;
      used_.push_back(static_cast<std::uint32_t>(at));
      break;
    }
    return slots_[at];
  }
  std::size_t place_of(Ticks cost) const {
    return (static_cast<std::uint64_t>(cost) * 0x9e3779b97f4a7c15ULL) >> shift_;
  }
  void grow() {
    std::vector<CostCount<Count>> old(2 * slots_.size(), {kFree, Count()});
    old.swap(slots_);
    --shift_;
    used_.clear();
    for (CostCount<Count>& slot : old)
      if (slot.cost != kFree) slot_of(slot.cost).count = std::move(slot.count);
  }

  int shift_ = 64 - 8;
  std::vector<CostCount<Count>> slots_{std::size_t{1} << 8, {kFree, Count()}};
  std::vector<std::uint32_t> used_;
};

}  // namespace hornbeam
