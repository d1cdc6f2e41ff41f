// companion_test.cpp: exact searches that get trees of the primal heuristics, against brute force and themselves alone.
#include "primal/companion.hpp"

#include "ordered/shared_root.hpp"
#include "search/and_or_search.hpp"
#include "search/read_tree.hpp"
#include "search/record_tree.hpp"
#include "search/search.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/primal.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::companion_test {

using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::primal;
using namespace hornbeam::run;

namespace {

constexpr Share kAtOnce{0, 1, 1};

/// What a search with a companion found, and what the companion did.
struct Found {
  Outcome outcome;
  std::uint64_t n_found, bytes;
};

Found search_with_companion(const TestProblem& problem, const SearchLimits& limits, const Bounds& bounds,
                            const OnPoll& on_poll) {
  const DistinctRows rows = distinct_rows(problem);
  const LeafModel model(problem.n_classes, problem.n_predictions, problem.costs, bounds.equivalent_points,
                        problem.limits.rows_per_leaf > 1);
  Run run(limits, on_poll);
  Companion companion([&] { return Points(rows); }, PrimalSearch::most_bytes(problem.n_rows(), rows.n_columns), model,
                      problem.leaf_cost, problem.limits, run, kAtOnce);
  Outcome outcome = search::search({rows, model, problem.leaf_cost, problem.limits, bounds}, run, &companion);
  return {std::move(outcome), companion.n_found(), companion.bytes()};
}

Found search_with_companion(const OrderedTestProblem& problem, const TestProblem& plain, const SearchLimits& limits,
                            bool closes_thresholds, const OnPoll& on_poll) {
  const OrderedColumns columns = problem.columns();
  const LeafModel model = model_of(plain);
  Run run(limits, on_poll);
  Companion companion([&] { return Points(columns, plain.targets()); },
                      PrimalSearch::most_bytes(columns.n_rows, columns.n_variables()), model, problem.costs.leaf,
                      plain.limits, run, kAtOnce);
  const sorted::RowGains rows = problem.rows();
  Outcome outcome =
      ordered::search_ordered({columns, rows, problem.costs, problem.size, closes_thresholds, 1}, run, &companion);
  return {std::move(outcome), companion.n_found(), companion.bytes()};
}

/// Takes a search some polls, and brute force little.
TestProblem polling_problem(Random& draw) {
  TestProblem problem = hard_problem(draw, {100, 140, 12, 13});
  problem.leaf_cost = draw.between(1, 3);
  problem.limits = random_limits(draw);
  if (problem.limits.depth) problem.limits.depth = draw.size_between(4, 5);
  if (problem.limits.leaves) problem.limits.leaves = draw.size_between(5, 9);
  return problem;
}

Ticks optimum_without_companion(const TestProblem& problem) {
  PackedInput input = problem.input();
  input.bounds.primal = false;
  const Outcome outcome = solve(input, never);
  check_interval(problem, outcome, outcome.tree.cost);
  CHECK(outcome.status == Status::optimal);
  return outcome.tree.cost;
}

OrderedTestProblem hard_ordered(Random& draw) {
  OrderedTestProblem problem = random_ordered(draw, {60, 4, 8});
  problem.size.depth = draw.size_between(2, 4);
  return problem;
}

}  // namespace

PROBLEM_TEST(a_search_that_starts_from_a_recorded_tree_finds_the_optimum, 300, larger_problem(draw)) {
  const DistinctRows rows = distinct_rows(problem);
  const LeafModel model = model_of(problem);
  const rows::Problem whole{rows, model, problem.leaf_cost, problem.limits, {}};
  Run run;
  PrimalSearch heuristics(Points(rows), model, problem.leaf_cost, problem.limits, run, [] {});
  heuristics.work_up_to(draw.choose<std::uint64_t>({0, 20'000, 100'000}));
  table::SubproblemTable entries(false, std::nullopt);
  search::SharedState shared{entries, nullptr, run, 0, rows.bytes(), search::Claims(false), false, {}, {}};
  search::AndOrSearch thread(whole, shared, kernels::kernels(), 0, [] {});
  search::Frame root;
  thread.open_root(root);
  search::record_tree(whole, shared.table, root.limits, heuristics.tree());
  const Ticks recorded = shared.table.find(root.key).value_or(table::Interval{}).tree.cost;
  CHECK(recorded <= heuristics.cost());
  const Ticks optimum = Oracle(problem).best();
  const Ticks read = cost_of_tree(problem, search::read_tree(whole, shared, root.limits));
  CHECK(optimum <= read && read <= recorded);
  thread.solve(root, kInfinity);
  const table::Interval solved = shared.table.find(root.key).value_or(table::Interval{});
  CHECK_EQUAL(solved.lower, optimum);
  CHECK_EQUAL(solved.tree.cost, optimum);
  CHECK_EQUAL(cost_of_tree(problem, search::read_tree(whole, shared, root.limits)), optimum);
}

