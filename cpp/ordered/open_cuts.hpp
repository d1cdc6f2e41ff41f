// ordered/open_cuts.hpp
//
// SAYS     Let a < i < b be cuts of one variable, h(.) and g(.) lower bounds of the best costs on the true and the
//          false side of a cut. Then h(i) >= max(h(a), h(b) - n(i..b)) and g(i) >= max(g(b), g(a) - n(a..i)), where
//          n(..) is the most that the rows between two cuts can lose.
// SO       A run of cuts between two that are solved is closed where the sum of both bounds reaches the best tree.
// WHY      The true side of i holds that of a and is held by that of b; the best cost is monotone in the set of rows,
//          and a tree for a set less some rows loses at most n on these. For depth-limited trees too: the tree stays.
// NEEDS    additive loss.
// KEEPS    one optimum.
// SOURCE   bounds/similarity.hpp for nested columns; interval pruning of [mazumder2022quantbnb, brita2025contree].
// Switch   similarity
#pragma once

#include <algorithm>
#include <vector>

#include "ordered/ordered_rows.hpp"

namespace hornbeam {

/// What is proven of one cut: least costs of its two sides.
struct CutBounds {
  std::int64_t index;  // in the variable's cuts; -1 and their number stand for the ends
  Ticks held;
  Ticks failed;
};

/// The cuts strictly between two cuts whose bounds are known.
struct OpenCuts {
  std::uint32_t variable;
  CutBounds low, high;
  std::int64_t first, last;  // those not closed yet; none if first > last

  Ticks bound() const { return low.held + high.failed; }
  bool is_empty() const { return first > last; }
  std::int64_t size() const { return last - first + 1; }

  Ticks held_bound(const std::vector<Cut>& cuts, Ticks price, std::int64_t i) const {
    const auto n_cuts = static_cast<std::int64_t>(cuts.size());
    if (high.index == n_cuts) return low.held;
    return std::max(low.held, high.held - price * (cuts[static_cast<std::size_t>(high.index)].weight - cuts[static_cast<std::size_t>(i)].weight));
  }
  Ticks failed_bound(const std::vector<Cut>& cuts, Ticks price, std::int64_t i) const {
    if (low.index < 0) return high.failed;
    return std::max(high.failed, low.failed - price * (cuts[static_cast<std::size_t>(i)].weight - cuts[static_cast<std::size_t>(low.index)].weight));
  }

  /// Closes the cuts that cannot cost less than `best`.
  void close(const std::vector<Cut>& cuts, Ticks price, Ticks best) {
    const auto begin = cuts.begin() + first, end = cuts.begin() + last + 1;
    if (bound() >= best) {
      last = first - 1;
      return;
    }
    if (low.index >= 0 && low.held + low.failed >= best) {
      const std::int64_t weight = cuts[static_cast<std::size_t>(low.index)].weight +
                                  (low.held + low.failed - best) / price;
      first = std::upper_bound(begin, end, weight, [](std::int64_t w, const Cut& cut) { return w < cut.weight; }) -
              cuts.begin();
    }
    if (high.index < static_cast<std::int64_t>(cuts.size()) && high.held + high.failed >= best) {
      const std::int64_t weight = cuts[static_cast<std::size_t>(high.index)].weight -
                                  (high.held + high.failed - best) / price;
      last = std::lower_bound(begin, end, weight, [](const Cut& cut, std::int64_t w) { return cut.weight < w; }) -
             cuts.begin() - 1;
    }
  }
};

}  // namespace hornbeam
