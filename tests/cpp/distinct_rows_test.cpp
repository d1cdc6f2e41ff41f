// distinct_rows_test.cpp: data/distinct_rows against a merge with std::map.
#include "data/distinct_rows.hpp"

#include <map>

#include "support/check.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing::distinct_rows_test {

using namespace hornbeam::data;
using namespace hornbeam::run;

namespace {

struct MergedRow {
  std::size_t number;  // in the order of first appearance
  std::vector<std::int64_t> weight;
  std::int64_t n_rows = 0;
};

std::map<std::vector<bool>, MergedRow> merge(const TestProblem& problem) {
  std::map<std::vector<bool>, MergedRow> merged;
  for (std::uint32_t r = 0; r < problem.n_rows(); ++r) {
    const auto [at, is_new] = merged.try_emplace(problem.rows[r]);
    if (is_new) at->second = {merged.size() - 1, std::vector<std::int64_t>(problem.n_classes), 0};
    at->second.weight[static_cast<std::size_t>(problem.classes[r])] += problem.weights[r];
    ++at->second.n_rows;
  }
  return merged;
}

void check_merge(const TestProblem& problem) {
  Run stop;
  const DistinctRows found(problem.columns(), problem.targets(), stop);
  const auto merged = merge(problem);
  CHECK_EQUAL(found.n_rows, merged.size());
  CHECK_EQUAL(found.n_columns, problem.n_columns);
  CHECK_EQUAL(found.n_targets, problem.n_classes);
  CHECK(found.stride % kLanes == 0 && found.stride >= found.n_columns);
  CHECK_EQUAL(found.bits.size(), std::size_t{words_for(found.n_rows)} * found.stride);
  std::vector<Word> set_bits(found.bits.begin(), found.bits.end());
  for (const auto& [bits, row] : merged) {
    const auto number = static_cast<std::uint32_t>(row.number);
    CHECK_EQUAL(found.row_count[number], row.n_rows);
    CHECK(std::vector(found.weight(number), found.weight(number) + found.n_targets) == row.weight);
    for (std::uint32_t c = 0; c < problem.n_columns; ++c) {
      CHECK(found.test(c, number) == bits[c]);
      if (bits[c]) set_bits[number / kWordBits * found.stride + c] ^= Word{1} << (number % kWordBits);
    }
  }
  CHECK(std::vector<Word>(set_bits.size()) == set_bits);  // padding is zero
}

}  // namespace

PROBLEM_TEST(merging_rows_equals_merging_them_in_a_map, 200, random_problem(draw, {1, 200, 0, 9})) {
  check_merge(problem);
}

PROBLEM_TEST(merging_wide_rows_equals_merging_them_in_a_map, 40, random_problem(draw, {1, 150, 60, 140})) {
  check_merge(problem);
}

PROBLEM_TEST(merging_more_rows_than_the_first_table_holds_equals_merging_them_in_a_map, 2,
             random_problem(draw, {3000, 3000, 14, 20})) {
  check_merge(problem);
}

RANDOM_TEST(whole_words_and_single_rows_and_columns_are_merged, 5) {
  for (const std::uint32_t n_rows : {1u, 63u, 64u, 65u, 128u})
    for (const std::uint32_t n_columns : {0u, 1u, 8u, 63u, 64u, 65u})
      check_merge(random_problem(draw, {n_rows, n_rows, n_columns, n_columns}));
}

RANDOM_TEST(a_stop_ends_the_merge, 1) {
  const TestProblem problem = random_problem(draw, {100, 100, 3, 3});
  Run stop({.seconds = 0.0});
  CHECK_THROWS(Stopped, DistinctRows(problem.columns(), problem.targets(), stop));
  CHECK(stop.reason() == Status::time_limit);
}

}  // namespace hornbeam::testing::distinct_rows_test
