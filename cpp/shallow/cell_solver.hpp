// shallow/cell_solver.hpp
//
// WHAT    The best tree of four or five levels over few columns, by dynamic programming over cells: the rows where each
//         of a few columns holds or fails.
// FLOW    search/bound_raiser calls it for a whole problem -> shallow/group_sums -> kernels/cells.inl.
// HOLDS   The result is exact. A tree of k levels in a cell of n columns has a column at its root, and trees of k - 1
//         levels in two cells of n + 1 columns below. So the cells of all sets of four or five columns, as leaves, give
//         what stumps are worth in the cells of one column less, and so on, up to the whole.
//         A tree is worth 64 times what it explains, less its leaves, so that the best one has the least loss and
//         penalty and, of several, the fewest leaves. If that may leave 62 bits, it is worth what it explains less
//         its penalties, and leaves are preferred to splits that gain nothing, one by one. Penalties stay below that
//         range: where one is a third of the baseline, two levels are enough, and search does not ask for more.
// COST    One addition for each row and each set of groups of columns, and 2^k cells for each set of k columns, in
//         vectors of eight. A search of both sides of each split computes a leaf of five levels once for each choice
//         of two of its columns: ten times.
// SOURCE  Dynamic programming over sets of conditions: [nijssen2007dl8]; from sums of all sets of five columns: ours.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rows/problem.hpp"
#include "run/run.hpp"
#include "shallow/cell_rows.hpp"
#include "shallow/group_sums.hpp"

namespace hornbeam::shallow {

class CellSolver {
 public:
  static constexpr std::uint32_t kLeastLevels = 4, kMostLevels = 5;

  /// The cells of all sets of `levels` columns, and the memory that these take, for at most kMostColumnsOfPairs
  /// columns.
  static std::uint64_t n_cells(std::uint32_t levels, std::uint32_t n_columns);
  static std::size_t bytes(std::uint32_t levels, std::uint32_t n_columns);
  /// Whether all cells are counted sooner than a search would end: if they are few, or the rows many.
  static bool is_faster(std::uint32_t levels, const rows::Problem& problem, const CodedRows& rows);

  CellSolver(const rows::Problem& problem, const CodedRows& rows, const kernels::Kernels& kernels,
             run::WorkMeter& meter);

  /// Finds what the best trees of at most `levels` are worth, on some rows, by number, and columns of the data. False
  /// if stopped.
  bool solve(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> columns, std::uint32_t levels);

  /// The column of the data, by its number here, that the best tree of a cell tests at its root, for a cell of at least
  /// two levels less than those solved; none for a leaf.
  std::optional<std::uint32_t> root_of(const Cell& cell) const;
  /// The column of the data that has this number here.
  std::uint32_t column(std::uint32_t number) const { return columns_[sums_.column(number)]; }
  /// By how much less than a leaf the best tree of a cell costs, which has one level or none; 0 if it is a leaf.
  Ticks gain_of_stump(const Cell& cell) const;

 private:
  bool count_all();
  bool count_below(std::uint32_t i);
  void copy_row(const std::uint32_t* set, std::uint32_t size, const Ticks* from);
  void raise(const std::uint32_t* set, std::uint32_t size, const Ticks* all_hold);
  bool raise_sets(std::uint32_t size);
  Ticks sum_where(const std::uint32_t* set, std::uint32_t size) const;
  Ticks sum_of(const Cell& cell) const;
  Ticks leaf_of(const Cell& cell) const;
  Ticks worth_of(const Cell& cell) const;

  const rows::Problem& problem_;
  const models::Measures& measures_;
  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  GroupSums sums_;
  std::vector<GroupSums> where_;  // one column holds, or two
  std::span<const std::uint32_t> columns_;
  std::uint32_t levels_ = 0;
  Ticks unit_ = 1, leaf_cost_ = 0;
  std::vector<CellRows> held_;   // by size of the set: the sums where it and each column behind it hold
  std::vector<CellRows> worth_;  // by size of the set: of the best trees in the cells of it and each column behind it
  Ticks worth_of_all_ = 0;
};

}  // namespace hornbeam::shallow
