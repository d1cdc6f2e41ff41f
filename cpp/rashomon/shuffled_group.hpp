// rashomon/shuffled_group.hpp
//
// WHAT    What a leaf adds to the reliance of its tree on a group of columns.
// FLOW    rashomon/reliance, rashomon/mean_reliance -> here.
// HOLDS   A row that gets its values of the group from another row reaches a leaf if it meets the path's conditions on
//         all other columns (a row of `others`) and the other row meets those on the group (a row of `donors`). So a
//         leaf adds share(donors) x loss(others) to the mean loss over all pairs, less the loss of its own rows, which
//         are in both sets.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "rashomon/reliance.hpp"
#include "rashomon/row_masks.hpp"
#include "rashomon/tree_set.hpp"

namespace hornbeam::rashomon {

class ShuffledGroup {
 public:
  using Copy = RowMasks::Copy;
  /// The rows that meet the path's conditions on the group, with their share, and those that meet all others; whether
  /// the path tests the group.
  struct Sets {
    Mask donors, others;
    std::int64_t share;
    bool uses_group;
    friend auto operator<=>(const Sets&, const Sets&) = default;
  };

  ShuffledGroup(const TreeSetProblem& problem, const RelianceProblem& group)
      : leaf_cost_(problem.kind.leaf_cost),
        group_(group),
        masks_(problem.rows),
        total_(std::accumulate(group.shares.begin(), group.shares.end(), std::int64_t{0})),
        n_predictions_(problem.model.n_predictions()),
        sums_(problem.rows.n_columns + 1) {
    losses_.reserve(std::size_t{problem.rows.n_rows} * n_predictions_);
    for (std::uint32_t row = 0; row < problem.rows.n_rows; ++row)
      for (std::uint32_t k = 0; k < n_predictions_; ++k)
        losses_.push_back(problem.model.loss_of(problem.rows.weight(row), k));
  }

  const RowMasks& masks() const { return masks_; }
  /// Of the root.
  Sets all() const { return {masks_.all(), masks_.all(), total_, false}; }
  bool tests_group(const Sets& sets, std::uint32_t column) const {
    return sets.uses_group || group_.is_in_group[column];
  }

  Sets narrowed(const Sets& sets, const Copy& copy, bool side) const {
    Sets narrow = sets;
    const bool holds = side != copy.flipped;
    if (group_.is_in_group[copy.column]) {
      narrow.uses_group = true;
      masks_.narrow(narrow.donors, copy.column, holds);
      narrow.share = share_of(narrow.donors);
    } else {
      masks_.narrow(narrow.others, copy.column, holds);
    }
    return narrow;
  }

  /// What a leaf of some cost adds to the loss over all pairs of rows, times the total of the shares.
  TicksTimesShare added_by_leaf(const Sets& sets, std::uint32_t prediction, Ticks cost) {
    if (!sets.uses_group) return 0;
    return TicksTimesShare{sets.share} * losses_of(sets.others)[prediction] -
           TicksTimesShare{total_} * (cost - leaf_cost_);
  }

  /// The same of a split with two leaves, by side.
  TicksTimesShare added_by_stump(const Sets& sets, const Copy& copy, const std::array<std::uint32_t, 2>& predictions,
                                 Ticks cost) {
    if (!tests_group(sets, copy.column)) return 0;
    const std::uint32_t k_if_true = predictions[copy.flipped ? 0 : 1], k_if_false = predictions[copy.flipped ? 1 : 0];
    const TicksTimesShare own = TicksTimesShare{total_} * (cost - 2 * leaf_cost_);
    const Ticks if_false = losses_of(sets.others)[k_if_false];
    if (!group_.is_in_group[copy.column]) {
      const std::vector<Ticks>& where_true = losses_of(sets.others, copy.column);
      return TicksTimesShare{sets.share} * (where_true[k_if_true] + if_false - where_true[k_if_false]) - own;
    }
    Mask donors = sets.donors;
    masks_.narrow(donors, copy.column, true);
    const std::int64_t share = share_of(donors);
    return TicksTimesShare{share} * losses_of(sets.others)[k_if_true] + TicksTimesShare{sets.share - share} * if_false -
           own;
  }

 private:
  std::int64_t share_of(const Mask& rows) const {
    std::int64_t share = 0;
    RowMasks::for_each_row(rows, [&](std::uint32_t row) { share += group_.shares[row]; });
    return share;
  }
  /// What rows lose by each prediction: all of them, or those where a column holds. The sums of the last rows are kept,
  /// since many leaves follow each other that have the same.
  const std::vector<Ticks>& losses_of(const Mask& rows) { return losses_of(rows, masks_.n_columns()); }
  const std::vector<Ticks>& losses_of(const Mask& rows, std::uint32_t column) {
    if (rows != last_) {
      last_ = rows;
      for (std::vector<Ticks>& sums : sums_) sums.clear();
    }
    std::vector<Ticks>& sums = sums_[column];
    if (!sums.empty()) return sums;
    sums.resize(n_predictions_);
    const Word* const holds = column < masks_.n_columns() ? masks_.column(column) : masks_.all().data();
    for (std::uint32_t w = 0; w < rows.size(); ++w)
      for_each_bit(rows[w] & holds[w], word_at(w), [&](std::size_t row) {
        const Ticks* const losses = &losses_[row * n_predictions_];
        for (std::uint32_t k = 0; k < n_predictions_; ++k) sums[k] += losses[k];
      });
    return sums;
  }

  const Ticks leaf_cost_;
  const RelianceProblem& group_;
  const RowMasks masks_;
  const std::int64_t total_;
  const std::uint32_t n_predictions_;
  std::vector<Ticks> losses_;  // by distinct row and prediction
  Mask last_;
  std::vector<std::vector<Ticks>> sums_;  // of `last_`, by column, then all of its rows; empty if not known
};

}  // namespace hornbeam::rashomon
