// models/squared_error.hpp
//
// WHAT    The model of squared error: each prediction is an integer from 0 to M, and a row of target y and weight w
//         loses w (y - k)^2 by prediction k. It is a cost matrix with a prediction for each of these integers, so all
//         bounds for additive losses hold, and every loss is an integer without rounding. The sums of w, w y and w y^2
//         are its three targets.
// FLOW    models/formulas.hpp chooses -> kernels (eight columns at once) and leaf_model (one row set).
// HOLDS   The sum of weights, times M^2, stays below 2^58, so that no loss is larger; times M, below 2^52, so that sums
//         are exact in floating point (api/solve.cpp checks both). Measures are cancelled: what each group of equal
//         rows loses with its best prediction is taken out of its sum of w y^2 and counted as equivalent-points loss q
//         only.
// CHOICE  With s = m w + r, prediction m loses z - m (s + r), where w, s, z are the three sums: no number exceeds 64
//         bits. The quotient s / w of two integers below 2^52 lies at half an integer or at least 1 / (2 w) from it.
//         In floating point it is off by at most s / w / 2^53, which is less: so it is rounded to the right integer.
#pragma once

#include <concepts>

#include "models/exact_doubles.hpp"
#include "models/measures.hpp"

namespace hornbeam::models {

/// The integer nearest to sum / weight, for 0 <= sum < 2^52; the lower one of two for Ticks, either one for vectors.
template <class Number>
HORNBEAM_INLINE Number nearest_quotient(Number sum, Number weight) {
  if constexpr (std::integral<Number>) {
    return weight == 0 ? 0 : (2 * sum + weight - 1) / (2 * weight);
  } else {
    using Exact = ExactDoubles<Number>;
    return Exact::rounded(Exact::of(sum) / Exact::of(weight > 0 ? weight : Number{} + 1));
  }
}

/// By how much less than the sum of w y^2 the best prediction loses.
template <class Number>
HORNBEAM_INLINE Number squares_explained(Number sum, Number weight) {
  const Number mean = nearest_quotient<Number>(sum, weight);
  return mean * (sum + (sum - mean * weight));
}

template <std::uint32_t kNumber>
struct SquaredError {
  static constexpr std::uint32_t kTargets = kNumber;  // 3, or 0 if rows are counted
  static constexpr std::uint32_t kSums = 3;
  static constexpr bool kHasTwoSums = true;

  /// What all rows lose by one prediction, given their three sums.
  static Ticks loss_of(const Measures&, const std::int64_t* sums, std::uint32_t prediction) {
    const auto k = static_cast<Ticks>(prediction);
    return sums[2] - k * (2 * sums[1] - k * sums[0]);
  }

  static std::uint32_t best_prediction(const Measures&, const std::int64_t* sums) {
    return static_cast<std::uint32_t>(nearest_quotient<Ticks>(sums[1], sums[0]));
  }

  static Ticks least_loss_of_leaf(const Measures& m, const std::int64_t* sums) {
    return loss_of(m, sums, best_prediction(m, sums));
  }

  static Ticks baseline(const Measures&, const std::int64_t* sums) { return sums[2]; }
  template <class Number>
  HORNBEAM_INLINE static Number explained(const Measures&, Number weight, Number sum) {
    return squares_explained<Number>(sum, weight);
  }

  template <class Number>
  HORNBEAM_INLINE static void values(const Measures&, const Number* counts, Number* values) {
    for (std::uint32_t i = 0; i < kSums; ++i) values[i] = counts[i];
  }

  /// Each row loses at most what it loses by 0 and by M together, beyond q once.
  template <class Number, class Array>
  HORNBEAM_INLINE static Cell<Number> cell(const Measures& m, const Array& measures) {
    const Number weight = measures[0], sum = measures[1], squares = measures[2], least_loss = measures[kSums];
    const Ticks largest = m.largest_prediction();
    return {least_loss + 2 * squares - largest * (2 * sum - largest * weight),
            least_loss + squares - squares_explained<Number>(sum, weight), least_loss};
  }

  template <class Array>
  static Ticks loss_if(const Measures& m, const Array& measures, std::uint32_t prediction) {
    const std::int64_t sums[kSums] = {measures[0], measures[1], measures[2] + measures[kSums]};
    return loss_of(m, sums, prediction);
  }

  static void find_lost(const Measures& m, std::int64_t* counts) {
    const Ticks lost = least_loss_of_leaf(m, counts);
    counts[2] -= lost;
    counts[kSums] += lost;
  }
};

}  // namespace hornbeam::models
