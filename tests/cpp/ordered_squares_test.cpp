// ordered_squares_test.cpp: squared error over sorted rows, against single rows and the search of binary columns.
#include <algorithm>

#include "models/squared_error.hpp"
#include "sorted/row_gains.hpp"
#include "sorted/sorted_rows.hpp"
#include "support/check.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::ordered_squares_test {

using namespace hornbeam::api;
using namespace hornbeam::data;
using namespace hornbeam::ordered;
using namespace hornbeam::run;
using namespace hornbeam::sorted;

namespace {

/// The sums of random targets, some of them of several rows with one target each.
std::vector<std::int64_t> random_sums(const OrderedTestProblem& problem, std::int64_t largest, Random& draw) {
  std::vector<std::int64_t> sums;
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    std::int64_t of[3] = {0, 0, 0};
    for (std::uint32_t left = draw.size_between(1, 2); left > 0; --left) {
      const std::int64_t weight = draw.between(1, 4);
      const std::int64_t target = std::min(largest, draw.between(0, largest / 2) + largest * problem.classes[row] / 3);
      of[0] += weight;
      of[1] += weight * target;
      of[2] += weight * target * target;
    }
    sums.insert(sums.end(), std::begin(of), std::end(of));
  }
  return sums;
}

RowLosses losses_of(const std::vector<std::int64_t>& sums, std::int64_t largest) {
  return {{{}, sums, 3}, {}, static_cast<std::uint32_t>(largest + 1)};
}

Ticks least_loss(const RowLosses& losses, std::uint32_t begin, std::uint32_t end) {
  Ticks least = kInfinity;
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(losses.n_predictions); ++k) {
    Ticks here = 0;
    for (std::uint32_t row = begin; row < end; ++row) here += losses.of(row, k);
    least = std::min(least, here);
  }
  return least;
}

}  // namespace

RANDOM_TEST(both_searches_find_the_same_least_squared_error, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {24, 3, 8});
  const TestProblem plain = problem.plain();
  const std::int64_t largest = draw.choose<std::int64_t>({1, 9, 100, 1 << 20});
  const std::vector<std::int64_t> sums = random_sums(problem, largest, draw);
  Input input = problem.input(plain);
  input.losses = losses_of(sums, largest);
  input.leaf_cost = largest * largest / draw.choose<Ticks>({1, 3, 40, kInfinity});
  input.bounds.similarity = draw.percent(70);
  input.limits.threads = draw.size_between(1, 2);
  const Outcome by_order = solve(problem.columns(), input, never);
  input.bounds.similarity = true;
  const Outcome by_bits = solve(plain.columns(), input, never);
  CHECK_EQUAL(by_order.lower, by_order.tree.cost);
  CHECK_EQUAL(by_order.tree.cost, by_bits.tree.cost);
}

RANDOM_TEST(sums_of_bins_find_the_least_squared_errors_that_scans_find, 100) {
  const OrderedTestProblem problem = random_ordered(draw, {200, 3, 60});
  const std::int64_t largest = draw.choose<std::int64_t>({1, 9, 100, 1 << 20});
  const std::vector<std::int64_t> sums = random_sums(problem, largest, draw);
  const RowGains rows = gains_of_rows(losses_of(sums, largest), problem.n_rows(), {});
  const Ticks leaf = largest * largest / draw.choose<Ticks>({1, 3, 40, kInfinity});
  check_sums_of_bins(rows, problem.columns(), {rows.unit, leaf, problem.costs.rows_per_leaf}, draw);
}

RANDOM_TEST(pairs_of_bins_leave_the_roots_of_better_trees_of_least_squared_error, 100) {
  const OrderedTestProblem problem = random_ordered(draw, {100, 3, 40});
  const std::int64_t largest = draw.choose<std::int64_t>({1, 9, 100, 1 << 20});
  const std::vector<std::int64_t> sums = random_sums(problem, largest, draw);
  const RowGains rows = gains_of_rows(losses_of(sums, largest), problem.n_rows(), {});
  const Ticks leaf = largest * largest / draw.choose<Ticks>({1, 3, 40, kInfinity});
  check_three_level_roots(rows, problem.columns(), {rows.unit, leaf, problem.costs.rows_per_leaf}, draw);
}

RANDOM_TEST(squared_errors_of_rows_keep_what_the_bounds_need, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {14, 2, 6});
  const std::int64_t largest = draw.between(1, 60);
  const std::vector<std::int64_t> sums = random_sums(problem, largest, draw);
  const RowLosses losses = losses_of(sums, largest);
  const RowGains rows = gains_of_rows(losses, problem.n_rows(), {});
  const std::uint32_t end = draw.size_between(1, problem.n_rows());
  // Of all rows and of the first ones, whose range of targets is less.
  for (const std::uint32_t n : {problem.n_rows(), end}) {
    const std::vector<std::int64_t> part(rows.gains.begin(), rows.gains.begin() + 3 * std::ptrdiff_t{n});
    std::vector<std::int64_t> weights, total(3, 0);
    const std::int64_t weight = rows.weigh(part, weights);
    Ticks floor = 0;
    for (std::uint32_t row = 0; row < n; ++row) {
      floor += least_loss(losses, row, row + 1);
      rows.add(row, total.data());
      // The bound of thresholds: a tree for other rows of these loses at most the weight of this row.
      for (std::uint32_t other = 0; other < n; ++other) {
        const std::int64_t* const its = &sums[std::size_t{3} * other];
        const auto mean = static_cast<std::int32_t>(models::nearest_quotient<std::int64_t>(its[1], its[0]));
        CHECK(losses.of(row, mean) - least_loss(losses, row, row + 1) <= weights[row]);
      }
    }
    CHECK_EQUAL(rows.loss(weight, total), least_loss(losses, 0, n) - floor);
    CHECK(rows.loss(weight, total) <= weight);
  }
}

}  // namespace hornbeam::testing::ordered_squares_test
