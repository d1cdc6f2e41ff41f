// support/primal.hpp: what the tests of the primal heuristics share.
#pragma once

#include <algorithm>

#include "api/checks.hpp"
#include "models/leaf_model.hpp"
#include "primal/points.hpp"
#include "support/problem.hpp"
#include "verify/score.hpp"

namespace hornbeam::testing {

inline models::LeafModel model_of(const TestProblem& problem) {
  return {problem.n_classes, problem.n_predictions, problem.costs, true, problem.limits.rows_per_leaf > 1};
}

inline data::DistinctRows distinct_rows(const TestProblem& problem) {
  run::Run run;
  return {problem.columns(), problem.targets(), run};
}

/// Counts the cost again. Throws std::logic_error if the tree breaks a limit.
template <class Columns>
Ticks score_within(const TreeLimits& limits, const tree::ResultTree& tree, const Columns& columns,
                   const data::RowLosses& losses, Ticks leaf_cost) {
  const auto leaf_of_row = verify::leaf_of_rows(api::flat(tree), columns, losses.n_predictions, limits);
  return verify::score(api::flat(tree), leaf_of_row, losses, leaf_cost);
}

inline bool same_nodes(const tree::ResultTree& a, const tree::ResultTree& b) {
  return a.column == b.column && a.left == b.left && a.right == b.right && a.prediction == b.prediction;
}

}  // namespace hornbeam::testing
