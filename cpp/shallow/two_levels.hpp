// shallow/two_levels.hpp
//
// WHAT    The best tree of depth at most two on one side of a split, found directly from pair counts.
// FLOW    search/bound_raiser calls it if no deeper tree is allowed or can win -> kernels.
// HOLDS   The result is exact: every pair of columns that could be the root and a stump below it is counted, or its
//         root is proven to cost no less than the best (bounds/equivalent_points.hpp, bounds/similarity.hpp).
// COST    (rows x columns + roots x columns x slot words) / 16 vector steps; no groups, no keys, no merging, so a side
//         costs a fraction of a frame.
// CHOICE  The rows of the side are gathered from a row-major copy of the parent's slots and transposed back in blocks
//         of 64, which costs the same however few rows are chosen. A pair of columns is counted once for both of its
//         roots. Losses are counted in 32 bits, so a mistake must cost the same in all classes.
// SOURCE  [demirovic2022murtree], the depth-two solver; the pruning of roots and the layout are ours.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/kernels.hpp"
#include "rows/problem.hpp"
#include "rows/row_set.hpp"
#include "run/run.hpp"
#include "shallow/shallow_tree.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::shallow {

class TwoLevelSolver {
 public:
  /// Spends the words of its work between roots.
  TwoLevelSolver(const rows::Problem& problem, const kernels::Kernels& kernels, run::WorkMeter& meter);

  /// Whether this problem's objective and limits allow the solver at all.
  bool is_usable() const { return is_usable_; }

  /// The best tree on the rows of `parent` where `column` equals `side` among those of depth at most two that cost at
  /// most `upper`; its cost is infinite if there is none. Null if stopped. `parent` has its slot rows.
  std::optional<table::KnownTree> solve(const rows::RowSet& parent, std::uint32_t column, bool side, Ticks upper);

  /// The same for depth at most three. If a tree of three levels is found, `below_root` has what is below its root, and
  /// `best_root` is the root's column of the parent.
  std::optional<table::KnownTree> solve_three_levels(const rows::RowSet& parent, std::uint32_t column, bool side,
                                                     Ticks upper);

  Below below_root(const rows::RowSet& parent, bool holds) const;
  std::uint32_t best_root() const { return roots_[best_root_].column(); }

 private:
  struct Root {
    std::uint64_t order;  // loss of two leaves below it (less than 2^31), then its column of the parent
    Ticks bound;
    std::uint32_t column() const { return static_cast<std::uint32_t>(order); }
  };

  /// What the loss of some rows as a leaf depends on: their weight, and that of the heaviest class.
  struct Weighed {
    std::int64_t weight = 0, most = 0;
    void add(std::int64_t of_class) {
      weight += of_class;
      most = std::max(most, of_class);
    }
  };

  /// `root` of a ShallowTree is an index in roots_ followed by others_.
  std::uint32_t column_of(std::uint32_t root) const {
    return (root < roots_.size() ? roots_[root] : others_[root - roots_.size()]).column();
  }

  bool open(const rows::RowSet& parent, std::uint32_t column, bool side, Ticks upper);
  void gather(const rows::RowSet& parent, std::uint32_t column, bool side);
  void measure(const rows::RowSet& parent, std::uint32_t column, bool side);
  void choose_roots(const rows::RowSet& parent, Ticks upper);
  void lay_out();
  std::optional<table::KnownTree> search_roots(const rows::RowSet& parent, Ticks upper);
  table::KnownTree tree_of(const rows::RowSet& parent, std::uint32_t index) const;
  bool search_triples();
  Ticks lost_anyway() const { return counts_.cancelled ? error_cost_ * total_[counts_.n_targets] : 0; }
  Weighed weigh(std::uint32_t index, bool holds) const;
  Weighed weigh_cell(const kernels::TripleRow& rows, std::uint32_t i, std::uint32_t j, std::uint32_t cell) const;
  ShallowTree leaf_of(const Weighed& rows) const {
    return {problem_.leaf_cost + error_cost_ * (rows.weight - rows.most), {1, 0}};
  }
  ShallowTree leaf_or_stump(const Weighed& rows, std::int64_t stump_loss) const {
    ShallowTree tree = leaf_of(rows);
    tree.improve({2 * problem_.leaf_cost + error_cost_ * stump_loss, {2, 1}});
    return tree;
  }

  const rows::Problem& problem_;
  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  bool is_usable_;
  Ticks error_cost_ = 0;
  std::vector<Ticks> ones_;
  models::Measures counts_;  // measures with every cost one

  AlignedVector<Word> tile_;  // of all columns of the parent
  std::vector<kernels::Segment> segments_, narrow_segments_;
  std::uint32_t stride_, n_words_, n_class_words_;
  AlignedVector<Ticks> sums_;
  std::vector<Ticks> total_;  // counts of the side
  AlignedVector<Word> scratch_;
  std::vector<Root> roots_, others_;  // columns that may be the root; those that may only be below it

  AlignedVector<std::int32_t> narrow_;  // words, and per column: sums, stump losses, distance, bound
  std::vector<std::int32_t> narrow_total_, mask_;
  std::vector<std::uint32_t> blocks_, left_in_block_;
  std::int32_t* bound_;
  kernels::PairRow pairs_;

  AlignedVector<std::int32_t> triples_;              // counts of all pairs, and stump losses
  std::vector<std::array<ShallowTree, 2>> shallow_;  // the best known for the false and for the true side of a column
  std::uint32_t best_root_ = 0;
};

}  // namespace hornbeam::shallow
