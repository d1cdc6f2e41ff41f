// data/costs.hpp
//
// WHAT    The one objective of the core: an integer cost for each pair of true class and prediction, and a price for
//         each leaf. Accuracy, balanced, weighted and cost-sensitive objectives are all such matrices; they are made
//         in Python.
// HOLDS   Costs are at least 0. `is_separable`: a wrong prediction costs price[class] whatever it is, a right one 0.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam {

class Costs {
 public:
  /// `cost` has one row a class and one column a prediction; `with_equivalent_points` false makes every q zero.
  Costs(std::uint32_t n_classes, std::uint32_t n_predictions, std::vector<Ticks> cost, bool with_equivalent_points,
        bool counts_rows);

  /// A cost of 1 for every wrong prediction: the measures of a row set are then the weights of its classes.
  static Costs counting(std::uint32_t n_classes, bool counts_rows);

  std::uint32_t n_classes() const { return n_classes_; }
  std::uint32_t n_predictions() const { return n_predictions_; }
  Ticks of(std::uint32_t true_class, std::uint32_t prediction) const {
    return cost_[std::size_t{true_class} * n_predictions_ + prediction];
  }
  Ticks largest(std::uint32_t true_class) const { return largest_[true_class]; }

  /// How the kernels turn counts into measures; points into this object.
  Measures measures() const;

  /// The prediction of least loss for a group of `weight` per class; ties go to the lowest.
  std::uint32_t best_prediction(const std::int64_t* weight) const;
  Ticks loss_of(const std::int64_t* weight, std::uint32_t prediction) const;
  /// The loss of the best prediction.
  Ticks least_loss_of_leaf(const std::int64_t* weight) const {
    if (!separable_) return loss_of(weight, best_prediction(weight));
    Ticks sum = 0, most = 0;
    for (std::uint32_t c = 0; c < n_classes_; ++c) {
      sum += weight[c] * price_[c];
      most = std::max(most, weight[c] * price_[c]);
    }
    return sum - most;
  }

  /// Turns `counts` (of Measures), summed over groups of rows, into those of one group of equal rows; returns whether
  /// that changes them. The weights of the classes alone, with zeros after them, are such a sum.
  bool settle(std::int64_t* counts) const;
  /// The equivalent-points loss that counts say.
  Ticks least_loss_of(const std::int64_t* counts) const;
  std::uint32_t n_loss_prices() const { return static_cast<std::uint32_t>(loss_price_.size()); }

  /// Measures of a row set from its counts (the plain twin of what the kernels do).
  void measures_of(const std::int64_t* counts, Ticks* measures) const;

  // Readings of measures; `stride` apart in memory.
  Ticks largest_loss(const Ticks* measures, std::size_t stride = 1) const;
  Ticks loss(const Ticks* measures, std::size_t stride = 1) const;
  Ticks least_loss(const Ticks* measures, std::size_t stride = 1) const { return measures[n_values_ * stride]; }
  /// What one prediction for all rows loses.
  Ticks loss_if(const Ticks* measures, std::uint32_t prediction, std::size_t stride = 1) const;
  /// The prediction of least loss; ties go to the lowest.
  std::uint32_t best_prediction_of(const Ticks* measures, std::size_t stride = 1) const;
  Ticks rows(const Ticks* measures, std::size_t stride = 1) const { return measures[(n_values_ + 1) * stride]; }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  std::uint32_t n_classes_, n_predictions_, n_values_;
  bool separable_, counts_rows_, netted_ = false;
  std::vector<Ticks> cost_, largest_, price_, loss_price_;
  std::vector<std::uint32_t> price_index_;  // of each cost in loss_price_, kFree for a cost of 0
};

inline Ticks Costs::largest_loss(const Ticks* measures, std::size_t stride) const {
  if (!separable_) return measures[n_predictions_ * stride];
  Ticks sum = netted_ ? least_loss(measures, stride) : 0;
  for (std::uint32_t c = 0; c < n_classes_; ++c) sum += measures[c * stride];
  return sum;
}

inline Ticks Costs::loss(const Ticks* measures, std::size_t stride) const {
  if (separable_) {
    Ticks sum = 0, most = 0;
    for (std::uint32_t c = 0; c < n_classes_; ++c) {
      sum += measures[c * stride];
      most = std::max(most, measures[c * stride]);
    }
    return sum - most + (netted_ ? least_loss(measures, stride) : 0);
  }
  Ticks least = measures[0];
  for (std::uint32_t k = 1; k < n_predictions_; ++k) least = std::min(least, measures[k * stride]);
  return least;
}

inline Ticks Costs::loss_if(const Ticks* measures, std::uint32_t prediction, std::size_t stride) const {
  if (!separable_) return measures[prediction * stride];
  return largest_loss(measures, stride) - measures[prediction * stride];
}

inline std::uint32_t Costs::best_prediction_of(const Ticks* measures, std::size_t stride) const {
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < n_predictions_; ++k) {
    const Ticks here = measures[k * stride], least = measures[best * stride];
    if (separable_ ? here > least : here < least) best = k;
  }
  return best;
}

}  // namespace hornbeam
