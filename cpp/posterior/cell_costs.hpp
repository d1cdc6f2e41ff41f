// posterior/cell_costs.hpp
//
// WHAT    Lower and upper bounds on the cost of some rows of a set, from their class counts and the columns of the set:
//         bounds/perfect_split.hpp, nontrivial_splits.hpp and second_split.hpp together.
// HOLDS   (L1) lower <= best <= upper; `upper` is the cost of a leaf. (L2) All rows of a cell are known to be equal
//         only if there is one row; they may be equal only if they are no more than the largest group of equal rows.
#pragma once

#include <algorithm>
#include <vector>

#include "base/bounds.hpp"
#include "bounds/nontrivial_splits.hpp"
#include "bounds/second_split.hpp"
#include "posterior/row_pairs.hpp"

namespace hornbeam::posterior {

/// The columns of one set of rows, and the pairs left in it, as the bounds of its subsets need them.
struct ColumnCounts {
  bounds::SplitCounts splits;
  bounds::ParetoStaircase staircase;
  PairsLeft pairs;
  bounds::PairRate rate;
};

/// The tables of one depth; `kClasses` > 0 fixes the number of classes at compile time.
template <int kClasses>
class CellCosts {
 public:
  /// `tables` is scratch space, for three numbers per class.
  CellCosts(const PosteriorCosts& costs, const DepthCosts& at, std::vector<const Ticks*>& tables)
      : n_classes_(costs.n_classes()),
        group_(costs.largest_group()),
        leaf_(at.leaf),
        split_(at.split),
        second_split_(at.second_split),
        all_(costs.all_rows().data()),
        choice_(at.choice.data()),
        mixed_(costs.mixed().data()),
        least_pure_(costs.least_pure()),
        largest_increment_(costs.largest_increment()),
        tables_(tables.data()) {
    for (std::uint32_t k = 0; k < n_classes_; ++k) {
      const std::size_t size = costs.rows_of_class(k).size();
      tables[k] = costs.rows_of_class(k).data();
      tables[n_classes_ + k] = at.least_of_class[k].data();
      tables[2 * n_classes_ + k] = at.least_of_class[k].data() + size;  // no other class is there
    }
  }

  /// Adds the bounds of the `n` > 0 rows of `counts` with `n_pairs` pairs, which are all rows of `columns` except
  /// `n_removed`; counts which bounds raised the lower one if there are `counters`. Written without branches where a
  /// processor could not predict them.
  [[gnu::always_inline]] void add(const Ticks* counts, Ticks n, Ticks n_removed, Ticks n_pairs,
                                  const ColumnCounts& columns, Ticks& lower, Ticks& upper,
                                  Counters* counters = nullptr) const {
    const std::uint32_t n_classes = kClasses > 0 ? kClasses : n_classes_;
    const Ticks first_split = split_ + std::max(choice_[n], columns.splits.log_without(n_removed));
    if (counters != nullptr && first_split > split_ + choice_[n]) ++counters->nontrivial_splits;
    Ticks leaf = all_[n], split = first_split;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      leaf -= tables_[k][counts[k]];
      split += tables_[n_classes + k + (counts[k] == n ? n_classes : 0)][counts[k]];
    }
    if constexpr (kClasses == 2) {
      const Ticks fewest = std::min(counts[0], counts[1]), more = std::min(second_split_, mixed_[fewest]);
      const bool is_needed = (fewest > 0) & !columns.staircase.may_separate(counts[0], counts[1]);
      split += more & -static_cast<Ticks>(is_needed);
      if (counters != nullptr) counters->second_split += is_needed;
      if (n_pairs > columns.pairs.most_separated) {
        const Ticks pure = leaf - all_[n] + all_[counts[0]] + all_[counts[1]];
        const Ticks separated = first_split + pure +
                                bounds::separated_pairs_bound(columns.rate, n_pairs - columns.pairs.most_separated,
                                                              fewest, least_pure_, largest_increment_);
        if (counters != nullptr && separated > split) ++counters->separated_pairs;
        split = std::max(split, separated);
      }
    }
    const Ticks with_penalty = leaf + leaf_;
    upper += n == 1 ? leaf : with_penalty;
    const Ticks least = std::min(n > group_ ? with_penalty : leaf, split);
    lower += n == 1 ? leaf : least;
  }

 private:
  const std::uint32_t n_classes_;
  const Ticks group_, leaf_, split_, second_split_;
  const Ticks *const all_, *const choice_, *const mixed_;
  const std::vector<Ticks>&least_pure_, &largest_increment_;
  const Ticks* const* tables_;  // of the classes: likelihood, then least costs with a split
};

}  // namespace hornbeam::posterior
