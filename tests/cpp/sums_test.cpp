// sums_test.cpp: groups of columns, sums of pairs and triples of them, and the best trees of two to five levels found
// by them, against the rows themselves.
#include <algorithm>
#include <numeric>

#include "search/search.hpp"
#include "shallow/cell_solver.hpp"
#include "shallow/sum_solver.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/kernels.hpp"

namespace hornbeam::testing::sums_test {

using namespace hornbeam::data;
using namespace hornbeam::kernels;
using namespace hornbeam::models;
using namespace hornbeam::run;
using namespace hornbeam::shallow;

namespace {

/// Rows of thresholds of one number, values of a category, columns of any kind, and constant, equal and complementary
/// ones, in any order.
std::vector<std::vector<bool>> random_columns(Random& draw, std::size_t n_rows, std::size_t most) {
  std::vector<std::vector<bool>> columns;
  const auto add = [&](auto cell) {
    columns.emplace_back(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) columns.back()[row] = cell(row);
  };
  while (columns.size() < most) {
    std::vector<std::int64_t> number(n_rows);
    const std::int64_t largest = draw.between(1, 15);
    for (auto& each : number) each = draw.between(0, largest);
    const bool is_number = draw.percent(50);
    if (draw.percent(50)) {
      for (std::int64_t value = 0; value <= largest && columns.size() < most; ++value)
        add([&](std::size_t row) { return is_number ? number[row] <= value : number[row] == value; });
    } else if (draw.percent(20) && !columns.empty()) {
      const std::uint32_t other = draw.below(static_cast<std::uint32_t>(columns.size()));
      const bool flips = draw.percent(50);
      add([&](std::size_t row) { return columns[other][row] != flips; });
    } else {
      add([&](std::size_t row) { return number[row] % 2 == 0; });
    }
  }
  for (std::size_t i = columns.size(); i > 1; --i)
    std::swap(columns[i - 1], columns[draw.below(static_cast<std::uint32_t>(i))]);
  return columns;
}

enum class Costs : std::uint8_t { squares, convex, any };

/// A problem of squared error, convex costs or any cost matrix, kept alive together.
struct Setup {
  Costs costs;
  std::vector<std::vector<bool>> columns;
  std::vector<std::uint8_t> packed;
  LeafModel model;
  std::vector<std::int64_t> sums;
  mutable Run run;
  DistinctRows rows;
  rows::Problem problem;

  Setup(Random& draw, std::size_t n_rows, std::size_t n_columns, std::int64_t largest)
      : costs(draw.choose<Costs>({Costs::squares, Costs::convex, Costs::any})),
        columns(random_columns(draw, n_rows, n_columns)),
        packed(packed_columns(columns, n_rows)),
        model(random_model(draw, costs, largest)),
        sums(costs == Costs::squares ? random_sums(draw, n_rows, largest)
                                     : random_weights(draw, n_rows, model.n_targets(), largest, costs)),
        rows({packed.data(), static_cast<std::uint32_t>(n_columns), static_cast<std::uint32_t>(n_rows)},
             {{}, sums, model.n_targets()}, run),
        problem{rows, model, draw.choose<Ticks>({0, 1, largest, largest * largest}), {}, {}} {}

  static std::vector<std::uint8_t> packed_columns(const std::vector<std::vector<bool>>& columns, std::size_t n_rows) {
    const std::size_t n_bytes = (n_rows + 7) / 8;
    std::vector<std::uint8_t> packed(columns.size() * n_bytes);
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::size_t row = 0; row < n_rows; ++row)
        if (columns[c][row]) packed[c * n_bytes + row / 8] |= static_cast<std::uint8_t>(1u << row % 8);
    return packed;
  }

