// ordered_convex_test.cpp: convex costs over sorted rows, against single rows, counting and the search of binary
// columns.
#include <algorithm>

#include "sorted/row_gains.hpp"
#include "sorted/sorted_rows.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::ordered_convex_test {

using namespace hornbeam::api;
using namespace hornbeam::data;
using namespace hornbeam::ordered;
using namespace hornbeam::run;
using namespace hornbeam::sorted;

namespace {

/// Rows that weigh for two targets, and convex costs.
struct ConvexRows {
  OrderedTestProblem problem;
  std::vector<Ticks> costs;
  std::vector<std::int64_t> weights;

  ConvexRows(Random& draw, const OrderedSizes& sizes)
      : problem(random_ordered(draw, sizes)), costs(random_convex_costs(draw)) {
    const std::int64_t heaviest = draw.choose<std::int64_t>({1, 3, 100, std::int64_t{1} << 32});
    for (std::uint32_t row = 0; row < problem.n_rows(); ++row)
      for (std::uint32_t target = 0; target < 2; ++target) {
        const bool is_of_class = static_cast<std::uint32_t>(problem.classes[row]) % 2 == target;
        weights.push_back(is_of_class ? draw.between(1, heaviest) : draw.between(0, draw.choose({0, 1}) * heaviest));
      }
  }
  std::int32_t n_predictions() const { return static_cast<std::int32_t>(costs.size() / 2); }
  RowLosses losses() const { return {{{}, weights, 2}, costs, static_cast<std::uint32_t>(n_predictions())}; }
};

/// What these rows lose by one prediction.
Ticks loss_of(const RowLosses& losses, const std::vector<std::uint32_t>& rows, std::int32_t prediction) {
  Ticks loss = 0;
  for (const std::uint32_t row : rows) loss += losses.of(row, prediction);
  return loss;
}

/// The best prediction for these rows, the first of several.
std::int32_t best_of(const RowLosses& losses, const std::vector<std::uint32_t>& rows) {
  std::int32_t best = 0;
  for (std::int32_t k = 1; k < static_cast<std::int32_t>(losses.n_predictions); ++k)
    if (loss_of(losses, rows, k) < loss_of(losses, rows, best)) best = k;
  return best;
}

Ticks least_loss(const RowLosses& losses, const std::vector<std::uint32_t>& rows) {
  return loss_of(losses, rows, best_of(losses, rows));
}

/// Without what each row loses anyway.
Ticks avoidable_loss(const RowLosses& losses, const std::vector<std::uint32_t>& rows) {
  Ticks loss = least_loss(losses, rows);
  for (const std::uint32_t row : rows) loss -= least_loss(losses, {row});
  return loss;
}

/// Of the stumps of one variable on some rows, as the scan finds it: all thresholds of all rows count.
Ticks least_of_stumps(const RowLosses& losses, const SortedRows& sorted, std::uint32_t variable,
                      const std::vector<bool>& is_in, std::uint32_t least_rows) {
  Ticks least = kInfinity;
  for (std::uint32_t n = 1; n < sorted.n_rows(); ++n) {
    const std::uint32_t* const entries = sorted.entries(variable);
    if (!ends_bin(entries[n - 1])) continue;
    std::vector<std::uint32_t> near, far;
    for (std::uint32_t i = 0; i < sorted.n_rows(); ++i)
      if (is_in[row_of(entries[i])]) (i < n ? near : far).push_back(row_of(entries[i]));
    if (least_rows > 1 && std::min(near.size(), far.size()) < least_rows) continue;
    least = std::min(least, avoidable_loss(losses, near) + avoidable_loss(losses, far));
  }
  return least;
}

}  // namespace

RANDOM_TEST(both_searches_find_the_same_least_convex_cost, 300) {
  const ConvexRows rows(draw, {24, 3, 8});
  const TestProblem plain = rows.problem.plain();
  Input input = rows.problem.input(plain);
  input.losses = rows.losses();
  input.leaf_cost = rows.weights[0] * rows.costs[1] / draw.choose<Ticks>({1, 3, 40, kInfinity});
  input.bounds.similarity = draw.percent(70);
  input.limits.threads = draw.size_between(1, 2);
  const Outcome by_order = solve(rows.problem.columns(), input, never);
  input.bounds.similarity = true;
  const Outcome by_bits = solve(plain.columns(), input, never);
  CHECK_EQUAL(by_order.lower, by_order.tree.cost);
  CHECK_EQUAL(by_order.tree.cost, by_bits.tree.cost);
}

RANDOM_TEST(sums_of_bins_find_the_least_convex_costs_that_scans_find, 100) {
  const ConvexRows problem(draw, {200, 3, 60});
  const RowGains rows = gains_of_rows(problem.losses(), problem.problem.n_rows(), {});
  const Ticks leaf = problem.weights[0] * problem.costs[1] / draw.choose<Ticks>({1, 3, 40, kInfinity});
  check_sums_of_bins(rows, problem.problem.columns(), {rows.unit, leaf, problem.problem.costs.rows_per_leaf}, draw);
}

