// bounds_test.cpp: what each header of bounds/ says, against brute force.
#include <algorithm>

#include "bounds/equivalent_points.hpp"
#include "bounds/pair_stage.hpp"
#include "bounds/similarity.hpp"
#include "bounds/subset.hpp"
#include "bounds/support_condition.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing::bounds_test {

using namespace hornbeam::bounds;
using namespace hornbeam::models;

namespace {

TestProblem small_problem(Random& draw) { return random_problem(draw, {2, 16, 1, 4}); }

RowNumbers random_rows(Random& draw, const TestProblem& problem) {
  RowNumbers rows = all_rows(problem);
  const std::uint32_t chance = draw.choose<std::uint32_t>({30, 70, 90});
  std::erase_if(rows, [&](std::uint32_t) { return !draw.percent(chance); });
  return rows.empty() ? RowNumbers{0} : rows;
}

RowNumbers without(const RowNumbers& rows, const RowNumbers& others) {
  RowNumbers left;
  std::set_difference(rows.begin(), rows.end(), others.begin(), others.end(), std::back_inserter(left));
  return left;
}

Ticks worth(const TestProblem& problem, const RowNumbers& rows) {  // n - q
  // With one prediction for each group of equal rows, two classes of one cost lose no more than n - q.
  const bool is_cancelled = testing::CostMatrix{problem.n_classes, problem.n_predictions, problem.costs}.is_cancelled();
  return largest_loss(problem, rows) - (is_cancelled ? 2 : 1) * least_loss(problem, rows);
}

/// The least cost of a tree whose splits all have sides worth at least `threshold`.
Ticks best_with_heavy_sides(const TestProblem& problem, const RowNumbers& rows, std::uint32_t depth, Ticks threshold) {
  Ticks least = problem.leaf_cost + loss_of_leaf(problem, rows);
  for (std::uint32_t column = 0; column < problem.n_columns && depth > 0; ++column) {
    const RowNumbers true_side = rows_where(problem, rows, column, true),
                     false_side = rows_where(problem, rows, column, false);
    if (worth(problem, true_side) < threshold || worth(problem, false_side) < threshold) continue;
    least = std::min(least, best_with_heavy_sides(problem, true_side, depth - 1, threshold) +
                                best_with_heavy_sides(problem, false_side, depth - 1, threshold));
  }
  return least;
}

Cell<Ticks> cell_of(const TestProblem& problem, const RowNumbers& rows) {
  return {largest_loss(problem, rows), loss_of_leaf(problem, rows), least_loss(problem, rows)};
}

}  // namespace

PROBLEM_TEST(no_tree_of_two_leaves_or_more_costs_less_than_its_leaves_and_the_least_loss, 300, small_problem(draw)) {
  const RowNumbers rows = all_rows(problem);
  const Ticks bound = cost_of_two_leaves_or_more(problem.leaf_cost, least_loss(problem, rows));
  CHECK(Oracle(problem).best() >= std::min(bound, problem.leaf_cost + loss_of_leaf(problem, rows)));
}

RANDOM_TEST(most_leaves_is_the_largest_number_that_can_still_be_as_good_as_one, 300) {
  const Ticks leaf_cost = draw.between(1, 20), least = draw.between(0, 50), loss = least + draw.between(0, 50);
  const Ticks most = most_leaves(leaf_cost, loss, least);
  CHECK(most * leaf_cost + least <= leaf_cost + loss);
  CHECK((most + 1) * leaf_cost + least > leaf_cost + loss);
  CHECK_EQUAL(most_leaves(0, loss, least), kInfinity);
}

PROBLEM_TEST(a_tree_limited_to_most_leaves_and_one_edge_less_is_as_good_as_any, 200, small_problem(draw)) {
  TestProblem limited = problem;
  const Ticks optimum = Oracle(limited).best();
  const RowNumbers rows = all_rows(limited);
  const Ticks most =
      std::min<Ticks>(most_leaves(limited.leaf_cost, loss_of_leaf(limited, rows), least_loss(limited, rows)), 20);
  limited.limits.leaves = static_cast<std::uint32_t>(most);
  CHECK_EQUAL(Oracle(limited).best(), optimum);
  limited.limits.leaves.reset();
  limited.limits.depth = static_cast<std::uint32_t>(most - 1);
  CHECK_EQUAL(Oracle(limited).best(), optimum);
}

