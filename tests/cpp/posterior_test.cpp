// posterior_test.cpp: posterior/ and its bounds against brute force over all trees, in the same ticks: exactly.
#include "api/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "bounds/nontrivial_splits.hpp"
#include "bounds/second_split.hpp"
#include "posterior/closest_rows.hpp"
#include "posterior/row_pairs.hpp"
#include "posterior/split_scanner.hpp"
#include "support/check.hpp"
#include "support/problem.hpp"
#include "verify/score_posterior.hpp"

namespace hornbeam::testing::posterior_test {

using namespace hornbeam::api;
using namespace hornbeam::bounds;
using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::posterior;
using namespace hornbeam::rows;
using namespace hornbeam::run;
using namespace hornbeam::verify;

namespace {

using Rows = std::vector<std::uint32_t>;

TestProblem small_problem(Random& draw) { return random_problem(draw, {1, 24, 1, 5}); }

/// A class that three columns decide without errors: many rows have a near one of the other class.
TestProblem separable_problem(Random& draw) {
  TestProblem problem = random_problem(draw, {16, 40, 3, 6});
  problem.n_classes = 2;
  const bool is_nested = draw.percent(50);
  const std::uint32_t of_first = draw.size_between(10, 90);
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    std::vector<bool>& bits = problem.rows[row];
    for (std::uint32_t c = 0; c < problem.n_columns; ++c) bits[c] = draw.percent(c == 0 ? of_first : 50);
    problem.classes[row] = bits[0] ? bits[1] && bits[2] : is_nested && bits[1];
  }
  problem.pack();
  return problem;
}

/// Where the first column holds, three or four pairs of rows, the number of the pair in the last two columns, and a
/// column for each pair that separates it; where it fails, all rows have one class.
TestProblem problem_of_pairs(Random& draw) {
  TestProblem problem;
  const std::uint32_t n_pairs = draw.size_between(3, 4);
  problem.n_columns = n_pairs + 3;
  problem.n_classes = problem.n_predictions = 2;
  for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
    for (const bool differs : {false, true}) {
      std::vector<bool> row(problem.n_columns);
      row[0] = true;
      row[pair + 1] = differs;
      row[n_pairs + 1] = pair % 2 == 1;
      row[n_pairs + 2] = pair / 2 == 1;
      problem.rows.push_back(row);
      problem.classes.push_back(differs ? 1 : 0);
    }
  }
  for (std::uint32_t i = draw.size_between(1, 4); i > 0; --i) {
    problem.rows.emplace_back(problem.n_columns);
    problem.classes.push_back(0);
  }
  problem.weights.assign(problem.rows.size(), 3);  // of which the data make one row each
  problem.costs = {0, 1, 1, 0};
  problem.pack();
  return problem;
}

/// The rows of a problem, each up to three times, and a prior.
struct Data {
  const TestProblem& problem;
  const std::uint32_t n_columns = problem.n_columns, n_rows = problem.n_rows(), n_classes = problem.n_classes;
  const std::vector<std::int32_t>& classes = problem.classes;
  std::vector<std::int64_t> weights;
  std::vector<double> rho;
  double alpha, beta;
  std::optional<std::uint32_t> max_depth;

  Data(const TestProblem& given, Random& draw)
      : problem(given), alpha(draw.choose({0.2, 0.5, 0.95, 0.999})), beta(draw.choose({0.0, 0.5, 2.0})) {
    for (const std::int64_t weight : problem.weights) weights.push_back(1 + weight % 3);
    for (std::uint32_t k = 0; k < n_classes; ++k) rho.push_back(draw.choose({0.1, 1.0, 2.5, 6.0}));
    if (draw.percent(30)) max_depth = draw.below(4);
  }

  PackedColumns columns() const { return problem.columns(); }
  PosteriorModel model() const { return {alpha, beta, rho, 30}; }
  DistinctRows distinct() const {
    Run never;
    return {columns(), {classes, weights, n_classes}, never};
  }
};

PosteriorCosts costs_of(const Data& data, const DistinctRows& rows) {
  Run never;
  std::vector<std::int64_t> totals(data.n_classes, 0);
  std::int64_t largest = 0;
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
    std::int64_t sum = 0;
    for (std::uint32_t k = 0; k < data.n_classes; ++k) {
      totals[k] += rows.weight(row)[k];
      sum += rows.weight(row)[k];
    }
    largest = std::max(largest, sum);
  }
  return {data.model(), {totals, data.n_columns, largest, least_distance(rows, never)}, data.max_depth};
}

