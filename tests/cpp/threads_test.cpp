// threads_test.cpp: searches on several threads, and several searches at once.
#include "support/threads.hpp"

#include "api/rashomon.hpp"
#include "api/solve.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::threads_test {

using namespace hornbeam::api;
using namespace hornbeam::data;
using namespace hornbeam::ordered;
using namespace hornbeam::run;

namespace {

TestProblem shared_problem(Random& draw) {
  TestProblem problem = hard_problem(draw, {30, 80, 5, 7});
  if (draw.percent(40)) problem.limits = random_limits(draw);
  return problem;
}

PackedInput input_of(const TestProblem& problem, std::uint32_t threads) {
  PackedInput input = problem.input();
  input.limits.threads = threads;
  return input;
}

/// A problem of ordered columns whose root has many thresholds to try.
OrderedTestProblem ordered_problem(Random& draw) {
  OrderedTestProblem problem = random_ordered(draw, {60, 3, 20});
  problem.size.depth = draw.size_between(3, 4);
  return problem;
}

/// The threads check the stop signal all the time.
Outcome search(const OrderedTestProblem& problem, const SearchLimits& limits, const OnPoll& on_poll) {
  const OrderedColumns columns = problem.columns();
  Run run(limits, on_poll);
  const sorted::RowGains rows = problem.rows();
  return search_ordered({columns, rows, problem.costs, problem.size, true, 1}, run);
}

}  // namespace

PROBLEM_TEST(any_number_of_threads_finds_the_cost_of_brute_force, 100, shared_problem(draw)) {
  const Ticks optimum = Oracle(problem).best();
  for (std::uint32_t threads = 2; threads <= 4; ++threads)
    check_proven(problem, solve(input_of(problem, threads), never), optimum);
}

PROBLEM_TEST(a_stop_while_threads_search_leaves_a_valid_interval, 50, shared_problem(draw)) {
  const Ticks optimum = Oracle(problem).best();
  for (const int n_polls : {1, 2, 3, 5, 20}) {
    int n_seen = 0;
    const Outcome outcome = solve(input_of(problem, 3), [&](const Progress&) { return ++n_seen >= n_polls; });
    check_interval(problem, outcome, optimum);
  }
  for (const std::uint64_t bytes : {0, 60'000, 100'000}) {
    PackedInput input = input_of(problem, 3);
    input.limits.bytes = bytes;
    check_interval(problem, solve(input, never), optimum);
  }
  PackedInput input = input_of(problem, 3);
  input.limits.seconds = 0.001;
  check_interval(problem, solve(input, never), optimum);
  input = input_of(problem, 3);
  input.limits.gap = 0.2;
  check_interval(problem, solve(input, never), optimum);
}

RANDOM_TEST(searches_at_the_same_time_do_not_meet, 5) {
  std::vector<TestProblem> problems(4);
  for (TestProblem& problem : problems) problem = shared_problem(draw);
  testing::run_on_threads(4, [&problems](std::uint32_t i) {
    check_proven(problems[i], solve(input_of(problems[i], i % 2 + 1), never), Oracle(problems[i]).best());
  });
}

RANDOM_TEST(an_exception_of_the_poll_ends_all_threads_and_is_thrown, 3) {
  struct Interrupted {};
  TestProblem problem = hard_problem(draw, {200, 200, 30, 30});
  problem.leaf_cost = 1;
  int n_polls = 0;
  const auto poll = [&n_polls](const Progress&) {
    if (++n_polls == 5) throw Interrupted{};
    return false;
  };
  CHECK_THROWS(Interrupted, solve(input_of(problem, 3), poll));
}

RANDOM_TEST(any_number_of_threads_finds_the_cost_of_brute_force_by_order, 200) {
  const OrderedTestProblem problem = ordered_problem(draw);
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  for (const std::uint32_t threads : {1, 2, 4}) {
    check_proven(plain, search(problem, {{}, {}, 0, threads}, never), optimum);
    Input input = problem.input(plain);
    input.limits.threads = threads;
    check_proven(plain, solve(problem.columns(), input, never), optimum);
  }
}

