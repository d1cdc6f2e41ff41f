#include "support/ordered.hpp"

#include <algorithm>
#include <numeric>

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