  static std::vector<std::int64_t> random_sums(Random& draw, std::size_t n_rows, std::int64_t largest) {
    std::vector<std::int64_t> sums;
    const std::int64_t heaviest = draw.choose<std::int64_t>({1, 5});
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::int64_t w = draw.between(1, heaviest), y = draw.between(0, largest);
      sums.insert(sums.end(), {w, w * y, w * y * y});
    }
    return sums;
  }

  /// Of the first target like hazards, of others like events or, for any costs, weights of many bits.
  static std::vector<std::int64_t> random_weights(Random& draw, std::size_t n_rows, std::uint32_t n_targets,
                                                  std::int64_t largest, Costs costs) {
    std::vector<std::int64_t> weights;
    const std::int64_t heaviest = costs == Costs::any ? draw.choose<std::int64_t>({2, 1 << 24}) : 2;
    for (std::size_t row = 0; row < n_rows; ++row)
      for (std::uint32_t t = 0; t < n_targets; ++t)
        weights.push_back(t == 0 ? draw.between(row == 0 ? 1 : 0, largest) : draw.between(0, heaviest));
    return weights;
  }

  static LeafModel random_model(Random& draw, Costs kind, std::int64_t largest) {
    const bool with_equivalent_points = draw.percent(50);
    if (kind == Costs::squares) return LeafModel::squared_error(static_cast<std::uint32_t>(largest) + 1, true, false);
    std::uint32_t n_targets = 2;
    std::vector<Ticks> cost;
    if (kind == Costs::convex) {
      cost = random_convex_costs(draw);
    } else {
      n_targets = draw.size_between(2, 4);
      cost.resize(std::size_t{n_targets} * draw.size_between(2, 6));
      for (Ticks& each : cost) each = draw.between(0, 5);
    }
    const auto n_predictions = static_cast<std::uint32_t>(cost.size() / n_targets);
    return {n_targets, n_predictions, std::move(cost), with_equivalent_points, false};
  }

  std::vector<std::uint32_t> all_rows() const { return numbers(rows.n_rows); }
  std::vector<std::uint32_t> all_columns() const { return numbers(rows.n_columns); }
  static std::vector<std::uint32_t> numbers(std::uint32_t n) {
    std::vector<std::uint32_t> found(n);
    std::iota(found.begin(), found.end(), 0u);
    return found;
  }

  /// About a half of the rows or columns, at least one.
  static std::vector<std::uint32_t> some(Random& draw, std::vector<std::uint32_t> of) {
    std::erase_if(of, [&, first = of.front()](std::uint32_t each) { return each != first && draw.percent(50); });
    return of;
  }

  Ticks sum_of(const CodedRows& coded, std::uint32_t row, std::uint32_t number) const {
    const std::int64_t* const weight = rows.weight(row);
    if (costs != Costs::any) return (weight[0] << coded.shift) + weight[1];
    Ticks most = 0;
    for (std::uint32_t t = 0; t < model.n_targets(); ++t) most += weight[t] * model.largest_cost(t);
    return most - model.loss_of(weight, number);
  }

  Ticks sum_where(const CodedRows& coded, std::uint32_t number, const std::vector<std::uint32_t>& of,
                  std::initializer_list<std::uint32_t> hold) const {
    Ticks sum = 0;
    for (const std::uint32_t row : of)
      if (std::all_of(hold.begin(), hold.end(), [&](std::uint32_t column) { return rows.test(column, row); }))
        sum += sum_of(coded, row, number);
    return sum;
  }

  Ticks leaf(const std::vector<std::uint32_t>& of) const {
    std::int64_t total[4] = {};
    for (const std::uint32_t row : of)
      for (std::size_t i = 0; i < model.n_targets(); ++i) total[i] += rows.weight(row)[i];
    return problem.leaf_cost + model.least_loss_of_leaf(total);
  }

