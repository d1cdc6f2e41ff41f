// check_test.cpp: what the harness must not let pass. The program has to fail (WILL_FAIL in CMakeLists.txt).
#include "support/check.hpp"

TEST(one_equals_two) { CHECK_EQUAL(1, 2); }