PROBLEM_TEST(the_search_with_a_companion_proves_the_same_optimum_with_any_bounds, 6, polling_problem(draw)) {
  const Ticks optimum = optimum_without_companion(problem);
  check_proven(problem, search_with_companion(problem, {}, {}, never).outcome, optimum);
  SearchLimits two_threads;
  two_threads.threads = 2;
  check_proven(problem, search_with_companion(problem, two_threads, {}, never).outcome, optimum);
  for (const BoundRow& row : kBounds) {
    if (row.flag == nullptr || (row.searches & kExact) == 0) continue;
    Bounds but_one;
    but_one.*row.flag = false;
    check_proven(problem, search_with_companion(problem, {}, but_one, never).outcome, optimum);
  }
}

PROBLEM_TEST(a_search_with_a_companion_that_is_stopped_leaves_a_valid_interval, 6, polling_problem(draw)) {
  const Ticks optimum = optimum_without_companion(problem);
  for (const int n_polls : {1, 3, 5, 8, 15}) {
    int n_seen = 0;
    const Found found = search_with_companion(problem, {}, {}, [&](const Progress& progress) {
      CHECK(progress.lower <= optimum && optimum <= progress.upper);
      return ++n_seen >= n_polls;
    });
    check_interval(problem, found.outcome, optimum);
    CHECK(found.outcome.status == Status::optimal || found.outcome.status == Status::interrupted);
  }
  SearchLimits limits;
  limits.gap = draw.choose({0.05, 0.2, 0.5});
  const Outcome outcome = search_with_companion(problem, limits, {}, never).outcome;
  check_interval(problem, outcome, optimum);
  const auto upper = static_cast<double>(outcome.tree.cost);
  CHECK(upper - static_cast<double>(outcome.lower) <= limits.gap * upper);
}

RANDOM_TEST(a_search_with_a_companion_finds_the_same_tree_again_and_counts_its_memory, 2) {
  TestProblem problem = hard_problem(draw, {200, 200, 16, 16});
  problem.leaf_cost = 1;
  problem.limits.depth = 5;
  int n_seen = 0;
  const auto stop = [&](const Progress&) { return ++n_seen >= 40; };
  const Found found = search_with_companion(problem, {}, {}, stop);
  CHECK(found.bytes > 0);
  CHECK(found.outcome.bytes >= found.bytes + distinct_rows(problem).bytes());
  n_seen = 0;
  const Found again = search_with_companion(problem, {}, {}, stop);
  CHECK(same_nodes(found.outcome.tree, again.outcome.tree));
  CHECK_EQUAL(again.n_found, found.n_found);
  CHECK_EQUAL(found.outcome.counters.primal, found.n_found);
}

RANDOM_TEST(a_tree_becomes_a_preorder_of_the_ordered_search_and_back, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {60, 4, 12});
  const TestProblem plain = problem.plain();
  const OrderedColumns columns = problem.columns();
  const LeafModel model = model_of(plain);
  Run run;
  WorkMeter meter(run);
  sorted::SortedRows rows;
  const sorted::RowGains gains = problem.rows();
  CHECK(rows.sort(columns, gains, meter));
  PrimalSearch heuristics(Points(columns, plain.targets()), model, plain.leaf_cost, plain.limits, run, [] {});
  heuristics.work_up_to(50'000);
  const tree::ResultTree tree = heuristics.tree();
  const tree::ResultTree read =
      ordered::read_preorder_tree(rows, ordered::preorder_of(tree, columns), columns, problem.costs);
  CHECK_EQUAL(cost_of_tree(plain, read), tree.cost);
}

RANDOM_TEST(the_ordered_search_with_a_companion_finds_the_cost_of_brute_force, 200) {
  const OrderedTestProblem problem = hard_ordered(draw);
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  SearchLimits limits;
  for (const std::uint32_t threads : {1u, 2u}) {
    limits.threads = threads;
    check_proven(plain, search_with_companion(problem, plain, limits, draw.percent(70), never).outcome, optimum);
  }
}

