// stop_test.cpp: stops and limits of api/solve leave a valid interval, and say why the search ended.
#include "api/solve.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::stop_test {

using namespace hornbeam::run;

PROBLEM_TEST(a_stop_after_any_number_of_polls_leaves_a_valid_interval, 40, larger_problem(draw)) {
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

PROBLEM_TEST(the_trace_holds_the_optimum_in_an_interval_that_only_shrinks, 40, larger_problem(draw)) {
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

PROBLEM_TEST(a_time_limit_of_zero_leaves_a_valid_interval, 40, larger_problem(draw)) {
  PackedInput input = problem.input();
  input.limits.seconds = 0.0;
  const Outcome outcome = solve(input, never);
  check_interval(problem, outcome, Oracle(problem).best());
  CHECK(outcome.status == Status::optimal || outcome.status == Status::time_limit);
}

PROBLEM_TEST(a_memory_limit_leaves_a_valid_interval, 40, larger_problem(draw)) {
  PackedInput input = problem.input();
  input.limits.bytes = draw.choose<std::uint64_t>({0, 0, 50'000, 70'000});
  const Outcome outcome = solve(input, never);
  check_interval(problem, outcome, Oracle(problem).best());
  CHECK(outcome.status == Status::optimal || outcome.status == Status::memory_limit);
}

RANDOM_TEST(a_search_that_forgets_proves_the_same_optimum_with_a_tree_of_that_cost, 3) {
  std::uint64_t n_forgotten = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    TestProblem problem = hard_problem(draw, {120, 150, 15, 17});
    problem.leaf_cost = draw.between(1, 2);
    if (draw.percent(50)) problem.limits = {draw.size_between(4, 6), std::nullopt, 1, false};
    if (draw.percent(25)) problem.limits.leaves = draw.size_between(5, 9);
    problem.limits.is_rule_list = draw.percent(20);
    PackedInput input = problem.input();
    input.bounds.primal = draw.percent(50);
    const Outcome unlimited = solve(input, never);
    input.limits.threads = draw.size_between(1, 2);
    // Half of what it needs, but no less than row sets and small searches for parts of the tree need.
    input.limits.bytes = std::max<std::uint64_t>(unlimited.bytes / 2, 500'000);
    const Outcome outcome = solve(input, never);
    check_interval(problem, outcome, unlimited.tree.cost);
    CHECK(outcome.status == Status::optimal);
    n_forgotten += outcome.counters.forgotten;
  }
  CHECK(n_forgotten > 1000);
}

PROBLEM_TEST(a_gap_limit_stops_with_a_gap_no_larger, 40, larger_problem(draw)) {
  PackedInput input = problem.input();
  input.limits.gap = draw.choose({0.01, 0.1, 0.3, 1.0});
  const Outcome outcome = solve(input, never);
  check_interval(problem, outcome, Oracle(problem).best());
  CHECK(outcome.status == Status::optimal || outcome.status == Status::gap_limit);
  const auto upper = static_cast<double>(outcome.tree.cost);
  CHECK(upper - static_cast<double>(outcome.lower) <= input.limits.gap * upper);
}

RANDOM_TEST(limits_stop_a_search_that_would_take_long_and_say_so, 1) {
  TestProblem problem = hard_problem(draw, {300, 300, 40, 40});
  problem.leaf_cost = 1;
  PackedInput input = problem.input();
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
  input.limits.bytes = 100'000;  // not even for the row sets and the first entries
  check_stopped(Status::memory_limit);
  input.limits.seconds = 0.2;
  input.limits.bytes = 1 << 20;
  check_stopped(Status::time_limit);  // the table forgets
  input.limits = {};
  input.limits.gap = 0.9;
  check_stopped(Status::gap_limit);
}

}  // namespace hornbeam::testing::stop_test
