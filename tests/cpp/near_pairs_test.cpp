// near_pairs_test.cpp: packings of pairs of rows on thresholds, of whole problems and in searches, against brute force.
#include "packing/near_pairs.hpp"

#include <algorithm>

#include "bounds/packing_slack.hpp"
#include "ordered/ordered_search.hpp"
#include "ordered/pair_bound.hpp"
#include "search/column_pairs.hpp"
#include "search/search.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/problem.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::near_pairs_test {

using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::ordered;
using namespace hornbeam::packing;
using namespace hornbeam::run;
using namespace hornbeam::sorted;

namespace {

constexpr std::uint64_t kAllWork = ~std::uint64_t{0};
constexpr Schedule kAtOnce{0, 1u << 30, 1u << 30};

/// Numbers and labels that have little to do with each other, so that many pairs can be packed.
OrderedTestProblem packable_problem(Random& draw) {
  OrderedTestProblem problem;
  const std::uint32_t n_rows = 20 + draw.below(20), n_variables = 1 + draw.below(2);
  problem.n_classes = 2 + draw.below(2);
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    problem.n_thresholds.push_back(8 + draw.below(12));
    for (std::uint32_t row = 0; row < n_rows; ++row) problem.bins.push_back(draw.below(problem.n_thresholds[v] + 1));
  }
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    problem.classes.push_back(static_cast<std::int32_t>(draw.below(problem.n_classes)));
    problem.weights.push_back(draw.percent(50) ? 1 : 1 + draw.below(4));
  }
  problem.costs.error_cost = 3;
  problem.costs.leaf = 3 + draw.below(12);
  problem.size = {ordered::kAnyDepth, ordered::kAnyLeaves};
  return problem;
}

Outcome search(const OrderedTestProblem& problem, bool packs_pairs, std::uint32_t n_threads = 1) {
  const OrderedColumns columns = problem.columns();
  const RowGains rows = problem.rows();
  SearchLimits limits;
  limits.threads = n_threads;
  Run run(limits);
  OrderedProblem core{columns, rows, problem.costs, problem.size, true, 1};
  core.packs_pairs = packs_pairs;
  core.pair_packing = kAtOnce;
  return search_ordered(core, run);
}

/// The problem of some of its rows.
OrderedTestProblem problem_of(const OrderedTestProblem& problem, const SortedRows& rows) {
  OrderedTestProblem part = problem;
  part.bins.clear();
  part.classes.clear();
  part.weights.clear();
  const OrderedColumns columns = problem.columns();
  for (std::uint32_t v = 0; v < columns.n_variables(); ++v)
    for (const std::uint32_t row : rows.original()) part.bins.push_back(columns.bins_of(v)[row]);
  for (const std::uint32_t row : rows.original()) {
    part.classes.push_back(problem.classes[row]);
    part.weights.push_back(problem.weights[row]);
  }
  return part;
}

}  // namespace

RANDOM_TEST(a_pair_gets_what_is_left_of_its_rows_and_of_the_thresholds_between_them, 300) {
  const std::uint32_t n_rows = 2 + draw.below(20), n_variables = 1 + draw.below(4);
  const Ticks penalty = 1 + draw.below(30);
  ThresholdPacker packer;
  packer.reset(n_rows, n_variables);
  std::vector<std::vector<Ticks>> left;  // of each threshold
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    const std::uint32_t n_thresholds = draw.below(200);
    for (std::uint32_t row = 0; row < n_rows; ++row) packer.bin(row, v) = draw.below(n_thresholds + 1);
    packer.add_thresholds(n_thresholds);
    left.emplace_back(n_thresholds, penalty);
  }
  packer.open(penalty);
  std::vector<Ticks> left_of_row;
  for (std::uint32_t row = 0; row < n_rows; ++row) packer.left(row) = left_of_row.emplace_back(draw.below(40));
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t a = draw.below(n_rows), b = (a + 1 + draw.below(n_rows - 1)) % n_rows;
    Ticks expected = std::min(left_of_row[a], left_of_row[b]);
    const auto for_each_between = [&](auto visit) {
      for (std::uint32_t v = 0; v < n_variables; ++v) {
        const auto [low, high] = std::minmax(packer.bin(a, v), packer.bin(b, v));
        for (std::uint32_t t = low; t < high; ++t) visit(left[v][t]);
      }
    };
    for_each_between([&](Ticks of_threshold) { expected = std::min(expected, of_threshold); });
    for_each_between([&](Ticks& of_threshold) { of_threshold -= expected; });
    left_of_row[a] -= expected;
    left_of_row[b] -= expected;
    CHECK_EQUAL(packer.pack(a, b), expected);
    CHECK_EQUAL(packer.left(a), left_of_row[a]);
  }
  for (std::uint32_t v = 0; v < n_variables; ++v)
    for (std::size_t t = 0; t < left[v].size(); ++t) CHECK_EQUAL(packer.capacity(packer.first(v) + t), left[v][t]);
}

