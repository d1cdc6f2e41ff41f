// support/oracle.hpp
//
// WHAT    Brute force: the least cost of all trees by plain recursion, and the cost of one tree from the raw rows.
// HOLDS   Shares nothing with the core but the problem; written for reading.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "support/problem.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::testing {

using RowNumbers = std::vector<std::uint32_t>;

/// Loss of the best prediction for these rows together.
Ticks loss_of_leaf(const TestProblem& problem, const RowNumbers& rows);

/// The largest loss that these rows can incur.
Ticks largest_loss(const TestProblem& problem, const RowNumbers& rows);

/// The least loss of any function of the columns: the best prediction for each group of equal rows.
Ticks least_loss(const TestProblem& problem, const RowNumbers& rows);

RowNumbers all_rows(const TestProblem& problem);

/// The rows of `rows` where the column has this value.
RowNumbers rows_where(const TestProblem& problem, const RowNumbers& rows, std::uint32_t column, bool value);

/// The least cost of a tree on some rows within the problem's limits. No leaf of a split may be empty.
class Oracle {
 public:
  explicit Oracle(const TestProblem& problem) : problem_(problem) {}
  Ticks best() { return best(all_rows(problem_)); }
  Ticks best(const RowNumbers& rows);

 private:
  Ticks best(const RowNumbers& rows, std::uint32_t depth, std::uint32_t leaves);
  Ticks best_split(const RowNumbers& true_side, const RowNumbers& false_side, std::uint32_t depth,
                   std::uint32_t leaves);

  static constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};
  const TestProblem& problem_;
  std::map<std::tuple<RowNumbers, std::uint32_t, std::uint32_t>, Ticks> known_;
};

/// Cost of the tree, or -1 if it is malformed or breaks a limit.
Ticks cost_of_tree(const TestProblem& problem, const tree::ResultTree& tree);

}  // namespace hornbeam::testing
