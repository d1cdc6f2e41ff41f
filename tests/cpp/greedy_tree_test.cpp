// greedy_tree_test.cpp: the greedy tree, against a greedy tree of plain rows; and that no search which is stopped
// returns a worse one.
#include "primal/greedy_tree.hpp"

#include <algorithm>
#include <numeric>

#include "api/start_tree.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/ordered.hpp"
#include "support/primal.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::greedy_tree_test {

using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::primal;
using namespace hornbeam::run;

namespace {

/// Rows that weigh for every target: squared error, convex costs, or what each of a few actions loses.
struct Rows {
  OrderedTestProblem problem;
  TestProblem plain;
  std::vector<std::int64_t> weights;
  std::vector<Ticks> costs;
  std::uint32_t n_targets = 3, n_predictions = 101;
  Ticks leaf_cost = 0;

  explicit Rows(Random& draw) : problem(random_ordered(draw, {30, 3, 6})), plain(problem.plain()) {
    plain.limits =
        draw.percent(50) ? random_limits(draw) : TreeLimits{draw.size_between(0, 4), {}, draw.size_between(1, 3)};
    plain.limits.is_rule_list = draw.percent(20);
    const std::uint32_t kind = draw.below(3);
    if (kind == 1) {
      costs = random_convex_costs(draw);
      n_targets = 2;
    } else if (kind == 2) {
      n_targets = draw.size_between(1, 4);
      const bool is_diagonal = draw.percent(50);
      for (std::uint32_t i = 0; i < n_targets * n_targets; ++i)
        costs.push_back(is_diagonal ? (i % (n_targets + 1) == 0 ? 1 : 0) : draw.between(0, 3));
    }
    if (kind > 0) n_predictions = static_cast<std::uint32_t>(costs.size()) / n_targets;
    for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
      const std::int64_t weight = draw.between(1, 4), y = draw.between(0, 100);
      if (kind == 0)
        weights.insert(weights.end(), {weight, weight * y, weight * y * y});
      else
        for (std::uint32_t t = 0; t < n_targets; ++t) weights.push_back(draw.percent(20) ? 0 : draw.between(1, 50));
    }
    weights[0] = std::max<std::int64_t>(weights[0], 1);
    leaf_cost = draw.choose<Ticks>({0, 1, 10, 100, 1000});
  }

  RowTargets targets() const { return {{}, weights, n_targets}; }
  RowLosses losses() const { return {targets(), costs, n_predictions}; }
  api::Input input() const { return {losses(), leaf_cost, plain.limits, {}, {}, {}}; }
  LeafModel model() const { return api::model_of(input()); }
};

/// What the greedy tree of some rows costs, with what does not pay pruned; without a limit on leaves. Of a rule list,
/// one side is a leaf.
Ticks greedy_cost(const Rows& rows, const LeafModel& model, const std::vector<std::uint32_t>& some,
                  std::uint32_t depth) {
  const auto loss_of = [&](const std::vector<std::uint32_t>& of) {
    std::vector<std::int64_t> sums(rows.n_targets, 0);
    for (const std::uint32_t row : of)
      for (std::uint32_t t = 0; t < rows.n_targets; ++t) sums[t] += rows.weights[row * rows.n_targets + t];
    return std::pair{model.least_loss_of_leaf(sums.data()), *std::max_element(sums.begin(), sums.end()) > 0};
  };
  const Ticks leaf = rows.leaf_cost + loss_of(some).first;
  if (depth == 0) return leaf;
  Ticks least = kInfinity;
  std::vector<std::uint32_t> best[2];
  for (std::uint32_t column = 0; column < rows.plain.n_columns; ++column) {
    std::vector<std::uint32_t> sides[2];
    for (const std::uint32_t row : some) sides[rows.plain.rows[row][column] ? 1 : 0].push_back(row);
    const std::size_t fewer = std::min(sides[0].size(), sides[1].size());
    if (fewer < std::max<std::size_t>(1, rows.plain.limits.rows_per_leaf)) continue;
    const auto [of_false, has_false] = loss_of(sides[0]);
    const auto [of_true, has_true] = loss_of(sides[1]);
    if (!has_false || !has_true || of_false + of_true >= least) continue;
    least = of_false + of_true;
    for (int x = 0; x < 2; ++x) best[x] = sides[x];
  }
  if (least == kInfinity) return leaf;
  const Ticks below[2] = {greedy_cost(rows, model, best[0], depth - 1), greedy_cost(rows, model, best[1], depth - 1)};
  if (!rows.plain.limits.is_rule_list) return std::min(leaf, below[0] + below[1]);
  const Ticks leaves[2] = {rows.leaf_cost + loss_of(best[0]).first, rows.leaf_cost + loss_of(best[1]).first};
  return std::min({leaf, below[0] + leaves[1], leaves[0] + below[1]});
}

}  // namespace

RANDOM_TEST(greedy_trees_cost_what_those_of_plain_rows_do, 600) {
  const Rows rows(draw);
  const LeafModel model = rows.model();
  std::vector<std::uint32_t> all(rows.problem.n_rows());
  std::iota(all.begin(), all.end(), 0u);
  const Ticks expected = greedy_cost(rows, model, all, rows.plain.limits.depth.value_or(64));
  const auto cost_of = [&](const auto& columns) {
    const GreedyTree greedy = greedy_tree(columns, rows.targets(), model, rows.leaf_cost, rows.plain.limits);
    const tree::ResultTree tree =
        api::start_tree(greedy.view(), columns, rows.losses(), model, rows.leaf_cost, rows.plain.limits);
    CHECK(tree.n_leaves() <= rows.plain.limits.leaves.value_or(64));
    return tree.cost;
  };
  const Ticks packed = cost_of(rows.plain.columns());
  CHECK_EQUAL(cost_of(rows.problem.columns()), packed);
  if (!rows.plain.limits.leaves) CHECK_EQUAL(packed, expected);
}

