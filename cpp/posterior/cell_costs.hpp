// posterior/cell_costs.hpp
//
// WHAT    What some rows of a set cost at least and at most, from their class counts and from what the columns of the set
//         can do: bounds/perfect_split.hpp, nontrivial_splits.hpp and second_split.hpp together.
// HOLDS   (L1) lower <= best <= upper; `upper` is what a leaf costs. (L2) Rows are taken to be all equal only where
//         that is sure (one row), and to be perhaps all equal up to the size of the largest group.
#pragma once

#include <algorithm>
#include <vector>

#include "bounds/nontrivial_splits.hpp"
#include "bounds/second_split.hpp"
#include "posterior/posterior_costs.hpp"

namespace hornbeam {

/// The columns of one set of rows, as the bounds of its subsets need them.
struct ColumnCounts {
  SplitCounts splits;
  Stairs stairs;
};

/// The tables of one depth; `kClasses` > 0 fixes the number of classes at compile time.
template <int kClasses>
class CellCosts {
 public:
  CellCosts(const PosteriorCosts& costs, const DepthCosts& at, std::vector<const Ticks*>& tables)
      : costs_(costs), at_(at), n_classes_(costs.n_classes()), group_(costs.largest_group()) {
    tables.resize(2 * std::size_t{n_classes_});
    for (std::uint32_t k = 0; k < n_classes_; ++k) {
      tables[k] = costs.rows_of_class(k).data();
      tables[n_classes_ + k] = at.least_of_class[k].data();
    }
    tables_ = tables.data();
  }

  /// Adds the bounds of the `n` > 0 rows of `counts`, which are all rows of `columns` but `n_removed`.
  [[gnu::always_inline]] void add(const Ticks* counts, Ticks n, Ticks n_removed, const ColumnCounts& columns,
                                  Ticks& lower, Ticks& upper) const {
    const std::uint32_t n_classes = kClasses > 0 ? kClasses : n_classes_;
    Ticks leaf = costs_.all_rows()[static_cast<std::size_t>(n)], split = 0;
    bool is_pure = false;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      leaf -= tables_[k][counts[k]];
      const bool is_alone = counts[k] == n;
      is_pure |= is_alone;
      split += tables_[n_classes + k][counts[k] + (is_alone ? static_cast<Ticks>(costs_.rows_of_class(k).size()) : 0)];
    }
    if (n == 1) {
      lower += leaf;
      upper += leaf;
      return;
    }
    upper += leaf + at_.leaf;
    if (n > group_) leaf += at_.leaf;
    if (kClasses == 2 && !is_pure && !columns.stairs.may_separate(counts[0], counts[1]))
      split += std::min(at_.second_split, costs_.mixed()[static_cast<std::size_t>(std::min(counts[0], counts[1]))]);
    split += at_.split + std::max(at_.choice[static_cast<std::size_t>(n)], costs_.log_of(columns.splits.without(n_removed)));
    lower += std::min(leaf, split);
  }

 private:
  const PosteriorCosts& costs_;
  const DepthCosts& at_;
  const std::uint32_t n_classes_;
  const Ticks group_;
  const Ticks* const* tables_;  // of the classes: likelihood, then least costs with a split
};

}  // namespace hornbeam
