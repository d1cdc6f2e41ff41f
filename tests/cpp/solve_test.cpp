// solve_test.cpp: api/solve against brute force over all trees, with every switch off in turn, on one and two threads;
// stops and limits leave a valid interval.
#include "api/solve.hpp"

#include <stdexcept>

#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/solving.hpp"

namespace hornbeam {

using testing::check_interval;
using testing::check_proven;
using testing::never;
using testing::Oracle;
using testing::Random;
using testing::TestProblem;

namespace {

constexpr bool Switches::* kSwitches[] = {&Switches::support_condition, &Switches::pair_stage,
                                          &Switches::equivalent_points, &Switches::similarity, &Switches::subset};

/// All on, each off, all off, and a random choice of switches; on one thread and, for some, on two.
void check_all_switches(Random& draw, const TestProblem& problem) {
  const Ticks optimum = Oracle(problem).best();
  Input input = problem.input();
  const auto check_with = [&](const Switches& switches, std::uint32_t threads) {
    input.switches = switches;
    input.limits.threads = threads;
    check_proven(problem, solve(input, never), optimum);
  };
  check_with({}, 1);
  if (draw.percent(25)) check_with({}, 2);
  Switches some, none;
  for (bool Switches::* const each : kSwitches) {
    Switches but_one;
    but_one.*each = false;
    none.*each = false;
    some.*each = draw.percent(50);
    check_with(but_one, 1);
  }
  check_with(none, 1);
  check_with(some, draw.percent(10) ? 2 : 1);
}

TestProblem limited_problem(Random& draw) {
  TestProblem problem = random_problem(draw, {1, 16, 0, 5});
  problem.limits = random_limits(draw);
  return problem;
}

/// A problem of several words that brute force can still solve; half of them with limits.
TestProblem larger_problem(Random& draw) {
  TestProblem problem = draw.percent(50) ? random_problem(draw, {40, 150, 4, 6}) : hard_problem(draw, {20, 60, 6, 6});
  if (draw.percent(50)) problem.limits = random_limits(draw);
  return problem;
}

}  // namespace

TEST(the_cost_found_equals_brute_force_with_any_switches, 1500) {
  TestProblem problem = random_problem(draw, {1, 16, 0, 5});
  check_all_switches(draw, problem);
}

TEST(the_cost_found_within_limits_equals_brute_force_with_any_switches, 1500) {
  check_all_switches(draw, limited_problem(draw));
}

TEST(the_cost_found_for_larger_problems_equals_brute_force_with_any_switches, 60) {
  check_all_switches(draw, larger_problem(draw));
}

TEST(a_stop_after_any_number_of_polls_leaves_a_valid_interval, 40) {
  const TestProblem problem = larger_problem(draw);
  const Ticks optimum = Oracle(problem).best();
  for (const int n_polls : {1, 2, 3, 4, 5, 7, 10, 20, 100, 1000}) {
    int n_seen = 0;
    Ticks lower = 0, upper = kInfinity;
    const Outcome outcome = solve(problem.input(), [&](const Progress& progress) {
      CHECK(lower <= progress.lower && progress.lower <= optimum);
      CHECK(optimum <= progress.upper && progress.upper <= upper);
      lower = progress.lower;
      upper = progress.upper;
      return ++n_seen >= n_polls;
    });
    check_interval(problem, outcome, optimum);
    CHECK_EQUAL(n_seen, std::min(n_seen, n_polls));
    CHECK(outcome.status == Status::optimal || outcome.status == Status::interrupted);
    CHECK(outcome.lower >= lower && outcome.tree.cost <= upper);
  }
}

TEST(the_trace_holds_the_optimum_in_an_interval_that_only_shrinks, 40) {
  const TestProblem problem = larger_problem(draw);
  const Ticks optimum = Oracle(problem).best();
  const Outcome outcome = solve(problem.input(), never);
  check_proven(problem, outcome, optimum);
  CHECK(!outcome.trace.empty());
  for (std::size_t i = 0; i < outcome.trace.size(); ++i) {
    const Progress& now = outcome.trace[i];
    CHECK(now.lower <= optimum && optimum <= now.upper && now.bytes > 0);
    if (i == 0) continue;
    const Progress& before = outcome.trace[i - 1];
    CHECK(before.lower <= now.lower && now.upper <= before.upper);
    CHECK(before.lower < now.lower || now.upper < before.upper);
    CHECK(before.seconds <= now.seconds && before.n_subproblems <= now.n_subproblems);
  }
  CHECK_EQUAL(outcome.trace.back().lower, optimum);
  CHECK_EQUAL(outcome.trace.back().upper, optimum);
}

TEST(a_time_limit_of_zero_leaves_a_valid_interval, 40) {
  const TestProblem problem = larger_problem(draw);
  Input input = problem.input();
  input.limits.seconds = 0.0;
  const Outcome outcome = solve(input, never);
  check_interval(problem, outcome, Oracle(problem).best());
  CHECK(outcome.status == Status::optimal || outcome.status == Status::time_limit);
}

TEST(a_memory_limit_leaves_a_valid_interval, 40) {
  const TestProblem problem = larger_problem(draw);
  Input input = problem.input();
  input.limits.bytes = draw.choose<std::uint64_t>({0, 0, 50'000, 70'000});
  const Outcome outcome = solve(input, never);
  check_interval(problem, outcome, Oracle(problem).best());
  CHECK(outcome.status == Status::optimal || outcome.status == Status::memory_limit);
}

TEST(a_gap_limit_stops_with_a_gap_no_larger, 40) {
  const TestProblem problem = larger_problem(draw);
  Input input = problem.input();
  input.limits.gap = draw.choose({0.01, 0.1, 0.3, 1.0});
  const Outcome outcome = solve(input, never);
  check_interval(problem, outcome, Oracle(problem).best());
  CHECK(outcome.status == Status::optimal || outcome.status == Status::gap_limit);
  const auto upper = static_cast<double>(outcome.tree.cost);
  CHECK(upper - static_cast<double>(outcome.lower) <= input.limits.gap * upper);
}

TEST(limits_stop_a_search_that_would_take_long_and_say_so, 1) {
  const TestProblem problem = hard_problem(draw, {300, 300, 40, 40});
  Input input = problem.input();
  const auto check_stopped = [&](Status why) {
    const Outcome outcome = solve(input, never);
    CHECK(outcome.status == why);
    CHECK(outcome.lower < outcome.tree.cost);
    CHECK_EQUAL(cost_of_tree(problem, outcome.tree), outcome.tree.cost);
  };
  input.limits.seconds = 0.0;
  check_stopped(Status::time_limit);
  input.limits.seconds = 0.05;
  check_stopped(Status::time_limit);
  input.limits = {};
  input.limits.bytes = 1 << 20;
  check_stopped(Status::memory_limit);
  input.limits = {};
  input.limits.gap = 0.9;
  check_stopped(Status::gap_limit);
}

TEST(the_predictions_of_nodes_are_within_the_costs_and_inner_nodes_have_two_children, 100) {
  const TestProblem problem = limited_problem(draw);
  const ResultTree tree = solve(problem.input(), never).tree;
  for (std::size_t node = 0; node < tree.column.size(); ++node) {
    CHECK(tree.prediction[node] >= 0 && static_cast<std::uint32_t>(tree.prediction[node]) < problem.n_predictions);
    CHECK((tree.column[node] < 0) == (tree.left[node] < 0) && (tree.left[node] < 0) == (tree.right[node] < 0));
    CHECK(tree.column[node] < static_cast<std::int32_t>(problem.n_columns));
  }
}

TEST(input_out_of_range_is_rejected, 1) {
  const TestProblem good = hard_problem(draw, {10, 10, 3, 3});
  const auto reject = [&good](auto spoil) {
    TestProblem problem = good;
    Input input = problem.input();
    spoil(problem, input);
    CHECK_THROWS(std::invalid_argument, solve(input, never));
  };
  reject([](TestProblem&, Input& input) { input.columns.n_rows = 0; });
  reject([](TestProblem&, Input& input) { input.classes = input.classes.first(9); });
  reject([](TestProblem&, Input& input) { input.weights = input.weights.first(9); });
  reject([](TestProblem&, Input& input) { input.n_classes = 0; });
  reject([](TestProblem&, Input& input) { input.n_predictions = 0; });
  reject([](TestProblem&, Input& input) { input.leaf_cost = -1; });
  reject([](TestProblem&, Input& input) { input.leaf_cost = kLargestTotal; });
  reject([](TestProblem&, Input& input) { input.tree.rows_per_leaf = 0; });
  reject([](TestProblem&, Input& input) { input.tree.leaves = 0; });
  reject([](TestProblem&, Input& input) { input.limits.seconds = -1.0; });
  reject([](TestProblem&, Input& input) { input.limits.gap = -0.1; });
  reject([](TestProblem&, Input& input) { input.limits.threads = 0; });
  reject([](TestProblem& problem, Input&) { problem.classes[3] = 2; });
  reject([](TestProblem& problem, Input&) { problem.classes[3] = -1; });
  reject([](TestProblem& problem, Input&) { problem.weights[3] = 0; });
  reject([](TestProblem& problem, Input&) { problem.weights[3] = kLargestTotal; });
  reject([](TestProblem& problem, Input&) { problem.costs[1] = -1; });
  reject([](TestProblem& problem, Input&) { problem.costs[1] = kLargestTotal; });
}

}  // namespace hornbeam
