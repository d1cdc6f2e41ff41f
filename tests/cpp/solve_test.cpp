// solve_test.cpp: api/solve against brute force over all trees, with every bound off in turn, on one and two threads.
#include "api/solve.hpp"

#include <stdexcept>

#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::solve_test {

using namespace hornbeam::data;
using namespace hornbeam::tree;

namespace {

/// All on, each off, all off, and a random choice of bounds; on one thread and, for some, on two.
void check_all_bounds(Random& draw, const TestProblem& problem) {
  const Ticks optimum = Oracle(problem).best();
  PackedInput input = problem.input();
  const auto check_with = [&](const Bounds& bounds, std::uint32_t threads) {
    input.bounds = bounds;
    input.limits.threads = threads;
    check_proven(problem, solve(input, never), optimum);
  };
  check_with({}, 1);
  if (draw.percent(25)) check_with({}, 2);
  Bounds some, none;
  for (const BoundRow& row : kBounds) {
    if (row.flag == nullptr || (row.searches & kExact) == 0) continue;
    Bounds but_one;
    but_one.*row.flag = false;
    none.*row.flag = false;
    some.*row.flag = draw.percent(50);
    check_with(but_one, 1);
  }
  check_with(none, 1);
  check_with(some, draw.percent(10) ? 2 : 1);
}

TestProblem limited_problem(Random& draw) {
  TestProblem problem = random_problem(draw, {1, 40, 0, 7});
  problem.limits = random_limits(draw);
  return problem;
}

/// Limits that brute force needs on so many columns.
TestProblem wide_limited_problem(Random& draw) {
  TestProblem problem = wide_problem(draw, {8, 40, 9, 20});
  problem.limits = random_limits(draw);
  problem.limits.depth = draw.size_between(2, 4);
  if (*problem.limits.depth == 4) problem.limits.leaves = draw.size_between(3, 6);
  return problem;
}

}  // namespace

PROBLEM_TEST(the_cost_found_equals_brute_force_with_any_bounds, 2000, random_problem(draw, {1, 40, 0, 7})) {
  check_all_bounds(draw, problem);
}

PROBLEM_TEST(the_cost_found_within_limits_equals_brute_force_with_any_bounds, 2000, limited_problem(draw)) {
  check_all_bounds(draw, problem);
}

PROBLEM_TEST(the_cost_found_for_larger_problems_equals_brute_force_with_any_bounds, 200, larger_problem(draw)) {
  check_all_bounds(draw, problem);
}

PROBLEM_TEST(the_cost_found_for_wide_problems_equals_brute_force_with_any_bounds, 150, wide_limited_problem(draw)) {
  check_all_bounds(draw, problem);
}

PROBLEM_TEST(the_cost_found_for_wide_problems_without_limits_equals_brute_force_with_any_bounds, 60,
             wide_problem(draw, {4, 14, 9, 20})) {
  check_all_bounds(draw, problem);
}

PROBLEM_TEST(searches_with_other_leaf_costs_and_limits_on_leaves_that_share_their_tables_equal_brute_force, 400,
             limited_problem(draw)) {
  search::EarlierSearches earlier;
  const Ticks leaf_cost = problem.leaf_cost;
  for (int i = 0; i < 4; ++i) {
    TestProblem one = problem;
    one.leaf_cost = leaf_cost * draw.below(4) / (1 + draw.below(3));
    if (one.leaf_cost >= kLargestTotal) one.leaf_cost = leaf_cost;
    if (draw.percent(50)) one.limits.leaves = draw.size_between(1, 7);
    PackedInput input = one.input();
    input.limits.threads = draw.percent(10) ? 2 : 1;
    input.limits.gap = draw.percent(25) ? 0.2 : 0.0;  // leaves bounds that are not the optimum
    const Ticks optimum = Oracle(one).best();
    const run::Outcome outcome = solve(input.columns, input, never, &earlier);
    input.limits.gap > 0 ? check_interval(one, outcome, optimum) : check_proven(one, outcome, optimum);
  }
}

PROBLEM_TEST(the_predictions_of_nodes_are_within_the_costs_and_inner_nodes_have_two_children, 100,
             limited_problem(draw)) {
  const ResultTree tree = solve(problem.input(), never).tree;
  for (std::size_t node = 0; node < tree.column.size(); ++node) {
    CHECK(tree.prediction[node] >= 0 && static_cast<std::uint32_t>(tree.prediction[node]) < problem.n_predictions);
    CHECK((tree.column[node] < 0) == (tree.left[node] < 0) && (tree.left[node] < 0) == (tree.right[node] < 0));
    CHECK(tree.column[node] < static_cast<std::int32_t>(problem.n_columns));
  }
}

RANDOM_TEST(input_out_of_range_is_rejected, 1) {
  TestProblem good = hard_problem(draw, {10, 10, 3, 3});
  good.classes = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const auto targets = [](PackedInput& input) -> RowTargets& { return input.losses.targets; };
  const auto reject = [&good](auto spoil) {
    TestProblem problem = good;
    PackedInput input = problem.input();
    spoil(problem, input);
    CHECK_THROWS(std::invalid_argument, solve(input, never));
  };
  reject([](TestProblem&, PackedInput& input) { input.columns.n_rows = 0; });
  reject([&](TestProblem&, PackedInput& input) { targets(input).target = targets(input).target.first(9); });
  reject([&](TestProblem&, PackedInput& input) { targets(input).weights = targets(input).weights.first(9); });
  reject([&](TestProblem&, PackedInput& input) { targets(input).n_targets = 0; });
  reject([](TestProblem&, PackedInput& input) { input.losses.n_predictions = 0; });
  reject([](TestProblem&, PackedInput& input) { input.leaf_cost = -1; });
  reject([](TestProblem&, PackedInput& input) { input.leaf_cost = kLargestTotal; });
  reject([](TestProblem&, PackedInput& input) { input.tree.rows_per_leaf = 0; });
  reject([](TestProblem&, PackedInput& input) { input.tree.leaves = 0; });
  reject([](TestProblem&, PackedInput& input) { input.limits.seconds = -1.0; });
  reject([](TestProblem&, PackedInput& input) { input.limits.gap = -0.1; });
  reject([](TestProblem&, PackedInput& input) { input.limits.threads = 0; });
  reject([](TestProblem& problem, PackedInput&) { problem.classes[3] = 2; });
  reject([](TestProblem& problem, PackedInput&) { problem.classes[3] = -1; });
  reject([](TestProblem& problem, PackedInput&) { problem.weights[3] = 0; });
  reject([](TestProblem& problem, PackedInput&) { problem.weights[3] = kLargestTotal; });
  reject([](TestProblem& problem, PackedInput&) { problem.costs[1] = -1; });
  reject([](TestProblem& problem, PackedInput&) { problem.costs[1] = kLargestTotal; });
}

}  // namespace hornbeam::testing::solve_test