  Ticks best_cost(const std::vector<std::uint32_t>& of, const std::vector<std::uint32_t>& by, int levels) const {
    Ticks best = leaf(of);
    for (const std::uint32_t column : by) {
      if (levels == 0) break;
      std::vector<std::uint32_t> side[2];
      for (const std::uint32_t row : of) side[rows.test(column, row) ? 1 : 0].push_back(row);
      if (side[0].empty() || side[1].empty()) continue;
      best = std::min(best, best_cost(side[0], by, levels - 1) + best_cost(side[1], by, levels - 1));
    }
    return best;
  }
};

}  // namespace

RANDOM_TEST(rows_have_equal_codes_if_and_only_if_they_agree_in_the_columns_of_the_group, 200) {
  const Setup setup(draw, draw.size_between(1, 150), draw.size_between(1, 40), 9);
  const ColumnGroups groups(setup.rows);
  std::vector<std::uint32_t> columns;
  for (std::uint32_t g = 0; g < groups.n_groups(); ++g) {
    for (const std::uint32_t column : groups.columns(g)) {
      columns.push_back(column);
      CHECK_EQUAL(groups.group_of(column), g);
      for (std::uint32_t row = 0; row < setup.rows.n_rows; ++row)
        CHECK_EQUAL(groups.test(column, row), setup.rows.test(column, row));
    }
    for (std::uint32_t a = 0; a < setup.rows.n_rows; ++a) {
      CHECK(groups.codes(a)[g] < ColumnGroups::kMostCodes);
      for (std::uint32_t b = 0; b < a; ++b) {
        const auto agree = [&](std::uint32_t c) { return setup.rows.test(c, a) == setup.rows.test(c, b); };
        const auto& of_group = groups.columns(g);
        CHECK_EQUAL(groups.codes(a)[g] == groups.codes(b)[g], std::all_of(of_group.begin(), of_group.end(), agree));
      }
    }
  }
  std::sort(columns.begin(), columns.end());
  CHECK(columns == setup.all_columns());
}

TEST(thresholds_of_a_number_and_values_of_a_category_share_a_group) {
  std::vector<std::vector<bool>> columns(20, std::vector<bool>(110));
  for (std::size_t row = 0; row < 110; ++row)
    for (std::size_t k = 0; k < 10; ++k) {
      columns[2 * k][row] = row % 11 <= k;
      columns[2 * k + 1][row] = row / 10 == k;
    }
  const auto packed = Setup::packed_columns(columns, 110);
  const std::vector<std::int64_t> sums(330, 1);
  Run run;
  const DistinctRows rows({packed.data(), 20, 110}, {{}, sums, 3}, run);
  CHECK_EQUAL(ColumnGroups(rows).n_groups(), 2u);
}

RANDOM_TEST(sums_of_pairs_and_triples_are_those_of_the_rows, 150) {
  const Setup setup(draw, draw.size_between(1, 120), draw.size_between(1, 30), draw.choose<std::int64_t>({1, 1000}));
  const CodedRows coded(setup.problem);
  WorkMeter meter(setup.run);
  GroupSums sums(coded);
  for (int side = 0; side < 3; ++side) {
    const std::vector<std::uint32_t> some_rows = Setup::some(draw, setup.all_rows()),
                                     some_columns = Setup::some(draw, setup.all_columns());
    sums.open(some_rows, some_columns);
    CHECK(sums.count_pairs(meter));
    const auto column = [&](std::uint32_t i) { return some_columns[sums.column(i)]; };
    const kernels::SumColumns& found = sums.columns();
    CHECK_EQUAL(found.n_sums, setup.costs == Costs::any ? setup.model.n_predictions() : 1);
    for (std::uint32_t s = 0; s < found.n_sums; ++s) {
      CHECK_EQUAL(found.totals[s], setup.sum_where(coded, s, some_rows, {}));
      for (std::uint32_t i = 0; i < sums.n_columns(); ++i) {
        CHECK_EQUAL(found.sums[s * found.stride + i], setup.sum_where(coded, s, some_rows, {column(i)}));
        for (std::uint32_t k = 0; k < sums.n_columns(); ++k)
          CHECK_EQUAL(found.pairs[s * found.n_of_pairs + std::size_t{i} * found.stride + k],
                      setup.sum_where(coded, s, some_rows, {column(i), column(k)}));
      }
    }
    std::size_t n_pairs = 0;
    CHECK(sums.each_triple(meter, [&](std::uint32_t i, std::uint32_t j, const TripleSums& triples) {
      ++n_pairs;
      CHECK(i < j);
      for (std::uint32_t s = 0; s < found.n_sums; ++s)
        for (std::uint32_t k = j + 1; k < sums.n_columns(); ++k)
          CHECK_EQUAL(triples.first[s * triples.n_of_sum + k],
                      setup.sum_where(coded, s, some_rows, {column(i), column(j), column(k)}));
    }));
    CHECK_EQUAL(n_pairs, std::size_t{sums.n_columns()} * (sums.n_columns() - 1) / 2);
  }
}

