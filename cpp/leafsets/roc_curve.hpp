// leafsets/roc_curve.hpp
//
// WHAT    The area under the ROC curve of leaves that are added with the largest share of positives first, up to a
//         number of false positives.
// HOLDS   The area is rounded down to a tick. This preserves every comparison of trees that differ by whole leaves, and
//         of a tree with its bound.
// SOURCE  [lin2020gosdt, section 2.1].
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hornbeam::leafsets {

/// A unit of the order: a leaf, or a group of equal rows.
struct RocSegment {
  std::int64_t positive, negative;
  /// Whether this one has the larger share of positives. Exact: weights stay below 2^31.
  bool before(const RocSegment& other) const { return positive * other.negative > other.positive * negative; }
};

/// A limit on false positives is measured in 2^-20 of a negative of weight 1.
inline constexpr int kFalsePositiveBits = 20;

/// The curve, which grows unit by unit until it reaches the limit.
class RocCurve {
 public:
  RocCurve(std::int64_t positives, std::int64_t max_false_positives)
      : positives_(positives), max_false_positives_(max_false_positives) {}

  bool is_full() const { return is_full_; }
  void add(const RocSegment& unit) {
    if (is_full_) return;
    is_full_ = ((negatives_ + unit.negative) << kFalsePositiveBits) > max_false_positives_;
    if (is_full_) {
      last_ = unit;
      return;
    }
    half_pairs_ += unit.negative * (2 * positives_ + unit.positive);
    negatives_ += unit.negative;
    positives_ += unit.positive;
  }
  /// The area below, twice that in pairs, at `half_pair_cost`, rounded down.
  Ticks area(Ticks half_pair_cost) const {
    const Ticks sum = half_pair_cost * half_pairs_;
    if (last_.negative == 0) return sum;  // the limit is not reached: a segment across it has negatives
    // Of x negatives of the last unit: x (2 m + p x / n), for m positives before it; x is in parts of a negative.
    const auto x = static_cast<unsigned __int128>(max_false_positives_ - (negatives_ << kFalsePositiveBits));
    const auto positive = static_cast<std::uint64_t>(last_.positive), n = static_cast<std::uint64_t>(last_.negative);
    const auto before = static_cast<unsigned __int128>(2 * positives_) * n;
    const auto halves =
        static_cast<std::uint64_t>(half_pair_cost) * ((x * before << kFalsePositiveBits) + x * x * positive);
    return sum + static_cast<Ticks>(halves / (static_cast<unsigned __int128>(n) << (2 * kFalsePositiveBits)));
  }

 private:
  std::int64_t positives_, negatives_ = 0, half_pairs_ = 0, max_false_positives_;
  bool is_full_ = false;
  RocSegment last_{0, 0};
};

}  // namespace hornbeam::leafsets
