#include "support/ordered.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "sorted/three_level_roots.hpp"
#include "sorted/two_level_thresholds.hpp"
#include "support/check.hpp"

namespace hornbeam::testing {

using namespace hornbeam::api;
using namespace hornbeam::data;
using namespace hornbeam::ordered;

TestProblem OrderedTestProblem::plain() const {
  TestProblem plain;
  const OrderedColumns columns = this->columns();
  plain.n_columns = columns.n_columns;
  plain.n_classes = plain.n_predictions = n_classes;
  plain.rows.assign(n_rows(), std::vector<bool>(plain.n_columns));
  for (std::uint32_t row = 0; row < n_rows(); ++row)
    for (std::uint32_t column = 0; column < plain.n_columns; ++column)
      plain.rows[row][column] = columns.test(column, row);
  plain.classes = classes;
  plain.weights = weights;
  for (std::uint32_t c = 0; c < n_classes; ++c)
    for (std::uint32_t k = 0; k < n_classes; ++k) plain.costs.push_back(k == c ? 0 : costs.error_cost);
  plain.leaf_cost = costs.leaf;
  if (size.depth != kAnyDepth) plain.limits.depth = size.depth;
  if (size.leaves != kAnyLeaves) plain.limits.leaves = size.leaves;
  plain.limits.rows_per_leaf = costs.rows_per_leaf;
  plain.pack();
  return plain;
}

Input OrderedTestProblem::input(const TestProblem& plain) const {
  return {{{classes, weights, n_classes}, plain.costs, n_classes}, costs.leaf, plain.limits, {}, {}, {}};
}

void check_sums_of_bins(const sorted::RowGains& rows, const OrderedColumns& columns, const sorted::LeafCosts& costs,
                        Random& draw) {
  run::Run run;
  run::WorkMeter meter(run);
  sorted::SortedRows sorted;
  CHECK(sorted.sort(columns, rows, meter));
  CHECK(sorted::BinnedRoots::suits(sorted));
  const Ticks any = costs.leaf_cost(sorted.loss()) + 4 * costs.leaf + 1;
  const std::uint32_t leaves = draw.choose<std::uint32_t>({3, 4});
  for (const kernels::Kernels* each : kernels_of_this_machine()) {
    const bool closes_thresholds = draw.percent(70);
    sorted::TwoLevelThresholds binned(costs, *each, closes_thresholds, 1, meter),
        scanned(costs, *each, true, sorted::kNeverBinned, meter);
    const Ticks best = scanned.solve(sorted, leaves, any).cost;
    for (const Ticks bound : {any, best + draw.between(-2, 2)}) {
      const sorted::TwoLevelResult found = binned.solve(sorted, leaves, bound),
                                   expected = scanned.solve(sorted, leaves, bound);
      CHECK_EQUAL(found.cost, expected.cost);
      CHECK_EQUAL(found.lower, expected.lower);
      CHECK_EQUAL(found.relaxed, expected.relaxed);
    }
  }
}

namespace {

/// What the best tree of two levels costs on each side of each threshold, the true side last.
using SideCosts = std::vector<std::vector<std::array<Ticks, 2>>>;

SideCosts side_costs(const sorted::SortedRows& rows, const std::vector<std::vector<sorted::Threshold>>& thresholds,
                     const sorted::LeafCosts& costs, run::WorkMeter& meter) {
  constexpr std::uint32_t kFourLeaves = 4;
  sorted::TwoLevelThresholds two_levels(costs, kernels::kernels(), true, sorted::kNeverBinned, meter);
  std::vector<std::uint32_t> number;
  SideCosts all(thresholds.size());
  for (std::uint32_t v = 0; v < thresholds.size(); ++v)
    for (const sorted::Threshold& threshold : thresholds[v]) {
      std::array<Ticks, 2>& sides = all[v].emplace_back();
      for (int x = 0; x < 2; ++x) {
        sorted::SortedRows child;
        CHECK(rows.make_child(v, threshold.n_rows, x == 1, child, number, meter));
        const Ticks as_leaf = child.n_rows() < costs.rows_per_leaf ? kInfinity : costs.leaf_cost(child.loss());
        sides[x] = std::min(as_leaf, two_levels.solve(child, kFourLeaves, as_leaf).cost);
      }
    }
  return all;
}

}  // namespace

void check_three_level_roots(const sorted::RowGains& rows, const OrderedColumns& columns,
                             const sorted::LeafCosts& costs, Random& draw) {
  run::Run run;
  run::WorkMeter meter(run);
  sorted::SortedRows sorted;
  CHECK(sorted.sort(columns, rows, meter));
  std::vector<std::vector<sorted::Threshold>> thresholds(sorted.n_variables());
  for (std::uint32_t v = 0; v < sorted.n_variables(); ++v) sorted.list_thresholds(v, thresholds[v]);
  const SideCosts sides = side_costs(sorted, thresholds, costs, meter);
  Ticks optimum = costs.leaf_cost(sorted.loss());
  for (const auto& of_variable : sides)
    for (const std::array<Ticks, 2>& both : of_variable) optimum = std::min(optimum, both[0] + both[1]);
  const auto most_pairs = draw.choose<std::uint64_t>({100, 1000, 10'000, 100'000});
  for (const kernels::Kernels* each : kernels_of_this_machine()) {
    Ticks best = optimum + draw.choose<Ticks>({0, 1, optimum / 50 + 1, optimum / 5 + 1, optimum});
    sorted::ThreeLevelRoots roots(costs, *each, meter, most_pairs);
    const std::vector<sorted::OpenThresholds> runs =
        roots.narrow(sorted, thresholds,
                     {[&] { return best; },
                      [&](const sorted::UpperSplits& splits) {
                        const std::uint32_t v = splits.root.variable;
                        const std::uint32_t n_true = sorted.n_true_by(splits.root);
                        for (std::size_t i = 0; i < thresholds[v].size(); ++i)
                          if (thresholds[v][i].n_rows == n_true) best = std::min(best, sides[v][i][0] + sides[v][i][1]);
                      }});
    CHECK(best >= optimum);
    for (std::uint32_t v = 0; v < thresholds.size(); ++v)
      for (std::int64_t i = 0; i < std::ssize(thresholds[v]); ++i) {
        const auto [false_side, true_side] = sides[v][static_cast<std::size_t>(i)];
        if (false_side + true_side >= best) continue;
        const auto holds = [&](const sorted::OpenThresholds& open) {
          return open.variable == v && open.first <= i && i <= open.last;
        };
        const auto open = std::find_if(runs.begin(), runs.end(), holds);
        CHECK(open != runs.end());
        CHECK(open->true_bound(thresholds[v], costs.error_cost, i) <= true_side);
        CHECK(open->false_bound(thresholds[v], costs.error_cost, i) <= false_side);
      }
  }
}

OrderedTestProblem ordered_of(const TestProblem& problem, Random& draw) {
  OrderedTestProblem ordered;
  for (std::uint32_t first = 0; first < problem.n_columns; first += ordered.n_thresholds.back()) {
    ordered.n_thresholds.push_back(std::min(draw.size_between(1, 6), problem.n_columns - first));
    for (const std::vector<bool>& row : problem.rows)
      ordered.bins.push_back(static_cast<std::uint32_t>(
          std::count(row.begin() + first, row.begin() + first + ordered.n_thresholds.back(), true)));
  }
  ordered.n_classes = problem.n_classes;
  ordered.classes = problem.classes;
  for (const std::int64_t weight : problem.weights) ordered.weights.push_back(1 + weight % 1000);
  ordered.costs = {draw.choose<Ticks>({1, 2, 1000}), draw.choose<Ticks>({0, 1, 2, 1000, 2000})};
  ordered.size.depth = problem.n_columns < 12 ? draw.size_between(2, 4) : draw.size_between(2, 3);
  return ordered;
}

OrderedTestProblem random_ordered(Random& draw, const OrderedSizes& sizes) {
  OrderedTestProblem problem;
  const std::uint32_t n_rows = draw.size_between(1, sizes.most_rows);
  const std::uint32_t n_variables = draw.size_between(1, sizes.most_variables);
  problem.n_classes = draw.choose<std::uint32_t>({2, 2, 3, 4, 5});
  std::vector<std::uint32_t> sum(n_rows, 0);
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    const std::uint32_t n = draw.percent(30) ? 1 : draw.size_between(0, sizes.most_thresholds);
    const std::uint32_t step = draw.choose<std::uint32_t>({1, 1, 1, 3});
    problem.n_thresholds.push_back(n);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      problem.bins.push_back(draw.below(n + 1) / step * step);
      sum[row] += problem.bins.back();
    }
  }
  const std::uint32_t noise = draw.choose<std::uint32_t>({0, 30, 100});
  const std::int64_t heaviest =
      draw.choose<std::int64_t>({1, 1, 4, 3000, (std::int64_t{1} << 30) / n_rows, (std::int64_t{1} << 41) / n_rows});
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    const std::uint32_t label = draw.percent(noise) ? draw.below(problem.n_classes) : sum[row] % problem.n_classes;
    problem.classes.push_back(static_cast<std::int32_t>(label));
    problem.weights.push_back(draw.between(1, heaviest));
  }
  const std::int64_t total = std::accumulate(problem.weights.begin(), problem.weights.end(), std::int64_t{0});
  problem.costs.error_cost = draw.choose<Ticks>({1, 2, 1000});
  problem.costs.leaf = draw.choose<Ticks>({0, 0, 1, problem.costs.error_cost, total * problem.costs.error_cost / 50 + 1,
                                           total * problem.costs.error_cost / 10 + 1});
  problem.costs.rows_per_leaf = draw.choose<std::uint32_t>({1, 1, 2, 3, 1 + n_rows / 5});
  problem.size.depth = draw.percent(30) ? kAnyDepth : draw.below(5);
  if (draw.percent(40)) problem.size.leaves = draw.size_between(1, 7);
  return problem;
}

}  // namespace hornbeam::testing
