// primal_start_test.cpp: how the primal heuristics start: with LicketySPLIT over some conditions, and from a sample.
#include <algorithm>

#include "primal/primal_search.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/primal.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::primal_start_test {

using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::primal;
using namespace hornbeam::run;

namespace {

constexpr Ticks kLeafPenalty = 100;

/// Many points with three numbers, of which two thresholds each make the class.
struct ManyPoints {
  static constexpr std::uint32_t kRows = 150'000, kBins = 1000;
  std::vector<std::uint32_t> bins;
  std::vector<std::int32_t> target;
  std::vector<std::int64_t> weight = std::vector<std::int64_t>(kRows, 1);
  std::vector<std::uint32_t> n_thresholds = {kBins, kBins, kBins};

  explicit ManyPoints(Random& draw) : bins(std::size_t{3} * kRows) {
    for (std::uint32_t& bin : bins) bin = draw.below(kBins + 1);
    for (std::uint32_t row = 0; row < kRows; ++row)
      target.push_back(bins[row] <= 311 ? (bins[kRows + row] <= 707 ? 1 : 0) : (bins[2 * kRows + row] <= 133 ? 1 : 0));
  }
};

/// The heuristics on them.
struct ManyPointsSearch {
  OrderedColumns columns;
  LeafModel model{2, 2, {0, 1, 1, 0}, true, false};
  Run run;
  PrimalSearch search;

  explicit ManyPointsSearch(const ManyPoints& many)
      : columns(many.bins.data(), many.n_thresholds, ManyPoints::kRows),
        search(Points(columns, {many.target, many.weight, 2}), model, kLeafPenalty, {}, run, [] {}) {}
};

}  // namespace

PROBLEM_TEST(the_coarse_tree_costs_no_more_than_the_best_stump, 200, random_problem(draw, {2, 60, 1, 9})) {
  if (problem.n_classes < 2) return;
  const LeafModel model = model_of(problem);
  const Points points(distinct_rows(problem));
  SplitFinder finder(points, model, 1, always());
  WorkingTree stump(points, model, 1), tree(points, model, 1);
  const Ticks of_leaf = tree.cost(problem.leaf_cost);
  CoarseLookahead coarse(points, model, 1, finder, always());
  tree.replace(WorkingTree::kRoot, coarse.grow(stump.points(WorkingTree::kRoot), problem.leaf_cost,
                                               CoarseLookahead::Kind::lickety_split, 3));
  CHECK(tree.cost(problem.leaf_cost) <= of_leaf);
  for (const auto node : tree.nodes_below(WorkingTree::kRoot)) CHECK(tree.node(node).depth <= 3);
  finder.load(stump.points(WorkingTree::kRoot));
  if (const auto best = finder.best(SplitFinder::Criterion::loss))
    stump.replace(WorkingTree::kRoot, {best->split, std::nullopt, std::nullopt});
  CHECK(tree.cost(problem.leaf_cost) <= stump.cost(problem.leaf_cost));
}

PROBLEM_TEST(the_best_tree_of_three_levels_over_few_conditions_is_that_of_the_oracle, 200,
             random_problem(draw, {2, 60, 1, 9})) {
  if (problem.n_classes < 2) return;
  TestProblem shallow = problem;
  shallow.limits.depth = 3;
  const LeafModel model = model_of(problem);
  const Points points(distinct_rows(problem));
  SplitFinder finder(points, model, 1, always());
  WorkingTree tree(points, model, 1);
  CoarseLookahead coarse(points, model, 1, finder, always());
  tree.replace(WorkingTree::kRoot,
               coarse.grow(tree.points(WorkingTree::kRoot), problem.leaf_cost, CoarseLookahead::Kind::three_levels, 3));
  CHECK_EQUAL(tree.cost(problem.leaf_cost), Oracle(shallow).best());
}

RANDOM_TEST(rows_repeated_are_the_same_points_as_rows_weighted, 100) {
  const OrderedTestProblem problem = random_ordered(draw, {40, 3, 10});
  const TestProblem plain = problem.plain();
  const OrderedColumns columns = problem.columns();
  const std::uint32_t n = columns.n_rows;
  std::vector<std::uint32_t> bins;
  for (std::uint32_t v = 0; v < columns.n_variables(); ++v)
    for (int twice = 0; twice < 2; ++twice) bins.insert(bins.end(), columns.bins_of(v), columns.bins_of(v) + n);
  std::vector<std::int32_t> target(plain.targets().target.begin(), plain.targets().target.end());
  std::vector<std::int64_t> weight(plain.targets().weights.begin(), plain.targets().weights.end());
  for (std::uint32_t row = 0; row < n; ++row) {
    target.push_back(target[row]);
    weight.push_back(weight[row]);
  }
  const Points once(columns, plain.targets());
  const Points repeated(OrderedColumns(bins.data(), columns.n_thresholds, 2 * n), {target, weight, once.n_targets});
  CHECK(once.target == repeated.target);
  for (std::uint32_t point = 0; point < once.size(); ++point) {
    CHECK_EQUAL(2 * once.weight[point], repeated.weight[point]);
    CHECK_EQUAL(2 * once.row_count[point], repeated.row_count[point]);
  }
}

