// support/primal.hpp: what the tests of the primal heuristics share.
#pragma once

#include <algorithm>

#include "api/checks.hpp"
#include "api/solve.hpp"
#include "models/leaf_model.hpp"
#include "primal/points.hpp"
#include "primal/primal_search.hpp"
#include "support/check.hpp"
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

/// Whatever the work, the tree is within the limits, costs what it says, and no more than before.
template <class Columns>
void check_growing(const Columns& columns, const data::RowLosses& losses, Ticks leaf_cost, const TreeLimits& limits,
                   const primal::Points& points, Ticks optimum, Random& draw) {
  const models::LeafModel model = api::model_of({losses, leaf_cost, limits, {}, {}, {}});
  run::Run run;
  primal::PrimalSearch search(points, model, leaf_cost, limits, run, [] {}),
      again(points, model, leaf_cost, limits, run, [] {});
  tree::ResultTree leaf;
  leaf.add_leaf(0);
  Ticks single = kInfinity;
  for (std::uint32_t k = 0; k < losses.n_predictions; ++k) {
    leaf.prediction[0] = static_cast<std::int32_t>(k);
    single = std::min(single, score_within({}, leaf, columns, losses, leaf_cost));
  }
  CHECK_EQUAL(search.cost(), single);
  Ticks before = single;
  std::uint64_t work = 0;
  for (const std::uint32_t more : {0u, 500u, 3000u, 10'000u, 40'000u}) {
    work += draw.below(more + 1);
    const bool is_better = search.work_up_to(work);
    const tree::ResultTree tree = search.tree();
    CHECK_EQUAL(score_within(limits, tree, columns, losses, leaf_cost), tree.cost);
    CHECK_EQUAL(search.cost(), tree.cost);
    CHECK_EQUAL(search.n_leaves(), tree.n_leaves());
    CHECK(optimum <= tree.cost && tree.cost <= before);
    CHECK(is_better || tree.cost == before);
    before = tree.cost;
    CHECK_EQUAL(again.work_up_to(work), is_better);
    CHECK(same_nodes(again.tree(), tree) && again.spent() == search.spent());
  }
}

}  // namespace hornbeam::testing
