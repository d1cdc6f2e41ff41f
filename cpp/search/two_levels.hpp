// search/two_levels.hpp
//
// WHAT    The best tree of depth at most two on one side of a split, found directly from pair counts.
// FLOW    search/worker asks for it where no deeper tree is allowed or can win -> kernels.
// HOLDS   The result is exact: every pair of columns that could be the root and a stump below it is counted, or its
//         root is shown to cost no less than the best (bounds/equivalent_points.hpp, bounds/similarity.hpp).
// COST    (rows x columns + roots x columns x slot words) / 16 vector steps; no groups, no keys, no merging, so a side
//         costs a fraction of a frame.
// CHOICE  The rows of the side are gathered from a row-major copy of the parent's slots and transposed back in blocks
//         of 64, which costs the same however few rows are chosen. A pair of columns is counted once for both of its
//         roots. Losses are counted in 32 bits, so all classes must have one price.
// SOURCE  [demirovic2022murtree], the depth-two solver; the pruning of roots and the layout are ours.
#pragma once

#include <functional>
#include <vector>

#include "kernels/kernels.hpp"
#include "search/problem.hpp"
#include "search/row_set.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam {

class TwoLevelSolver {
 public:
  /// `goes_on` is asked between roots, with the words of work done since; if it says no, the search stops.
  TwoLevelSolver(const Problem& problem, const Kernels& kernels, std::function<bool(std::uint64_t)> goes_on);

  /// Whether this problem's objective and limits allow the solver at all.
  bool is_usable() const { return is_usable_; }

  /// The best tree on the rows of `parent` where `column` equals `side` among those of depth at most two that cost at
  /// most `upper`; its cost is infinite if there is none. Null if stopped. `parent` has its slot rows.
  std::optional<KnownTree> solve(const RowSet& parent, std::uint32_t column, bool side, Ticks upper);

 private:
  struct Root {
    std::uint64_t order;  // loss of two leaves below it (less than 2^31), then its column of the parent
    Ticks bound;
    std::uint32_t column() const { return static_cast<std::uint32_t>(order); }
  };

  void gather(const RowSet& parent, std::uint32_t column, bool side);
  void measure(const RowSet& parent, std::uint32_t column, bool side);
  void choose_roots(const RowSet& parent, Ticks upper);
  void lay_out();
  std::optional<KnownTree> search_roots(const RowSet& parent, Ticks upper);
  KnownTree tree_of(const RowSet& parent, std::uint32_t index) const;

  const Problem& problem_;
  const Kernels& kernels_;
  const std::function<bool(std::uint64_t)> goes_on_;
  bool is_usable_;
  Ticks price_ = 0;
  std::vector<Ticks> ones_;
  Measures counts_;  // measures with every price one

  AlignedVector<Word> tile_;  // of all columns of the parent
  std::vector<Segment> segments_, narrow_segments_;
  std::uint32_t stride_, n_words_, n_class_words_;
  AlignedVector<Ticks> sums_;
  std::vector<Ticks> total_;  // counts of the side
  AlignedVector<Word> scratch_;
  std::vector<Root> roots_, others_;  // columns that may be the root; those that may only be below it

  AlignedVector<std::int32_t> narrow_;  // words, and per column: sums, stump losses, distance, bound
  std::vector<std::int32_t> narrow_total_, mask_;
  std::vector<std::uint32_t> blocks_, left_in_block_;
  std::int32_t* bound_;
  PairRow pairs_;
};

}  // namespace hornbeam
