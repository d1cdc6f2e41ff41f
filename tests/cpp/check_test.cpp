// check_test.cpp: what the harness must not let pass. The program has to fail (WILL_FAIL in CMakeLists.txt).
#include "support/check.hpp"

#include "support/problem.hpp"

namespace hornbeam::testing::check_test {

TEST(one_equals_two) { CHECK_EQUAL(1, 2); }

PROBLEM_TEST(no_two_rows_of_class_1_differ, 100, random_problem(draw, {20, 60, 5, 9})) {
  for (std::uint32_t row = 1; row < problem.n_rows(); ++row)
    for (std::uint32_t other = 0; other < row; ++other)
      CHECK(problem.classes[row] != 1 || problem.classes[other] != 1 || problem.rows[row] == problem.rows[other]);
}

RANDOM_TEST(no_number_exceeds_90, 100) {
  for (std::uint32_t n = draw.size_between(1, 20); n > 0; --n) CHECK(draw.percent(50) || draw.below(100) <= 90);
}

RANDOM_TEST(a_number_is_never_drawn, 1) { CHECK(draw.below(5) > 5); }

}  // namespace hornbeam::testing::check_test
