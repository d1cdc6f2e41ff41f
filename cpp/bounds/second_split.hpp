// bounds/second_split.hpp
//
// SAYS     Let J be a subset of s with a rows of one class and b of another, both more than 0. If no column has at
//          least a rows of the one class of s on one side and at least b of the other on the other side, then a tree
//          with a split on J costs at least the bound bounds/perfect_split.hpp, plus the least of: the cost of a second
//          split; log((ceil(c / 2) + R) / R) for c = min(a, b).
// SO       Few sets remain that one perfect split might separate into pure leaves.
// WHY      No column splits J into pure leaves, since it would have these rows on its sides. A tree of one split then
//          has a mixed leaf. It holds all rows of one class, or both leaves are mixed and one of them holds half the
//          rows of a class; a row of the other class there costs the logarithm (lemma 13), and perfect_split.hpp
//          charges no mixed leaf in a tree of one split, as one class of the two lies in both leaves. A tree of more
//          splits pays for a second. A node of one class is a leaf of an optimal tree if a split and a fragment cost
//          more than a leaf; then the second split separates a node with two rows of different classes, and has at
//          least as many columns to choose from as separate the closest such rows of the whole problem.
// NEEDS    two classes; the BCART prior.
// KEEPS    one optimum.
// SOURCE   ours.
// Switch   none: it is a part of the bound that the search starts with.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::bounds {

/// The numbers of rows of both classes that single columns of s can have on their two sides.
class ParetoStaircase {
 public:
  void reset(Ticks n_first, Ticks n_second) {
    n_first_ = n_first;
    n_second_ = n_second;
    for (shift_ = 0; (n_first >> shift_) >= kMostSteps;) ++shift_;
    most_.assign(static_cast<std::size_t>(n_first >> shift_) + 1, -1);
  }
  /// Adds a column that holds in this many rows of both classes.
  void add(Ticks first, Ticks second) {
    raise(first, n_second_ - second);
    raise(n_first_ - first, second);
  }
  void finish() {
    for (std::size_t i = most_.size() - 1; i-- > 0;) most_[i] = std::max(most_[i], most_[i + 1]);
  }
  /// Whether some column may have `first` rows of the one class on one side and `second` of the other on the other.
  bool may_separate(Ticks first, Ticks second) const { return most_.data()[first >> shift_] >= second; }

 private:
  static constexpr Ticks kMostSteps = 256;

  void raise(Ticks first, Ticks second) {
    Ticks& most = most_[static_cast<std::size_t>(first >> shift_)];
    most = std::max(most, second);
  }

  Ticks n_first_ = 0, n_second_ = 0;
  int shift_ = 0;
  std::vector<Ticks> most_;  // of the second class, by (at least) the rows of the first
};

}  // namespace hornbeam::bounds
