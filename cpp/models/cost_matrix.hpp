// models/cost_matrix.hpp
//
// WHAT    The model of a cost matrix: what each prediction costs for each target. Two formulas, one for all matrices
//         and a fast one for those where all errors on a target cost the same.
// FLOW    models/formulas.hpp chooses -> kernels (eight columns at once) and leaf_model (one row set).
// CHOICE  What kernels use is always inlined: a copy compiled for one instruction set must never be linked into
//         another.
#pragma once

#include <algorithm>

#include "models/measures.hpp"

namespace hornbeam::models {

/// Any matrix: value k is the loss of prediction k, and one more value is the largest loss.
struct AnyCosts {
  static constexpr std::uint32_t kTargets = 0;
  static constexpr bool kHasTwoSums = false;

  /// The largest loss.
  static Ticks baseline(const Measures& m, const std::int64_t* weight) {
    Ticks sum = 0;
    for (std::uint32_t t = 0; t < m.n_targets; ++t) sum += weight[t] * m.largest_cost[t];
    return sum;
  }

  template <class Number>
  HORNBEAM_INLINE static void values(const Measures& m, const Number* counts, Number* values) {
    for (std::uint32_t k = 0; k <= m.n_predictions; ++k) values[k] = Number{};
    for (std::uint32_t t = 0; t < m.n_targets; ++t) {
      for (std::uint32_t k = 0; k < m.n_predictions; ++k)
        values[k] += counts[t] * m.cost[std::size_t{t} * m.n_predictions + k];
      values[m.n_predictions] += counts[t] * m.largest_cost[t];
    }
  }

  template <class Number, class Array>
  HORNBEAM_INLINE static Cell<Number> cell(const Measures& m, const Array& measures) {
    Number least = measures[0];
    for (std::uint32_t k = 1; k < m.n_predictions; ++k) least = measures[k] < least ? measures[k] : least;
    return {measures[m.n_predictions], least, measures[m.loss_index()]};
  }

  template <class Array>
  static Ticks loss_if(const Measures&, const Array& measures, std::uint32_t prediction) {
    return measures[prediction];
  }

  static Ticks loss_of(const Measures& m, const std::int64_t* weight, std::uint32_t prediction) {
    Ticks sum = 0;
    for (std::uint32_t t = 0; t < m.n_targets; ++t)
      sum += weight[t] * m.cost[std::size_t{t} * m.n_predictions + prediction];
    return sum;
  }

  static std::uint32_t best_prediction(const Measures& m, const std::int64_t* weight) {
    return least(m, weight).prediction;
  }

  static Ticks least_loss_of_leaf(const Measures& m, const std::int64_t* weight) { return least(m, weight).loss; }

  /// The weight of each target goes to the unit that the best prediction for all of them costs there.
  static void find_lost(const Measures& m, std::int64_t* counts) {
    const std::uint32_t prediction = best_prediction(m, counts);
    std::int64_t* lost = counts + m.n_targets;
    std::fill(lost, lost + m.n_loss_units, 0);
    for (std::uint32_t t = 0; t < m.n_targets; ++t) {
      const std::uint32_t unit = m.unit_of_cost[std::size_t{t} * m.n_predictions + prediction];
      if (unit != Measures::kNoUnit) lost[unit] += counts[t];
    }
  }

 private:
  struct Least {
    Ticks loss;
    std::uint32_t prediction;
  };

  /// Sums the losses of a few predictions at once, since their costs for one target lie side by side.
  static Least least(const Measures& m, const std::int64_t* weight) {
    constexpr std::uint32_t kAtOnce = 4;
    Least least{kInfinity, 0};
    for (std::uint32_t first = 0; first < m.n_predictions; first += kAtOnce) {
      const std::uint32_t n = std::min(kAtOnce, m.n_predictions - first);
      Ticks loss[kAtOnce] = {};
      const Ticks* cost = m.cost + first;
      for (std::uint32_t t = 0; t < m.n_targets; ++t, cost += m.n_predictions) {
        if (n == kAtOnce)
          for (std::uint32_t k = 0; k < kAtOnce; ++k) loss[k] += weight[t] * cost[k];
        else
          for (std::uint32_t k = 0; k < n; ++k) loss[k] += weight[t] * cost[k];
      }
      for (std::uint32_t k = 0; k < n; ++k)
        if (loss[k] < least.loss) least = {loss[k], first + k};
    }
    return least;
  }
};

/// A wrong prediction for target t costs largest_cost[t] whatever it is, a right one nothing. Value t is the weight of
/// t times that cost; the largest loss is the sum of the values, and a leaf loses the sum less the largest.
/// Cancelled (two targets of one cost): what is lost anyway in each group of equal rows is taken out of the weights of
/// both targets and counted as equivalent-points loss q only. Then the least of the values is err - q, and their sum is
/// n - q, where n is the largest loss that the groups can incur, each with one prediction.
template <std::uint32_t kNumber>
struct SeparableCosts {
  static constexpr std::uint32_t kTargets = kNumber;
  static constexpr std::uint32_t n_targets(const Measures& m) { return kTargets > 0 ? kTargets : m.n_targets; }

  template <class Number>
  HORNBEAM_INLINE static void values(const Measures& m, const Number* counts, Number* values) {
    for (std::uint32_t t = 0; t < n_targets(m); ++t) values[t] = counts[t] * m.largest_cost[t];
  }

  template <class Number, class Array>
  HORNBEAM_INLINE static Cell<Number> cell(const Measures& m, const Array& measures) {
    Number sum = measures[0], most = measures[0];
    for (std::uint32_t t = 1; t < n_targets(m); ++t) {
      sum += measures[t];
      most = most > measures[t] ? most : measures[t];
    }
    const Number least_loss = measures[n_targets(m)], lost_anyway = m.cancelled ? least_loss : Number{};
    return {sum + lost_anyway, sum - most + lost_anyway, least_loss};
  }

  template <class Array>
  static Ticks loss_if(const Measures& m, const Array& measures, std::uint32_t prediction) {
    return cell<Ticks>(m, measures).largest_loss - measures[prediction];
  }

  static Ticks loss_of(const Measures& m, const std::int64_t* weight, std::uint32_t prediction) {
    return AnyCosts::loss_of(m, weight, prediction);
  }

  static Ticks least_loss_of_leaf(const Measures& m, const std::int64_t* weight) {
    Ticks sum = 0, most = 0;
    for (std::uint32_t t = 0; t < m.n_targets; ++t) {
      sum += weight[t] * m.largest_cost[t];
      most = std::max(most, weight[t] * m.largest_cost[t]);
    }
    return sum - most;
  }

  static std::uint32_t best_prediction(const Measures& m, const std::int64_t* weight) {
    std::uint32_t best = 0;
    for (std::uint32_t t = 1; t < m.n_targets; ++t)
      if (weight[t] * m.largest_cost[t] > weight[best] * m.largest_cost[best]) best = t;
    return best;
  }

  static void find_lost(const Measures& m, std::int64_t* counts) {
    if (!m.cancelled) return AnyCosts::find_lost(m, counts);
    const std::int64_t lost = std::min(counts[0], counts[1]);
    counts[0] -= lost;
    counts[1] -= lost;
    counts[2] += lost;
  }
};

}  // namespace hornbeam::models
