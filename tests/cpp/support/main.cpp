// support/main.cpp: runs the tests of one program; with a number, with that seed alone; with two, from the first seed
// as many as the second.
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

void append(Test& test) noexcept {
  (last_test == nullptr ? first_test : last_test->next) = &test;
  last_test = &test;
}

void run_seed(const Test& test, std::uint64_t seed) {
  running = &test;
  running_seed = seed;
  try {
    Random draw(seed);
    test.plain != nullptr ? test.plain() : test.random(draw);
  } catch (const std::exception& error) {
    report_failure(__FILE__, __LINE__, std::string("unexpected exception: ") + error.what());
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

void report_failure(const char* file, int line, const std::string& what) {
  const std::scoped_lock guard(output);
  if (++n_failures <= kMostMessages)
    std::cerr << file << ":" << line << ": " << running->name << ", seed " << running_seed << ": " << what << '\n';
}

static int run_tests(int n_arguments, char** arguments) {
  const std::uint64_t first = n_arguments > 1 ? std::strtoull(arguments[1], nullptr, 10) : 0;
  const std::uint64_t count = n_arguments > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  for (const Test* test = first_test; test != nullptr; test = test->next) {
    const int failures_before = n_failures;
    const std::uint64_t n_seeds = n_arguments > 1 && test->random != nullptr ? count : test->n_seeds;
    for (std::uint64_t seed = first; seed < first + n_seeds && n_failures == failures_before; ++seed)
      run_seed(*test, seed);
  }
  return n_failures == 0 ? 0 : 1;
}

}  // namespace hornbeam::testing

int main(int n_arguments, char** arguments) { return hornbeam::testing::run_tests(n_arguments, arguments); }
