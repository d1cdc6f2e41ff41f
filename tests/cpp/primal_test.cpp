// primal_test.cpp: the primal heuristics and their parts, against brute force.
#include "support/primal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "primal/best_first_growth.hpp"
#include "primal/lookahead_growth.hpp"
#include "primal/near_optimal.hpp"
#include "primal/primal_search.hpp"
#include "primal/split_improvement.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::primal_test {

using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::primal;
using namespace hornbeam::run;

namespace {

using PointNumbers = std::vector<std::uint32_t>;

PointNumbers all_points(const Points& points) {
  PointNumbers all(points.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

bool holds(const Points& points, const Split& split, std::uint32_t point) {
  return points.variables[split.variable].with_condition(split.bin, [&](auto condition) { return condition(point); });
}

std::vector<Split> all_splits(const Points& points) {
  std::vector<Split> splits;
  for (std::uint32_t v = 0; v < points.variables.size(); ++v)
    for (std::uint32_t bin = 0; bin < points.variables[v].n_conditions(); ++bin) splits.push_back({v, bin});
  return splits;
}

/// What the points of one side of a split weigh.
struct Side {
  std::vector<std::int64_t> weight;
  std::uint64_t rows = 0;
  PointNumbers points;
};

Side side_of(const Points& points, const PointNumbers& some, const Split& split, bool value) {
  Side side{std::vector<std::int64_t>(points.n_targets, 0), 0, {}};
  for (const std::uint32_t point : some) {
    if (holds(points, split, point) != value) continue;
    side.weight[points.target[point]] += points.weight[point];
    side.rows += points.row_count[point];
    side.points.push_back(point);
  }
  return side;
}

double score_of(const Side& side, const LeafModel& model, SplitFinder::Criterion criterion) {
  if (criterion == SplitFinder::Criterion::loss)
    return static_cast<double>(model.least_loss_of_leaf(side.weight.data()));
  std::vector<double> share;
  double all = 0;
  for (std::uint32_t t = 0; t < model.n_targets(); ++t) {
    share.push_back(static_cast<double>(side.weight[t]) * static_cast<double>(model.largest_cost(t)));
    all += share.back();
  }
  double impurity = 0;
  for (const double mass : share) {
    const double p = all > 0 ? mass / all : 0;
    if (p > 0) impurity += criterion == SplitFinder::Criterion::gini ? p * (1 - p) : -p * std::log2(p);
  }
  return all * impurity;
}

/// None if a side has no points or fewer rows than allowed.
std::optional<double> score_of(const Points& points, const PointNumbers& some, const Split& split,
                               const LeafModel& model, std::uint64_t rows_per_leaf, SplitFinder::Criterion criterion) {
  double sum = 0;
  for (const bool value : {true, false}) {
    const Side side = side_of(points, some, split, value);
    if (side.points.empty() || (rows_per_leaf > 1 && side.rows < rows_per_leaf)) return std::nullopt;
    sum += score_of(side, model, criterion);
  }
  return sum;
}

/// Up to the rounding of sums that are as large as the mass of all points.
bool nearly(double a, double b, const Points& points, const LeafModel& model) {
  double all = 0;
  for (std::uint32_t point = 0; point < points.size(); ++point)
    all += static_cast<double>(points.weight[point]) * static_cast<double>(model.largest_cost(points.target[point]));
  return std::abs(a - b) <= 1e-9 * all;
}

constexpr SplitFinder::Criterion kCriteria[] = {SplitFinder::Criterion::gini, SplitFinder::Criterion::entropy,
                                                SplitFinder::Criterion::loss};

PointNumbers some_points(const Points& points, Random& draw) {
  PointNumbers some = all_points(points);
  if (draw.percent(50)) std::erase_if(some, [&](std::uint32_t) { return draw.percent(40); });
  return some;
}

/// Any splits, sensible or not.
Preorder random_preorder(const std::vector<Split>& splits, std::uint32_t depth, Random& draw) {
  if (depth == 0 || splits.empty() || draw.percent(20)) return {std::nullopt};
  Preorder all{splits[draw.below(static_cast<std::uint32_t>(splits.size()))]};
  for (int x = 0; x < 2; ++x) {
    const Preorder side = random_preorder(splits, depth - 1, draw);
    all.insert(all.end(), side.begin(), side.end());
  }
  return all;
}

/// Every number that a tree stores is that of counting.
void check_tree(const WorkingTree& tree, const Points& points, const LeafModel& model, std::uint64_t rows_per_leaf) {
  CHECK_EQUAL(tree.points(WorkingTree::kRoot).size(), std::size_t{points.size()});
  for (const WorkingTree::NodeIndex index : tree.nodes_below(WorkingTree::kRoot)) {
    const WorkingTree::Node& node = tree.node(index);
    std::vector<std::int64_t> weight(points.n_targets, 0);
    std::uint64_t rows = 0;
    for (const std::uint32_t point : tree.points(index)) {
      weight[points.target[point]] += points.weight[point];
      rows += points.row_count[point];
      if (node.is_leaf()) CHECK_EQUAL(tree.leaf_of(point, WorkingTree::kRoot), index);
    }
    CHECK_EQUAL(node.rows, rows);
    CHECK(index == WorkingTree::kRoot || (rows >= rows_per_leaf && !tree.points(index).empty()));
    CHECK_EQUAL(node.leaf_loss, model.least_loss_of_leaf(weight.data()));
    CHECK_EQUAL(model.loss_of(weight.data(), node.prediction), node.leaf_loss);
    if (node.is_leaf()) {
      CHECK(node.n_leaves == 1 && node.loss == node.leaf_loss);
      continue;
    }
    const WorkingTree::Node &on_true = tree.node(node.child[1]), &on_false = tree.node(node.child[0]);
    CHECK_EQUAL(node.n_leaves, on_true.n_leaves + on_false.n_leaves);
    CHECK_EQUAL(node.loss, on_true.loss + on_false.loss);
    CHECK(on_true.parent == index && on_false.parent == index);
    CHECK(on_true.depth == node.depth + 1 && on_false.depth == node.depth + 1);
    CHECK_EQUAL(tree.points(node.child[1]).size() + tree.points(node.child[0]).size(), tree.points(index).size());
  }
}

struct Pruned {
  Ticks loss;
  std::uint32_t leaves;
};

/// All trees that are left when inner nodes become leaves.
std::vector<Pruned> all_prunings(const WorkingTree& tree, WorkingTree::NodeIndex index) {
  const WorkingTree::Node& node = tree.node(index);
  std::vector<Pruned> all{{node.leaf_loss, 1}};
  if (node.is_leaf()) return all;
  const std::vector<Pruned> on_false = all_prunings(tree, node.child[0]);
  for (const Pruned& a : all_prunings(tree, node.child[1]))
    for (const Pruned& b : on_false) all.push_back({a.loss + b.loss, a.leaves + b.leaves});
  return all;
}

/// The problem, its points, and a random tree on them.
struct Grown {
  LeafModel model;
  DistinctRows rows;
  Points points;
  WorkingTree tree;

  Grown(const TestProblem& problem, Random& draw, std::uint32_t depth)
      : model(model_of(problem)),
        rows(distinct_rows(problem)),
        points(rows),
        tree(points, model, problem.limits.rows_per_leaf) {
    tree.replace(WorkingTree::kRoot, random_preorder(all_splits(points), depth, draw));
  }
};

TestProblem limited_problem(Random& draw) {
  TestProblem problem = random_problem(draw, {1, 60, 0, 9});
  problem.limits = random_limits(draw);
  return problem;
}

/// Rows that weigh for every target, some of them nothing.
struct EveryTarget {
  TestProblem problem;
  std::vector<std::int64_t> weights;

  explicit EveryTarget(Random& draw) : problem(hard_problem(draw, {2, 40, 1, 6})) {
    problem.n_classes = draw.size_between(1, 4);
    problem.n_predictions = draw.size_between(1, 4);
    problem.costs.clear();
    for (std::uint32_t i = 0; i < problem.n_classes * problem.n_predictions; ++i)
      problem.costs.push_back(draw.between(0, 6));
    for (std::uint32_t i = 0; i < problem.n_rows() * problem.n_classes; ++i)
      weights.push_back(draw.percent(40) ? 0 : draw.between(1, 5));
    problem.leaf_cost = draw.between(0, 20);
    problem.limits = random_limits(draw);
  }
  RowLosses losses() const { return {{{}, weights, problem.n_classes}, problem.costs, problem.n_predictions}; }
};

}  // namespace

PROBLEM_TEST(heuristic_trees_keep_the_limits_and_cost_no_less_than_the_optimum, 400, limited_problem(draw)) {
  check_growing(problem.columns(), problem.losses(), problem.leaf_cost, problem.limits, Points(distinct_rows(problem)),
                Oracle(problem).best(), draw);
}

PROBLEM_TEST(heuristic_trees_of_larger_problems_cost_no_less_than_the_optimum, 60, larger_problem(draw)) {
  check_growing(problem.columns(), problem.losses(), problem.leaf_cost, problem.limits, Points(distinct_rows(problem)),
                Oracle(problem).best(), draw);
}

RANDOM_TEST(heuristic_trees_of_ordered_columns_cost_no_less_than_the_optimum, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {40, 3, 10});
  TestProblem plain = problem.plain();
  if (draw.percent(50)) plain.limits = random_limits(draw);
  check_growing(problem.columns(), plain.losses(), plain.leaf_cost, plain.limits,
                Points(problem.columns(), plain.targets()), Oracle(plain).best(), draw);
}

RANDOM_TEST(heuristic_trees_of_rows_that_weigh_for_every_target_cost_no_less_than_the_optimum, 300) {
  const EveryTarget every(draw);
  const TestProblem& problem = every.problem;
  PackedInput input{{every.losses(), problem.leaf_cost, problem.limits, {}, {}, {}}, problem.columns()};
  input.bounds.primal = false;
  Run run;
  check_growing(problem.columns(), every.losses(), problem.leaf_cost, problem.limits,
                Points(DistinctRows(problem.columns(), every.losses().targets, run)), solve(input, never).tree.cost,
                draw);
}

RANDOM_TEST(near_optimal_trees_are_within_the_interval_however_they_end, 100) {
  const OrderedTestProblem problem = random_ordered(draw, {60, 3, 20});
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  api::Input input = problem.input(plain);
  const bool is_exact = draw.below(2) == 1;
  const auto search = [&](auto... rest) { return api::near_optimal(problem.columns(), input, rest...); };
  check_interval(plain, search(draw.below(50'000), draw.below(4), is_exact, never), optimum);
  const Outcome stopped = search(50'000u, 1u, is_exact, [](const Progress&) { return true; });
  check_interval(plain, stopped, optimum);
  CHECK(stopped.status == (stopped.lower == stopped.tree.cost ? Status::optimal : Status::interrupted));
  input.limits.seconds = 0.0;
  const Outcome late = search(50'000u, ~std::uint64_t{0}, is_exact, never);
  check_interval(plain, late, optimum);
  CHECK(late.status == (late.lower == late.tree.cost ? Status::optimal : Status::time_limit));
}

PROBLEM_TEST(the_best_split_of_few_thresholds_is_that_of_a_scan, 300, limited_problem(draw)) {
  const LeafModel model = model_of(problem);
  const Points points(distinct_rows(problem));
  const std::uint64_t rows_per_leaf = problem.limits.rows_per_leaf;
  SplitFinder finder(points, model, rows_per_leaf, always());
  const PointNumbers some = some_points(points, draw);
  finder.load(some);
  for (const SplitFinder::Criterion criterion : kCriteria) {
    std::optional<double> least;
    Split first;
    for (const Split& split : all_splits(points)) {
      const auto score = score_of(points, some, split, model, rows_per_leaf, criterion);
      if (!score || (least && *score >= *least)) continue;
      least = score;
      first = split;
    }
    const auto found = finder.best(criterion);
    CHECK_EQUAL(found.has_value(), least.has_value());
    if (!found || !least) continue;
    CHECK(nearly(found->score, *least, points, model));
    CHECK(nearly(score_of(points, some, found->split, model, rows_per_leaf, criterion).value_or(-1), *least, points,
                 model));
    CHECK(criterion != SplitFinder::Criterion::loss || found->split == first);
  }
}

RANDOM_TEST(splits_of_many_thresholds_are_allowed_and_of_the_variables_that_are_left, 60) {
  const OrderedTestProblem problem = random_ordered(draw, {300, 5, 600});
  const TestProblem plain = problem.plain();
  const LeafModel model = model_of(plain);
  const Points points(problem.columns(), plain.targets());
  const std::uint64_t rows_per_leaf = draw.size_between(1, 20);
  SplitFinder finder(points, model, rows_per_leaf, always());
  const PointNumbers some = some_points(points, draw);
  finder.load(some);
  for (const SplitFinder::Criterion criterion : kCriteria)
    if (const auto found = finder.best(criterion))
      CHECK(nearly(score_of(points, some, found->split, model, rows_per_leaf, criterion).value_or(-1), found->score,
                   points, model));
  const std::size_t most = draw.size_between(0, 12);
  const std::vector<Split> candidates = finder.candidates(most, kCriteria[draw.below(3)]);
  CHECK(candidates.size() <= most);
  for (const Split& split : candidates) {
    CHECK(score_of(points, some, split, model, rows_per_leaf, SplitFinder::Criterion::loss).has_value());
    CHECK_EQUAL(std::count(candidates.begin(), candidates.end(), split), 1);
  }
  const std::uint32_t only = draw.below(static_cast<std::uint32_t>(points.variables.size()));
  finder.restrict_to({only});
  for (const Split& split : finder.candidates(20, SplitFinder::Criterion::entropy)) CHECK_EQUAL(split.variable, only);
  if (const auto found = finder.best(SplitFinder::Criterion::gini)) CHECK_EQUAL(found->split.variable, only);
}

PROBLEM_TEST(the_least_sum_of_few_thresholds_is_that_of_a_scan, 200, limited_problem(draw)) {
  const Points points(distinct_rows(problem));
  const LeafModel model = model_of(problem);
  SplitFinder finder(points, model, 1, always());
  const PointNumbers some = some_points(points, draw);
  std::vector<std::int64_t> numbers(some.size());
  for (std::int64_t& number : numbers) number = draw.choose<std::int64_t>({-7, -2, -1, 1, 2, 5});
  const std::int64_t all = std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
  std::int64_t least = std::min<std::int64_t>(0, all), found_least = least;
  for (const Split& split : all_splits(points)) {
    std::int64_t of_true = 0;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (holds(points, split, some[i])) of_true += numbers[i];
    least = std::min({least, of_true, all - of_true});
  }
  if (const auto found = finder.least_sum(some, numbers)) {
    CHECK_EQUAL(found->of_true + found->of_false, all);
    std::int64_t of_true = 0;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (holds(points, found->split, some[i])) of_true += numbers[i];
    CHECK_EQUAL(found->of_true, of_true);
    found_least = std::min({found_least, found->of_true, found->of_false});
  }
  CHECK_EQUAL(found_least, least);
}

PROBLEM_TEST(a_working_tree_stores_what_counting_finds_after_any_replacement, 300, limited_problem(draw)) {
  Grown grown(problem, draw, 4);
  const std::uint64_t rows_per_leaf = problem.limits.rows_per_leaf;
  check_tree(grown.tree, grown.points, grown.model, rows_per_leaf);
  for (int i = 0; i < 4; ++i) {
    const auto nodes = grown.tree.nodes_below(WorkingTree::kRoot);
    const auto node = nodes[draw.below(static_cast<std::uint32_t>(nodes.size()))];
    grown.tree.replace(node, random_preorder(all_splits(grown.points), 3, draw));
    check_tree(grown.tree, grown.points, grown.model, rows_per_leaf);
    const tree::ResultTree result = grown.tree.result(problem.leaf_cost);
    CHECK_EQUAL(score_within({{}, {}, rows_per_leaf}, result, problem.columns(), problem.losses(), problem.leaf_cost),
                result.cost);
  }
  WorkingTree copy(grown.points, grown.model, rows_per_leaf);
  copy.replace(WorkingTree::kRoot, grown.tree.preorder(WorkingTree::kRoot));
  CHECK(same_nodes(copy.result(0), grown.tree.result(0)));
}

PROBLEM_TEST(pruning_finds_the_best_of_all_prunings, 300, limited_problem(draw)) {
  Grown grown(problem, draw, 4);
  const std::vector<Pruned> all = all_prunings(grown.tree, WorkingTree::kRoot);
  const std::uint32_t most = draw.size_between(1, 9);
  const std::vector<Ticks> losses = grown.tree.pruned_losses(most);
  for (std::uint32_t n = 1; n <= losses.size(); ++n) {
    Ticks least = kInfinity;
    for (const Pruned& each : all)
      if (each.leaves == n) least = std::min(least, each.loss);
    CHECK_EQUAL(losses[n - 1], least);
  }
  CHECK_EQUAL(losses.size(), std::size_t{std::min(most, grown.tree.root().n_leaves)});
  Ticks least = kInfinity;
  for (const Pruned& each : all)
    if (each.leaves <= most) least = std::min(least, each.loss + problem.leaf_cost * each.leaves);
  grown.tree.prune(problem.leaf_cost, most);
  CHECK_EQUAL(grown.tree.cost(problem.leaf_cost), least);
  CHECK(grown.tree.root().n_leaves <= most);
  check_tree(grown.tree, grown.points, grown.model, problem.limits.rows_per_leaf);
}

PROBLEM_TEST(improving_splits_never_raises_the_cost, 300, limited_problem(draw)) {
  Grown grown(problem, draw, 4);
  SplitFinder finder(grown.points, grown.model, problem.limits.rows_per_leaf, always());
  const Ticks before = grown.tree.cost(problem.leaf_cost);
  const std::uint32_t leaves = grown.tree.root().n_leaves;
  SplitImprovement(finder, always()).improve(grown.tree, problem.leaf_cost, draw.size_between(0, 4));
  CHECK(grown.tree.cost(problem.leaf_cost) <= before);
  CHECK(grown.tree.root().n_leaves <= leaves);
  check_tree(grown.tree, grown.points, grown.model, problem.limits.rows_per_leaf);
}

PROBLEM_TEST(no_other_split_of_an_improved_stump_is_better_with_its_predictions, 300,
             random_problem(draw, {2, 60, 1, 9})) {
  Grown grown(problem, draw, 1);
  SplitFinder finder(grown.points, grown.model, 1, always());
  SplitImprovement(finder, always()).improve(grown.tree, 0, 1000);
  const WorkingTree& tree = grown.tree;
  if (tree.root().is_leaf()) return;
  const std::uint32_t of_true = tree.node(tree.root().child[1]).prediction,
                      of_false = tree.node(tree.root().child[0]).prediction;
  for (const Split& split : all_splits(grown.points)) {
    const PointNumbers all = all_points(grown.points);
    const Side on_true = side_of(grown.points, all, split, true), on_false = side_of(grown.points, all, split, false);
    CHECK(tree.root().loss <=
          grown.model.loss_of(on_true.weight.data(), of_true) + grown.model.loss_of(on_false.weight.data(), of_false));
    CHECK(tree.root().loss <=
          grown.model.loss_of(on_true.weight.data(), of_false) + grown.model.loss_of(on_false.weight.data(), of_true));
  }
}

PROBLEM_TEST(grown_subtrees_cost_what_growth_reports_and_no_more_than_a_leaf, 300, limited_problem(draw)) {
  const LeafModel model = model_of(problem);
  const Points points(distinct_rows(problem));
  SplitFinder finder(points, model, problem.limits.rows_per_leaf, always());
  const std::uint32_t depth = draw.below(5);
  WorkingTree tree(points, model, problem.limits.rows_per_leaf);
  const Ticks of_leaf = tree.cost(problem.leaf_cost);
  const LookaheadGrowth::Grown grown =
      LookaheadGrowth(points, finder, always())
          .grow(tree.points(WorkingTree::kRoot), depth, problem.leaf_cost, draw.below(6), kCriteria[draw.below(3)]);
  tree.replace(WorkingTree::kRoot, grown.preorder);
  CHECK_EQUAL(tree.cost(problem.leaf_cost), grown.cost);
  CHECK(grown.cost <= of_leaf);
  for (const auto node : tree.nodes_below(WorkingTree::kRoot)) CHECK(tree.node(node).depth <= depth);
  const std::uint32_t most_leaves = draw.size_between(1, 8);
  WorkingTree other(points, model, problem.limits.rows_per_leaf);
  grow_best_first(other, finder, kCriteria[draw.below(3)], problem.leaf_cost, depth, most_leaves, always());
  CHECK(other.root().n_leaves <= most_leaves);
  for (const auto node : other.nodes_below(WorkingTree::kRoot)) CHECK(other.node(node).depth <= depth);
  check_tree(other, points, model, problem.limits.rows_per_leaf);
}

PROBLEM_TEST(each_column_is_the_condition_of_one_variable, 300, random_problem(draw, {1, 60, 0, 12})) {
  const DistinctRows rows = distinct_rows(problem);
  const Points points(rows);
  std::uint32_t next_column = 0, point = 0;
  for (const Split& split : all_splits(points)) {
    CHECK_EQUAL(points.column_of(split), next_column);
    point = 0;
    for (std::uint32_t row = 0; row < rows.n_rows; ++row)
      for (std::uint32_t t = 0; t < rows.n_targets; ++t)
        if (rows.weight(row)[t] > 0) CHECK_EQUAL(holds(points, split, point++), rows.test(next_column, row));
    CHECK_EQUAL(point, points.size());
    ++next_column;
  }
  CHECK_EQUAL(next_column, problem.n_columns);
  CHECK_EQUAL(std::accumulate(points.row_count.begin(), points.row_count.end(), 0u), problem.n_rows());
}

TEST(thresholds_and_categories_become_one_variable_each) {
  TestProblem problem;
  problem.n_columns = 8;
  problem.n_classes = problem.n_predictions = 2;
  problem.costs = {0, 1, 1, 0};
  for (std::uint32_t row = 0; row < 24; ++row) {
    const std::uint32_t number = row % 4, category = row / 4 % 3;
    problem.rows.push_back(
        {number < 1, number < 2, number < 3, category == 0, category == 1, category == 2, row % 2 == 0, row % 3 == 0});
    problem.classes.push_back(static_cast<std::int32_t>(row % 2));
    problem.weights.push_back(1);
  }
  problem.pack();
  const Points points(distinct_rows(problem));
  std::vector<std::uint32_t> n_conditions;
  std::vector<bool> is_nominal;
  for (const Variable& variable : points.variables) {
    n_conditions.push_back(variable.n_conditions());
    is_nominal.push_back(variable.is_nominal());
  }
  CHECK(n_conditions == (std::vector<std::uint32_t>{3, 3, 1, 1}));
  CHECK(is_nominal == (std::vector<bool>{false, true, false, false}));
}

}  // namespace hornbeam::testing::primal_test
