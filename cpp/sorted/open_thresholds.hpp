// sorted/open_thresholds.hpp
//
// SAYS     Let a < i < b be thresholds of one variable, h(.) and g(.) lower bounds of the best costs on the true and
//          the false side of a threshold. Then h(i) >= max(h(a), h(b) - n(i..b)) and g(i) >= max(g(b), g(a) - n(a..i)),
//          where n(..) is the most that the rows between two thresholds can lose.
// SO       A run of thresholds between two solved ones is closed where the sum of both bounds reaches the best tree.
// WHY      The true side of i includes that of a and is included in that of b. The best cost is monotone in the set of
//          rows, and a tree for fewer rows loses at most n on the others. Depth limits do not matter: the tree is the
//          same.
//          With a minimum of rows per leaf this holds for trees whose leaves may have fewer, since only these are trees
//          for all of the sets. They cost at most as much as the others, so their costs are bounds of both.
// NEEDS    additive loss.
// KEEPS    one optimum.
// SOURCE   bounds/similarity.hpp for nested columns; interval pruning of [mazumder2022quantbnb, brita2025contree].
// Switch   similarity
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "sorted/leaf_costs.hpp"
#include "sorted/sorted_rows.hpp"

namespace hornbeam::sorted {

/// What is proven of one threshold: least costs of its two sides, whose leaves may have any number of rows.
struct ThresholdBounds {
  std::int64_t index;  // in the variable's thresholds; -1 and their number stand for the ends
  Ticks true_side;
  Ticks false_side;
};

/// The thresholds strictly between two thresholds whose bounds are known.
struct OpenThresholds {
  std::uint32_t variable;
  ThresholdBounds low, high;
  std::int64_t first, last;  // those not closed yet; none if first > last

  /// `low.true_side` and `high.false_side` bound the sides of every threshold of the run.
  Ticks bound() const { return low.true_side + high.false_side; }
  bool is_empty() const { return first > last; }
  std::int64_t size() const { return last - first + 1; }

  /// Least costs of the two sides of a threshold of the run.
  Ticks true_bound(const std::vector<Threshold>& thresholds, Ticks error_cost, std::int64_t threshold) const {
    if (!ends_at_threshold(thresholds)) return low.true_side;
    return std::max(low.true_side, high.true_side - error_cost * (weight_of(thresholds, high.index) -
                                                                  weight_of(thresholds, threshold)));
  }
  Ticks false_bound(const std::vector<Threshold>& thresholds, Ticks error_cost, std::int64_t threshold) const {
    if (!begins_at_threshold()) return high.false_side;
    return std::max(high.false_side, low.false_side - error_cost * (weight_of(thresholds, threshold) -
                                                                    weight_of(thresholds, low.index)));
  }

  /// The runs on both sides of a threshold that was tried.
  std::array<OpenThresholds, 2> divide(const ThresholdBounds& tried) const {
    return {{{variable, low, tried, first, tried.index - 1}, {variable, tried, high, tried.index + 1, last}}};
  }

  /// Closes the thresholds that cannot cost less than `best`, and returns how many; the run must not be empty.
  std::uint64_t close(const std::vector<Threshold>& thresholds, Ticks error_cost, Ticks best) {
    const std::int64_t n_open = size();
    if (std::max(bound(), bound_of_larger_sides(thresholds, error_cost)) >= best) {
      last = first - 1;
      return static_cast<std::uint64_t>(n_open);
    }
    const auto begin = thresholds.begin() + first, end = thresholds.begin() + last + 1;
    if (begins_at_threshold() && low.true_side + low.false_side >= best) {
      const std::int64_t closed =
          weight_of(thresholds, low.index) + (low.true_side + low.false_side - best) / error_cost;
      const auto is_open = [](std::int64_t weight, const Threshold& threshold) { return weight < threshold.weight; };
      first = std::upper_bound(begin, end, closed, is_open) - thresholds.begin();
    }
    if (ends_at_threshold(thresholds) && high.true_side + high.false_side >= best) {
      const std::int64_t closed =
          weight_of(thresholds, high.index) - (high.true_side + high.false_side - best) / error_cost;
      const auto is_open = [](const Threshold& threshold, std::int64_t weight) { return threshold.weight < weight; };
      last = std::lower_bound(begin, end, closed, is_open) - thresholds.begin() - 1;
    }
    return static_cast<std::uint64_t>(n_open - std::max<std::int64_t>(size(), 0));
  }

 private:
  /// h(b) - n(i..b) + g(a) - n(a..i) is the same for all thresholds i of the run.
  Ticks bound_of_larger_sides(const std::vector<Threshold>& thresholds, Ticks error_cost) const {
    if (!begins_at_threshold() || !ends_at_threshold(thresholds)) return 0;
    return high.true_side + low.false_side -
           error_cost * (weight_of(thresholds, high.index) - weight_of(thresholds, low.index));
  }
  bool begins_at_threshold() const { return low.index >= 0; }
  bool ends_at_threshold(const std::vector<Threshold>& thresholds) const {
    return high.index < static_cast<std::int64_t>(thresholds.size());
  }
  static std::int64_t weight_of(const std::vector<Threshold>& thresholds, std::int64_t threshold) {
    return thresholds[static_cast<std::size_t>(threshold)].weight;
  }
};

/// All thresholds of a variable; all that is known is the penalty of a leaf on either side.
inline OpenThresholds all_open(std::uint32_t variable, const std::vector<Threshold>& thresholds, Ticks leaf_cost) {
  const auto n_thresholds = static_cast<std::int64_t>(thresholds.size());
  return {variable, {-1, leaf_cost, leaf_cost}, {n_thresholds, leaf_cost, leaf_cost}, 0, n_thresholds - 1};
}

}  // namespace hornbeam::sorted
