// models/leaf_model.hpp
//
// WHAT    What a leaf costs, given additive measures of its rows, and what rows that are equal cost at least: the one
//         objective of the search. Accuracy, balanced, weighted and cost-sensitive objectives are cost matrices, which
//         Python makes.
// HOLDS   Immutable. Costs are at least 0.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/convex_table.hpp"
#include "models/formulas.hpp"

namespace hornbeam::models {

class LeafModel {
 public:
  /// The model of a cost matrix, `cost` of shape (n_targets, n_predictions); `with_equivalent_points` false makes every
  /// q zero.
  LeafModel(std::uint32_t n_targets, std::uint32_t n_predictions, std::vector<Ticks> cost, bool with_equivalent_points,
            bool counts_rows);

  /// The model of squared error for predictions from 0 to n_predictions - 1; see models/squared_error.hpp.
  static LeafModel squared_error(std::uint32_t n_predictions, bool with_equivalent_points, bool counts_rows);

  /// A cost of 1 for every wrong prediction: the measures of a row set are then the weights of its targets.
  static LeafModel counting(std::uint32_t n_targets, bool counts_rows);

  std::uint32_t n_targets() const { return measures_.n_targets; }
  std::uint32_t n_predictions() const { return measures_.n_predictions; }
  /// The cost matrix (n_targets, n_predictions), empty for squared error.
  const std::vector<Ticks>& costs() const { return arrays_->cost; }
  Ticks largest_cost(std::uint32_t target) const { return measures_.largest_cost[target]; }
  bool has_equivalent_points() const { return measures_.n_loss_units > 0; }

  /// How the kernels turn counts into measures; points into this object.
  const Measures& measures() const { return measures_; }

  // Of a group of rows, given the weight of each target.

  /// The prediction of least loss; ties go to the lowest.
  std::uint32_t best_prediction(const std::int64_t* weight) const;
  Ticks loss_of(const std::int64_t* weight, std::uint32_t prediction) const;
  /// The loss of the best prediction.
  Ticks least_loss_of_leaf(const std::int64_t* weight) const;
  /// The most that rows can lose, each with its own prediction.
  Ticks largest_loss_of(const std::int64_t* weight) const;

  /// Turns `counts` (of Measures), summed over groups of rows, into those of one group of equal rows; returns whether
  /// that changes them. The weights of the targets alone, with zeros after them, are such a sum.
  bool merge(std::int64_t* counts) const;
  /// The equivalent-points loss that counts have.
  Ticks least_loss_of(const std::int64_t* counts) const;

  /// Measures of a row set from its counts, as the kernels make them.
  void measures_of(const std::int64_t* counts, Ticks* measures) const;

  // Readings of measures; `stride` apart in memory.

  Cell<Ticks> cell(const Ticks* measures, std::size_t stride = 1) const;
  Ticks largest_loss(const Ticks* measures, std::size_t stride = 1) const {
    return cell(measures, stride).largest_loss;
  }
  Ticks loss(const Ticks* measures, std::size_t stride = 1) const { return cell(measures, stride).loss; }
  Ticks least_loss(const Ticks* measures, std::size_t stride = 1) const {
    return measures[measures_.loss_index() * stride];
  }
  /// What one prediction for all rows loses.
  Ticks loss_if(const Ticks* measures, std::uint32_t prediction) const;
  /// The prediction of least loss; ties go to the lowest.
  std::uint32_t best_prediction_of(const Ticks* measures) const;
  Ticks rows(const Ticks* measures) const { return measures[measures_.rows_index()]; }

 private:
  /// What the measures point to; it stays where it is when the model is moved.
  struct Arrays {
    std::vector<Ticks> cost, largest_cost, loss_unit;
    std::vector<std::uint32_t> unit_of_cost;
    std::optional<ConvexTable> convex;
  };

  /// Numbers the distinct costs above 0.
  static void number_units(Arrays& arrays);

  LeafModel() : arrays_(std::make_unique<Arrays>()) {}

  std::unique_ptr<Arrays> arrays_;
  Measures measures_;
};

inline Ticks LeafModel::least_loss_of_leaf(const std::int64_t* weight) const {
  return with_formula(measures_, [&](auto formula) { return formula.least_loss_of_leaf(measures_, weight); });
}

inline Cell<Ticks> LeafModel::cell(const Ticks* measures, std::size_t stride) const {
  struct Strided {
    const Ticks* first;
    std::size_t stride;
    Ticks operator[](std::size_t i) const { return first[i * stride]; }
  };
  return with_formula(measures_,
                      [&](auto formula) { return formula.template cell<Ticks>(measures_, Strided{measures, stride}); });
}

inline Ticks LeafModel::loss_if(const Ticks* measures, std::uint32_t prediction) const {
  return with_formula(measures_, [&](auto formula) { return formula.loss_if(measures_, measures, prediction); });
}

}  // namespace hornbeam::models