/// The best of all trees, by their definition.
class BruteForce {
 public:
  BruteForce(const DistinctRows& data, PosteriorCosts& costs) : data_(data), costs_(costs) {}

  Ticks best(const Rows& rows, std::uint32_t depth) {
    const auto [at, is_new] = known_.try_emplace({rows, depth}, 0);
    if (!is_new) return at->second;
    std::vector<Ticks> counts(data_.n_targets, 0);
    for (const std::uint32_t row : rows)
      for (std::uint32_t k = 0; k < data_.n_targets; ++k) counts[k] += data_.weight(row)[k];
    std::uint32_t n_splits = 0;
    Ticks below = kInfinity;
    for (std::uint32_t c = 0; c < data_.n_columns; ++c) {
      const Rows true_side = side(rows, c, true), false_side = side(rows, c, false);
      if (true_side.empty() || false_side.empty()) continue;
      ++n_splits;
      if (depth < costs_.max_depth()) below = std::min(below, best(true_side, depth + 1) + best(false_side, depth + 1));
    }
    Ticks cost = costs_.likelihood(counts.data()) + (n_splits > 0 ? costs_.at(depth).leaf : 0);
    if (below < kInfinity) cost = std::min(cost, costs_.at(depth).split + costs_.log_of(n_splits) + below);
    return known_[{rows, depth}] = cost;
  }

  Rows side(const Rows& rows, std::uint32_t column, bool holds) const {
    Rows side;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(side),
                 [&](std::uint32_t row) { return data_.test(column, row) == holds; });
    return side;
  }

 private:
  const DistinctRows& data_;
  PosteriorCosts& costs_;
  std::map<std::pair<Rows, std::uint32_t>, Ticks> known_;
};

Rows numbers_of(const DistinctRows& rows) {
  Rows all(rows.n_rows);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

Outcome solve(const Data& data, const PosteriorLimits& limits, bool separated_pairs = true) {
  Bounds bounds;
  bounds.separated_pairs = separated_pairs;
  return solve_posterior(data.columns(), {data.classes, data.weights, data.model(), limits, bounds},
                         [](const Progress&) { return false; });
}

void check_search(const Data& data, bool separated_pairs) {
  const DistinctRows rows = data.distinct();
  PosteriorCosts costs = costs_of(data, rows);
  const Outcome outcome =
      solve(data, {data.max_depth, std::nullopt, std::nullopt, std::nullopt, nullptr}, separated_pairs);
  CHECK(outcome.status == Status::optimal);
  CHECK_EQUAL(outcome.lower, outcome.tree.cost);
  CHECK_EQUAL(outcome.tree.cost, BruteForce(rows, costs).best(numbers_of(rows), 0));
}

/// Walks down a random path; at each node both kinds of scans bound the best trees of both sides of every column.
void check_scans(const Data& data, Random& draw) {
  const DistinctRows rows = data.distinct();
  PosteriorCosts costs = costs_of(data, rows);
  BruteForce oracle(rows, costs);
  std::vector<Ticks> cost(std::size_t{data.n_classes} * data.n_classes, 1);
  for (std::uint32_t k = 0; k < data.n_classes; ++k) cost[std::size_t{k} * (data.n_classes + 1)] = 0;
  const LeafModel counting(data.n_classes, data.n_classes, cost, false, false);
  RowSetMaker maker(rows, counting, kernels::kernels(), 0, 1, 1);
  Run never;
  RowPairs pairs(rows, costs, never);
  Counters counters;
  SplitScanner scanner(costs, maker, pairs, counters);
  std::vector<Word> left = pairs.all();
  std::array<RowSet, 2> sets;
  maker.make_root(sets[0], never);
  Rows here = numbers_of(rows);
  for (std::uint32_t depth = 0; sets[depth % 2].n_columns > 0 && depth < costs.max_depth(); ++depth) {
    RowSet& set = sets[depth % 2];
    std::vector<Ticks> once;
    scanner.scan_columns(set, left, depth, once);
    for (std::uint32_t c = 0; c < set.n_columns; ++c) {
      SideBounds sides[2];
      scanner.scan_pairs(set, left, c, depth, sides);
      Ticks both = 0;
      for (int x = 0; x < 2; ++x) {
        const Ticks best = oracle.best(oracle.side(here, set.columns[c], x == 1), depth + 1);
        CHECK(sides[x].lower <= best);
        CHECK(best <= sides[x].upper);
        both += best;
      }
      CHECK(once[c] <= both);
    }
    const std::uint32_t next = draw.below(std::max(set.n_columns, 1U));
    const bool side = draw.percent(50);
    pairs.keep_side(set.columns[next], side, left);
    maker.make_slot_rows(set);
    here = oracle.side(here, set.columns[next], side);
    maker.make_child(set, next, side, maker.support_of(set, next, side), sets[(depth + 1) % 2]);
  }
}

}  // namespace

