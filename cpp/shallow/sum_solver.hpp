// shallow/sum_solver.hpp
//
// WHAT    The best tree of at most three levels from sums of columns, their pairs and triples: what a leaf explains
//         follows from two sums, for squared error and convex costs, or from one for each prediction
//         (models/formulas.hpp).
// FLOW    search/bound_raiser calls it for a side, or for the whole problem, and search/read_tree for a stump ->
//         shallow/group_sums -> kernels.
// HOLDS   The result is exact: every pair or triple of columns is counted, whatever is known of its cost. A leaf loses
//         its baseline, a sum over rows, less what its prediction explains, so only what is explained is compared.
// COST    See shallow/group_sums; then columns^3 / 6 cells of a triple in vectors of eight.
// CHOICE  Rows are those of the data, not the slots of the row set, which has one for each bit of a sum.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "rows/problem.hpp"
#include "rows/row_set.hpp"
#include "run/run.hpp"
#include "shallow/group_sums.hpp"
#include "shallow/shallow_tree.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::shallow {

class SumSolver {
 public:
  /// Whether the objective and the limits of a problem allow the solver at all.
  static bool is_usable(const rows::Problem& problem);

  SumSolver(const rows::Problem& problem, const CodedRows& rows, const kernels::Kernels& kernels,
            run::WorkMeter& meter);

  /// Whether all triples of so many columns are counted sooner than a search, with its bounds, would end.
  bool takes_three_levels(std::uint32_t n_columns) const { return n_columns <= problem_.most_columns_of_triples; }

  /// The best tree of at most `levels` (1 to 3) on some rows, by number, and columns of the data. Null if stopped.
  std::optional<table::KnownTree> solve(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> columns,
                                        std::uint32_t levels);

  /// The same on those rows of `parent` where `column` equals `side`.
  std::optional<table::KnownTree> solve_side(const rows::RowSet& parent, std::uint32_t column, bool side,
                                             std::uint32_t levels);

  /// The index among the columns of the root of the tree found.
  std::uint32_t best_root() const { return sums_.column(best_root_); }

  Below below_root(bool holds) const;

 private:
  ShallowTree leaf(Ticks explained) const { return {problem_.leaf_cost - explained, {1, 0}}; }
  ShallowTree leaf_or_stump(Ticks of_leaf, Ticks of_stump) const {
    ShallowTree tree = leaf(of_leaf);
    tree.improve({2 * problem_.leaf_cost - of_stump, {2, 1}});
    return tree;
  }
  Ticks explained() const;
  Ticks explained(std::uint32_t root, bool holds) const;
  template <class Sum>
  Ticks explained_by(Sum sum) const;
  Ticks baseline(std::uint32_t root, bool holds) const;
  ShallowTree best_tree() const;
  void find_leaves();
  void find_stumps();
  void find_two_levels();
  bool find_three_levels();
  void find_stumps_of_pairs(std::uint32_t i);

  const rows::Problem& problem_;
  const models::Measures& measures_;
  const CodedRows& rows_;
  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  GroupSums sums_;
  std::vector<std::uint32_t> side_numbers_, side_columns_;
  std::span<const std::uint32_t> numbers_, columns_;

  AlignedVector<Ticks> leaves_;                   // of pairs: what leaves explain, in rows by column, then by cell
  AlignedVector<Ticks> stumps_[2];                // by side of each column
  AlignedVector<Ticks> stumps_of_pairs_;          // by column, then by cell
  std::vector<std::array<ShallowTree, 2>> best_;  // below each column, on its false and on its true side
  std::uint32_t best_root_ = 0;
};

}  // namespace hornbeam::shallow
