// ordered_test.cpp: rows in order, thresholds and what closes them, and the search on them, against brute force.
#include "support/ordered.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "ordered/ordered_search.hpp"
#include "sorted/open_thresholds.hpp"
#include "sorted/sorted_rows.hpp"
#include "sorted/two_level_thresholds.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::ordered_test {

using namespace hornbeam::api;
using namespace hornbeam::data;
using namespace hornbeam::kernels;
using namespace hornbeam::ordered;
using namespace hornbeam::run;
using namespace hornbeam::sorted;

namespace {

SortedRows rows_of(const RowGains& gains, const OrderedColumns& columns) {
  SortedRows rows;
  CHECK(rows.sort(columns, gains, always()));
  return rows;
}

/// What is known of a row: its bins, its class, its weight.
using RowContent = std::vector<std::int64_t>;

std::vector<RowContent> contents(const SortedRows& rows) {
  std::vector<RowContent> found(rows.n_rows());
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v)
    for (std::uint32_t i = 0; i < rows.n_rows(); ++i)
      found[row_of(rows.entries(v)[i])].push_back(rows.split_behind(v, i + 1).threshold);
  for (std::uint32_t i = 0; i < rows.n_rows(); ++i) {
    const std::uint32_t entry = rows.entries(0)[i];
    found[row_of(entry)].push_back(class_of(entry));
    found[row_of(entry)].push_back(rows.weight_of(row_of(entry)));
  }
  return found;
}

std::vector<RowContent> contents(const OrderedTestProblem& problem, const RowNumbers& rows) {
  std::vector<RowContent> found;
  for (const std::uint32_t row : rows) {
    found.emplace_back();
    for (std::size_t v = 0; v < problem.n_thresholds.size(); ++v)
      found.back().push_back(problem.bins[v * problem.n_rows() + row]);
    found.back().push_back(problem.classes[row]);
    found.back().push_back(problem.weights[row]);
  }
  return found;
}

/// Orders rise, an entry says where a bin ends, thresholds and sums of weights are right.
void check_orders(const SortedRows& rows) {
  const std::vector<RowContent> content = contents(rows);
  std::vector<std::int64_t> class_weight(rows.total_gain().size(), 0);
  for (const RowContent& row : content) class_weight[static_cast<std::size_t>(row.end()[-2])] += row.back();
  CHECK(std::equal(class_weight.begin(), class_weight.end(), rows.total_gain().begin()));
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    std::vector<Threshold> thresholds;
    rows.list_thresholds(v, thresholds);
    std::int64_t weight = 0;
    std::size_t n_seen = 0;
    for (std::uint32_t i = 0; i + 1 < rows.n_rows(); ++i) {
      const std::uint32_t entry = rows.entries(v)[i];
      const RowContent &row = content[row_of(entry)], &next = content[row_of(rows.entries(v)[i + 1])];
      weight += row.back();
      CHECK(row[v] <= next[v]);
      CHECK_EQUAL(class_of(entry), static_cast<std::uint32_t>(row.end()[-2]));
      CHECK_EQUAL(ends_bin(entry), row[v] < next[v]);
      if (row[v] == next[v]) continue;
      CHECK(n_seen < thresholds.size() && thresholds[n_seen].n_rows == i + 1 && thresholds[n_seen].weight == weight);
      CHECK_EQUAL(rows.n_true_by(rows.split_behind(v, i + 1)), i + 1);
      ++n_seen;
    }
    CHECK_EQUAL(n_seen, thresholds.size());
  }
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// One variable whose thresholds part the rows of a problem, with the true cost of both sides of each, whose leaves may
/// have any number of rows.
struct SolvedThresholds {
  std::vector<Threshold> thresholds;
  std::vector<Ticks> true_side, false_side;
};

SolvedThresholds solved_thresholds(const OrderedTestProblem& problem, std::uint32_t variable, std::uint32_t depth) {
  const OrderedColumns columns = problem.columns();
  const RowGains gains = problem.rows();
  const SortedRows rows = rows_of(gains, columns);
  SolvedThresholds solved;
  rows.list_thresholds(variable, solved.thresholds);
  TestProblem plain = problem.plain();
  plain.limits.depth = depth;
  plain.limits.rows_per_leaf = 1;
  Oracle oracle(plain);
  const RowNumbers all = all_rows(plain);
  for (const Threshold& threshold : solved.thresholds) {
    const ThresholdSplit split = rows.split_behind(variable, threshold.n_rows);
    const std::uint32_t column = columns.first_column[variable] + split.threshold;
    solved.true_side.push_back(oracle.best(rows_where(plain, all, column, true)));
    solved.false_side.push_back(oracle.best(rows_where(plain, all, column, false)));
  }
  return solved;
}

