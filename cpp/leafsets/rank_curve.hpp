// leafsets/rank_curve.hpp
//
// WHAT    The area under the ROC curve of leaves that are added with the largest share of positives first, up to a cut.
// HOLDS   The area is rounded down to a tick. This preserves every comparison of trees that differ by whole leaves, and
//         of a tree with its bound.
// SOURCE  [lin2020gosdt, section 2.1].
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace hornbeam {

/// A unit of the order: a leaf, or a group of equal rows.
struct RankUnit {
  std::int64_t positive, negative;
  /// Whether this one has the larger share of positives. Exact: weights stay below 2^31.
  bool before(const RankUnit& other) const { return positive * other.negative > other.positive * negative; }
};

/// A cut of the curve is measured in 2^-20 of a negative of weight 1.
inline constexpr int kCutBits = 20;

/// The curve, which grows unit by unit until it reaches the cut.
class RankCurve {
 public:
  RankCurve(std::int64_t positives, std::int64_t cut) : positives_(positives), cut_(cut) {}

  bool is_cut() const { return is_cut_; }
  void add(const RankUnit& unit) {
    if (is_cut_) return;
    is_cut_ = ((negatives_ + unit.negative) << kCutBits) > cut_;
    if (is_cut_) {
      last_ = unit;
      return;
    }
    half_pairs_ += unit.negative * (2 * positives_ + unit.positive);
    negatives_ += unit.negative;
    positives_ += unit.positive;
  }
  /// The area below, twice that in pairs, at `price`, rounded down.
  Ticks area(Ticks price) const {
    const Ticks sum = price * half_pairs_;
    if (last_.negative == 0) return sum;  // the curve is not cut: it is only where there are negatives
    // Of x negatives of the last unit: x (2 m + p x / n), for m positives before it; x is in parts of a negative.
    const auto x = static_cast<unsigned __int128>(cut_ - (negatives_ << kCutBits));
    const auto positive = static_cast<std::uint64_t>(last_.positive), n = static_cast<std::uint64_t>(last_.negative);
    const auto before = static_cast<unsigned __int128>(2 * positives_) * n;
    const auto halves = static_cast<std::uint64_t>(price) * ((x * before << kCutBits) + x * x * positive);
    return sum + static_cast<Ticks>(halves / (static_cast<unsigned __int128>(n) << (2 * kCutBits)));
  }

 private:
  std::int64_t positives_, negatives_ = 0, half_pairs_ = 0, cut_;
  bool is_cut_ = false;
  RankUnit last_{0, 0};
};

}  // namespace hornbeam
