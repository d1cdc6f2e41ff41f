// support/problem.hpp
//
// WHAT    One problem of the core in plain rows, and random problems that cover what the core has to get right.
#pragma once

#include <cstdint>
#include <vector>

#include "api/solve.hpp"
#include "support/random.hpp"

namespace hornbeam::testing {

/// What `solve` takes for packed columns.
struct PackedInput : api::Input {
  data::PackedColumns columns;
};

inline run::Outcome solve(const PackedInput& input, const run::OnPoll& on_poll) {
  return hornbeam::api::solve(input.columns, input, on_poll);
}

struct TestProblem {
  std::uint32_t n_columns = 0, n_classes = 0, n_predictions = 0;
  std::vector<std::vector<bool>> rows;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;
  std::vector<Ticks> costs;  // (n_classes, n_predictions)
  Ticks leaf_cost = 0;
  TreeLimits limits;
  std::vector<std::uint8_t> packed;  // `rows` as the core takes them

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(rows.size()); }
  Ticks cost(std::int32_t true_class, std::uint32_t prediction) const {
    return costs[static_cast<std::uint32_t>(true_class) * n_predictions + prediction];
  }
  data::RowTargets targets() const { return {classes, weights, n_classes}; }
  data::RowLosses losses() const { return {targets(), costs, n_predictions}; }
  data::PackedColumns columns() const { return {packed.data(), n_columns, n_rows()}; }
  /// What `solve` takes; points into this object.
  PackedInput input() const;
  /// Fills `packed`; the bits after the last row are ones, since nobody may read them.
  void pack();
};

struct Sizes {
  std::uint32_t least_rows, most_rows, least_columns, most_columns;
};

/// Columns that are random, nested, equal, complementary or constant, or thresholds of numbers; rows that repeat with
/// other classes; any costs, weights up to 2^30, totals up to the limit, a leaf cost from nothing to too much. No
/// limits on the tree.
TestProblem random_problem(Random& draw, const Sizes& sizes);

/// The same costs for rows that are copies of a few rows with at most two cells changed, and for columns of which some
/// are equal or complementary, or nearly so.
TestProblem wide_problem(Random& draw, const Sizes& sizes);

/// Random limits on depth, leaves and rows a leaf; each is often absent.
TreeLimits random_limits(Random& draw);

/// Random classes that have nothing to do with the rows, errors of cost 2, a leaf cost of at most 3: the bounds cannot
/// close it early.
TestProblem hard_problem(Random& draw, const Sizes& sizes);

/// The same for rows that are two numbers: every column is a threshold.
TestProblem threshold_problem(Random& draw, std::uint32_t n_rows);

/// One of these, of several words, small enough for brute force; half of them with limits.
TestProblem larger_problem(Random& draw);

}  // namespace hornbeam::testing