/// The best tree whose root is split and that has at most two levels and three leaves, or four.
Ticks best_split_cost(const OrderedTestProblem& problem, std::uint32_t leaves) {
  TestProblem plain = problem.plain(), plain_leaf = problem.plain();
  plain.limits.leaves = plain_leaf.limits.leaves = std::nullopt;
  plain.limits.depth = 1;
  plain_leaf.limits.depth = 0;
  Oracle oracle(plain), leaf(plain_leaf);
  const RowNumbers all = all_rows(plain);
  Ticks best = kInfinity;
  for (std::uint32_t column = 0; column < plain.n_columns; ++column) {
    const RowNumbers true_side = rows_where(plain, all, column, true),
                     false_side = rows_where(plain, all, column, false);
    if (std::min(true_side.size(), false_side.size()) < problem.costs.rows_per_leaf) continue;
    const Ticks either = leaves == 4 ? oracle.best(true_side) + oracle.best(false_side)
                                     : std::min(oracle.best(true_side) + leaf.best(false_side),
                                                leaf.best(true_side) + oracle.best(false_side));
    best = std::min(best, either);
  }
  return best;
}

/// Rows, root splits and one variable for a kernel; the sums that the kernel is to find are counted one by one.
struct RandomScan {
  std::uint32_t n_rows, n_classes, least_rows, lane_bytes;
  std::int64_t total_limit;
  std::vector<std::uint32_t> entries, member;
  std::vector<std::int64_t> weight, true_side, true_weight, total;
  std::vector<std::int32_t> true_rows;
  std::array<std::vector<std::int64_t>, 2> expected;

  explicit RandomScan(Random& draw)
      : n_rows(draw.size_between(1, 70)),
        n_classes(draw.choose<std::uint32_t>({2, 2, 3, 7, 128})),
        least_rows(draw.choose<std::uint32_t>({1, 1, 2, 5})),
        lane_bytes(draw.choose<std::uint32_t>({2, 4, 8})),
        total_limit(lane_bytes == 2   ? (1 << 15) - 1
                    : lane_bytes == 4 ? (std::int64_t{1} << 31) - 1
                                      : std::int64_t{1} << 51) {
    const bool is_weighted = draw.percent(50);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      entries.push_back(row << 8 | draw.below(n_classes) << 1 | (draw.percent(40) ? 1u : 0u));
      member.push_back(static_cast<std::uint32_t>(draw.word() & draw.word()));
      if (is_weighted) weight.push_back(draw.between(1, total_limit / n_rows));
    }
    for (std::uint32_t i = n_rows; i > 1; --i) std::swap(entries[i - 1], entries[draw.below(i)]);
    true_side.assign(std::size_t{n_classes} * kScanLanes, 0);
    true_rows.assign(kScanLanes, 0);
    true_weight.assign(kScanLanes, 0);
    total.assign(n_classes, 0);
    for (const std::uint32_t entry : entries) {
      total[class_of(entry)] += weight_of(entry);
      for (std::uint32_t j = 0; j < kScanLanes; ++j)
        if (holds(entry, j)) {
          true_side[class_of(entry) * kScanLanes + j] += weight_of(entry);
          true_weight[j] += weight_of(entry);
          ++true_rows[j];
        }
    }
    for (int side = 0; side < 2; ++side)
      for (std::uint32_t j = 0; j < kScanLanes; ++j) expected[side].push_back(least_loss(j, side == 1));
  }

  std::int64_t weight_of(std::uint32_t entry) const { return weight.empty() ? 1 : weight[row_of(entry)]; }
  std::int64_t total_weight() const {
    std::int64_t sum = 0;
    for (const std::uint32_t entry : entries) sum += weight_of(entry);
    return sum;
  }
  bool holds(std::uint32_t entry, std::uint32_t split) const { return (member[row_of(entry)] >> split & 1) != 0; }

  std::int64_t least_loss(std::uint32_t split, bool side) const {
    std::int64_t best = total_limit;
    for (std::uint32_t threshold = 0; threshold + 1 < n_rows; ++threshold) {
      if (!ends_bin(entries[threshold])) continue;
      std::vector<std::int64_t> left(n_classes, 0), right(n_classes, 0);
      std::int64_t all = 0;
      std::uint32_t rows_left = 0, rows_right = 0;
      for (std::uint32_t i = 0; i < n_rows; ++i) {
        if (holds(entries[i], split) != side) continue;
        ++(i <= threshold ? rows_left : rows_right);
        (i <= threshold ? left : right)[class_of(entries[i])] += weight_of(entries[i]);
        all += weight_of(entries[i]);
      }
      if (least_rows > 1 && std::min(rows_left, rows_right) < least_rows) continue;
      const std::int64_t right_now =
          *std::max_element(left.begin(), left.end()) + *std::max_element(right.begin(), right.end());
      best = std::min(best, all - right_now);
    }
    return best;
  }
};

