// row_prices_test.cpp: prices of rows are feasible for every conjunction, and bound what trees cost, against brute
// force.
#include "pricing/row_prices.hpp"

#include <algorithm>
#include <numeric>

#include "bounds/row_prices.hpp"
#include "pricing/gain_bound.hpp"
#include "pricing/leaf_check.hpp"
#include "search/priced_rows_of.hpp"
#include "search/search.hpp"
#include "support/check.hpp"
#include "support/kernels.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::row_prices_test {

using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::pricing;
using namespace hornbeam::run;

namespace {

constexpr std::uint64_t kAllWork = std::uint64_t{1} << 40;
constexpr Schedule kAtOnce{0, 0, 1u << 30, 1u << 30, 1u << 30};

PricedRows random_rows(Random& draw, std::uint32_t most_rows = 30) {
  const std::uint32_t n_rows = 1 + draw.below(most_rows), n_columns = 1 + draw.below(5),
                      n_predictions = 2 + draw.below(2);
  PricedRows rows(n_rows, n_columns, n_predictions, Ticks{100} * n_rows);
  rows.leaf_penalty = rows.units(1 + draw.below(100));
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    for (std::uint32_t c = 0; c < n_columns; ++c)
      if (draw.percent(50)) rows.set(row, c);
    const std::uint32_t best = draw.below(n_predictions);
    for (std::uint32_t k = 0; k < n_predictions; ++k)
      rows.loss[k * n_rows + row] = k == best ? 0 : rows.units(draw.below(60));
  }
  return rows;
}

/// `visit` with the rows of each conjunction: a digit for each column says whether it holds, fails or does not matter.
template <class Visit, class IsOpen>
void for_each_conjunction(const PricedRows& rows, Visit visit, IsOpen is_open) {
  std::uint32_t n = 1;
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) n *= 3;
  for (std::uint32_t code = 0; code < n; ++code) {
    std::uint32_t rest = code;
    bool may_use = true;
    for (std::uint32_t c = 0; c < rows.n_columns; ++c, rest /= 3)
      if (rest % 3 != 2) may_use = may_use && is_open(c, rest % 3 == 1);
    if (!may_use) continue;
    std::vector<std::uint32_t> members;
    for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
      bool is_member = true;
      std::uint32_t digits = code;
      for (std::uint32_t c = 0; c < rows.n_columns; ++c, digits /= 3) {
        const bool holds = (rows.row(row)[0] >> c & 1) != 0;
        if (digits % 3 != 2 && (digits % 3 == 1) != holds) is_member = false;
      }
      if (is_member) members.push_back(row);
    }
    visit(members);
  }
}

template <class Visit>
void for_each_conjunction(const PricedRows& rows, Visit visit) {
  for_each_conjunction(rows, visit, [](std::uint32_t, bool) { return true; });
}

Ticks cost_of_leaf(const PricedRows& rows, const std::vector<std::uint32_t>& members) {
  Ticks least = kInfinity;
  for (std::uint32_t k = 0; k < rows.n_predictions; ++k) {
    Ticks loss = 0;
    for (const std::uint32_t row : members) loss += rows.losses(k)[row];
    least = std::min(least, loss);
  }
  return rows.leaf_penalty + least;
}

bool are_feasible(const PricedRows& rows, const std::vector<Units>& prices) {
  bool all = true;
  for_each_conjunction(rows, [&](const std::vector<std::uint32_t>& members) {
    Ticks total = 0;
    for (const std::uint32_t row : members) total += prices[row];
    all = all && total <= cost_of_leaf(rows, members);
  });
  return all;
}

/// The rows of a problem that meet a random conjunction, as a problem of their own; `members` are their numbers in
/// `data`.
TestProblem random_part(const TestProblem& problem, const DistinctRows& data, Random& draw,
                        std::vector<std::uint32_t>& members) {
  std::vector<std::uint32_t> codes(problem.n_columns);
  for (std::uint32_t& code : codes) code = draw.below(5);
  const auto is_member = [&](auto holds) {
    for (std::uint32_t c = 0; c < problem.n_columns; ++c)
      if (codes[c] < 2 && (codes[c] == 1) != holds(c)) return false;
    return true;
  };
  for (std::uint32_t row = 0; row < data.n_rows; ++row)
    if (is_member([&](std::uint32_t c) { return data.test(c, row); })) members.push_back(row);
  TestProblem part = problem;
  part.rows.clear();
  part.classes.clear();
  part.weights.clear();
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    if (!is_member([&](std::uint32_t c) { return bool{problem.rows[row][c]}; })) continue;
    part.rows.push_back(problem.rows[row]);
    part.classes.push_back(problem.classes[row]);
    part.weights.push_back(problem.weights[row]);
  }
  return part;
}

