// support/main.cpp: runs the tests of one program. With an argument: with that seed alone.
#include <atomic>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>

#include "support/check.hpp"

namespace hornbeam::testing {

namespace {

Test* first_test = nullptr;
Test* last_test = nullptr;
const Test* running = nullptr;
std::uint64_t running_seed = 0;
std::atomic<int> n_failures{0};
std::mutex output;

constexpr int kMostMessages = 20;

void run_seed(const Test& test, std::uint64_t seed) {
  running = &test;
  running_seed = seed;
  Random draw(seed);
  try {
    test.body(draw);
  } catch (const std::exception& error) {
    report_failure(__FILE__, __LINE__, std::string("unexpected exception: ") + error.what());
  }
}

}  // namespace

Test::Test(const char* sentence, std::uint64_t seeds, void (*function)(Random&)) noexcept
    : name(sentence), n_seeds(seeds), body(function) {
  (last_test == nullptr ? first_test : last_test->next) = this;
  last_test = this;
}

void report_failure(const char* file, int line, const std::string& what) {
  const std::scoped_lock guard(output);
  if (++n_failures <= kMostMessages)
    std::cerr << file << ":" << line << ": " << running->name << ", seed " << running_seed << ": " << what << '\n';
}

static int run_tests(int n_arguments, char** arguments) {
  for (const Test* test = first_test; test != nullptr; test = test->next) {
    const int failures_before = n_failures;
    if (n_arguments > 1) {
      run_seed(*test, std::strtoull(arguments[1], nullptr, 10));
      continue;
    }
    for (std::uint64_t seed = 0; seed < test->n_seeds && n_failures == failures_before; ++seed) run_seed(*test, seed);
  }
  return n_failures == 0 ? 0 : 1;
}

}  // namespace hornbeam::testing

int main(int n_arguments, char** arguments) { return hornbeam::testing::run_tests(n_arguments, arguments); }
