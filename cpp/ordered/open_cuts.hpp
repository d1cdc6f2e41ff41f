// ordered/open_cuts.hpp
//
// SAYS     Let a < i < b be cuts of one variable, h(.) and g(.) lower bounds of the best costs on the true and the
//          false side of a cut. Then h(i) >= max(h(a), h(b) - n(i..b)) and g(i) >= max(g(b), g(a) - n(a..i)), where
//          n(..) is the most that the rows between two cuts can lose.
// SO       A run of cuts between two solved ones is closed where the sum of both bounds reaches the best tree.
// WHY      The true side of i includes that of a and is included in that of b. The best cost is monotone in the set of
//          rows, and a tree for fewer rows loses at most n on the others. Depth limits do not matter: the tree is the
//          same.
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

  /// Least costs of the two sides of a cut of the run.
  Ticks held_bound(const std::vector<Cut>& cuts, Ticks price, std::int64_t cut) const {
    if (!ends_at_cut(cuts)) return low.held;
    return std::max(low.held, high.held - price * (weight_of(cuts, high.index) - weight_of(cuts, cut)));
  }
  Ticks failed_bound(const std::vector<Cut>& cuts, Ticks price, std::int64_t cut) const {
    if (!begins_at_cut()) return high.failed;
    return std::max(high.failed, low.failed - price * (weight_of(cuts, cut) - weight_of(cuts, low.index)));
  }

  /// Closes the cuts that cannot cost less than `best`, and returns how many; the run must not be empty.
  std::uint64_t close(const std::vector<Cut>& cuts, Ticks price, Ticks best) {
    const std::int64_t n_open = size();
    if (bound() >= best) {
      last = first - 1;
      return static_cast<std::uint64_t>(n_open);
    }
    const auto begin = cuts.begin() + first, end = cuts.begin() + last + 1;
    if (begins_at_cut() && low.held + low.failed >= best) {
      const std::int64_t closed = weight_of(cuts, low.index) + (low.held + low.failed - best) / price;
      const auto is_open = [](std::int64_t weight, const Cut& cut) { return weight < cut.weight; };
      first = std::upper_bound(begin, end, closed, is_open) - cuts.begin();
    }
    if (ends_at_cut(cuts) && high.held + high.failed >= best) {
      const std::int64_t closed = weight_of(cuts, high.index) - (high.held + high.failed - best) / price;
      const auto is_open = [](const Cut& cut, std::int64_t weight) { return cut.weight < weight; };
      last = std::lower_bound(begin, end, closed, is_open) - cuts.begin() - 1;
    }
    return static_cast<std::uint64_t>(n_open - std::max<std::int64_t>(size(), 0));
  }

 private:
  bool begins_at_cut() const { return low.index >= 0; }
  bool ends_at_cut(const std::vector<Cut>& cuts) const { return high.index < static_cast<std::int64_t>(cuts.size()); }
  static std::int64_t weight_of(const std::vector<Cut>& cuts, std::int64_t cut) {
    return cuts[static_cast<std::size_t>(cut)].weight;
  }
};

/// All cuts of a variable; all that is known is the penalty of a leaf on either side.
inline OpenCuts all_open(std::uint32_t variable, const std::vector<Cut>& cuts, Ticks leaf_cost) {
  const auto n_cuts = static_cast<std::int64_t>(cuts.size());
  return {variable, {-1, leaf_cost, leaf_cost}, {n_cuts, leaf_cost, leaf_cost}, 0, n_cuts - 1};
}

}  // namespace hornbeam
