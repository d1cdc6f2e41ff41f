// primal_squares_test.cpp: the primal heuristics for squared error, against the exact search.
#include "support/check.hpp"
#include "support/ordered.hpp"
#include "support/primal.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::primal_squares_test {

using namespace hornbeam::data;
using namespace hornbeam::primal;
using namespace hornbeam::run;

RANDOM_TEST(heuristic_trees_for_squared_error_cost_no_less_than_the_optimum, 300) {
  const OrderedTestProblem problem = random_ordered(draw, {24, 3, 8});
  TestProblem plain = problem.plain();
  if (draw.percent(50)) plain.limits = random_limits(draw);
  const std::int64_t largest = draw.choose<std::int64_t>({1, 9, 100});
  std::vector<std::int64_t> sums;
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    const std::int64_t weight = draw.between(1, 4), target = draw.between(0, largest);
    for (const std::int64_t sum : {weight, weight * target, weight * target * target}) sums.push_back(sum);
  }
  const RowLosses losses{{{}, sums, 3}, {}, static_cast<std::uint32_t>(largest + 1)};
  const Ticks leaf_cost = draw.between(0, largest * largest);
  PackedInput input{{losses, leaf_cost, plain.limits, {}, {}, {}}, plain.columns()};
  input.bounds.primal = false;
  const Ticks optimum = solve(input, never).tree.cost;
  Run run;
  const DistinctRows rows(plain.columns(), losses.targets, run);
  check_growing(plain.columns(), losses, leaf_cost, plain.limits, Points(rows, true), optimum, draw);
  check_growing(problem.columns(), losses, leaf_cost, plain.limits, Points(problem.columns(), losses.targets, true),
                optimum, draw);
}

}  // namespace hornbeam::testing::primal_squares_test
