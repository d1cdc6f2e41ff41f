// leafsets/published_loss.hpp
//
// WHAT    The loss as the authors' program of OSDT computes it, to compare counts of searches with theirs.
// HOLDS   A search with kAsPublished reproduces the counts of [hu2019osdt, table 6.2] exactly. This requires quirks of
//         that program: losses in floating point, summed in the order of the leaves (so that sums of equal sets may
//         differ, and do); columns in the order of a small Python set; a queue of all sets, whose bounds are checked
//         only when they are popped; useless splits that are detected only when tried. There is no proof, since one
//         bound is wrong (bounds/leaf_count.hpp).
// CHOICE  `put_in_order` imitates the hash table of CPython on purpose: that program iterates over a set of columns,
//         and the order decides its counts. base/number_index.hpp cannot replace it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "bounds/leaf_accuracy.hpp"
#include "bounds/leaf_support.hpp"
#include "leafsets/leaves.hpp"

namespace hornbeam::leafsets {

class PublishedLoss {
 public:
  using Cost = double;
  static constexpr bool kIsSum = true;
  static constexpr bool kAsPublished = true;

  PublishedLoss(const Leaves& leaves, Ticks leaf_cost)
      : leaves_(leaves), leaf_ticks_(leaf_cost), leaf_cost_(share_of(leaf_cost)) {}

  Cost leaf_cost() const { return leaf_cost_; }
  Ticks to_ticks(Cost cost) const { return std::llround(cost * static_cast<double>(leaves_.total())); }
  double share(Cost cost) const { return cost; }

  void fix(std::span<const LeafId> fixed) { fixed_ = sum(0, fixed, &Leaf::loss); }
  Cost loss(std::span<const LeafId> others) const { return sum(fixed_, others, &Leaf::loss); }
  Cost kept_loss(std::span<const LeafId> kept, std::span<const LeafId>) const { return loss(kept); }
  Cost beyond_kept_loss(std::span<const LeafId>, std::span<const LeafId> split) const {
    return sum(0, split, &Leaf::least_loss);
  }

  bool may_be(const Measured& leaf) const { return bounds::accurate_enough(leaf.largest_loss, leaf.loss, leaf_ticks_); }
  bool is_worth_splitting(LeafId id, std::span<const LeafId>, bool) const {
    return bounds::worth_splitting(leaves_[id].loss, 0, leaf_ticks_);
  }

  /// The order in which Python 3 iterates over a set of at most four small numbers, which is a table of eight places;
  /// larger sets, of numbers up to 31, are in ascending order.
  static void put_in_order(std::vector<std::uint32_t>& columns) {
    constexpr std::uint32_t kPlaces = 8;
    if (columns.size() > 4) return;
    std::array<std::uint32_t, kPlaces> table{};
    for (const std::uint32_t column : columns) {
      const std::uint32_t number = column + 1;
      std::uint32_t rest = number, at = number % kPlaces;
      while (table[at] != 0) at = (at * 5 + 1 + (rest >>= 5)) % kPlaces;
      table[at] = number;
    }
    columns.clear();
    for (const std::uint32_t number : table)
      if (number != 0) columns.push_back(number - 1);
  }

 private:
  double share_of(Ticks ticks) const { return static_cast<double>(ticks) / static_cast<double>(leaves_.total()); }
  Cost sum(Cost total, std::span<const LeafId> ids, Ticks Leaf::* of) const {
    for (const LeafId id : ids) total += share_of(leaves_[id].*of);
    return total;
  }

  const Leaves& leaves_;
  Ticks leaf_ticks_;
  Cost leaf_cost_;
  Cost fixed_ = 0;
};

}  // namespace hornbeam::leafsets
