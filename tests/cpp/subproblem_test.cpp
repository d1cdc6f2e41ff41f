// subproblem_test.cpp: api/subproblems against brute force: whole problems, and split by split after any budget.
#include <algorithm>
#include <vector>

#include "api/subproblems.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/oracle.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::subproblem_test {

using namespace hornbeam::search;

namespace {

TestProblem limited_problem(Random& draw) {
  TestProblem problem = random_problem(draw, {1, 40, 0, 7});
  // What is known of sides from sums (shallow/sum_solver) must be true for their other limits, too.
  if (problem.n_classes == 2 && draw.percent(30)) {
    problem.costs = random_convex_costs(draw);
    problem.n_predictions = static_cast<std::uint32_t>(problem.costs.size() / 2);
  }
  problem.limits = random_limits(draw);
  return problem;
}

NodeLimits limits_of(const TestProblem& problem) {
  return {problem.limits.depth.value_or(table::kUnlimited), problem.limits.leaves.value_or(table::kUnlimited)};
}

SubproblemOutcome solve(api::Subproblems& search, const Subproblem& subproblem) {
  run::Status status = run::Status::interrupted;
  SubproblemOutcome outcome = search.solve(subproblem, std::nullopt, never, status);
  CHECK_EQUAL(name_of(status), name_of(run::Status::optimal));
  // It may be better: the sides of a tree that an earlier search has left may have better trees by now.
  CHECK(outcome.tree.cost <= outcome.upper);
  return outcome;
}

}  // namespace

PROBLEM_TEST(a_whole_problem_costs_what_brute_force_finds, 300, limited_problem(draw)) {
  const PackedInput input = problem.input();
  api::Subproblems search(input.columns, input, 1);
  const SubproblemOutcome outcome = solve(search, {{}, limits_of(problem), kInfinity, std::nullopt});
  CHECK_EQUAL(outcome.lower, Oracle(problem).best());
  CHECK_EQUAL(outcome.tree.cost, outcome.lower);
  CHECK_EQUAL(cost_of_tree(problem, outcome.tree), outcome.tree.cost);
  CHECK(outcome.open.empty());
}

PROBLEM_TEST(the_splits_that_a_budget_leaves_open_and_their_sides_have_the_optimum, 300, limited_problem(draw)) {
  const Ticks optimum = Oracle(problem).best();
  const PackedInput input = problem.input();
  api::Subproblems first(input.columns, input, 1), other(input.columns, input, 1);
  const SubproblemOutcome opened = solve(first, {{}, limits_of(problem), draw.between(1, optimum + 1), std::nullopt});
  CHECK(opened.lower <= optimum && optimum <= opened.tree.cost);
  Ticks best = opened.tree.cost;
  for (const OpenSplit& split : opened.open) {
    api::Subproblems& search = draw.percent(50) ? first : other;
    const SubproblemOutcome alone =
        solve(search, {{}, limits_of(problem), kInfinity, std::vector<SplitName>{split.name}});
    CHECK(alone.open.empty());
    CHECK(alone.lower >= std::min(split.lower, alone.tree.cost));
    best = std::min(best, alone.tree.cost);
    if (!split.has_sides) continue;
    Ticks sum = 0;
    for (int x = 0; x < 2; ++x) {
      const OpenSplit::Side& side = split.side[x];
      const SubproblemOutcome of_side =
          solve(other, {{{split.name.column, x == 1}}, {side.key.depth, side.key.leaves}, kInfinity, std::nullopt});
      CHECK(side.lower <= of_side.lower && of_side.tree.cost <= side.upper);
      sum += of_side.lower;
    }
    CHECK_EQUAL(alone.lower, std::min(sum, alone.tree.cost));
  }
  CHECK_EQUAL(best, optimum);
}

PROBLEM_TEST(news_are_true_wherever_they_are_read, 200, limited_problem(draw)) {
  const Ticks optimum = Oracle(problem).best();
  const PackedInput input = problem.input();
  api::Subproblems from(input.columns, input, 1), to(input.columns, input, 1);
  solve(from, {{}, limits_of(problem), draw.between(1, optimum + 1), std::nullopt});
  to.search().read_news(from.search().take_news());
  CHECK(from.search().take_news().empty());
  CHECK(to.search().take_news().empty());
  const SubproblemOutcome outcome = solve(to, {{}, limits_of(problem), kInfinity, std::nullopt});
  CHECK_EQUAL(outcome.tree.cost, optimum);
  CHECK_EQUAL(outcome.lower, optimum);
}

}  // namespace hornbeam::testing::subproblem_test