PROBLEM_TEST(some_optimal_tree_has_sides_that_keep_the_support_condition, 200, small_problem(draw)) {
  const RowNumbers rows = all_rows(problem);
  const Ticks optimum = Oracle(problem).best(), threshold = support_threshold(true, problem.leaf_cost);
  CHECK_EQUAL(best_with_heavy_sides(problem, rows, problem.n_columns, threshold), optimum);
  if (too_light_to_split(largest_loss(problem, rows), least_loss(problem, rows), threshold))
    CHECK_EQUAL(problem.leaf_cost + loss_of_leaf(problem, rows), optimum);
}

TEST(the_support_threshold_is_the_leaf_cost_but_never_nothing) {
  CHECK_EQUAL(support_threshold(true, 7), 7);
  CHECK_EQUAL(support_threshold(true, 0), 1);
  CHECK_EQUAL(support_threshold(false, 7), 1);
  CHECK(too_light_to_split(20, 7, 7) && !too_light_to_split(21, 7, 7));
}

PROBLEM_TEST(a_set_costs_at_least_one_side_of_any_split_and_the_least_loss_of_the_other, 300, small_problem(draw)) {
  Oracle oracle(problem);
  const RowNumbers rows = all_rows(problem);
  const Ticks optimum = oracle.best();
  for (std::uint32_t column = 0; column < problem.n_columns; ++column)
    for (const bool side : {false, true})
      if (const RowNumbers of_side = rows_where(problem, rows, column, side); !of_side.empty())
        CHECK(optimum >=
              subset_bound(oracle.best(of_side), least_loss(problem, rows_where(problem, rows, column, !side))));
}

PROBLEM_TEST(no_side_of_a_split_costs_less_than_a_similar_side_less_their_distance, 200, small_problem(draw)) {
  TestProblem limited = problem;
  if (draw.percent(50)) limited.limits.depth = draw.below(4);
  Oracle oracle(limited);
  const std::uint32_t f = draw.below(limited.n_columns), g = draw.below(limited.n_columns);
  const RowNumbers x = rows_where(limited, all_rows(limited), f, draw.percent(50));
  const RowNumbers y = rows_where(limited, all_rows(limited), g, draw.percent(50));
  if (x.empty() || y.empty()) return;
  const RowNumbers apart = without(x, y), more = without(y, x);
  const Ticks distance = similarity_distance(largest_loss(limited, apart), loss_of_leaf(limited, apart),
                                             limited.leaf_cost, limited.limits.depth.has_value());
  CHECK(oracle.best(y) >= oracle.best(x) - distance + least_loss(limited, more));
}

PROBLEM_TEST(the_pair_stage_brackets_the_best_tree_of_a_side, 300, small_problem(draw)) {
  TestProblem limited = problem;
  if (draw.percent(30)) limited.limits.depth = draw.size_between(1, 3);
  const RowNumbers rows = random_rows(draw, limited);
  PairMinima<Ticks> minima{kInfinity, kInfinity, 0};
  for (std::uint32_t g = 0; g < limited.n_columns; ++g) {
    const Cell<Ticks> p = cell_of(limited, rows_where(limited, rows, g, true));
    const Cell<Ticks> r = cell_of(limited, rows_where(limited, rows, g, false));
    const Ticks threshold = support_threshold(true, limited.leaf_cost);
    const Ticks allowed = std::min(p.largest_loss - p.least_loss, r.largest_loss - r.least_loss) >= threshold ? -1 : 0;
    take_pair<Ticks, Ticks>(p, r, allowed, limited.leaf_cost, kInfinity, minima);
  }
  const Ticks small =
      std::min(limited.leaf_cost + loss_of_leaf(limited, rows), 2 * limited.leaf_cost + minima.stump_loss);
  Ticks large = 3 * limited.leaf_cost + minima.three_leaf_loss;
  if (minima.four_leaves != 0) large = std::min(large, 4 * limited.leaf_cost + least_loss(limited, rows));
  const Ticks optimum = limited.limits.depth == 0u ? small : Oracle(limited).best(rows);
  CHECK(optimum <= small);
  CHECK(optimum >= std::min(small, large));
}

}  // namespace hornbeam::testing::bounds_test