RANDOM_TEST(the_best_tree_of_one_to_three_levels_costs_what_brute_force_finds, 300) {
  const Setup setup(draw, draw.size_between(1, 60), draw.size_between(1, 14),
                    draw.choose<std::int64_t>({1, 9, 100000}));
  const CodedRows coded(setup.problem);
  WorkMeter meter(setup.run);
  const std::vector<std::uint32_t> some_rows = Setup::some(draw, setup.all_rows()),
                                   some_columns = Setup::some(draw, setup.all_columns());
  for (const Kernels* kernels : kernels_of_this_machine()) {
    SumSolver solver(setup.problem, coded, *kernels, meter);
    for (const std::uint32_t levels : {1u, 2u, 3u}) {
      const auto found = solver.solve(some_rows, some_columns, levels);
      CHECK(found.has_value());
      const Ticks leaf = setup.leaf(some_rows),
                  best = setup.best_cost(some_rows, some_columns, static_cast<int>(levels));
      CHECK_EQUAL(std::min(found->cost, leaf), best);
      if (found->cost == kInfinity) continue;
      CHECK(found->shape.depth <= levels);
      CHECK_EQUAL(some_columns[solver.best_root()], found->split);
      Ticks below = 0;
      for (const bool holds : {false, true}) {
        std::vector<std::uint32_t> side;
        for (const std::uint32_t row : some_rows)
          if (setup.rows.test(found->split, row) == holds) side.push_back(row);
        CHECK_EQUAL(solver.below_root(holds).tree.cost,
                    setup.best_cost(side, some_columns, static_cast<int>(levels) - 1));
        CHECK_EQUAL(solver.below_root(holds).loss, setup.leaf(side) - setup.problem.leaf_cost);
        below += solver.below_root(holds).tree.cost;
      }
      CHECK_EQUAL(below, found->cost);
      // Of several roots that are as good, the first column that was given.
      for (std::uint32_t i = 0; levels == 1 && i < solver.best_root(); ++i)
        CHECK(setup.best_cost(some_rows, {some_columns[i]}, 1) > found->cost);
    }
  }
}

RANDOM_TEST(searches_with_and_without_sums_of_groups_prove_the_same_cost, 150) {
  const Setup setup(draw, draw.size_between(1, 60), draw.size_between(1, 10), draw.choose<std::int64_t>({1, 9, 1000}));
  rows::Problem problem = setup.problem;
  problem.leaf_cost = setup.leaf(setup.all_rows()) / draw.choose<Ticks>({8, 20, 60}) + 1;
  if (draw.percent(75)) problem.tree.depth = draw.size_between(1, 5);
  const auto search = [&](std::uint32_t most_of_pairs, std::uint32_t most_of_triples, std::uint64_t most_cells) {
    problem.most_columns_of_pairs = most_of_pairs;
    problem.most_columns_of_triples = most_of_triples;
    problem.most_cells = most_cells;
    Run run;
    return search::search(problem, run);
  };
  const Outcome by_slots = search(0, 0, 0);
  CHECK_EQUAL(by_slots.lower, by_slots.tree.cost);
  for (const std::uint32_t most_of_triples : {0u, 5u, 100u})
    for (const std::uint64_t most_cells : {0u, 1u << 20}) {
      const Outcome by_groups = search(100, most_of_triples, most_cells);
      CHECK_EQUAL(by_groups.lower, by_slots.lower);
      CHECK_EQUAL(by_groups.tree.cost, by_slots.tree.cost);
    }
}

