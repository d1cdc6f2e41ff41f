// packing_test.cpp: search/packing against brute force.
#include "search/packing.hpp"

#include <algorithm>

#include "bounds/packing.hpp"
#include "search/search.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing::packing_test {

using namespace hornbeam::bounds;
using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::rows;
using namespace hornbeam::run;
using namespace hornbeam::search;

namespace {

/// Two classes, and one cost for every error.
TestProblem two_class_problem(Random& draw) {
  TestProblem problem = draw.percent(50) ? hard_problem(draw, {2, 90, 1, 6}) : random_problem(draw, {2, 40, 1, 6});
  for (std::int32_t& each : problem.classes) each %= 2;
  problem.n_classes = problem.n_predictions = 2;
  const Ticks error_cost = draw.choose<Ticks>({1, 2, 3});
  problem.costs = {0, error_cost, error_cost, 0};
  for (std::int64_t& weight : problem.weights) weight = 1 + weight % 7;
  problem.leaf_cost = draw.choose<Ticks>({1, 2, 3, 5, 8, 20});
  return problem;
}

/// Any number of classes and any costs.
TestProblem any_problem(Random& draw) {
  TestProblem problem = draw.percent(50) ? hard_problem(draw, {2, 90, 1, 6}) : random_problem(draw, {2, 40, 1, 6});
  problem.leaf_cost = std::max<Ticks>(problem.leaf_cost, 1);
  return problem;
}

struct Packed {
  const TestProblem& problem;
  LeafModel costs{problem.n_classes, problem.n_predictions, problem.costs, true, false};
  Run stop;
  DistinctRows data{problem.columns(), problem.targets(), stop};
  Bounds bounds;
  BlockPacking block_packing;
  Problem core{data, costs, problem.leaf_cost, {}, bounds, block_packing};
  RowSetMaker maker{data, costs, kernels::kernels(), problem.leaf_cost, 1, core.threshold()};
  PairPacker packer{core, kernels::kernels()};
  RowSet root;

  explicit Packed(const TestProblem& given, BlockPacking blocks = {}) : problem(given), block_packing(blocks) {
    maker.make_root(root, stop);
    if (root.n_columns > 0) maker.make_slot_rows(root);
  }
};

}  // namespace

PROBLEM_TEST(a_packing_never_promises_more_than_the_best_tree_costs, 3000, two_class_problem(draw)) {
  Packed packed(problem);
  CHECK(packed.packer.is_usable());
  const Ticks all = packed.packer.pack(packed.root, 0, kInfinity);
  const Ticks least_loss = testing::least_loss(problem, all_rows(problem));
  CHECK(packing_bound(problem.leaf_cost, least_loss, all) <= Oracle(problem).best());
}

PROBLEM_TEST(a_packing_for_any_costs_never_promises_more_than_the_best_tree_costs, 1000, any_problem(draw)) {
  if (!Packed(problem).packer.is_usable()) return;
  const Ticks optimum = Oracle(problem).best(), least_loss = testing::least_loss(problem, all_rows(problem));
  for (const std::uint64_t most_words : {std::uint64_t{20}, BlockPacking{}.most_words}) {
    Packed packed(problem, {most_words, 0});
    const Ticks all = packed.packer.pack(packed.root, 0, kInfinity);
    CHECK(packing_bound(problem.leaf_cost, least_loss, all) <= optimum);
  }
}

PROBLEM_TEST(a_packing_within_blocks_never_promises_more_than_the_best_tree_costs, 2000, two_class_problem(draw)) {
  const Ticks optimum = Oracle(problem).best(), least_loss = testing::least_loss(problem, all_rows(problem));
  for (const std::uint64_t most_words : {0, 1, 5, 20, 100}) {
    Packed packed(problem, {most_words, 0});
    const Ticks all = packed.packer.pack(packed.root, 0, kInfinity);
    CHECK(packing_bound(problem.leaf_cost, least_loss, all) <= optimum);
  }
}

/// Thresholds of two numbers, and labels that have nothing to do with them.
TestProblem packable_problem(Random& draw) {
  TestProblem problem;
  problem.n_columns = 40;
  problem.n_classes = problem.n_predictions = 2;
  for (int row = 0; row < 60; ++row) {
    const std::uint32_t numbers[2] = {draw.below(21), draw.below(21)};
    problem.rows.emplace_back();
    for (std::uint32_t column = 0; column < 40; ++column)
      problem.rows.back().push_back(numbers[column / 20] <= column % 20);
    problem.classes.push_back(static_cast<std::int32_t>(draw.below(2)));
  }
  problem.weights.assign(60, 1);
  problem.costs = {0, 2, 2, 0};
  problem.leaf_cost = 4;
  problem.pack();
  return problem;
}