RANDOM_TEST(packed_pairs_never_promise_more_than_the_best_tree_costs, 400) {
  OrderedTestProblem problem = random_ordered(draw, {40, 3, 8});
  problem.costs.leaf = std::max<Ticks>(problem.costs.leaf, 1);
  problem.costs.rows_per_leaf = 1;
  problem.size = {ordered::kAnyDepth, ordered::kAnyLeaves};
  const OrderedColumns columns = problem.columns();
  const RowGains gains = problem.rows();
  const OrderedProblem core{columns, gains, problem.costs, problem.size, true};
  SortedRows rows, side;
  CHECK(rows.sort(columns, gains, always()));
  NearPairs pairs = pairs_of(core, rows, always());
  pairs.work_up_to(kAllWork);
  const Ticks optimum = search(problem, false).tree.cost;
  CHECK(pairs.bound() <= optimum);
  if (pairs.order() == nullptr) return;
  // The order packs on all rows what it has packed before, and on a side no more than the best tree there costs.
  PairBound bound(core);
  CHECK_EQUAL(bound.of(rows, *pairs.order()), pairs.bound());
  std::vector<Threshold> thresholds;
  rows.list_thresholds(0, thresholds);
  if (thresholds.empty()) return;
  const std::uint32_t index = draw.below(static_cast<std::uint32_t>(thresholds.size()));
  const Ticks with_threshold = bounds::bound_with_column(pairs.bound(), bound.unused(0, index));
  std::vector<std::uint32_t> number;
  Ticks cost = 0;
  for (const bool is_true : {false, true}) {
    CHECK(rows.make_child(0, thresholds[index].n_rows, is_true, side, number, always()));
    const Ticks of_side = search(problem_of(problem, side), false).tree.cost;
    CHECK(bound.of(side, *pairs.order()) <= of_side);
    cost += of_side;
  }
  // A tree with the threshold as its root costs as much as its sides.
  CHECK(with_threshold <= cost);
}

TEST(a_search_over_thresholds_that_packs_pairs_proves_the_same_with_fewer_subproblems) {
  std::uint64_t n_subproblems[2] = {0, 0}, n_closed = 0, n_by_slack = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random draw(seed);
    const OrderedTestProblem problem = packable_problem(draw);
    const Outcome without = search(problem, false), with = search(problem, true), by_two = search(problem, true, 2);
    for (const Outcome* outcome : {&without, &with, &by_two}) {
      CHECK(outcome->status == Status::optimal);
      CHECK_EQUAL(outcome->tree.cost, without.tree.cost);
      CHECK_EQUAL(outcome->lower, without.tree.cost);
    }
    n_subproblems[0] += without.n_subproblems;
    n_subproblems[1] += with.n_subproblems;
    n_closed += with.counters.packing;
    n_by_slack += with.counters.packing_slack;
    CHECK_EQUAL(without.counters.packing, 0u);
  }
  CHECK(n_closed > 0);
  CHECK(n_by_slack > 0);
  CHECK(2 * n_subproblems[1] < n_subproblems[0]);
}

RANDOM_TEST(a_search_that_raises_its_bound_in_steps_finds_the_optimum_within_any_limits, 100) {
  OrderedTestProblem problem = packable_problem(draw);
  problem.costs.leaf = 2 + draw.below(8);
  problem.costs.rows_per_leaf = draw.percent(50) ? 1 : 1 + draw.below(4);
  if (draw.percent(50)) problem.size.depth = 3 + draw.below(4);
  if (draw.percent(50)) problem.size.leaves = 4 + draw.below(8);
  const Outcome without = search(problem, false), with = search(problem, true, 1 + draw.below(2));
  CHECK(with.status == Status::optimal);
  CHECK_EQUAL(with.tree.cost, without.tree.cost);
  CHECK_EQUAL(with.lower, without.tree.cost);
}

TEST(a_search_over_binary_columns_that_packs_pairs_proves_the_same_with_fewer_subproblems) {
  std::uint64_t n_subproblems[2] = {0, 0};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random draw(seed);
    const TestProblem problem = packable_problem(draw).plain();
    const LeafModel model(problem.n_classes, problem.n_predictions, problem.costs, true, false);
    Ticks found[2];
    for (const bool is_on : {false, true}) {
      Run run;
      const DistinctRows data(problem.columns(), problem.targets(), run);
      rows::Problem core{data, model, problem.leaf_cost, {}, {}};
      core.pair_packing = is_on ? kAtOnce : Schedule{kAllWork};
      const Outcome outcome = search::search(core, run, nullptr);
      CHECK(outcome.status == Status::optimal);
      CHECK_EQUAL(outcome.lower, outcome.tree.cost);
      n_subproblems[is_on] += outcome.n_subproblems;
      found[is_on] = outcome.tree.cost;
    }
    CHECK_EQUAL(found[0], found[1]);
  }
  CHECK(n_subproblems[1] < n_subproblems[0]);
}

PROBLEM_TEST(a_search_over_binary_columns_that_packs_pairs_finds_the_optimum, 500, hard_problem(draw, {2, 90, 1, 6})) {
  const LeafModel model(problem.n_classes, problem.n_predictions, problem.costs, true, false);
  Run run;
  const DistinctRows data(problem.columns(), problem.targets(), run);
  rows::Problem core{data, model, problem.leaf_cost, {}, {}};
  core.pair_packing = kAtOnce;
  const Outcome outcome = search::search(core, run, nullptr);
  CHECK_EQUAL(outcome.tree.cost, Oracle(problem).best());
  CHECK_EQUAL(outcome.lower, outcome.tree.cost);
}

PROBLEM_TEST(pairs_of_binary_columns_never_promise_more_than_the_best_tree_costs, 500,
             random_problem(draw, {2, 40, 1, 6})) {
  const LeafModel model(problem.n_classes, problem.n_predictions, problem.costs, true, false);
  Run run;
  const DistinctRows data(problem.columns(), problem.targets(), run);
  const rows::Problem core{data, model, std::max<Ticks>(problem.leaf_cost, 1), {}, {}};
  if (!search::can_pack_pairs(core)) return;
  NearPairs pairs = search::pairs_of(core, always());
  pairs.work_up_to(kAllWork);
  TestProblem any_size = problem;
  any_size.leaf_cost = core.leaf_cost;
  CHECK(pairs.bound() <= Oracle(any_size).best());
}

}  // namespace hornbeam::testing::near_pairs_test