Outcome search(const OrderedTestProblem& problem, const SearchLimits& limits, bool closes_thresholds,
               std::uint64_t poll_work, const OnPoll& on_poll) {
  const OrderedColumns columns = problem.columns();
  const RowGains rows = problem.rows();
  Run run(limits, on_poll);
  return search_ordered({columns, rows, problem.costs, problem.size, closes_thresholds, poll_work}, run);
}

}  // namespace

RANDOM_TEST(children_hold_the_rows_of_their_side_in_order, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {60, 4, 12});
  const OrderedColumns columns = problem.columns();
  const RowGains gains = problem.rows();
  SortedRows rows = rows_of(gains, columns), child;
  std::vector<std::uint32_t> number;
  RowNumbers expected(problem.n_rows());
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) expected[row] = row;
  while (true) {
    check_orders(rows);
    CHECK(sorted(contents(rows)) == sorted(contents(problem, expected)));
    const std::uint32_t v = draw.below(rows.n_variables());
    std::vector<Threshold> thresholds;
    rows.list_thresholds(v, thresholds);
    if (thresholds.empty()) break;
    const std::uint32_t n_true = thresholds[draw.below(static_cast<std::uint32_t>(thresholds.size()))].n_rows;
    const std::uint32_t threshold = rows.split_behind(v, n_true).threshold;
    const bool side = draw.percent(50);
    CHECK(rows.make_child(v, n_true, side, child, number, always()));
    std::erase_if(expected, [&](std::uint32_t row) { return (columns.bins_of(v)[row] <= threshold) != side; });
    CHECK_EQUAL(child.bytes(), rows.bytes_of(child.n_rows()) + 4);
    std::swap(rows, child);
    child = {};
  }
}

RANDOM_TEST(making_rows_stops_when_told, 20) {
  const OrderedTestProblem problem = random_ordered(draw, {30, 4, 12});
  const OrderedColumns columns = problem.columns();
  Run run;
  run.stop(Status::interrupted);
  WorkMeter stopped(run);
  SortedRows rows, child;
  std::vector<std::uint32_t> number;
  const RowGains gains = problem.rows();
  CHECK(!rows.sort(columns, gains, stopped));
  CHECK(!rows_of(gains, columns).make_child(0, 1, true, child, number, stopped));
}

RANDOM_TEST(only_thresholds_that_cost_at_least_the_best_are_closed, 400) {
  const OrderedTestProblem problem = random_ordered(draw, {25, 2, 20});
  const std::uint32_t v = draw.below(static_cast<std::uint32_t>(problem.n_thresholds.size()));
  const SolvedThresholds solved = solved_thresholds(problem, v, draw.below(3));
  if (solved.thresholds.empty()) return;
  OpenThresholds run = all_open(v, solved.thresholds, problem.costs.leaf);
  const auto tried = [&](std::int64_t threshold) {
    const Ticks true_side = solved.true_side[static_cast<std::size_t>(threshold)],
                false_side = solved.false_side[static_cast<std::size_t>(threshold)];
    return ThresholdBounds{threshold, draw.percent(60) ? true_side : draw.between(problem.costs.leaf, true_side),
                           draw.percent(60) ? false_side : draw.between(problem.costs.leaf, false_side)};
  };
  for (const std::size_t side : {1u, 0u}) {
    if (draw.percent(70)) run = run.divide(tried(draw.between(run.first, run.last)))[side];
    if (run.is_empty()) return;
  }
  const std::int64_t first = run.first, last = run.last;
  const auto pick = static_cast<std::size_t>(draw.between(first, last));
  const Ticks best = solved.true_side[pick] + solved.false_side[pick] + draw.between(-3, 3);
  for (std::int64_t threshold = first; threshold <= last; ++threshold) {
    CHECK(run.true_bound(solved.thresholds, problem.costs.error_cost, threshold) <=
          solved.true_side[static_cast<std::size_t>(threshold)]);
    CHECK(run.false_bound(solved.thresholds, problem.costs.error_cost, threshold) <=
          solved.false_side[static_cast<std::size_t>(threshold)]);
  }
  run.close(solved.thresholds, problem.costs.error_cost, best);
  for (std::int64_t threshold = first; threshold <= last; ++threshold) {
    const auto i = static_cast<std::size_t>(threshold);
    const bool is_closed = threshold < run.first || threshold > run.last;
    CHECK(!is_closed || solved.true_side[i] + solved.false_side[i] >= best);
  }
}