RANDOM_TEST(a_stop_of_the_ordered_search_with_a_companion_leaves_a_valid_interval, 60) {
  const OrderedTestProblem problem = hard_ordered(draw);
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  for (int n_polls = 8; n_polls < 3000; n_polls = 2 * n_polls + static_cast<int>(draw.below(5))) {
    int n_seen = 0;
    const auto stop = [&](const Progress& progress) {
      CHECK(progress.lower <= optimum && optimum <= progress.upper);
      return ++n_seen >= n_polls;
    };
    check_interval(plain, search_with_companion(problem, plain, {}, true, stop).outcome, optimum);
  }
  SearchLimits limits;
  limits.gap = draw.choose({0.05, 0.2, 0.5});
  TestProblem leaf = plain;
  leaf.limits.depth = 0;
  const Ticks leaf_cost = Oracle(leaf).best(), least = std::min(leaf_cost, problem.costs.leaf);
  if (static_cast<double>(leaf_cost - least) <= limits.gap * static_cast<double>(leaf_cost)) return;  // at once
  const Outcome outcome = search_with_companion(problem, plain, limits, true, never).outcome;
  check_interval(plain, outcome, optimum);
  CHECK(static_cast<double>(outcome.tree.cost - outcome.lower) <= limits.gap * static_cast<double>(outcome.tree.cost));
}

TEST(the_ordered_search_adopts_trees_of_its_companion_and_counts_their_memory) {
  std::uint64_t n_found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random draw(seed);
    const OrderedTestProblem problem = hard_ordered(draw);
    const TestProblem plain = problem.plain();
    const Found found = search_with_companion(problem, plain, {}, true, never),
                again = search_with_companion(problem, plain, {}, true, never);
    CHECK(same_nodes(found.outcome.tree, again.outcome.tree));
    CHECK_EQUAL(again.n_found, found.n_found);
    CHECK_EQUAL(found.outcome.counters.primal, found.n_found);
    CHECK(found.outcome.bytes >= found.bytes);
    n_found += found.n_found;
  }
  CHECK(n_found > 0);
}

RANDOM_TEST(a_tree_that_is_adopted_is_the_best_one_at_once, 50) {
  const OrderedTestProblem problem = random_ordered(draw, {60, 4, 12});
  const TestProblem plain = problem.plain();
  const OrderedColumns columns = problem.columns();
  const LeafModel model = model_of(plain);
  Run run;
  PrimalSearch heuristics(Points(columns, plain.targets()), model, plain.leaf_cost, plain.limits, run, [] {});
  const Ticks leaf = heuristics.cost();
  ordered::OrderedTable table(std::nullopt);
  ordered::OrderedState state(run, table);
  const sorted::RowGains rows = problem.rows();
  const ordered::OrderedProblem whole{columns, rows, problem.costs, problem.size, true};
  ordered::SharedRoot root(whole, state, 1);
  CHECK_EQUAL(root.interval().upper, leaf);
  heuristics.work_up_to(50'000);
  root.adopt(heuristics.tree());
  CHECK_EQUAL(root.interval().upper, heuristics.cost());
  tree::ResultTree worse = heuristics.tree();
  ++worse.cost;
  root.adopt(worse);
  CHECK_EQUAL(root.interval().upper, heuristics.cost());
}

RANDOM_TEST(a_companion_does_not_start_where_its_memory_has_no_place, 30) {
  const TestProblem problem = hard_problem(draw, {30, 90, 6, 7});
  const DistinctRows rows = distinct_rows(problem);
  const LeafModel model = model_of(problem);
  const std::uint64_t most = PrimalSearch::most_bytes(problem.n_rows(), rows.n_columns);
  const auto bytes_with = [&](const std::optional<std::uint64_t>& limit, std::uint64_t used) {
    SearchLimits limits;
    limits.bytes = limit;
    Run run(limits);
    Companion companion([&] { return Points(rows); }, most, model, problem.leaf_cost, problem.limits, run, kAtOnce);
    companion.on_poll([] {});
    companion.improve(100'000, used);
    return companion.bytes();
  };
  const std::uint64_t bytes = bytes_with(std::nullopt, 1000);
  CHECK(Points(rows).bytes() <= bytes && bytes <= most);
  for (const std::uint64_t limit :
       {std::uint64_t{0}, std::uint64_t{1000}, 1000 + bytes / 2, 1000 + bytes - 1, 1000 + bytes, 1000 + most - 1})
    CHECK(1000 + bytes_with(limit, 1000) <= std::max<std::uint64_t>(limit, 1000));
  CHECK_EQUAL(bytes_with(1000 + most, 1000), bytes);
}

RANDOM_TEST(points_that_are_not_made_before_a_stop_leave_the_search_alone, 20) {
  const TestProblem problem = random_problem(draw, {2, 60, 1, 9});
  const DistinctRows rows = distinct_rows(problem);
  const LeafModel model = model_of(problem);
  Run run;
  Companion companion(
      [&] {
        run.stop(Status::time_limit);
        return Points(rows, false, &run);
      },
      0, model, problem.leaf_cost, problem.limits, run, kAtOnce);
  CHECK(!companion.improve(1, 0));
  CHECK_EQUAL(companion.n_found(), 0u);
  CHECK_EQUAL(companion.bytes(), 0u);
}

}  // namespace hornbeam::testing::companion_test