/// Searches such problems with a switch of the bounds off and on: the cost stays, and there are fewer subproblems.
template <class Change>
void check_that_it_saves(bool Bounds::* is_on, std::uint64_t Counters::* counter, BlockPacking when, Change change) {
  std::uint64_t n_closed[2] = {0, 0}, n_subproblems[2] = {0, 0};
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    Random draw(seed);
    TestProblem problem = packable_problem(draw);
    change(problem, draw);
    const LeafModel model(problem.n_classes, problem.n_predictions, problem.costs, true, false);
    Ticks found[2];
    for (const bool on : {false, true}) {
      Run run;
      const DistinctRows data(problem.columns(), problem.targets(), run);
      Bounds bounds;
      bounds.similarity = false;  // it closes what is to be packed here
      bounds.*is_on = on;
      const Outcome outcome = search::search({data, model, problem.leaf_cost, {}, bounds, when}, run, nullptr);
      CHECK(outcome.status == Status::optimal);
      n_closed[on] += outcome.counters.*counter;
      n_subproblems[on] += outcome.n_subproblems;
      found[on] = outcome.tree.cost;
    }
    CHECK_EQUAL(found[0], found[1]);
  }
  CHECK_EQUAL(n_closed[0], 0u);
  CHECK(n_closed[1] > 0);
  CHECK(n_subproblems[1] < n_subproblems[0]);
}

TEST(a_search_that_packs_within_blocks_proves_the_same_with_fewer_subproblems) {
  check_that_it_saves(&Bounds::packing_blocks, &Counters::packing_blocks, {200, 0}, [](TestProblem&, Random&) {});
}

TEST(a_search_needs_fewer_subproblems_with_what_packings_leave_of_columns) {
  check_that_it_saves(&Bounds::packing_slack, &Counters::packing_slack, {}, [](TestProblem&, Random&) {});
}

TEST(a_search_with_other_costs_or_three_classes_needs_fewer_subproblems_with_the_bound) {
  const std::vector<std::vector<Ticks>> all_costs = {{0, 2, 3, 0}, {0, 2, 2, 2, 0, 2, 2, 2, 0}};
  for (const std::vector<Ticks>& costs : all_costs)
    check_that_it_saves(&Bounds::packing, &Counters::packing, {}, [&](TestProblem& problem, Random& draw) {
      problem.costs = costs;
      problem.n_classes = problem.n_predictions = costs.size() == 4 ? 2 : 3;
      for (std::int32_t& each : problem.classes) each = static_cast<std::int32_t>(draw.below(problem.n_classes));
      problem.pack();
    });
}

PROBLEM_TEST(a_packing_stops_at_enough_and_may_give_up_only_below_what_is_needed, 2000, two_class_problem(draw)) {
  Packed packed(problem);
  const Ticks all = packed.packer.pack(packed.root, 0, kInfinity);
  for (const Ticks needed : {all, all + 1, 2 * all + 1}) {
    const Ticks found = packed.packer.pack(packed.root, needed, kInfinity);
    CHECK(found <= all);
    CHECK(needed > all || found == all);
  }
  const Ticks half = (all + 1) / 2, found = packed.packer.pack(packed.root, half, half);
  CHECK(found >= half);
  CHECK(found <= all);
}

TEST(two_rows_that_many_columns_tell_apart_are_packed_whole) {
  TestProblem problem;
  problem.n_classes = problem.n_predictions = 2;
  problem.n_columns = 2;
  problem.rows = {{false, false}, {true, false}, {false, true}, {true, true}};
  problem.classes = {0, 1, 1, 0};
  problem.weights = {5, 5, 5, 5};
  problem.costs = {0, 1, 1, 0};
  problem.leaf_cost = 2;
  problem.pack();
  Packed packed(problem);
  // Each pair of neighbors is separated by one column, which is worth one leaf.
  CHECK_EQUAL(packed.packer.pack(packed.root, 0, kInfinity), 4);
}

}  // namespace hornbeam::testing::packing_test