RANDOM_TEST(the_stumps_below_root_splits_are_those_of_counting_with_any_kernels, 300) {
  const RandomScan scan(draw);
  for (const Kernels* each : kernels_of_this_machine()) {
    std::vector<std::int64_t> found[2];
    for (auto& losses : found) losses.assign(kScanLanes, scan.total_limit);
    std::vector<std::uint64_t> scratch((std::size_t{scan.n_classes} + scan.n_rows) * kScanLanes * 2 + scan.n_classes);
    each->scan_stumps({scan.entries.data(),
                       scan.n_rows,
                       scan.member.data(),
                       scan.weight.empty() ? nullptr : scan.weight.data(),
                       scan.lane_bytes,
                       scan.n_classes,
                       scan.true_side.data(),
                       scan.total.data(),
                       scan.least_rows,
                       scan.true_rows.data(),
                       {found[0].data(), found[1].data()},
                       scratch.data()});
    for (int side = 0; side < 2; ++side) {
      for (std::uint32_t j = 0; j < kScanLanes; ++j) {
        // Where no threshold parts the rows, the loss of one leaf may stand for that of two.
        const std::int64_t all = side == 1 ? scan.true_weight[j] : scan.total_weight() - scan.true_weight[j];
        std::int64_t most = 0;
        for (std::uint32_t k = 0; k < scan.n_classes; ++k) {
          const std::int64_t true_side = scan.true_side[k * kScanLanes + j];
          most = std::max(most, side == 1 ? true_side : scan.total[k] - true_side);
        }
        CHECK_EQUAL(std::min(found[side][j], all - most), std::min(scan.expected[side][j], all - most));
      }
    }
  }
}

RANDOM_TEST(the_best_tree_of_two_levels_is_that_of_brute_force_with_any_kernels, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {40, 3, 20});
  const OrderedColumns columns = problem.columns();
  const RowGains gains = problem.rows();
  const SortedRows rows = rows_of(gains, columns);
  const std::uint32_t leaves = draw.choose<std::uint32_t>({3, 4});
  const Ticks best = best_split_cost(problem, leaves),
              any = problem.costs.error_cost * rows.weight() + 4 * problem.costs.leaf + 1;
  const Ticks bound = draw.percent(50) || best == kInfinity ? any : best + draw.between(-2, 2);
  OrderedTestProblem with_any_leaves = problem;
  with_any_leaves.costs.rows_per_leaf = 1;
  const Ticks relaxed = best_split_cost(with_any_leaves, 4);
  for (const Kernels* each : kernels_of_this_machine()) {
    TwoLevelThresholds two_levels(problem.costs, *each, draw.percent(70), kNeverBinned, always());
    const TwoLevelResult found = two_levels.solve(rows, leaves, bound);
    CHECK_EQUAL(found.cost, best < bound ? best : kInfinity);
    CHECK(found.lower <= best);
    CHECK(found.lower >= std::min(best, bound) || found.lower >= bound || 2 * problem.costs.leaf >= bound);
    CHECK_EQUAL(found.relaxed, std::min(found.lower, relaxed));
    CHECK(two_levels.bytes() <= two_levels.bytes() + two_levels.growth_for(rows));
  }
}

RANDOM_TEST(two_levels_stopped_anywhere_leave_a_valid_bound, 100) {
  const OrderedTestProblem problem = random_ordered(draw, {40, 3, 20});
  const OrderedColumns columns = problem.columns();
  const RowGains gains = problem.rows();
  const SortedRows rows = rows_of(gains, columns);
  const std::uint32_t leaves = draw.choose<std::uint32_t>({3, 4});
  const Ticks best = best_split_cost(problem, leaves),
              any = problem.costs.error_cost * rows.weight() + 4 * problem.costs.leaf + 1;
  for (int n_steps = 0; n_steps < 30; ++n_steps) {
    int n_seen = 0;
    Run run;
    WorkMeter meter(run, 0, [&] {
      if (++n_seen > n_steps) run.stop(Status::interrupted);
    });
    TwoLevelThresholds two_levels(problem.costs, kernels::kernels(), true, kNeverBinned, meter);
    const TwoLevelResult found = two_levels.solve(rows, leaves, any);
    CHECK(found.lower <= std::min(best, any));
    CHECK(found.relaxed <= found.lower);
    CHECK(found.cost >= best);
  }
}

