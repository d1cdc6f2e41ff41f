// bounds/nontrivial_splits.hpp
//
// SAYS     Let J be s without m of its rows. Every column that holds in more than m rows of s and fails in more than m
//          has rows of J on both sides. n rows, at most g of them equal, have at least log2(n / g) such columns.
// SO       A split of J costs at least the logarithm of their number, which is known before J has been counted.
// WHY      Of more than m rows, at least one remains in J. v columns separate at most 2^v groups of equal rows.
// NEEDS    the BCART prior, in which all |V(J)| splits of J are equally likely.
// KEEPS    all optima.
// SOURCE   ours; [sullivan2024maptree, definition 7] uses 1 as the number of splits.
// Switch   none: it is a part of the cost of a split.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr std::size_t least_number_of_splits(std::size_t n, std::size_t group, std::size_t most) {
  const std::size_t groups = (n + group - 1) / group;
  const auto columns = static_cast<std::size_t>(std::bit_width(groups > 0 ? groups - 1 : 0));
  return std::clamp<std::size_t>(columns, 1, std::max<std::size_t>(most, 1));
}

/// The columns of s by the number of rows on their smaller side, in at most 256 steps of it.
class SplitCounts {
 public:
  void reset(Ticks n_rows) {
    n_rows_ = n_rows;
    for (shift_ = 0; (n_rows / 2 >> shift_) >= kMostSteps;) ++shift_;
    left_.assign(static_cast<std::size_t>(n_rows / 2 >> shift_) + 1, 0);
  }
  void add(Ticks n_true, std::uint32_t copies) {
    left_[static_cast<std::size_t>(std::min(n_true, n_rows_ - n_true) >> shift_)] += copies;
  }
  /// `logs` has the logarithms of the numbers of columns, that of 0 being 0.
  void finish(const Ticks* logs) {
    Ticks n_left = 0;
    for (std::size_t i = left_.size(); i-- > 0;) {
      const Ticks here = left_[i];
      left_[i] = logs[n_left];
      n_left += here;
    }
  }
  /// The logarithm of the least number of columns with rows on both sides, whichever `n_removed` rows are removed.
  Ticks log_without(Ticks n_removed) const {
    return left_.data()[std::min(static_cast<std::size_t>(n_removed >> shift_), left_.size() - 1)];
  }

 private:
  static constexpr Ticks kMostSteps = 256;

  Ticks n_rows_ = 0;
  int shift_ = 0;
  std::vector<Ticks> left_;
};

}  // namespace hornbeam::bounds