PROBLEM_TEST(the_search_finds_the_best_of_all_trees_to_the_tick, 1000, small_problem(draw)) {
  check_search({problem, draw}, draw.percent(80));
}

PROBLEM_TEST(the_search_of_wide_problems_finds_the_best_of_all_trees_to_the_tick, 60,
             wide_problem(draw, {4, 16, 9, 20})) {
  check_search({problem, draw}, draw.percent(80));
}

PROBLEM_TEST(a_stopped_search_has_the_optimum_in_its_interval, 300, small_problem(draw)) {
  const Data data(problem, draw);
  const DistinctRows rows = data.distinct();
  PosteriorCosts costs = costs_of(data, rows);
  const Ticks best = BruteForce(rows, costs).best(numbers_of(rows), 0);
  const Outcome outcome = solve(data, {data.max_depth, std::nullopt, std::nullopt, 1 + draw.below(5), nullptr});
  CHECK(outcome.lower <= best);
  CHECK(best <= outcome.tree.cost);
}

PROBLEM_TEST(scans_never_exclude_the_best_tree_of_a_side, 1000, small_problem(draw)) {
  check_scans({problem, draw}, draw);
}

PROBLEM_TEST(scans_of_sets_with_many_pairs_never_exclude_the_best_tree_of_a_side, 300, separable_problem(draw)) {
  check_scans({problem, draw}, draw);
}

PROBLEM_TEST(scans_of_pairs_with_a_column_each_never_exclude_the_best_tree_of_a_side, 300, problem_of_pairs(draw)) {
  check_scans({problem, draw}, draw);
}

/// On the whole and along a random path: the pairs left are counted right, and no tree with a split costs less than the
/// bound.
PROBLEM_TEST(separated_pairs_never_exclude_the_best_tree_with_a_split, 2000, small_problem(draw)) {
  const Data data(problem, draw);
  if (data.n_classes != 2) return;
  const DistinctRows rows = data.distinct();
  PosteriorCosts costs = costs_of(data, rows);
  BruteForce oracle(rows, costs);
  Run never;
  RowPairs pairs(rows, costs, never);
  std::vector<Word> left_over = pairs.all();
  AlignedVector<Ticks> counts;
  Rows here = numbers_of(rows);
  for (std::uint32_t depth = 0; depth < costs.max_depth(); ++depth) {
    const PairsLeft left = pairs.count(left_over, counts);
    if (left.n_pairs <= left.most_separated) return;
    Ticks total[2] = {0, 0}, best = kInfinity, pure = 0;
    for (const std::uint32_t row : here)
      for (std::uint32_t k = 0; k < 2; ++k) total[k] += rows.weight(row)[k];
    CHECK(left.n_pairs <= std::min(total[0], total[1]));
    std::uint32_t n_splits = 0;
    for (std::uint32_t c = 0; c < data.n_columns; ++c) {
      const Rows true_side = oracle.side(here, c, true), false_side = oracle.side(here, c, false);
      CHECK(left.n_pairs - left.true_side[c] - left.false_side[c] <= left.most_separated);
      if (true_side.empty() || false_side.empty()) continue;
      ++n_splits;
      best = std::min(best, oracle.best(true_side, depth + 1) + oracle.best(false_side, depth + 1));
    }
    for (std::uint32_t k = 0; k < 2; ++k) {
      const Ticks alone[2] = {k == 0 ? total[0] : 0, k == 1 ? total[1] : 0};
      pure += costs.likelihood(alone);
    }
    const PairRate& rate = pairs.rate(costs, depth, left.most_separated);
    const Ticks more = separated_pairs_bound(rate, left.n_pairs - left.most_separated, std::min(total[0], total[1]),
                                             costs.least_pure(), costs.largest_increment());
    CHECK(n_splits > 0);
    CHECK(pure + more <= best);
    const std::uint32_t next = draw.below(data.n_columns);
    const bool side = draw.percent(50);
    pairs.keep_side(next, side, left_over);
    here = oracle.side(here, next, side);
  }
}