RANDOM_TEST(the_search_finds_the_cost_of_brute_force, 1000) {
  const OrderedTestProblem problem = random_ordered(draw, {14, 4, 6});
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  for (const bool closes_thresholds : {true, false})
    check_proven(plain, search(problem, {}, closes_thresholds, 1 << 20, never), optimum);
  check_proven(plain, solve(problem.columns(), problem.input(plain), never), optimum);
}

RANDOM_TEST(the_search_of_larger_problems_finds_the_cost_of_brute_force, 100) {
  OrderedTestProblem problem = random_ordered(draw, {60, 2, 30});
  problem.size.depth = draw.below(4);
  const TestProblem plain = problem.plain();
  check_proven(plain, search(problem, {}, draw.percent(70), 1 << 20, never), Oracle(plain).best());
}

RANDOM_TEST(what_is_known_of_shallow_trees_is_not_taken_for_deeper_ones, 100) {
  OrderedTestProblem problem = random_ordered(draw, {60, 3, 12});
  problem.costs = {1, draw.choose<Ticks>({0, 1, 2})};
  problem.weights.assign(problem.n_rows(), 1);
  problem.size = {draw.choose<std::uint32_t>({5, 6, kAnyDepth}), kAnyLeaves};
  const TestProblem plain = problem.plain();
  const Outcome by_order = search(problem, {}, true, 1 << 20, never), by_bits = solve(plain.input(), never);
  CHECK_EQUAL(by_order.tree.cost, by_bits.tree.cost);
  CHECK_EQUAL(by_order.lower, by_bits.lower);
}

PROBLEM_TEST(the_search_of_wide_problems_finds_the_cost_of_brute_force, 100, wide_problem(draw, {8, 40, 9, 20})) {
  const OrderedTestProblem ordered = ordered_of(problem, draw);
  const TestProblem plain = ordered.plain();
  const Ticks optimum = Oracle(plain).best();
  for (const bool closes_thresholds : {true, false})
    check_proven(plain, search(ordered, {}, closes_thresholds, 1 << 20, never), optimum);
  check_proven(plain, solve(ordered.columns(), ordered.input(plain), never), optimum);
  check_proven(plain, solve(plain.input(), never), optimum);
}

RANDOM_TEST(a_stop_at_any_poll_leaves_a_valid_interval, 300) {
  OrderedTestProblem problem = random_ordered(draw, {60, 4, draw.choose<std::uint32_t>({2, 2, 6})});
  problem.size.depth = draw.size_between(2, 4);
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  const bool closes_thresholds = draw.percent(70);
  int n_all = 0;
  check_proven(plain, search(problem, {}, closes_thresholds, 1, [&](const Progress&) { return ++n_all < 0; }), optimum);
  const auto longest_step = static_cast<std::uint32_t>(1 + n_all / 200);
  for (int n_polls = 1; n_polls <= n_all; n_polls += static_cast<int>(draw.size_between(1, longest_step))) {
    int n_seen = 0;
    try {
      const Outcome outcome =
          search(problem, {}, closes_thresholds, 1, [&](const Progress&) { return ++n_seen >= n_polls; });
      check_interval(plain, outcome, optimum);
      CHECK(outcome.trace.back().lower == outcome.lower && outcome.trace.back().upper == outcome.tree.cost);
    } catch (const Stopped&) {
      CHECK(n_polls <= static_cast<int>(2 + problem.n_thresholds.size()));
    }
  }
}

RANDOM_TEST(limits_leave_a_valid_interval, 200) {
  const OrderedTestProblem problem = random_ordered(draw, {40, 3, 10});
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  const auto check_limited = [&](const SearchLimits& limits) {
    Input input = problem.input(plain);
    input.limits = limits;
    const Outcome outcome = solve(problem.columns(), input, never);
    check_interval(plain, outcome, optimum);
    return outcome;
  };
  for (const double gap : {0.01, 0.2, 1.0}) {
    const Outcome outcome = check_limited({std::nullopt, std::nullopt, gap, 1});
    CHECK(static_cast<double>(outcome.tree.cost - outcome.lower) <= gap * static_cast<double>(outcome.tree.cost));
  }
  check_limited({0.0, std::nullopt, 0, 1});
  for (int i = 0; i < 5; ++i) {
    const auto bytes = static_cast<std::uint64_t>(draw.between(0, 12000));
    const Outcome outcome = check_limited({std::nullopt, bytes, 0, 1});
    CHECK(outcome.status == Status::optimal || outcome.status == Status::memory_limit);
  }
}

}  // namespace hornbeam::testing::ordered_test
