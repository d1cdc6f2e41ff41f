// data/row_targets.hpp
//
// WHAT    What each of the caller's rows weighs for each target, and what it loses by each prediction. Rows of a class
//         weigh for their class alone; rows whose losses are sums of their own weigh for every target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace hornbeam::data {

template <class Weight>
struct BasicRowTargets {
  std::span<const std::int32_t> target;  // (n_rows) the only target of each row; empty: each row weighs for all
  std::span<const Weight> weights;       // (n_rows); without `target` (n_rows, n_targets)
  std::uint32_t n_targets;
  // So that initializers may leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
  std::span<const std::int64_t> counts = {};  // (n_rows) how many rows each row stands for; empty: itself

  std::int64_t n_rows(std::size_t row) const { return counts.empty() ? 1 : counts[row]; }
  /// `use(target, weight)` for each target of a row.
  template <class Use>
  void for_each(std::size_t row, Use use) const {
    if (!target.empty()) return use(static_cast<std::uint32_t>(target[row]), weights[row]);
    for (std::uint32_t t = 0; t < n_targets; ++t) use(t, weights[row * n_targets + t]);
  }
};
using RowTargets = BasicRowTargets<std::int64_t>;

/// Costs of predictions, or squared error: then the targets of a row are w, w y and w y^2, and the predictions
/// integers.
struct RowLosses {
  RowTargets targets;
  std::span<const Ticks> costs;  // (n_targets, n_predictions), for a weight of 1; empty for squared error
  std::uint32_t n_predictions;

  bool is_squared_error() const { return costs.empty(); }

  Ticks of(std::size_t row, std::int32_t prediction) const {
    if (is_squared_error()) {
      const std::int64_t* const sums = &targets.weights[3 * row];
      const std::int64_t k = prediction;
      return sums[2] - k * (2 * sums[1] - k * sums[0]);
    }
    Ticks loss = 0;
    targets.for_each(row, [&](std::size_t target, std::int64_t weight) {
      loss += weight * costs[target * n_predictions + static_cast<std::size_t>(prediction)];
    });
    return loss;
  }
  /// By all predictions, of costs.
  void of_all(std::size_t row, Ticks* loss) const {
    std::fill(loss, loss + n_predictions, 0);
    targets.for_each(row, [&](std::size_t target, std::int64_t weight) {
      const Ticks* const cost = &costs[target * n_predictions];
      for (std::uint32_t k = 0; k < n_predictions; ++k) loss[k] += weight * cost[k];
    });
  }
};

}  // namespace hornbeam::data
