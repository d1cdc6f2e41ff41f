// primal_subtrees_test.cpp: subtrees of two levels that the primal heuristics solve exactly, against brute force.
#include <algorithm>
#include <optional>

#include "primal/subtree_improvement.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/primal.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::primal_subtrees_test {

using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::primal;
using namespace hornbeam::run;

namespace {

constexpr std::uint64_t kAnyWork = std::uint64_t{1} << 40;

Split random_split(const Points& points, Random& draw) {
  const std::uint32_t v = draw.below(static_cast<std::uint32_t>(points.variables.size()));
  return {v, draw.below(points.variables[v].n_conditions())};
}

/// Any splits, sensible or not.
Preorder random_tree(const Points& points, std::uint32_t depth, Random& draw) {
  if (depth == 0 || points.variables.empty() || draw.percent(20)) return {std::nullopt};
  Preorder all{random_split(points, draw)};
  for (int x = 0; x < 2; ++x) {
    const Preorder side = random_tree(points, depth - 1, draw);
    all.insert(all.end(), side.begin(), side.end());
  }
  return all;
}

TestProblem limited_problem(Random& draw) {
  TestProblem problem = random_problem(draw, {1, 60, 1, 9});
  problem.limits = random_limits(draw);
  return problem;
}

/// At most two levels and four leaves.
TestProblem with_two_levels(TestProblem problem) {
  problem.limits.depth = std::min(problem.limits.depth.value_or(2), 2u);
  problem.limits.leaves = std::min(problem.limits.leaves.value_or(4), 4u);
  return problem;
}

SubtreeImprovement improvement_for(const TestProblem& problem, const Points& points, const LeafModel& model) {
  return {points,
          model,
          problem.leaf_cost,
          problem.limits.rows_per_leaf,
          problem.limits.depth.value_or(64),
          problem.limits.leaves.value_or(1000),
          always()};
}

/// A random tree within the limits.
WorkingTree grown_within(const TestProblem& problem, const Points& points, const LeafModel& model, std::uint32_t depth,
                         Random& draw) {
  WorkingTree tree(points, model, problem.limits.rows_per_leaf);
  tree.replace(WorkingTree::kRoot, random_tree(points, std::min(problem.limits.depth.value_or(depth), depth), draw));
  tree.prune(0, problem.limits.leaves.value_or(1000));
  return tree;
}

/// A tree of two levels becomes the best one.
void check_two_levels(const TestProblem& problem, const Points& points, const LeafModel& model, Ticks optimum,
                      Random& draw) {
  WorkingTree tree = grown_within(problem, points, model, 2, draw);
  const Ticks before = tree.cost(problem.leaf_cost);
  SubtreeImprovement improvement = improvement_for(problem, points, model);
  CHECK(!improvement.improve(tree, 0));
  CHECK_EQUAL(tree.cost(problem.leaf_cost), before);
  const bool has_improved = improvement.improve(tree, kAnyWork);
  tree.prune(problem.leaf_cost, problem.limits.leaves.value_or(1000));
  CHECK_EQUAL(tree.cost(problem.leaf_cost), optimum);
  CHECK(has_improved || tree.cost(problem.leaf_cost) <= before);
  CHECK(!improvement.improve(tree, kAnyWork));
}

}  // namespace

PROBLEM_TEST(a_tree_of_two_levels_becomes_the_optimum, 400, with_two_levels(limited_problem(draw))) {
  check_two_levels(problem, Points(distinct_rows(problem)), model_of(problem), Oracle(problem).best(), draw);
}

RANDOM_TEST(a_tree_of_two_levels_of_ordered_columns_becomes_the_optimum, 400) {
  const OrderedTestProblem ordered = random_ordered(draw, {40, 3, 10});
  TestProblem problem = ordered.plain();
  if (draw.percent(50)) problem.limits = random_limits(draw);
  problem = with_two_levels(problem);
  check_two_levels(problem, Points(ordered.columns(), problem.targets()), model_of(problem), Oracle(problem).best(),
                   draw);
}

