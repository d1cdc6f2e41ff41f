// ordered_costs_test.cpp: the ordered search for any costs, against brute force.
#include <algorithm>

#include "sorted/root_splits.hpp"
#include "sorted/row_gains.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::ordered_costs_test {

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

/// Rows of any number of predictions, and up to 40 root splits on them.
struct RandomRoots {
  OrderedTestProblem problem;
  std::uint32_t n_predictions, least_rows;
  RowGains gains;
  std::vector<std::pair<std::uint32_t, Threshold>> roots;  // with their variables

  explicit RandomRoots(Random& draw)
      : problem(random_ordered(draw, {draw.choose<std::uint32_t>({8, 70, 200}), 4, 40})),
        n_predictions(draw.choose<std::uint32_t>({1, 3, 8, 9, 20, 24, 25, 130})),
        least_rows(draw.choose<std::uint32_t>({1, 1, 2, 5})) {
    const bool is_weighted = draw.percent(50);
    const std::int64_t heaviest = draw.choose<std::int64_t>({2, 9, std::int64_t{1} << 42});
    gains.n_sums = n_predictions;
    for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
      const std::int64_t weight = is_weighted ? draw.between(1, heaviest) : 1;
      gains.weights.push_back(weight);
      const std::uint32_t best = draw.below(draw.percent(50) ? n_predictions : 1);
      for (std::uint32_t k = 0; k < n_predictions; ++k)
        gains.gains.push_back(k == best ? weight : draw.percent(50) ? 0 : draw.between(0, weight));
    }
  }

  SortedRows rows(const OrderedColumns& columns) const {
    SortedRows sorted;
    Run run;
    WorkMeter meter(run);
    CHECK(sorted.sort(columns, gains, meter));
    return sorted;
  }
  bool holds(std::uint32_t row, std::size_t root, const SortedRows& rows) const {
    const auto& [variable, threshold] = roots[root];
    const std::uint32_t* entries = rows.entries(variable);
    return std::any_of(entries, entries + threshold.n_rows, [&](std::uint32_t entry) { return row_of(entry) == row; });
  }
  /// By adding up both sides of each threshold.
  std::int64_t least_loss(std::size_t root, bool side, std::uint32_t variable, const SortedRows& rows) const {
    std::vector<std::uint32_t> on_side;  // entries
    std::int64_t weight = 0, most = -1;
    std::vector<std::int64_t> total(n_predictions, 0), left(n_predictions, 0);
    for (std::uint32_t i = 0; i < rows.n_rows(); ++i) {
      const std::uint32_t entry = rows.entries(variable)[i];
      if (holds(row_of(entry), root, rows) == side) {
        on_side.push_back(entry);
        weight += gains.weights[row_of(entry)];
        gains.add(row_of(entry), total.data());
      }
    }
    std::uint32_t n_left = 0;
    for (std::uint32_t i = 0; i + 1 < rows.n_rows(); ++i) {
      const std::uint32_t entry = rows.entries(variable)[i];
      if (n_left < on_side.size() && on_side[n_left] == entry) {
        ++n_left;
        gains.add(row_of(entry), left.data());
      }
      const std::size_t n_right = on_side.size() - n_left;
      if (!ends_bin(entry) || (least_rows > 1 && std::min<std::size_t>(n_left, n_right) < least_rows)) continue;
      std::int64_t most_left = 0, most_right = 0;
      for (std::uint32_t k = 0; k < n_predictions; ++k) {
        most_left = std::max(most_left, left[k]);
        most_right = std::max(most_right, total[k] - left[k]);
      }
      most = std::max(most, most_left + most_right);
    }
    return most < 0 ? kInfinity : weight - most;
  }
};

}  // namespace

RANDOM_TEST(the_stumps_below_many_root_splits_are_those_of_counting_with_any_kernels, 200) {
  RandomRoots random(draw);
  const OrderedColumns columns = random.problem.columns();
  const SortedRows rows = random.rows(columns);
  const std::uint32_t share = draw.choose<std::uint32_t>({10, 50, 90});
  RootSplits splits;
  splits.clear();
  std::vector<Threshold> thresholds;
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    rows.list_thresholds(v, thresholds);
    for (const Threshold& threshold : thresholds) {
      if (random.roots.size() == 40 || !draw.percent(share)) continue;
      random.roots.emplace_back(v, threshold);
      splits.add(v, threshold);
    }
  }
  Run run;
  WorkMeter meter(run);
  CHECK(splits.bytes() <= splits.bytes() + splits.growth_for(rows));
  CHECK(splits.mark(rows, meter));
  std::vector<std::int64_t> before[2];
  for (int side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < random.roots.size(); ++i)
      before[side].push_back(draw.percent(50) ? rows.weight() : draw.between(0, rows.weight()));
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    for (const kernels::Kernels* each : kernels_of_this_machine()) {
      std::vector<std::int64_t> found[2] = {before[0], before[1]};
      splits.scan(rows, v, random.least_rows, *each, found);
      for (int side = 0; side < 2; ++side)
        for (std::size_t i = 0; i < random.roots.size(); ++i)
          CHECK_EQUAL(found[side][i], std::min(before[side][i], random.least_loss(i, side == 1, v, rows)));
    }
  }
}

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

}  // namespace hornbeam::testing::ordered_costs_test
