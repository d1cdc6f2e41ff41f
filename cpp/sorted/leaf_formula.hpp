// sorted/leaf_formula.hpp
//
// WHAT    The models of sorted rows: what a leaf loses, given sums over its rows.
// HOLDS   A row adds to `n` sums, and a leaf loses a base less what its best prediction gains of it. A formula is a
//         struct of two functions: `loss`, given the base that is the weight of the rows, the number of sums, and
//         `sum_of(k)`; and `prediction`, the first of the best. What the search needs of a formula is in
//         sorted/row_gains.hpp: no row loses less than 0, or more than its weight. The loss of the rows must not fall
//         when rows are added, which holds for every least value of a sum over rows of losses of at least 0.
// CHOICE  A new model is a formula here, its rows in sorted/row_gains, and a scan of
//         kernels/gain_scan.inl, kernels/stump_scan.inl or kernels/convex_scan.inl.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "models/convex_costs.hpp"
#include "models/squared_error.hpp"

namespace hornbeam::sorted {

/// Sum k is what prediction k gains of the weight: classes, rewards, any costs of a few predictions.
struct LargestGain {
  template <class SumOf>
  static std::int64_t loss(std::int64_t weight, std::size_t n, SumOf sum_of) {
    std::int64_t most = 0;
    for (std::size_t k = 0; k < n; ++k) most = std::max<std::int64_t>(most, sum_of(k));
    return weight - most;
  }
  template <class SumOf>
  static std::uint32_t prediction(std::size_t n, SumOf sum_of) {
    std::uint32_t best = 0;
    for (std::uint32_t k = 1; k < n; ++k)
      if (sum_of(k) > sum_of(best)) best = k;
    return best;
  }
};

/// The sums are those of w, w y and w y^2, the last one less what each row loses anyway: models/squared_error.hpp. The
/// base is the last sum, not the weight.
struct SquaredSums {
  static constexpr std::uint32_t kSums = models::SquaredError<0>::kSums;

  template <class SumOf>
  static std::int64_t loss(std::int64_t, std::size_t, SumOf sum_of) {
    return sum_of(2) - models::squares_explained<std::int64_t>(sum_of(1), sum_of(0));
  }
  template <class SumOf>
  static std::uint32_t prediction(std::size_t, SumOf sum_of) {
    return static_cast<std::uint32_t>(models::nearest_quotient<std::int64_t>(sum_of(1), sum_of(0)));
  }
};

/// The sums are the two weights, and what the own best prediction of each row explains: models/convex_costs.hpp. The
/// base is the last sum, not the weight.
struct ConvexSums {
  static constexpr std::uint32_t kSums = 3;

  models::ConvexBuckets buckets;
  std::span<const Ticks> costs;  // (2, n_predictions)

  template <class SumOf>
  std::int64_t loss(std::int64_t, std::size_t, SumOf sum_of) const {
    return sum_of(2) - models::convex_explained<Ticks>(buckets, sum_of(0), sum_of(1));
  }
  template <class SumOf>
  std::uint32_t prediction(std::size_t, SumOf sum_of) const {
    return first_best(sum_of(0), sum_of(1));
  }

  std::uint32_t n_predictions() const { return static_cast<std::uint32_t>(costs.size() / 2); }
  /// What a prediction loses, given the two weights.
  Ticks loss_of(Ticks first, Ticks second, std::uint32_t prediction) const {
    return first * costs[prediction] + second * costs[n_predictions() + prediction];
  }
  /// Losses fall up to the best prediction and do not fall behind it.
  std::uint32_t first_best(Ticks first, Ticks second) const {
    std::uint32_t low = 0, high = n_predictions() - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (loss_of(first, second, middle + 1) < loss_of(first, second, middle))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

}  // namespace hornbeam::sorted