RANDOM_TEST(a_tree_of_two_levels_of_rows_that_weigh_for_every_target_becomes_the_optimum, 300) {
  TestProblem problem = hard_problem(draw, {2, 40, 1, 6});
  problem.n_classes = draw.size_between(1, 4);
  problem.n_predictions = draw.size_between(1, 4);
  problem.costs.resize(std::size_t{problem.n_classes} * problem.n_predictions);
  for (Ticks& cost : problem.costs) cost = draw.between(0, 6);
  std::vector<std::int64_t> weights(std::size_t{problem.n_rows()} * problem.n_classes);
  for (std::int64_t& weight : weights) weight = draw.percent(40) ? 0 : draw.between(1, 5);
  // At least one, so that every row is a point.
  for (std::uint32_t i = 0; i < problem.n_rows(); ++i) weights[std::size_t{i} * problem.n_classes] += 1;
  problem.leaf_cost = draw.between(0, 20);
  problem.limits = random_limits(draw);
  problem = with_two_levels(problem);
  const RowLosses losses{{{}, weights, problem.n_classes}, problem.costs, problem.n_predictions};
  PackedInput input{{losses, problem.leaf_cost, problem.limits, {}, {}, {}}, problem.columns()};
  input.bounds.primal = false;
  Run run;
  check_two_levels(problem, Points(DistinctRows(problem.columns(), losses.targets, run)), model_of(problem),
                   solve(input, never).tree.cost, draw);
}

PROBLEM_TEST(the_sides_of_a_split_become_the_best_trees_of_two_levels, 300, limited_problem(draw)) {
  if (problem.n_columns == 0) return;
  TestProblem below = problem;
  below.limits = with_two_levels({}).limits;
  below.limits.rows_per_leaf = problem.limits.rows_per_leaf;
  const Points points(distinct_rows(problem));
  const LeafModel model = model_of(problem);
  if (points.variables.empty()) return;
  const Split split = random_split(points, draw);
  WorkingTree tree(points, model, problem.limits.rows_per_leaf);
  tree.replace(WorkingTree::kRoot, {split, std::nullopt, std::nullopt});
  if (tree.root().is_leaf()) return;
  TwoLevelSubtree solver(points, model, problem.leaf_cost, problem.limits.rows_per_leaf, always());
  for (const bool side : {true, false}) {
    const WorkingTree::NodeIndex node = tree.node(WorkingTree::kRoot).child[side ? 1 : 0];
    const Ticks leaf = tree.cost(node, problem.leaf_cost);
    const auto found = solver.find(tree.points(node), 4, leaf, kAnyWork);
    if (found) tree.replace(node, *found);
    CHECK_EQUAL(found.has_value(), tree.cost(node, problem.leaf_cost) < leaf);
    CHECK_EQUAL(tree.cost(node, problem.leaf_cost),
                Oracle(below).best(rows_where(problem, all_rows(problem), points.column_of(split), side)));
  }
}

PROBLEM_TEST(improving_subtrees_keeps_the_limits_and_never_raises_the_cost, 300, limited_problem(draw)) {
  const Points points(distinct_rows(problem));
  const LeafModel model = model_of(problem);
  WorkingTree tree = grown_within(problem, points, model, 5, draw);
  SubtreeImprovement improvement = improvement_for(problem, points, model);
  for (const std::uint64_t work : {std::uint64_t{draw.below(200'000)}, kAnyWork}) {
    const Ticks before = tree.cost(problem.leaf_cost);
    const bool has_improved = improvement.improve(tree, work);
    CHECK_EQUAL(has_improved, tree.cost(problem.leaf_cost) < before);
    CHECK(tree.cost(problem.leaf_cost) <= before);
    const tree::ResultTree result = tree.result(problem.leaf_cost);
    CHECK_EQUAL(score_within(problem.limits, result, problem.columns(), problem.losses(), problem.leaf_cost),
                result.cost);
  }
  CHECK(improvement.bytes() <= SubtreeImprovement::most_bytes(points.size(), problem.n_columns));
}

}  // namespace hornbeam::testing::primal_subtrees_test