RANDOM_TEST(pairs_of_bins_leave_the_roots_of_better_trees_of_least_convex_cost, 50) {
  const ConvexRows problem(draw, {100, 3, 40});
  const RowGains rows = gains_of_rows(problem.losses(), problem.problem.n_rows(), {});
  const Ticks leaf = problem.weights[0] * problem.costs[1] / draw.choose<Ticks>({1, 3, 40, kInfinity});
  check_three_level_roots(rows, problem.problem.columns(), {rows.unit, leaf, problem.problem.costs.rows_per_leaf},
                          draw);
}

RANDOM_TEST(convex_costs_of_rows_keep_what_the_bounds_need, 200) {
  const ConvexRows problem(draw, {14, 2, 6});
  const RowLosses losses = problem.losses();
  const RowGains rows = gains_of_rows(losses, problem.problem.n_rows(), {});
  CHECK(rows.convex.has_value());
  const std::uint32_t part = draw.size_between(1, problem.problem.n_rows());
  // Of all rows and of the first ones, whose range of predictions is less.
  for (const std::uint32_t n : {problem.problem.n_rows(), part}) {
    const std::vector<std::int64_t> sums(rows.gains.begin(), rows.gains.begin() + 3 * std::ptrdiff_t{n});
    std::vector<std::int64_t> weights, total(3, 0);
    const std::int64_t weight = rows.weigh(sums, weights);
    std::vector<std::uint32_t> all;
    for (std::uint32_t row = 0; row < n; ++row) {
      all.push_back(row);
      rows.add(row, total.data());
      // The bound of thresholds: a tree for other rows of these loses at most the weight of this row.
      for (std::uint32_t other = 0; other < n; ++other)
        CHECK(losses.of(row, best_of(losses, {other})) - least_loss(losses, {row}) <= weights[row]);
    }
    CHECK_EQUAL(rows.loss(weight, total), avoidable_loss(losses, all));
    CHECK_EQUAL(static_cast<std::int32_t>(rows.prediction(total)), best_of(losses, all));
    CHECK(rows.loss(weight, total) <= weight);
  }
}

RANDOM_TEST(the_stumps_of_convex_costs_below_root_splits_are_those_of_counting_with_any_kernels, 100) {
  const ConvexRows problem(draw, {draw.choose<std::uint32_t>({8, 40, 90}), 2, 40});
  const RowLosses losses = problem.losses();
  const std::uint32_t n_rows = problem.problem.n_rows(), least_rows = draw.choose<std::uint32_t>({1, 1, 2, 5});
  const RowGains gains = gains_of_rows(losses, n_rows, {});
  const OrderedColumns columns = problem.problem.columns();
  SortedRows rows;
  Run run;
  WorkMeter meter(run);
  CHECK(rows.sort(columns, gains, meter));
  const std::uint32_t n_roots = draw.size_between(1, 5), step = draw.size_between(1, 31 / n_roots);
  std::vector<std::vector<bool>> holds(n_roots);
  std::vector<std::uint32_t> member(n_rows, 0);
  std::vector<std::int64_t> held(3 * std::size_t{kernels::kScanLanes}, 0);
  std::vector<std::int32_t> held_rows(kernels::kScanLanes, 0);
  for (std::uint32_t i = 0; i < n_roots; ++i)
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      holds[i].push_back(row == 0 || draw.percent(60));  // a root split holds somewhere
      if (!holds[i][row]) continue;
      member[row] |= 1u << i * step;
      ++held_rows[std::size_t{i} * step];
      for (std::size_t k = 0; k < 3; ++k)
        held[k * kernels::kScanLanes + std::size_t{i} * step] += gains.gains[std::size_t{3} * row + k];
    }
  std::vector<std::int64_t> before[2];
  for (std::vector<std::int64_t>& losses_of_side : before)
    for (std::uint32_t i = 0; i < kernels::kScanLanes; ++i)
      losses_of_side.push_back(draw.percent(50) ? rows.weight() : draw.between(0, rows.weight()));
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v)
    for (const kernels::Kernels* each : kernels_of_this_machine()) {
      std::vector<std::int64_t> found[2] = {before[0], before[1]};
      each->scan_stumps({.entries = rows.entries(v),
                         .n_rows = n_rows,
                         .member = member.data(),
                         .weight = rows.weights(),
                         .lane_bytes = 8,
                         .n_targets = 3,
                         .held = held.data(),
                         .total = rows.total_gain().data(),
                         .least_rows = least_rows,
                         .held_rows = held_rows.data(),
                         .least_loss = {found[0].data(), found[1].data()},
                         .scratch = nullptr,
                         .gain = rows.gains(),
                         .total_weight = rows.weight(),
                         .buckets = gains.convex->buckets()});
      for (std::uint32_t i = 0; i < n_roots; ++i)
        for (const bool side : {false, true}) {
          std::vector<bool> is_in = holds[i];
          if (!side) is_in.flip();
          CHECK_EQUAL(
              found[side][std::size_t{i} * step],
              std::min(before[side][std::size_t{i} * step], least_of_stumps(losses, rows, v, is_in, least_rows)));
        }
    }
}

}  // namespace hornbeam::testing::ordered_convex_test
