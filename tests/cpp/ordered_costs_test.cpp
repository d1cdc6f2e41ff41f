// ordered_costs_test.cpp: the ordered search for any costs, against brute force.
#include <algorithm>

#include "sorted/row_gains.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing {

using namespace hornbeam::api;
using namespace hornbeam::data;
using namespace hornbeam::ordered;
using namespace hornbeam::run;
using namespace hornbeam::sorted;

namespace {

/// The same rows with any cost of each prediction for each class.
TestProblem with_any_costs(const OrderedTestProblem& problem, Random& draw) {
  TestProblem plain = problem.plain();
  plain.n_predictions = draw.choose<std::uint32_t>({1, 2, 3, 3, 4, 6});
  plain.costs.clear();
  const Ticks dearest = draw.choose<Ticks>({1, 2, 9, 1000});
  for (std::uint32_t i = 0; i < plain.n_classes * plain.n_predictions; ++i)
    plain.costs.push_back(draw.between(0, dearest));
  return plain;
}

Input input_of(const TestProblem& plain) {
  return {{{plain.classes, plain.weights, plain.n_classes}, plain.costs, plain.n_predictions},
          plain.leaf_cost,
          plain.limits,
          {},
          {},
          {}};
}

}  // namespace

RANDOM_TEST(the_search_for_any_costs_finds_the_cost_of_brute_force, 1000) {
  const OrderedTestProblem problem = random_ordered(draw, {14, 4, 6});
  const TestProblem plain = with_any_costs(problem, draw);
  Input input = input_of(plain);
  input.bounds.similarity = draw.percent(70);
  check_proven(plain, solve(problem.columns(), input, never), Oracle(plain).best());
}

RANDOM_TEST(the_search_of_larger_problems_for_any_costs_finds_the_cost_of_brute_force, 100) {
  OrderedTestProblem problem = random_ordered(draw, {60, 2, 30});
  problem.size.depth = draw.below(4);
  const TestProblem plain = with_any_costs(problem, draw);
  check_proven(plain, solve(problem.columns(), input_of(plain), never), Oracle(plain).best());
}

RANDOM_TEST(what_a_row_loses_is_its_weight_less_its_gain_and_what_it_loses_anyway, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {14, 4, 6});
  const TestProblem plain = with_any_costs(problem, draw);
  const Input input = input_of(plain);
  const RowGains rows = gains_of_rows(input.losses, problem.n_rows(), {});
  Ticks floor = 0;
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    std::vector<std::int64_t> gain(plain.n_predictions, 0);
    rows.add(row, gain.data());
    CHECK_EQUAL(*std::max_element(gain.begin(), gain.end()), rows.weights[row]);
    CHECK_EQUAL(plain.n_predictions == 1 ? 0 : *std::min_element(gain.begin(), gain.end()), 0);
    Ticks least = kInfinity;
    for (std::uint32_t k = 0; k < plain.n_predictions; ++k)
      least = std::min(least, input.losses.of(row, static_cast<std::int32_t>(k)));
    floor += least;
    for (std::uint32_t k = 0; k < plain.n_predictions; ++k)
      CHECK_EQUAL(least + rows.unit * (rows.weights[row] - gain[k]),
                  input.losses.of(row, static_cast<std::int32_t>(k)));
  }
  CHECK_EQUAL(rows.floor, floor);
  CHECK(rows.classes.empty() == !rows.gains.empty());
  CHECK(!rows.classes.empty() || plain.n_predictions > 2);
}

RANDOM_TEST(a_stop_at_any_poll_leaves_a_valid_interval_for_any_costs, 100) {
  OrderedTestProblem problem = random_ordered(draw, {60, 4, 6});
  problem.size.depth = draw.size_between(2, 4);
  const TestProblem plain = with_any_costs(problem, draw);
  const Ticks optimum = Oracle(plain).best();
  const OrderedColumns columns = problem.columns();
  const Input input = input_of(plain);
  const RowGains rows = gains_of_rows(input.losses, problem.n_rows(), {});
  const OrderedProblem whole{
      columns, rows, {rows.unit, plain.leaf_cost, problem.costs.rows_per_leaf}, problem.size, draw.percent(70), 1};
  for (int n_polls = 1; n_polls <= 60; n_polls += static_cast<int>(draw.size_between(1, 6))) {
    int n_seen = 0;
    Run run({}, [&](const Progress&) { return ++n_seen >= n_polls; });
    try {
      const Outcome outcome = search_ordered(whole, run);
      check_interval(plain, outcome, optimum);
      CHECK(outcome.trace.back().lower == outcome.lower && outcome.trace.back().upper == outcome.tree.cost);
    } catch (const Stopped&) {
      CHECK(n_polls <= static_cast<int>(2 + problem.n_thresholds.size()));
    }
  }
}

}  // namespace hornbeam::testing
