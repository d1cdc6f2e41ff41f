// sorted/leaf_formula.hpp
//
// WHAT    The models of sorted rows: what a leaf loses, given sums over its rows.
// HOLDS   A row adds to `n` sums, and a leaf loses a base less what its best prediction gains of it. A formula is a
//         struct of static functions: `loss`, given the base that is the weight of the rows, the number of sums, and
//         `sum_of(k)`; and `prediction`, the first of the best. What the search needs of a formula is in
//         sorted/row_gains.hpp: no row loses less than 0, or more than its weight. The loss of the rows must not fall
//         when rows are added, which holds for every least value of a sum over rows of losses of at least 0.
// CHOICE  A new model is a formula here, its rows in sorted/row_gains, and a scan of
//         kernels/gain_scan.inl or kernels/stump_scan.inl.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

/// `use(formula)` with the formula of some rows.
template <class Use>
decltype(auto) with_formula(bool is_squared_error, Use use) {
  if (is_squared_error) return use(SquaredSums{});
  return use(LargestGain{});
}

}  // namespace hornbeam::sorted