RANDOM_TEST(a_stop_while_threads_search_ranks_leaves_a_valid_interval, 100) {
  const OrderedTestProblem problem = ordered_problem(draw);
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  const auto check_stopped = [&](const SearchLimits& limits, int n_polls) {
    int n_seen = 0;
    try {
      const Outcome outcome = search(problem, limits, [&](const Progress&) { return ++n_seen == n_polls; });
      check_interval(plain, outcome, optimum);
      CHECK(outcome.trace.back().lower == outcome.lower && outcome.trace.back().upper == outcome.tree.cost);
    } catch (const Stopped&) {
      CHECK(limits.bytes || n_polls <= static_cast<int>(2 + problem.n_thresholds.size()));
    }
  };
  for (const int n_polls : {1, 5, 10, 20, 40, 80, 160, 320, 640})
    for (const std::uint32_t threads : {2, 4}) check_stopped({{}, {}, 0, threads}, n_polls);
  for (int i = 0; i < 5; ++i) check_stopped({{}, static_cast<std::uint64_t>(draw.between(1000, 60'000)), 0, 3}, -1);
  check_stopped({0.0005, {}, 0, 3}, -1);
  check_stopped({{}, {}, 0.2, 3}, -1);
}

RANDOM_TEST(an_exception_of_the_poll_ends_all_threads_that_search_ranks, 20) {
  struct Interrupted {};
  OrderedTestProblem problem = random_ordered(draw, {60, 3, 20});
  problem.size.depth = 4;
  const auto n_polls = static_cast<int>(draw.size_between(1, 200));
  int n_seen = 0;
  try {
    search(problem, {{}, {}, 0, 3}, [&](const Progress&) -> bool {
      if (++n_seen == n_polls) throw Interrupted{};
      return false;
    });
    CHECK(n_seen < n_polls);
  } catch (const Interrupted&) {
    CHECK_EQUAL(n_seen, n_polls);
  }
}

RANDOM_TEST(any_number_of_threads_counts_the_same_trees_of_a_filter, 8) {
  TestProblem problem = hard_problem(draw, {40, 80, 7, 8});
  problem.limits = {};
  problem.limits.depth = 4;
  const PackedInput input = problem.input();
  const Ticks optimum = solve(input, never).tree.cost, bound = optimum + optimum / 4;
  RashomonSet set(input.columns, input, optimum, bound, TreeRule{rashomon::LeafRule::best}, {}, never);
  rashomon::TreeFilter filter{std::vector<bool>(problem.n_columns, true), table::kUnlimited};
  filter.is_allowed[draw.below(problem.n_columns)] = false;
  std::optional<rashomon::NodeView> expected;
  for (std::uint32_t threads = 1; threads <= 3; ++threads) {
    const auto trees = set.filtered(filter, {.threads = threads}, never);
    const std::optional<rashomon::NodeView> view = trees->view({}, bound, true);
    if (threads == 1) expected = view;
    CHECK_EQUAL(view.has_value(), expected.has_value());
    if (!view) return;
    CHECK(view->trees.costs == expected->trees.costs && view->trees.words == expected->trees.words);
    CHECK_EQUAL(view->splits.size(), expected->splits.size());
  }
  int n_polls = 0;
  CHECK(set.filtered(filter, {.threads = 3}, [&](const Progress&) { return ++n_polls > 0; }) == nullptr);
}

RANDOM_TEST(searches_by_order_at_once_do_not_meet, 20) {
  const OrderedTestProblem problem = random_ordered(draw, {30, 3, 8});
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  testing::run_on_threads(3, [&](std::uint32_t i) {
    Input input = problem.input(plain);
    input.limits.threads = i % 2 + 1;
    check_proven(plain, solve(problem.columns(), input, never), optimum);
  });
}

}  // namespace hornbeam::testing::threads_test
