// kept_problem_test.cpp: problems are made as small as a failure allows, and are read as they were written.
#include "support/kept_problem.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "support/check.hpp"
#include "support/oracle.hpp"

namespace hornbeam::testing::kept_problem_test {

RANDOM_TEST(a_problem_shrinks_to_what_a_failure_is_about, 50) {
  TestProblem problem = random_problem(draw, {20, 60, 5, 9});
  for (std::int32_t& each : problem.classes) each %= 2;
  // The failure: rows that weigh 30 or more hold in column 2, and one of them has class 1.
  const auto fails = [](const TestProblem& some) {
    std::int64_t weight = 0;
    bool has_class = false;
    for (std::uint32_t row = 0; row < some.n_rows() && some.n_columns > 2; ++row) {
      if (!some.rows[row][2]) continue;
      weight += some.weights[row];
      has_class = has_class || some.classes[row] == 1;
    }
    return weight >= 30 && has_class;
  };
  if (!fails(problem)) return;
  const TestProblem least = testing::shrunk(problem, fails);
  CHECK(fails(least));
  CHECK_EQUAL(least.n_columns, 3u);
  CHECK_EQUAL(least.leaf_cost, 0);
  std::int64_t weight = 0;
  for (std::uint32_t row = 0; row < least.n_rows(); ++row) {
    CHECK((least.rows[row] == std::vector<bool>{false, false, true}));
    weight += least.weights[row];
  }
  CHECK_EQUAL(weight, 30);
  CHECK_EQUAL(std::count(least.classes.begin(), least.classes.end(), 1), 1);
}

RANDOM_TEST(a_kept_problem_is_read_as_it_was_written, 100) {
  KeptProblem kept{"some_test", draw.word(), random_problem(draw, {1, 20, 0, 9}), {}};
  kept.problem.limits = random_limits(draw);
  std::stringstream text;
  text << "# a comment\n\n";
  write(text, kept);
  write(text, kept);
  const std::vector<KeptProblem> read = testing::read_kept_problems(text);
  CHECK_EQUAL(read.size(), 2u);
  for (const KeptProblem& each : read) {
    CHECK(each.test == kept.test && each.seed == kept.seed);
    CHECK(each.problem.rows == kept.problem.rows && each.problem.classes == kept.problem.classes);
    CHECK(each.problem.weights == kept.problem.weights && each.problem.costs == kept.problem.costs);
    CHECK(each.problem.packed == kept.problem.packed && each.problem.leaf_cost == kept.problem.leaf_cost);
    CHECK(each.problem.limits.depth == kept.problem.limits.depth);
    CHECK(each.problem.limits.leaves == kept.problem.limits.leaves);
    CHECK_EQUAL(each.problem.limits.rows_per_leaf, kept.problem.limits.rows_per_leaf);
  }
}

RANDOM_TEST(draws_shrink_to_what_a_failure_is_about, 50) {
  // The failure: two numbers, wherever they are, of which the second is 17 more than the first, and the first at
  // least 5.
  const auto fails = [](const Draws& draws) {
    for (std::size_t i = 1; i < draws.size(); ++i)
      if (draws[i - 1] >= 5 && draws[i] >= draws[i - 1] + 17) return true;
    return false;
  };
  Draws draws;
  for (int i = 0; i < 100; ++i) draws.push_back(draw.below(1000));
  if (fails(draws)) CHECK((testing::shrunk(draws, fails) == Draws{5, 22}));
}

RANDOM_TEST(draws_are_written_and_read_back, 100) {
  Draws written;
  Random writing(draw.word(), &written);
  const auto draw_all = [](Random& random) {
    return std::vector<std::uint64_t>{random.word(), random.below(7), random.size_between(3, 9), random.percent(50)};
  };
  const std::vector<std::uint64_t> drawn = draw_all(writing);
  std::stringstream text;
  write(text, {"some_test", 0, {}, written});
  write(text, {"some_other_test", 0, {}, written});
  write(text, {"a_test_of_no_draws", 0, {}, Draws{}});
  std::vector<KeptProblem> read = testing::read_kept_problems(text);
  CHECK_EQUAL(read.size(), 3u);
  CHECK(read.back().draws == Draws{});
  read.pop_back();
  for (const KeptProblem& each : read) {
    CHECK(each.draws.has_value());
    if (!each.draws) return;
    Random reading(*each.draws);
    CHECK(draw_all(reading) == drawn);
    CHECK_EQUAL(reading.below(5), 0u);
  }
}

TEST(a_test_that_draws_without_end_does_not_hang) {
  const Draws none;
  Random draw(none);
  CHECK_THROWS(OutOfDraws, while (draw.below(2) == 0){});
}

TEST(a_malformed_kept_problem_is_rejected) {
  for (const char* text :
       {"seed 3", "test some_test\nrow 1", "test some_test\nrow 0 1 012", "test some_test\nseed 3 4",
        "test some_test\nrow 0 1 01\nrow 0 1 011", "test some_test\nheight 3", "test some_test\ndraws 3 x"}) {
    std::istringstream in(text);
    CHECK_THROWS(std::runtime_error, testing::read_kept_problems(in));
  }
}

}  // namespace hornbeam::testing::kept_problem_test
