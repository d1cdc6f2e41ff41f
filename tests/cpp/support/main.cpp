// support/main.cpp: runs the tests of one program; with a number, with that seed alone; with two, from the first seed
// as many as the second. HORNBEAM_ONE_SEED_IN=4 leaves out three of four seeds, for slow builds.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <typeinfo>

#include "support/check.hpp"
#include "support/kept_problem.hpp"

namespace hornbeam::testing {

namespace {

Test* first_test = nullptr;
Test* last_test = nullptr;
const Test* running = nullptr;
std::uint64_t running_seed = 0;
std::string* first_failure = nullptr;  // takes the place of a failure, instead of the output
std::atomic<int> n_failures{0};
std::mutex output;

constexpr int kMostMessages = 20;

void append(Test& test) noexcept {
  (last_test == nullptr ? first_test : last_test->next) = &test;
  last_test = &test;
}

void run_guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    report_failure(typeid(error).name(), 0, std::string("unexpected exception: ") + error.what());
  }
}

void run_on(const Test& test, const TestProblem& problem, std::uint64_t seed) {
  Random draw(seed);
  test.on_problem(problem, draw);
}

void run_on(const Test& test, const Draws& draws, std::uint64_t) {
  Random draw(draws);
  test.random(draw);
}

/// Where a test fails first, or nothing if it passes; writes nothing.
std::string failure_of(const std::function<void()>& run) {
  std::string found;
  first_failure = &found;
  try {
    run_guarded(run);
  } catch (const OutOfDraws&) {
    found.clear();
  }
  first_failure = nullptr;
  return found;
}

/// Reports the failure of a test with the least problem, or draws, that fail at the same place.
template <class Case>
void report_least(const Test& test, const Case& failing, std::uint64_t seed, const std::string& failure) {
  const auto fails = [&](const Case& smaller) { return failure_of([&] { run_on(test, smaller, seed); }) == failure; };
  const Case least = shrunk(failing, fails);
  if constexpr (std::is_same_v<Case, Draws>)
    write(std::cerr, {test.name, seed, {}, least});
  else
    write(std::cerr, {test.name, seed, least, {}});
  const int failures_before = n_failures;
  run_guarded([&] { run_on(test, least, seed); });
  if (n_failures == failures_before) report_failure(__FILE__, __LINE__, "fails now and then, at " + failure);
}

template <class Case>
void run_case(const Test& test, const Case& of_test, std::uint64_t seed) {
  const std::string failure = failure_of([&] { run_on(test, of_test, seed); });
  if (!failure.empty()) report_least(test, of_test, seed, failure);
}

void run_random(const Test& test, std::uint64_t seed) {
  Draws draws;
  Random draw(seed, &draws);
  const std::string failure = failure_of([&] { test.random(draw); });
  if (!failure.empty()) report_least(test, draws, seed, failure);
}

void run_seed(const Test& test, std::uint64_t seed) {
  running = &test;
  running_seed = seed;
  run_guarded([&] {
    if (test.plain != nullptr) return test.plain();
    if (test.random != nullptr) return run_random(test, seed);
    Random draw(seed);
    const TestProblem problem = test.make(draw);
    run_case(test, problem, draw.word());
  });
}

/// All problems that are kept for the tests of this program.
void run_kept(const std::string& program) {
  std::ifstream file(std::string(HORNBEAM_REGRESSIONS) + "/" + program + ".txt");
  for (const KeptProblem& kept : read_kept_problems(file)) {
    running = first_test;
    while (running != nullptr && running->name != kept.test) running = running->next;
    if (running == nullptr || (kept.draws ? running->random == nullptr : running->make == nullptr))
      throw std::runtime_error("a problem is kept for a test that there is not: " + kept.test);
    running_seed = kept.seed;
    if (kept.draws)
      run_case(*running, *kept.draws, kept.seed);
    else
      run_case(*running, kept.problem, kept.seed);
  }
}

}  // namespace

Test::Test(const char* sentence, void (*function)()) noexcept : name(sentence), n_seeds(1), plain(function) {
  append(*this);
}

Test::Test(const char* sentence, std::uint64_t seeds, void (*function)(Random&)) noexcept
    : name(sentence), n_seeds(seeds), random(function) {
  append(*this);
}

Test::Test(const char* sentence, std::uint64_t seeds, TestProblem (*make_problem)(Random&),
           void (*function)(const TestProblem&, Random&)) noexcept
    : name(sentence), n_seeds(seeds), make(make_problem), on_problem(function) {
  append(*this);
}

void report_failure(const char* file, int line, const std::string& what) {
  const std::scoped_lock guard(output);
  if (first_failure != nullptr) {
    if (first_failure->empty()) *first_failure = std::string(file) + ":" + std::to_string(line);
    return;
  }
  if (++n_failures <= kMostMessages)
    std::cerr << file << ":" << line << ": " << running->name << ", seed " << running_seed << ": " << what << '\n';
}

/// How many seeds of a test there are for each one that is run.
static std::uint64_t seeds_for_one() {
  const char* given = std::getenv("HORNBEAM_ONE_SEED_IN");  // NOLINT(concurrency-mt-unsafe): before any thread
  return given == nullptr ? 1 : std::stoull(given);
}

static int run_tests(int n_arguments, char** arguments) {
  const std::uint64_t first = n_arguments > 1 ? std::strtoull(arguments[1], nullptr, 10) : 0;
  const std::uint64_t count = n_arguments > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const std::uint64_t for_one = seeds_for_one();
  if (n_arguments == 1) run_kept(std::filesystem::path(arguments[0]).stem());
  for (const Test* test = first_test; test != nullptr; test = test->next) {
    const int failures_before = n_failures;
    const std::uint64_t n_seeds =
        n_arguments > 1 && test->plain == nullptr ? count : (test->n_seeds + for_one - 1) / for_one;
    for (std::uint64_t seed = first; seed < first + n_seeds && n_failures == failures_before; ++seed)
      run_seed(*test, seed);
  }
  return n_failures == 0 ? 0 : 1;
}

}  // namespace hornbeam::testing

int main(int n_arguments, char** arguments) {
  try {
    return hornbeam::testing::run_tests(n_arguments, arguments);
  } catch (const std::exception& error) {  // of a kept problem that cannot be read
    std::fputs(error.what(), stderr);
    return 1;
  }
}
