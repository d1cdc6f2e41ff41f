// support/check.hpp
//
// WHAT    A test harness: TEST(a_sentence_that_can_be_false) { ... CHECK(...); }, and RANDOM_TEST(sentence, seeds)
//         whose body has `draw`, a Random of the seed. A test ends at its first seed with a failure; the message names
//         file, line and seed, and is that of the fewest and smallest draws that fail, which are written as
//         support/kept_problem.hpp keeps them. The body of PROBLEM_TEST(sentence, seeds, make) also has `problem`, what
//         `make` draws; if it fails, the smallest such problem is written instead.
// FLOW    support/main.cpp runs every test of its program, on kept problems first; `solve_test 90210` runs them with
//         that seed alone, `solve_test 0 100000` with many more than usual.
// CHOICE  Own: all it has to know is seeds, and the core then needs nothing from outside to be tested.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

#include "support/random.hpp"

namespace hornbeam::testing {

struct TestProblem;

/// A test in the list of its program.
struct Test {
  Test(const char* sentence, void (*function)()) noexcept;
  Test(const char* sentence, std::uint64_t seeds, void (*function)(Random&)) noexcept;
  Test(const char* sentence, std::uint64_t seeds, TestProblem (*make)(Random&),
       void (*function)(const TestProblem&, Random&)) noexcept;
  const char* name;
  std::uint64_t n_seeds;
  void (*plain)() = nullptr;
  void (*random)(Random&) = nullptr;
  TestProblem (*make)(Random&) = nullptr;
  void (*on_problem)(const TestProblem&, Random&) = nullptr;
  Test* next = nullptr;
};

/// Writes what failed and for which seed; any thread may call it.
void report_failure(const char* file, int line, const std::string& what);

inline void check(bool holds, const char* file, int line, const char* what) {
  if (!holds) report_failure(file, line, what);
}

template <class A, class B>
void check_equal(const A& found, const B& expected, const char* file, int line, const char* what) {
  if (found == expected) return;
  std::ostringstream text;
  text << what << ": found " << found << ", expected " << expected;
  report_failure(file, line, text.str());
}

}  // namespace hornbeam::testing

// NOLINTBEGIN(readability-identifier-naming): short names, since tests are full of them.
#define CHECK(condition) ::hornbeam::testing::check((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQUAL(found, expected) \
  ::hornbeam::testing::check_equal((found), (expected), __FILE__, __LINE__, #found " == " #expected)
#define CHECK_THROWS(Exception, statement)                                                   \
  do {                                                                                       \
    bool threw = false;                                                                      \
    try {                                                                                    \
      statement;                                                                             \
    } catch (const Exception&) {                                                             \
      threw = true;                                                                          \
    }                                                                                        \
    ::hornbeam::testing::check(threw, __FILE__, __LINE__, #statement " throws " #Exception); \
  } while (false)
#define TEST(sentence)                                                   \
  static void sentence();                                                \
  static ::hornbeam::testing::Test test_##sentence(#sentence, sentence); \
  static void sentence()
#define RANDOM_TEST(sentence, seeds)                                            \
  static void sentence(::hornbeam::testing::Random& draw);                      \
  static ::hornbeam::testing::Test test_##sentence(#sentence, seeds, sentence); \
  static void sentence(::hornbeam::testing::Random& draw)
#define PROBLEM_TEST(sentence, seeds, make)                                                                   \
  static void sentence(const ::hornbeam::testing::TestProblem& problem, ::hornbeam::testing::Random& draw);   \
  static ::hornbeam::testing::TestProblem make_##sentence(::hornbeam::testing::Random& draw) { return make; } \
  static ::hornbeam::testing::Test test_##sentence(#sentence, seeds, make_##sentence, sentence);              \
  static void sentence(const ::hornbeam::testing::TestProblem& problem,                                       \
                       [[maybe_unused]] ::hornbeam::testing::Random& draw)
// NOLINTEND(readability-identifier-naming)
