#include "support/problem.hpp"

#include <algorithm>

#include "support/groups.hpp"

namespace hornbeam::testing {

namespace {

using Column = std::vector<bool>;

Column random_column(Random& draw, std::uint32_t n_rows, std::uint32_t chance) {
  Column column(n_rows);
  for (std::uint32_t r = 0; r < n_rows; ++r) column[r] = draw.percent(chance);
  return column;
}

/// A column of one of the kinds that the core treats apart; `earlier` are the columns before it.
Column next_column(Random& draw, std::uint32_t n_rows, const std::vector<Column>& earlier) {
  const std::uint32_t kind = draw.below(12);
  if (kind == 0) return Column(n_rows, draw.percent(50));
  const std::uint32_t chance = draw.choose<std::uint32_t>({10, 50, 50, 80});
  Column column = random_column(draw, n_rows, chance);
  if (kind > 3 || earlier.empty()) return column;
  const Column& other = earlier[draw.below(static_cast<std::uint32_t>(earlier.size()))];
  for (std::uint32_t r = 0; r < n_rows; ++r) {
    if (kind == 1) column[r] = other[r];
    if (kind == 2) column[r] = !other[r];
    if (kind == 3) column[r] = other[r] && column[r];
  }
  return column;
}

/// The columns "at most 1", "at most 2", ... of one number a row.
void add_thresholds(Random& draw, std::uint32_t n_rows, std::vector<Column>& columns) {
  const std::uint32_t n_values = draw.size_between(2, 9);
  std::vector<std::uint32_t> value(n_rows);
  for (std::uint32_t& each : value) each = draw.size_between(1, n_values);
  for (std::uint32_t threshold = 1; threshold < n_values; ++threshold) {
    columns.emplace_back(n_rows);
    for (std::uint32_t r = 0; r < n_rows; ++r) columns.back()[r] = value[r] <= threshold;
  }
}

void set_rows(TestProblem& problem, const std::vector<Column>& columns, std::uint32_t n_rows) {
  problem.rows.assign(n_rows, std::vector<bool>(problem.n_columns));
  for (std::uint32_t r = 0; r < n_rows; ++r)
    for (std::uint32_t c = 0; c < problem.n_columns; ++c) problem.rows[r][c] = columns[c][r];
}

void add_rows(Random& draw, TestProblem& problem, std::uint32_t n_rows) {
  const bool has_numbers = draw.percent(30);
  std::vector<Column> columns;
  while (columns.size() < problem.n_columns) {
    if (has_numbers)
      add_thresholds(draw, n_rows, columns);
    else
      columns.push_back(next_column(draw, n_rows, columns));
  }
  set_rows(problem, columns, n_rows);
  const std::uint32_t repeats = draw.choose<std::uint32_t>({0, 0, 0, 30});
  for (std::uint32_t r = 1; r < n_rows; ++r)
    if (draw.percent(repeats)) problem.rows[r] = problem.rows[draw.below(r)];
}

/// Classes by the first two columns with some noise, or by nothing at all.
void add_classes(Random& draw, TestProblem& problem, std::uint32_t noise) {
  for (const std::vector<bool>& row : problem.rows) {
    std::uint32_t code = 0;
    for (std::uint32_t c = 0; c < std::min(problem.n_columns, 2u); ++c) code = 2 * code + (row[c] ? 1 : 0);
    const std::uint32_t label = draw.percent(noise) ? draw.below(problem.n_classes) : code % problem.n_classes;
    problem.classes.push_back(static_cast<std::int32_t>(label));
  }
}

/// A cost for an error of each class.
void add_separable_costs(Random& draw, TestProblem& problem, Ticks cheapest, Ticks dearest) {
  problem.n_predictions = problem.n_classes;
  for (std::uint32_t c = 0; c < problem.n_classes; ++c) {
    const Ticks error_cost = draw.between(cheapest, dearest);
    for (std::uint32_t k = 0; k < problem.n_predictions; ++k) problem.costs.push_back(k == c ? 0 : error_cost);
  }
}

void add_general_costs(Random& draw, TestProblem& problem) {
  problem.n_predictions = draw.size_between(1, 4);
  for (std::uint32_t i = 0; i < problem.n_classes * problem.n_predictions; ++i)
    problem.costs.push_back(draw.between(0, 6));
}

void add_convex_costs(Random& draw, TestProblem& problem) {
  problem.costs = random_convex_costs(draw);
  problem.n_predictions = static_cast<std::uint32_t>(problem.costs.size() / 2);
}

Ticks largest_total(const TestProblem& problem) {
  Ticks total = 0;
  for (std::uint32_t r = 0; r < problem.n_rows(); ++r) {
    const auto row = problem.costs.begin() + problem.classes[r] * static_cast<std::ptrdiff_t>(problem.n_predictions);
    total += problem.weights[r] * *std::max_element(row, row + problem.n_predictions);
  }
  return total;
}

/// Multiplies all costs by the largest power of two that the limit allows, as the estimators do.
void scale_costs_to_limit(TestProblem& problem) {
  while (largest_total(problem) > 0 && 2 * largest_total(problem) < kLargestTotal)
    for (Ticks& cost : problem.costs) cost *= 2;
}

/// Copies of a few rows with up to two cells changed; then some columns become equal to an earlier one, or to its
/// complement, in all rows or in all but one. Returns the number of the copied row for each row.
std::vector<std::uint32_t> add_nearly_equal_rows(Random& draw, TestProblem& problem, std::uint32_t n_rows) {
  std::vector<Column> prototypes(draw.size_between(1, 4));
  for (Column& each : prototypes) each = random_column(draw, problem.n_columns, 50);
  std::vector<std::uint32_t> prototype_of(n_rows);
  for (std::uint32_t& each : prototype_of) {
    each = draw.below(static_cast<std::uint32_t>(prototypes.size()));
    problem.rows.push_back(prototypes[each]);
    for (std::uint32_t n = draw.choose<std::uint32_t>({0, 1, 1, 2}); n > 0; --n)
      problem.rows.back()[draw.below(problem.n_columns)].flip();
  }
  for (std::uint32_t column = 1; column < problem.n_columns; ++column) {
    if (!draw.percent(25)) continue;
    const std::uint32_t other = draw.below(column), exception = draw.below(2 * n_rows);
    const bool flips = draw.percent(50);
    for (std::uint32_t r = 0; r < n_rows; ++r)
      problem.rows[r][column] = problem.rows[r][other] != (flips != (r == exception));
  }
  return prototype_of;
}

/// Costs, weights, and a leaf cost for rows that have classes.
void add_weights_and_costs(Random& draw, TestProblem& problem, bool takes_search) {
  switch (draw.below(5)) {
    case 0:
      if (problem.n_classes == 2 && draw.percent(60))
        add_convex_costs(draw, problem);
      else
        add_general_costs(draw, problem);
      break;
    case 1: add_separable_costs(draw, problem, takes_search ? 1 : 0, 4); break;
    case 2: add_separable_costs(draw, problem, 2, 3); break;
    default: add_separable_costs(draw, problem, 1, 1);
  }
  const Ticks heaviest = draw.choose<Ticks>({1, 1, 3, 5, 40, Ticks{1} << 30});
  while (problem.weights.size() < problem.rows.size()) problem.weights.push_back(draw.between(1, heaviest));
  if (draw.percent(15)) scale_costs_to_limit(problem);
  const Ticks total = largest_total(problem), each = total / problem.n_rows();
  const Ticks leaf_cost = takes_search ? draw.choose<Ticks>({0, 1, each / 16, each / 8, each / 4, each / 2, each})
                                       : draw.choose<Ticks>({0, draw.between(0, 3 * each), total + 1});
  problem.leaf_cost = std::min(leaf_cost, kLargestTotal - 1);
  problem.pack();
}

/// Random classes for the rows, errors of cost 2, a leaf cost of at most 3.
void make_hard(Random& draw, TestProblem& problem) {
  problem.n_classes = problem.n_predictions = 2;
  problem.costs = {0, 2, 2, 0};
  problem.leaf_cost = draw.between(0, 3);
  problem.weights.assign(problem.rows.size(), 1);
  for (std::uint32_t r = 0; r < problem.n_rows(); ++r)
    problem.classes.push_back(static_cast<std::int32_t>(draw.below(2)));
  problem.pack();
}

}  // namespace

PackedInput TestProblem::input() const { return {{losses(), leaf_cost, limits, {}, {}, {}}, columns()}; }

void TestProblem::pack() {
  const std::size_t bytes_per_column = (rows.size() + 7) / 8;
  packed.assign(bytes_per_column * n_columns, 0xff);
  for (std::uint32_t c = 0; c < n_columns; ++c)
    for (std::uint32_t r = 0; r < n_rows(); ++r)
      if (!rows[r][c]) packed[c * bytes_per_column + r / 8] &= static_cast<std::uint8_t>(~(1u << (r % 8)));
}

TestProblem random_problem(Random& draw, const Sizes& sizes) {
  TestProblem problem;
  const bool takes_search = draw.percent(70);  // else a scan of the columns often suffices
  problem.n_columns = draw.size_between(sizes.least_columns, sizes.most_columns);
  problem.n_classes = draw.choose<std::uint32_t>({2, 2, 2, 3, 4});
  add_rows(draw, problem, draw.size_between(sizes.least_rows, sizes.most_rows));
  add_classes(draw, problem, takes_search ? 100 : draw.choose<std::uint32_t>({0, 20, 50}));
  add_weights_and_costs(draw, problem, takes_search);
  return problem;
}

TestProblem wide_problem(Random& draw, const Sizes& sizes) {
  TestProblem problem;
  problem.n_columns = draw.size_between(sizes.least_columns, sizes.most_columns);
  problem.n_classes = draw.choose<std::uint32_t>({2, 2, 2, 3});
  const std::vector<std::uint32_t> prototypes =
      add_nearly_equal_rows(draw, problem, draw.size_between(sizes.least_rows, sizes.most_rows));
  const std::uint32_t noise = draw.choose<std::uint32_t>({30, 60, 100});
  for (const std::uint32_t each : prototypes)
    problem.classes.push_back(
        static_cast<std::int32_t>((draw.percent(noise) ? draw.word() : each) % problem.n_classes));
  add_weights_and_costs(draw, problem, draw.percent(80));
  return problem;
}

TreeLimits random_limits(Random& draw) {
  TreeLimits limits;
  if (draw.percent(50)) limits.depth = draw.below(5);
  if (draw.percent(40)) limits.leaves = draw.size_between(1, 7);
  if (draw.percent(40)) limits.rows_per_leaf = draw.size_between(2, 4);
  return limits;
}

TestProblem hard_problem(Random& draw, const Sizes& sizes) {
  TestProblem problem;
  problem.n_columns = draw.size_between(sizes.least_columns, sizes.most_columns);
  const std::uint32_t n_rows = draw.size_between(sizes.least_rows, sizes.most_rows);
  while (problem.n_rows() < n_rows) problem.rows.push_back(random_column(draw, problem.n_columns, 50));
  make_hard(draw, problem);
  return problem;
}

TestProblem threshold_problem(Random& draw, std::uint32_t n_rows) {
  std::vector<Column> columns;
  for (int number = 0; number < 2; ++number) add_thresholds(draw, n_rows, columns);
  TestProblem problem;
  problem.n_columns = static_cast<std::uint32_t>(columns.size());
  set_rows(problem, columns, n_rows);
  make_hard(draw, problem);
  return problem;
}

TestProblem larger_problem(Random& draw) {
  TestProblem problem;
  switch (draw.below(3)) {
    case 0: problem = random_problem(draw, {40, 150, 5, 7}); break;
    case 1: problem = hard_problem(draw, {20, 90, 6, 7}); break;
    default: problem = threshold_problem(draw, draw.size_between(20, 150));
  }
  if (draw.percent(50)) problem.limits = random_limits(draw);
  return problem;
}

}  // namespace hornbeam::testing