RANDOM_TEST(a_search_that_is_stopped_at_once_costs_no_more_than_the_greedy_tree, 300) {
  const Rows rows(draw);
  api::Input input = rows.input();
  const auto check = [&](const auto& columns) {
    const GreedyTree greedy = greedy_tree(columns, rows.targets(), rows.model(), rows.leaf_cost, rows.plain.limits);
    const Ticks cost =
        api::start_tree(greedy.view(), columns, rows.losses(), rows.model(), rows.leaf_cost, rows.plain.limits).cost;
    input.limits.seconds = 0;
    const Outcome stopped = api::solve(columns, input, never);
    CHECK(stopped.tree.cost <= cost);
    CHECK(stopped.lower <= stopped.tree.cost);
    CHECK_EQUAL(stopped.trace.back().upper, stopped.tree.cost);
  };
  check(rows.plain.columns());
  if (!rows.plain.limits.is_rule_list) check(rows.problem.columns());
}

namespace {

/// More rows than are sorted, each with what two actions lose.
struct ManyRows {
  static constexpr std::uint32_t kRows = (1u << 14) + 500;

  std::vector<std::uint32_t> bins, n_thresholds;
  std::vector<std::int64_t> weights = std::vector<std::int64_t>(2 * std::size_t{kRows});
  std::vector<Ticks> costs{1, 0, 0, 1};
  TreeLimits limits;

  OrderedColumns columns() const { return {bins.data(), n_thresholds, kRows}; }
  RowLosses losses() const { return {{{}, weights, 2}, costs, 2}; }
  template <class Columns>
  tree::ResultTree tree_of(const Columns& columns) const {
    const LeafModel model = api::model_of({losses(), 0, limits, {}, {}, {}});
    const GreedyTree greedy = greedy_tree(columns, losses().targets, model, 0, limits);
    return api::start_tree(greedy.view(), columns, losses(), model, 0, limits);
  }
};

}  // namespace

RANDOM_TEST(many_rows_of_few_bins_have_the_greedy_tree_of_their_bits, 3) {
  ManyRows rows;
  rows.limits = {draw.size_between(1, 3), {}, draw.size_between(1, 3000)};
  for (std::uint32_t v = 0; v < 3; ++v) {
    rows.n_thresholds.push_back(draw.size_between(1, 20));
    for (std::uint32_t row = 0; row < rows.kRows; ++row) {
      const std::uint32_t bin = draw.below(rows.n_thresholds[v] + 1);
      rows.bins.push_back(draw.percent(30) ? 0 : bin);
    }
  }
  const OrderedColumns columns = rows.columns();
  const std::size_t size = (std::size_t{rows.kRows} + 7) / 8;
  std::vector<std::uint8_t> bits(columns.n_columns * size, 0);
  for (std::uint32_t row = 0; row < rows.kRows; ++row) {
    for (std::uint32_t column = 0; column < columns.n_columns; ++column)
      if (columns.test(column, row)) bits[column * size + row / 8] |= static_cast<std::uint8_t>(1u << row % 8);
    for (std::uint32_t k = 0; k < 2; ++k)
      rows.weights[2 * row + k] = draw.between(0, columns.bins_of(k)[row] > 2 ? 30 : 40);
  }
  const tree::ResultTree ordered = rows.tree_of(columns),
                         packed = rows.tree_of(PackedColumns{bits.data(), columns.n_columns, rows.kRows});
  CHECK_EQUAL(ordered.cost, packed.cost);
  CHECK(ordered.column == packed.column);
}

RANDOM_TEST(a_step_between_any_two_of_many_bins_is_found, 4) {
  ManyRows rows;
  rows.limits = {1, {}, 1};
  const std::uint32_t of_step = draw.below(3), n_equal = draw.choose<std::uint32_t>({0, 100, 5000});
  for (std::uint32_t v = 0; v < 3; ++v) {
    std::vector<std::uint32_t> order(rows.kRows);
    std::iota(order.begin(), order.end(), 0u);
    for (std::uint32_t i = rows.kRows - 1; i > 0; --i) std::swap(order[i], order[draw.below(i + 1)]);
    for (const std::uint32_t at : order) rows.bins.push_back(std::max(at, n_equal) - n_equal);
    rows.n_thresholds.push_back(rows.kRows - 1 - n_equal);
  }
  const std::uint32_t step = draw.below(rows.n_thresholds[0]);
  for (std::uint32_t row = 0; row < rows.kRows; ++row)
    rows.weights[2 * row + (rows.columns().bins_of(of_step)[row] <= step ? 0 : 1)] = draw.between(1, 9);
  const tree::ResultTree tree = rows.tree_of(rows.columns());
  CHECK_EQUAL(tree.cost, 0);
  CHECK_EQUAL(static_cast<std::uint32_t>(tree.column[0]), rows.columns().first_column[of_step] + step);
}

}  // namespace hornbeam::testing::greedy_tree_test