Outcome search(const TestProblem& problem, bool prices, std::uint32_t n_threads = 1) {
  const LeafModel model(problem.n_classes, problem.n_predictions, problem.costs, true,
                        problem.limits.rows_per_leaf > 1);
  SearchLimits limits;
  limits.threads = n_threads;
  Run run(limits);
  const DistinctRows data(problem.columns(), problem.targets(), run);
  rows::Problem core{data, model, problem.leaf_cost, problem.limits, {}};
  core.bounds.row_prices = prices;
  core.row_pricing = kAtOnce;
  return search::search(core, run, nullptr);
}

}  // namespace

RANDOM_TEST(masked_sums_are_those_of_the_rows_where_a_column_holds, 100) {
  const std::size_t stride = std::size_t{64} * (1 + draw.below(3));
  const std::uint32_t n_all = 1 + draw.below(40);
  std::vector<std::int8_t> masks(n_all * stride);
  for (std::int8_t& mask : masks) mask = draw.percent(50) ? -1 : 0;
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> values, expected(stride, 7);
  for (std::uint32_t n = draw.below(30); n > 0; --n) {
    rows.push_back(draw.below(n_all));
    values.push_back(static_cast<std::int32_t>(draw.below(1u << 24)) - (1 << 23));
    for (std::size_t c = 0; c < stride; ++c)
      if (masks[rows.back() * stride + c] != 0) expected[c] += values.back();
  }
  for (const kernels::Kernels* each : kernels_of_this_machine()) {
    std::vector<std::int32_t> sums(stride, 7);
    each->add_masked(masks.data(), stride, rows.data(), values.data(), rows.size(), sums.data());
    CHECK(sums == expected);
  }
}

RANDOM_TEST(a_check_lowers_prices_until_no_conjunction_costs_less_than_its_rows, 2000) {
  const PricedRows rows = random_rows(draw);
  std::vector<Units> prices(rows.n_rows);
  const std::uint32_t scale = 1 + draw.below(60);
  for (Units& price : prices) price = rows.units(draw.below(scale));
  const std::vector<Units> before = prices;
  const bool were_feasible = are_feasible(rows, prices);
  std::uint64_t n_found = 0;
  LeafCheck check(rows, always(), [&](const std::vector<Condition>& conditions, std::vector<std::uint32_t> members) {
    ++n_found;
    Ticks total = 0;
    for (const std::uint32_t row : members) total += prices[row];
    CHECK(total > cost_of_leaf(rows, members));
    std::sort(members.begin(), members.end());
    CHECK(members == rows.meeting(conditions));
  });
  CHECK(check.make_feasible(prices, kAllWork));
  CHECK(are_feasible(rows, prices));
  CHECK_EQUAL(n_found == 0, were_feasible);
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) CHECK(prices[row] >= 0 && prices[row] <= before[row]);
  if (were_feasible) CHECK(prices == before);
}

RANDOM_TEST(no_extension_gains_more_than_the_bound_of_its_gain_allows, 2000) {
  const PricedRows rows = random_rows(draw);
  std::vector<std::uint32_t> all(rows.n_rows);
  std::iota(all.begin(), all.end(), 0u);
  std::vector<Ticks> gains(rows.n_rows);
  for (Ticks& gain : gains) gain = Ticks{draw.below(20)} - 9;
  Conditions open(rows.n_words());
  for (std::uint32_t c = 0; c < rows.n_columns; ++c)
    for (const bool value : {false, true})
      if (draw.percent(70)) open.add({c, value});
  const Condition one_more{draw.below(rows.n_columns), draw.percent(50)};
  Ticks most = -kInfinity, most_with_one_more = -kInfinity;
  for_each_conjunction(
      rows,
      [&](const std::vector<std::uint32_t>& members) {
        Ticks gain = 0, with_one_more = 0;
        for (const std::uint32_t row : members) {
          gain += gains[row];
          if (rows.meets(row, one_more)) with_one_more += gains[row];
        }
        most = std::max(most, gain);
        most_with_one_more = std::max(most_with_one_more, with_one_more);
      },
      [&](std::uint32_t c, bool holds) { return open.has({c, holds}); });
  GainBound bound(rows, always());
  bound.set_rows(all, {}, [&](std::uint32_t row) { return gains[row]; });
  CHECK(bound.may_exceed(most - 1, open));
  CHECK(bound.may_exceed(most_with_one_more - 1, open, one_more));
}

TEST(losses_count_that_no_condition_avoids_without_losing_a_gain) {
  PricedRows rows(3, 2, 2, 100);
  rows.set(0, 0);
  rows.set(1, 1);
  Conditions open(rows.n_words());
  for (const std::uint32_t c : {0u, 1u}) open.add({c, true});
  GainBound bound(rows, always());
  // Both conditions exclude the last row, and each of them excludes one of the first two.
  const std::vector<std::uint32_t> positive{0, 1}, negative{2};
  const std::vector<Ticks> gains{5, 7, -4};
  bound.set_rows(positive, negative, [&](std::uint32_t row) { return gains[row]; });
  CHECK(!bound.may_exceed(8, open));
  CHECK(bound.may_exceed(7, open));
  // With one of them, only the other one is left.
  CHECK(!bound.may_exceed(7, open, {1, true}));
  CHECK(bound.may_exceed(6, open, {1, true}));
  // Without the first condition, the first row is like the last one.
  open.drop({0, true});
  CHECK(!bound.may_exceed(8, open));
  CHECK(bound.may_exceed(7, open));
}