RANDOM_TEST(sums_where_a_column_holds_are_those_of_the_rows, 100) {
  const Setup setup(draw, draw.size_between(1, 120), draw.size_between(2, 20), draw.choose<std::int64_t>({1, 1000}));
  const CodedRows coded(setup.problem);
  WorkMeter meter(setup.run);
  GroupSums all(coded);
  all.open(setup.all_rows(), setup.all_columns());
  if (all.n_columns() == 0) return;
  GroupSums some(all);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::uint32_t first = draw.below(all.n_columns());
    some.open_where(all, first);
    CHECK(some.count_pairs(meter));
    const auto column = [&](std::uint32_t i) { return all.column(i); };
    const kernels::SumColumns& found = some.columns();
    for (std::uint32_t s = 0; s < found.n_sums; ++s)
      CHECK_EQUAL(found.totals[s], setup.sum_where(coded, s, setup.all_rows(), {column(first)}));
    std::size_t n_pairs = 0;
    CHECK(some.each_triple(meter, [&](std::uint32_t i, std::uint32_t j, const TripleSums& triples) {
      CHECK(i < j);
      if (i <= first) return;
      ++n_pairs;
      for (std::uint32_t s = 0; s < found.n_sums; ++s)
        for (std::uint32_t k = j + 1; k < all.n_columns(); ++k)
          CHECK_EQUAL(triples.first[s * triples.n_of_sum + k],
                      setup.sum_where(coded, s, setup.all_rows(), {column(first), column(i), column(j), column(k)}));
    }));
    const std::size_t n_behind = all.n_columns() - 1 - first;
    CHECK_EQUAL(n_pairs, n_behind * (n_behind - std::min<std::size_t>(n_behind, 1)) / 2);
  }
}

/// The cost of the tree that a solver has found for a cell.
Ticks cost_of_cell(const Setup& setup, const CellSolver& solver, const std::vector<std::uint32_t>& of,
                   const shallow::Cell& cell, std::uint32_t levels) {
  if (levels == 1) return setup.leaf(of) - solver.gain_of_stump(cell);
  const std::optional<std::uint32_t> root = solver.root_of(cell);
  if (!root) return setup.leaf(of);
  Ticks cost = 0;
  for (const bool holds : {false, true}) {
    std::vector<std::uint32_t> side;
    for (const std::uint32_t row : of)
      if (setup.rows.test(solver.column(*root), row) == holds) side.push_back(row);
    CHECK(!side.empty());
    cost += cost_of_cell(setup, solver, side, cell.with(*root, holds), levels - 1);
  }
  return cost;
}

RANDOM_TEST(the_best_tree_of_four_or_five_levels_costs_what_brute_force_finds, 100) {
  const Setup setup(draw, draw.size_between(1, 60), draw.size_between(1, 10),
                    draw.choose<std::int64_t>({1, 9, 100000}));
  if (!setup.model.measures().has_two_sums()) return;
  const CodedRows coded(setup.problem);
  WorkMeter meter(setup.run);
  const std::vector<std::uint32_t> some_rows = Setup::some(draw, setup.all_rows()),
                                   some_columns = Setup::some(draw, setup.all_columns());
  const std::uint32_t levels = draw.size_between(4, 5);
  const Ticks best = setup.best_cost(some_rows, some_columns, static_cast<int>(levels));
  for (const Kernels* kernels : kernels_of_this_machine()) {
    CellSolver solver(setup.problem, coded, *kernels, meter);
    CHECK(solver.solve(some_rows, some_columns, levels));
    CHECK_EQUAL(cost_of_cell(setup, solver, some_rows, {}, levels), best);
  }
}