/// Four columns, each of which parts one of four pairs: three more splits or leaves with rows of both classes are due.
TEST(pairs_that_no_column_separates_together_need_more_splits) {
  const std::vector<Ticks> logs{0, 0, 7, 11, 14}, pure{0, 7, 12, 16, 19}, all{0, 16, 34, 53, 74, 96, 119, 143, 168};
  const std::vector<std::vector<Ticks>> increments{{7, 5, 4, 3}, {7, 5, 4, 3}};
  const PairRate rate = pair_rate({10, logs, 1, increments, all}, 1, 4);
  CHECK_EQUAL(rate.fragment, 2);
  CHECK_EQUAL(rate.without_leaves, 2);  // as pairs in mixed leaves: 34 - 2 * 16 each
  CHECK_EQUAL(rate.rate, 2);
  CHECK_EQUAL(separated_pairs_bound(rate, 3, 4, pure, increments[0]), 6);
}

PROBLEM_TEST(split_counts_say_no_more_columns_than_are_left_in_any_subset, 300, small_problem(draw)) {
  const Data data(problem, draw);
  std::vector<Ticks> counted(data.n_columns + 1);
  std::iota(counted.begin(), counted.end(), 0);  // the number itself for its logarithm
  SplitCounts counts;
  counts.reset(data.n_rows);
  Rows kept;
  for (std::uint32_t row = 0; row < data.n_rows; ++row)
    if (draw.percent(80)) kept.push_back(row);
  Ticks left = 0;
  for (std::uint32_t c = 0; c < data.n_columns; ++c) {
    Ticks true_side = 0, true_kept = 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row) true_side += data.columns().test(c, row);
    for (const std::uint32_t row : kept) true_kept += data.columns().test(c, row);
    counts.add(true_side, 1);
    left += true_kept > 0 && true_kept < static_cast<Ticks>(kept.size());
  }
  counts.finish(counted.data());
  CHECK(counts.log_without(static_cast<Ticks>(data.n_rows - kept.size())) <= left);
}

RANDOM_TEST(the_staircase_admits_every_subset_that_a_column_separates, 300) {
  const Ticks total[2] = {draw.between(1, 2000), draw.between(1, 2000)};
  ParetoStaircase staircase;
  staircase.reset(total[0], total[1]);
  for (std::uint32_t c = 0; c < 5; ++c) {
    const Ticks true_side[2] = {draw.between(0, total[0]), draw.between(0, total[1])};
    staircase.add(true_side[0], true_side[1]);
    if (c != 2) continue;
    staircase.finish();
    CHECK(staircase.may_separate(draw.between(0, true_side[0]), draw.between(0, total[1] - true_side[1])));
    CHECK(staircase.may_separate(draw.between(0, total[0] - true_side[0]), draw.between(0, true_side[1])));
    return;
  }
}

TEST(nothing_separates_a_set_whose_columns_are_all_balanced) {
  ParetoStaircase staircase;
  staircase.reset(10, 10);
  staircase.add(5, 5);
  staircase.add(6, 4);
  staircase.finish();
  CHECK(staircase.may_separate(6, 6));
  CHECK(!staircase.may_separate(6, 7));
  CHECK(!staircase.may_separate(7, 5));
}

TEST(a_second_opinion_refuses_a_node_without_rows) {
  const std::vector<std::int32_t> column{0, -1, -1}, left{1, -1, -1}, right{2, -1, -1}, prediction{0, 0, 0};
  const FlatTree tree{column, left, right, prediction};
  const std::vector<std::int32_t> classes{0, 1};
  const std::vector<std::int64_t> weights{1, 1};
  const std::vector<double> rho{1.0, 1.0};
  const std::uint8_t always = 0b11, in_the_first = 0b01;
  const PackedColumns constant{&always, 1, 2};
  CHECK_THROWS(std::logic_error, score_posterior(tree, constant, classes, weights, 0.95, 0.5, rho, std::nullopt));
  const PackedColumns telling{&in_the_first, 1, 2};
  const double by_hand = -std::log(0.95) + 2 * std::log(2.0);  // two leaves of one row each, with nothing to split
  CHECK(std::abs(score_posterior(tree, telling, classes, weights, 0.95, 0.5, rho, std::nullopt) - by_hand) < 1e-12);
}

}  // namespace hornbeam::testing::posterior_test
