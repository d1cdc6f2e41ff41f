// posterior/split_scanner.hpp
//
// WHAT    Bounds of both sides of a split: cheap ones from the counts of single columns, and tighter ones from those of
//         all pairs of columns: the cost of a leaf, of the best tree of two leaves, and a bound on all other trees.
// FLOW    posterior/posterior_worker uses the cheap bounds for all columns and pairs for those that are left.
// HOLDS   (P1) lower <= best <= upper of a side. (P2) `upper` is the cost of a leaf or of a tree of two leaves.
// COST    For each pair of columns the class counts of four cells, and a few look-ups by them.
// SOURCE  The cheap bounds are the paper's heuristic of an AND node, [sullivan2024maptree, definition 7], but tighter;
//         pairs: ours, after the depth-two solver of [demirovic2022murtree].
#pragma once

#include <algorithm>
#include <vector>

#include "posterior/cell_costs.hpp"
#include "rows/row_set.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::posterior {

struct SideBounds {
  Ticks lower;
  Ticks upper;
  std::uint32_t leaves;  // of the tree that costs `upper`
  std::uint32_t split;   // of the data, at the root of that tree until a larger one is known; kNoSplit of a leaf
  bool is_closed() const { return lower >= upper; }
  void update_tree(const table::KnownTree& tree) {
    if (tree.cost >= upper) return;
    upper = tree.cost;
    leaves = tree.shape.leaves;
  }
  void update(const table::Interval& known) {
    lower = std::max(lower, known.lower);
    update_tree(known.tree);
  }
};

class SplitScanner {
 public:
  SplitScanner(PosteriorCosts& costs, rows::RowSetMaker& maker, RowPairs& pairs, Counters& counters)
      : costs_(costs), maker_(maker), pairs_(pairs), counters_(counters), tables_(3 * std::size_t{costs.n_classes()}) {}

  /// Sets lower[c] to a bound of both sides of column c together, for a node at `depth`; `pairs` are the pairs there.
  /// Returns the column whose sides cost least as leaves.
  std::uint32_t scan_columns(const rows::RowSet& rows, const std::vector<Word>& pairs, std::uint32_t depth,
                             std::vector<Ticks>& lower);

  /// The sides of one column, the true side last.
  void scan_pairs(const rows::RowSet& rows, const std::vector<Word>& pairs, std::uint32_t column, std::uint32_t depth,
                  SideBounds (&sides)[2]);

 private:
  /// Class counts of one side of a column, and of the part of it where each column g holds.
  struct Side {
    std::vector<Ticks> total;
    Ticks n_rows;
    ColumnCounts columns;
    std::uint32_t n_splits;
    AlignedVector<Ticks> pair_counts;
  };

  template <int kClasses>
  std::uint32_t scan_columns_as(const rows::RowSet& rows, const std::vector<Word>& pairs, std::uint32_t depth,
                                std::vector<Ticks>& lower);
  template <int kClasses>
  void scan_pairs_as(const rows::RowSet& rows, const std::vector<Word>& pairs, std::uint32_t column,
                     std::uint32_t depth, SideBounds (&sides)[2]);
  template <int kClasses>
  void count_columns(const rows::RowSet& rows, const Ticks* both, bool is_rest, Side& side) const;

  PosteriorCosts& costs_;
  rows::RowSetMaker& maker_;
  RowPairs& pairs_;
  Counters& counters_;
  Side side_[2];
  std::vector<Ticks> cells_;
  std::vector<const Ticks*> tables_;
};

}  // namespace hornbeam::posterior
