// models/formulas.hpp
//
// WHAT    The formula of each model, and what all formulas share.
// HOLDS   A formula is a struct of static functions: `values` turns counts into values, and `cell` the measures of a
//         row set into what the bounds know of it; both also on vectors of numbers, and always inlined. `loss_if` is
//         the loss of one prediction. Of a group of rows, given the weight of each target: `loss_of` a prediction,
//         `least_loss_of_leaf`, `best_prediction` (the first of several), and `find_lost`, which makes the counts of
//         the equivalent-points loss. `kTargets` is above 0 where the number of targets is known when compiled.
//         The best prediction loses `baseline`, a sum over the rows, less what it explains, at least 0. Formulas with
//         `kHasTwoSums` have `explained` for the weights of the first two targets. For others, what a prediction
//         explains is itself a sum over rows, and the best one explains the most.
// CHOICE  A new model is a header with its formula, a name in `Measures::Model`, and a line in `with_formula`.
#pragma once

#include "models/convex_costs.hpp"
#include "models/cost_matrix.hpp"
#include "models/squared_error.hpp"

namespace hornbeam::models {

/// `use(formula)` with the formula of these measures.
template <class Use>
HORNBEAM_INLINE decltype(auto) with_formula(const Measures& m, Use use) {
  if (m.is_squared_error()) return use(SquaredError<0>{});
  if (m.is_convex()) return use(ConvexCosts<0>{});
  return m.is_separable() ? use(SeparableCosts<0>{}) : use(AnyCosts{});
}

/// The same with one of the formulas that say what a leaf explains.
template <class Use>
HORNBEAM_INLINE decltype(auto) with_sums(const Measures& m, Use use) {
  if (m.is_convex()) return use(ConvexCosts<0>{});
  return m.is_squared_error() ? use(SquaredError<0>{}) : use(AnyCosts{});
}

/// The same with one of the formulas of two sums.
template <class Use>
HORNBEAM_INLINE decltype(auto) with_two_sums(const Measures& m, Use use) {
  if (m.is_convex()) return use(ConvexCosts<0>{});
  return use(SquaredError<0>{});
}

/// All measures from all counts.
template <class Formula, class Number>
HORNBEAM_INLINE void measure_counts(const Measures& m, const Number* counts, Number* measures) {
  constexpr std::uint32_t kTargets = Formula::kTargets;
  const std::uint32_t n_targets = kTargets > 0 ? kTargets : m.n_targets;
  const std::uint32_t loss_index = kTargets > 0 ? kTargets : m.loss_index();
  Formula::values(m, counts, measures);
  measures[loss_index] = Number{};
  for (std::uint32_t i = 0; i < m.n_loss_units; ++i) measures[loss_index] += counts[n_targets + i] * m.loss_unit[i];
  if (kTargets == 0 && m.counts_rows) measures[m.rows_index()] = counts[m.n_counts() - 1];
}

}  // namespace hornbeam::models
