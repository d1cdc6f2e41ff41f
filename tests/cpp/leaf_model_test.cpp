// leaf_model_test.cpp: models/leaf_model against sums over single groups.
#include "models/leaf_model.hpp"

#include "support/check.hpp"
#include "support/groups.hpp"

namespace hornbeam::testing::leaf_model_test {

using namespace hornbeam::models;

namespace {

/// The counts of some groups, in the order of `Measures`.
std::vector<std::int64_t> counts_of(const CostMatrix& matrix, const LeafModel& costs, const Groups& groups) {
  std::vector<std::int64_t> sum(costs.measures().n_counts());
  for (const Group& group : groups) {
    std::vector<std::int64_t> counts = group.weight;
    counts.resize(sum.size());
    if (matrix.counts_rows) counts.back() = group.n_rows;
    costs.merge(counts.data());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
  }
  return sum;
}

}  // namespace

RANDOM_TEST(measures_of_counts_equal_sums_over_the_groups, 500) {
  const CostMatrix matrix = random_cost_matrix(draw);
  const LeafModel costs = matrix.costs();
  const std::uint32_t n_groups = draw.below(6);
  const std::int64_t heaviest = draw.choose<std::int64_t>({1, 7, 1 << 30});
  const Groups groups = random_groups(draw, n_groups, matrix.n_classes, heaviest);
  std::vector<Ticks> measures(costs.measures().size());
  costs.measures_of(counts_of(matrix, costs, groups).data(), measures.data());
  CHECK(measures == matrix.measures(groups));
  CHECK_EQUAL(costs.largest_loss(measures.data()), matrix.largest_loss(groups));
  CHECK_EQUAL(costs.loss(measures.data()), matrix.loss(groups));
  CHECK_EQUAL(costs.least_loss(measures.data()), matrix.least_loss(groups));
  if (matrix.counts_rows) CHECK_EQUAL(costs.rows(measures.data()), matrix.n_rows(groups));
}

RANDOM_TEST(measures_are_read_at_a_stride, 100) {
  const CostMatrix matrix = random_cost_matrix(draw);
  const LeafModel costs = matrix.costs();
  const Groups groups = random_groups(draw, 3, matrix.n_classes, 9);
  std::vector<Ticks> spread;
  for (const Ticks measure : matrix.measures(groups)) spread.insert(spread.end(), {measure, -7, -7});
  CHECK_EQUAL(costs.largest_loss(spread.data(), 3), matrix.largest_loss(groups));
  CHECK_EQUAL(costs.loss(spread.data(), 3), matrix.loss(groups));
  CHECK_EQUAL(costs.least_loss(spread.data(), 3), matrix.least_loss(groups));
}

RANDOM_TEST(merged_counts_are_those_of_the_groups_merged, 500) {
  const CostMatrix matrix = random_cost_matrix(draw);
  const LeafModel costs = matrix.costs();
  const Groups groups =
      random_groups(draw, draw.size_between(1, 4), matrix.n_classes, draw.choose<std::int64_t>({1, 7}));
  Group merged{std::vector<std::int64_t>(matrix.n_classes), 0};
  for (const Group& group : groups) {
    for (std::uint32_t c = 0; c < matrix.n_classes; ++c) merged.weight[c] += group.weight[c];
    merged.n_rows += group.n_rows;
  }
  std::vector<std::int64_t> counts = counts_of(matrix, costs, groups);
  CHECK_EQUAL(costs.least_loss_of(counts.data()), matrix.least_loss(groups));
  CHECK(costs.merge(counts.data()) == (matrix.least_loss({merged}) > matrix.least_loss(groups)));
  std::vector<Ticks> measures(costs.measures().size());
  costs.measures_of(counts.data(), measures.data());
  CHECK(measures == matrix.measures({merged}));
  CHECK(!costs.merge(counts.data()));
}

RANDOM_TEST(the_best_prediction_is_the_lowest_of_least_loss, 300) {
  const CostMatrix matrix = random_cost_matrix(draw);
  const LeafModel costs = matrix.costs();
  const Groups group = random_groups(draw, 1, matrix.n_classes, 3);
  std::uint32_t best = 0;
  for (std::uint32_t k = 0; k < matrix.n_predictions; ++k) {
    CHECK_EQUAL(costs.loss_of(group[0].weight.data(), k), matrix.loss_of(group, k));
    if (matrix.loss_of(group, k) < matrix.loss_of(group, best)) best = k;
  }
  CHECK_EQUAL(costs.best_prediction(group[0].weight.data()), best);
}

RANDOM_TEST(costs_are_separable_where_every_error_of_a_class_costs_the_same, 500) {
  const CostMatrix matrix = random_cost_matrix(draw);
  CHECK(matrix.costs().measures().is_separable() == matrix.is_separable());
  CHECK(matrix.costs().measures().cancelled == matrix.is_cancelled());
}

RANDOM_TEST(costs_are_convex_where_each_prediction_is_the_best_one_for_some_ratio_of_two_weights, 300) {
  const CostMatrix matrix = random_cost_matrix(draw);
  CHECK(matrix.costs().measures().is_convex() == matrix.is_convex);
  if (!matrix.is_convex) return;
  const std::uint32_t k = 1 + draw.below(matrix.n_predictions - 2);
  std::vector<Ticks> costs = matrix.cost;
  costs[k] = costs[k + 1];  // and now prediction k is never better than the next one
  CHECK(!LeafModel(2, matrix.n_predictions, costs, true, false).measures().is_convex());
}

RANDOM_TEST(leaves_of_convex_costs_lose_the_least_of_all_predictions_at_and_next_to_every_tie, 100) {
  const std::vector<Ticks> cost = random_convex_costs(draw);
  const CostMatrix matrix{2, static_cast<std::uint32_t>(cost.size() / 2), cost, false, false, true};
  const LeafModel costs = matrix.costs();
  const std::int64_t scale = draw.choose<std::int64_t>({1, 1000, std::int64_t{1} << 35});
  std::vector<Group> groups{{{0, 0}}, {{0, scale}}, {{scale, 0}}};
  for (std::uint32_t k = 0; k + 1 < matrix.n_predictions; ++k) {
    const std::int64_t more = matrix.of(0, k + 1) - matrix.of(0, k), less = matrix.of(1, k) - matrix.of(1, k + 1);
    for (const std::int64_t by : {-1, 0, 1}) groups.push_back({{scale * less, scale * more + by}});
  }
  for (const Group& group : groups) {
    CHECK_EQUAL(costs.loss(matrix.measures({group}).data()), matrix.loss({group}));
    CHECK_EQUAL(costs.least_loss_of_leaf(group.weight.data()), matrix.loss({group}));
  }
}

TEST(some_matrices_are_separable_and_some_are_not) {
  const auto separable = [](std::uint32_t n_classes, std::uint32_t n_predictions, std::vector<Ticks> cost) {
    return LeafModel(n_classes, n_predictions, std::move(cost), true, false).measures().is_separable();
  };
  CHECK(separable(2, 2, {0, 1, 1, 0}));
  CHECK(separable(2, 2, {0, 0, 5, 0}));
  CHECK(separable(3, 3, {0, 2, 2, 1, 0, 1, 0, 0, 0}));
  CHECK(!separable(3, 3, {0, 2, 3, 1, 0, 1, 1, 1, 0}));
  CHECK(!separable(2, 2, {1, 2, 1, 0}));  // a right prediction has its cost
  CHECK(!separable(2, 3, {0, 1, 1, 1, 0, 1}));
  CHECK(!separable(1, 1, {0}));
}

}  // namespace hornbeam::testing::leaf_model_test
