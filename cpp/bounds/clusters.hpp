// bounds/clusters.hpp
//
// SAYS     For squared error, every tree on s costs at least the least, over all k and all partitions of the groups of
//          equal rows into k clusters, of what the clusters lose with one prediction each, plus k L.
// SO       A set of rows whose targets are spread out costs the leaves that so many different targets need, whatever
//          its columns are.
// WHY      A tree of k leaves is such a partition. The best partition is one of the groups in the order of their means
//          into k runs: what prediction m gains over a lower one m' in a group has the sign of its mean less
//          (m + m') / 2, so each of k predictions is best for a run. With cost(i, j) for the groups i to j - 1 as one
//          cluster, the least cost of the first j groups is the least over i < j of that of the first i, plus L, plus
//          cost(i, j); the best i never falls as j rises, since cost(i, j) + cost(i', j') <= cost(i, j') + cost(i', j)
//          for i <= i' <= j <= j'. (Let m be best for i to j' and m' for i' to j, m <= m'. Groups i' to j together are
//          no worse with m', so their mean, and that of each group behind j, is at least (m + m') / 2: the groups
//          behind j are no worse with m', those before i' keep m. For m > m' the same from the other end.)
// NEEDS    squared error, with integers as predictions; the same penalty for all leaves. Limits
//          only shrink the set of trees. Rows are equal if they agree on the remaining columns.
// KEEPS    all trees on the remaining columns (it bounds the set and drops no tree).
// SOURCE   the k-means bound of [zhang2023osrt], also in [vandenbos2024regression], which goes from k to k + 1; here
//          one dynamic program of n log n steps finds the best k with its clusters.
// Switch   clusters
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "models/squared_error.hpp"

namespace hornbeam::bounds {

/// Sums over the rows of a group of equal rows: of w, of w y, and of w y^2.
struct TargetSums {
  std::int64_t weight = 0, sum = 0, squares = 0;

  /// Whether the mean is less than the other one's.
  bool operator<(const TargetSums& other) const {
    return static_cast<__int128>(sum) * other.weight < static_cast<__int128>(other.sum) * weight;
  }
};

class Clusters {
 public:
  /// The least cost of any clusters of these groups, each of a weight above 0; sorts them.
  Ticks least_cost(std::span<TargetSums> groups, Ticks leaf_cost) {
    std::sort(groups.begin(), groups.end());
    before_.assign(1, {});
    for (const TargetSums& group : groups) {
      const TargetSums& last = before_.back();
      before_.push_back({last.weight + group.weight, last.sum + group.sum, last.squares + group.squares});
    }
    const std::size_t n = groups.size();
    least_.assign(n + 1, 0);
    best_.assign(1, {0, 1});
    std::size_t first = 0;  // of best_, for the end at hand
    for (std::size_t end = 1; end <= n; ++end) {
      if (first + 1 < best_.size() && best_[first + 1].from_end <= end) ++first;
      least_[end] = cost_to(best_[first].begin, end, leaf_cost);
      add(end, first, leaf_cost);
    }
    return least_[n];
  }

 private:
  /// The last cluster begins best at `begin` for ends from `from_end` on, up to the next one's.
  struct Best {
    std::size_t begin, from_end;
  };

  /// Finds the ends for which the last cluster begins best at `begin`.
  void add(std::size_t begin, std::size_t first, Ticks leaf_cost) {
    const std::size_t n = least_.size() - 1;
    const auto is_better = [&](std::size_t end) {
      return cost_to(begin, end, leaf_cost) <= cost_to(best_.back().begin, end, leaf_cost);
    };
    while (best_.size() > first + 1 && is_better(best_.back().from_end)) best_.pop_back();
    std::size_t low = std::max(best_.back().from_end, begin + 1), high = n + 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (is_better(middle))
        high = middle;
      else
        low = middle + 1;
    }
    if (low <= n) best_.push_back({begin, low});
  }

  /// Of the groups before `end`, where the last cluster begins at `begin`.
  Ticks cost_to(std::size_t begin, std::size_t end, Ticks leaf_cost) const {
    const TargetSums &to = before_[end], &from = before_[begin];
    const std::int64_t weight = to.weight - from.weight, sum = to.sum - from.sum;
    const Ticks mean = models::nearest_quotient<Ticks>(sum, weight);
    return least_[begin] + leaf_cost + to.squares - from.squares - mean * (2 * sum - mean * weight);
  }

  std::vector<TargetSums> before_;  // of all groups before each one
  std::vector<Ticks> least_;        // cost of the groups before each one
  std::vector<Best> best_;
};

}  // namespace hornbeam::bounds