RANDOM_TEST(the_thresholds_of_many_points_are_found_after_a_sample, 2) {
  const ManyPoints many(draw);
  ManyPointsSearch each(many);
  each.search.work_up_to(~std::uint64_t{0}, 0);
  CHECK_EQUAL(each.search.cost(), 4 * kLeafPenalty);
}

RANDOM_TEST(many_points_have_a_greedy_tree_before_the_sample_has_taken_all_its_steps, 2) {
  const ManyPoints many(draw);
  ManyPointsSearch first(many), second(many);
  PrimalSearch &at_once = first.search, &in_order = second.search;
  in_order.work_up_to(~std::uint64_t{0}, 0);
  const Ticks of_leaf = at_once.cost();
  CHECK(at_once.start_greedily());
  CHECK(at_once.cost() < of_leaf / 2);
  CHECK(at_once.spent() < in_order.spent() / 4);
  while (at_once.start_greedily()) {
  }
  at_once.work_up_to(~std::uint64_t{0}, 0);
  CHECK_EQUAL(at_once.cost(), in_order.cost());
}

PROBLEM_TEST(few_points_have_no_greedy_tree_of_a_sample, 20, random_problem(draw, {2, 60, 1, 9})) {
  if (problem.n_classes < 2) return;
  Run run;
  const LeafModel model = model_of(problem);
  PrimalSearch search(Points(distinct_rows(problem)), model, problem.leaf_cost, problem.limits, run, [] {});
  CHECK(!search.start_greedily());
  CHECK_EQUAL(search.spent(), 0u);
}

RANDOM_TEST(the_best_split_of_many_points_scores_what_all_of_them_lose, 3) {
  const ManyPoints many(draw);
  const OrderedColumns columns(many.bins.data(), many.n_thresholds, ManyPoints::kRows);
  const LeafModel model(2, 2, {0, 1, 1, 0}, true, false);
  const Points points(columns, {many.target, many.weight, 2});
  SplitFinder finder(points, model, 1, always());
  WorkingTree stump(points, model, 1);
  finder.load(stump.points(WorkingTree::kRoot));
  const auto best = finder.best(SplitFinder::Criterion::loss);
  CHECK(best.has_value());
  if (!best) return;
  stump.replace(WorkingTree::kRoot, {best->split, std::nullopt, std::nullopt});
  CHECK_EQUAL(best->score, static_cast<double>(stump.root().loss));
}

RANDOM_TEST(the_limit_on_the_rows_of_a_leaf_holds_for_all_points, 1) {
  const ManyPoints many(draw);
  const OrderedColumns columns(many.bins.data(), many.n_thresholds, ManyPoints::kRows);
  const std::vector<Ticks> costs = {0, 1, 1, 0};
  const RowLosses losses{{many.target, many.weight, 2}, costs, 2};
  const LeafModel model(2, 2, {0, 1, 1, 0}, true, true);
  const TreeLimits limits{3, std::nullopt, 20'000};
  Run run;
  PrimalSearch search(Points(columns, losses.targets), model, 100, limits, run, [] {});
  search.work_up_to(~std::uint64_t{0}, 0);
  CHECK(search.n_leaves() > 2);
  CHECK_EQUAL(score_within(limits, search.tree(), columns, losses, 100), search.cost());
}

PROBLEM_TEST(the_heuristics_go_on_from_a_tree_and_do_not_lose_it, 300, larger_problem(draw)) {
  const DistinctRows rows = distinct_rows(problem);
  const LeafModel model = model_of(problem);
  const Points points(rows);
  Run run;
  PrimalSearch earlier(points, model, problem.leaf_cost, problem.limits, run, [] {}),
      again(points, model, problem.leaf_cost, problem.limits, run, [] {});
  earlier.work_up_to(draw.choose<std::uint64_t>({0, 2'000, 20'000, 100'000}));
  const tree::ResultTree start = earlier.tree();
  const bool is_better = again.start_from(start);
  CHECK_EQUAL(is_better, again.cost() < start.cost);
  CHECK(again.cost() <= start.cost);
  const Ticks before = again.cost();
  again.work_up_to(draw.choose<std::uint64_t>({0, 2'000, 20'000}));
  CHECK(again.cost() <= before);
  CHECK_EQUAL(score_within(problem.limits, again.tree(), problem.columns(), problem.losses(), problem.leaf_cost),
              again.cost());
}

PROBLEM_TEST(a_column_is_the_condition_of_its_split, 200, random_problem(draw, {2, 60, 1, 9})) {
  const Points points(distinct_rows(problem));
  for (std::uint32_t column = 0; column < problem.columns().n_columns; ++column)
    CHECK_EQUAL(points.column_of(points.split_of(column)), column);
}

}  // namespace hornbeam::testing::primal_start_test