RANDOM_TEST(cells_of_more_columns_than_lanes_give_the_cost_that_a_search_proves, 16) {
  const Setup setup(draw, draw.size_between(20, 60), draw.size_between(9, 26), 9);
  if (!setup.model.measures().has_two_sums()) return;
  rows::Problem problem = setup.problem;
  problem.tree.depth = draw.size_between(4, 5);
  const auto search = [&](std::uint64_t most_cells) {
    problem.most_cells = most_cells;
    Run run;
    return search::search(problem, run);
  };
  const Outcome by_sides = search(0), by_cells = search(rows::kMostCells);
  CHECK_EQUAL(by_cells.lower, by_sides.lower);
  CHECK_EQUAL(by_cells.tree.cost, by_sides.tree.cost);
}

RANDOM_TEST(more_cells_are_counted_for_many_rows, 16) {
  const Setup setup(draw, draw.choose<std::size_t>({30, 6000}), 12, 9);
  rows::Problem problem = setup.problem;
  const CodedRows coded(problem);
  const std::uint64_t all = CellSolver::n_cells(4, 12), n_groups = coded.groups.n_groups(),
                      triples = n_groups * (n_groups - 1) * (n_groups - 2) / 6;
  const bool has_many = std::uint64_t{12} * problem.rows.n_rows * triples >= 2 * all;
  problem.most_cells = all;
  CHECK(CellSolver::is_faster(4, problem, coded));
  problem.most_cells = all - 1;
  CHECK_EQUAL(CellSolver::is_faster(4, problem, coded), has_many);
  problem.most_cells = all / 5;
  CHECK(!CellSolver::is_faster(4, problem, coded));
}

TEST(cells_take_a_number_for_each_cell_and_no_more) {
  // Of 10 columns: the sums where each set of at most three holds, and the worth in each cell of these sets.
  CHECK_EQUAL(CellSolver::bytes(4, 10), sizeof(Ticks) * (10 * (1 + 2) + 45 * (1 + 4) + 120 * (1 + 8)));
  CHECK_EQUAL(CellSolver::bytes(5, 10), CellSolver::bytes(4, 10) + sizeof(Ticks) * 210 * (1 + 16));
}

RANDOM_TEST(a_stopped_run_stops_the_solvers, 8) {
  Setup setup(draw, 100, 20, 9);
  const CodedRows coded(setup.problem);
  setup.run.stop(Status::interrupted);
  WorkMeter meter(setup.run);
  SumSolver solver(setup.problem, coded, kernels::kernels(), meter);
  CHECK(!solver.solve(setup.all_rows(), setup.all_columns(), 3));
  if (!setup.model.measures().has_two_sums()) return;
  CellSolver cells(setup.problem, coded, kernels::kernels(), meter);
  CHECK(!cells.solve(setup.all_rows(), setup.all_columns(), 4));
}

TEST(sums_that_do_not_fit_into_63_bits_are_refused) {
  const std::uint8_t packed = 1;
  for (const bool fits : {true, false}) {
    const std::int64_t w = std::int64_t{1} << 31, y = fits ? 0 : 1;
    const std::vector<std::int64_t> sums = {w, w * y, w * y, w, w * y, w * y};
    Run run;
    const DistinctRows rows({&packed, 1, 2}, {{}, sums, 3}, run);
    const LeafModel model = LeafModel::squared_error(2, true, false);
    CHECK_EQUAL(SumSolver::is_usable({rows, model, 1, {}, {}}), fits);
  }
}

}  // namespace hornbeam::testing::sums_test
