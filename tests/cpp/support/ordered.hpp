// support/ordered.hpp
//
// WHAT    Problems whose columns are thresholds of ordered variables, and the same in plain rows for the oracle.
#pragma once

#include <cstdint>
#include <vector>

#include "data/ordered_columns.hpp"
#include "ordered/ordered_search.hpp"
#include "sorted/sorted_rows.hpp"
#include "support/kernels.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing {

struct OrderedTestProblem {
  std::vector<std::uint32_t> bins;  // (n_variables, n_rows)
  std::vector<std::uint32_t> n_thresholds;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;
  std::uint32_t n_classes = 2;
  sorted::LeafCosts costs{1, 0};
  ordered::TreeSize size{2, ordered::kAnyLeaves};

  sorted::RowGains rows() const { return {n_classes, weights, classes, {}, {}}; }
  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(classes.size()); }
  data::OrderedColumns columns() const { return {bins.data(), n_thresholds, n_rows()}; }
  /// The same problem with a column of bits for each threshold.
  TestProblem plain() const;
  /// What `solve` takes next to the columns; points into `plain`, which is this problem in plain rows.
  api::Input input(const TestProblem& plain) const;
};

struct OrderedSizes {
  std::uint32_t most_rows, most_variables, most_thresholds;
};

/// Ranks that tie, skip thresholds or use few of them; two to five classes; total weights below and above what narrow
/// lanes hold, up to the limit; a leaf cost from nothing to much; any depth up to four, or no limit;
/// a limit on leaves or none; a minimum of rows per leaf or none.
OrderedTestProblem random_ordered(Random& draw, const OrderedSizes& sizes);

/// The bins of a row are the numbers of columns that hold in it, of each few columns that follow each other; costs and
/// limits are random.
OrderedTestProblem ordered_of(const TestProblem& problem, Random& draw);

/// Checks, with all kernels and some bound, that sums of bins find trees of two levels of the same costs as scans do.
void check_sums_of_bins(const sorted::RowGains& rows, const data::OrderedColumns& columns,
                        const sorted::LeafCosts& costs, Random& draw);

/// Checks, with all kernels, that the roots of trees of three levels that cost less than some bound are left, and that
/// what their sides cost at least is not too much.
void check_three_level_roots(const sorted::RowGains& rows, const data::OrderedColumns& columns,
                             const sorted::LeafCosts& costs, Random& draw);

}  // namespace hornbeam::testing