TEST(a_check_gives_up_when_its_work_is_done) {
  Random draw(1);
  PricedRows rows(200, 40, 2, 200);
  rows.leaf_penalty = rows.units(1);
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
    for (std::uint32_t c = 0; c < rows.n_columns; ++c)
      if (draw.percent(50)) rows.set(row, c);
    rows.loss[(row % 2) * rows.n_rows + row] = rows.units(1);
  }
  std::vector<Units> prices(rows.n_rows, rows.units(1) / 2);
  LeafCheck check(rows, always(), [](auto&&, auto&&) {});
  CHECK(!check.make_feasible(prices, 1000));
}

/// With a leaf penalty that suffices for blocks.
RANDOM_TEST(prices_of_blocks_are_feasible_for_all_rows, 50) {
  PricedRows rows = random_rows(draw, 1);
  while (rows.n_rows < 1000) rows = random_rows(draw, 5000);
  rows.leaf_penalty = rows.units(Ticks{rows.n_rows} * (1 + draw.below(10)));
  RowPrices row_prices(rows, always());
  Ticks last = 0;
  for (int i = 0; i < 20 && !row_prices.is_settled(); ++i) {
    row_prices.work_up_to(always().spent() + 1000000);
    if (row_prices.best() == nullptr || row_prices.best()->total == last) continue;
    CHECK(row_prices.best()->total > last);
    last = row_prices.best()->total;
    CHECK(are_feasible(rows, row_prices.best()->of_row));
  }
  CHECK(last > 0);
}

RANDOM_TEST(prices_of_rows_are_feasible_when_they_settle, 200) {
  const PricedRows rows = random_rows(draw);
  RowPrices row_prices(rows, always());
  for (int i = 0; i < 100 && !row_prices.is_settled(); ++i) row_prices.work_up_to(3 * always().spent() + 1000000);
  CHECK(row_prices.best() != nullptr);
  const FeasiblePrices& best = *row_prices.best();
  CHECK(are_feasible(rows, best.of_row));
  CHECK_EQUAL(best.total, std::accumulate(best.of_row.begin(), best.of_row.end(), Ticks{0}));
  CHECK(row_prices.is_settled());
  // The rows of the whole problem are a leaf, too; without any condition that helps, they cost what it costs.
  CHECK(best.total > 0);
}

PROBLEM_TEST(prices_never_promise_more_than_the_best_tree_of_any_subproblem_costs, 500,
             random_problem(draw, {2, 40, 1, 6})) {
  const LeafModel model(problem.n_classes, problem.n_predictions, problem.costs, true, false);
  Run run;
  const DistinctRows data(problem.columns(), problem.targets(), run);
  TestProblem any_size = problem;
  any_size.leaf_cost = std::max<Ticks>(problem.leaf_cost, 1);
  rows::Problem core{data, model, any_size.leaf_cost, {}, {}};
  core.bounds.row_prices = true;
  if (!search::can_price_rows(core)) return;
  const PricedRows rows = search::priced_rows_of(core);
  RowPrices row_prices(rows, always());
  for (int i = 0; i < 100 && !row_prices.is_settled(); ++i) row_prices.work_up_to(3 * always().spent() + 1000000);
  if (row_prices.best() == nullptr) return;
  const FeasiblePrices& best = *row_prices.best();
  CHECK(bounds::bound_by_prices(best.total, best.shift) <= Oracle(any_size).best());
  std::vector<std::uint32_t> members;
  const TestProblem part = random_part(any_size, data, draw, members);
  if (members.empty()) return;
  Ticks total = 0;
  for (const std::uint32_t row : members) total += best.of_row[row];
  CHECK(bounds::bound_by_prices(total, best.shift) <= Oracle(part).best());
}

PROBLEM_TEST(a_search_that_prices_rows_finds_the_optimum_within_any_limits, 500, hard_problem(draw, {2, 90, 1, 6})) {
  TestProblem limited = problem;
  if (draw.percent(50)) limited.limits = random_limits(draw);
  const Outcome outcome = search(limited, true, 1 + draw.below(2));
  CHECK_EQUAL(outcome.tree.cost, Oracle(limited).best());
  CHECK_EQUAL(outcome.lower, outcome.tree.cost);
}

TEST(a_search_that_prices_rows_closes_subproblems_by_them) {
  std::uint64_t n_closed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random draw(seed);
    TestProblem problem = hard_problem(draw, {60, 90, 10, 12});
    problem.leaf_cost = 3;
    const Outcome without = search(problem, false), with = search(problem, true);
    CHECK_EQUAL(without.tree.cost, with.tree.cost);
    CHECK_EQUAL(without.counters.row_prices, 0u);
    n_closed += with.counters.row_prices;
  }
  CHECK(n_closed > 0);
}

}  // namespace hornbeam::testing::row_prices_test
