// leafsets/auc_loss.hpp
//
// WHAT    1 minus the area under the ROC curve of the leaves, ordered by their share of positives, for the leaf-set
//         search; leafsets/additive_loss.hpp describes the interface.
// HOLDS   A pair of a positive and a negative loses 1 if it is ordered wrongly, and one half within a leaf. So the
//         loss, in units of half a pair, is the sum over the leaves, the most positive first, of p (2 m + n), for p
//         positives and n negatives in the leaf and m negatives before it. It depends on all leaves at once. Only the
//         part of the curve up to a number of negatives, its limit, may count; a leaf across the limit counts in part.
//         The curve at x is the largest number of positives in any parts of leaves with x negatives. So splitting a
//         leaf raises it everywhere, and raises the area up to the limit by no more than the whole area: bounds on the
//         whole area are bounds on its part. Rounding is that of leafsets/roc_curve.hpp.
//         Distinct rows must be numbered from the most positive one (`by_share_of_positives`).
// SOURCE  [lin2020gosdt, equation 2 and section 3.1].
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/each_bit.hpp"
#include "bounds/auc_leaves.hpp"
#include "bounds/few_segments.hpp"
#include "leafsets/leaves.hpp"
#include "leafsets/roc_curve.hpp"

namespace hornbeam::leafsets {

struct AucCosts {
  Ticks half_pair;
  std::int64_t max_false_positives;  // in parts of a negative; that of all negatives for the whole curve
};

/// Numbers of the rows, the most positive first.
inline std::vector<std::uint32_t> by_share_of_positives(const data::DistinctRows& rows) {
  std::vector<std::uint32_t> order(rows.n_rows);
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) order[row] = row;
  const auto unit = [&](std::uint32_t row) { return RocSegment{rows.weight(row)[1], rows.weight(row)[0]}; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return unit(a).before(unit(b)); });
  return order;
}

class AucLoss {
 public:
  static constexpr bool kIsSum = false;

  AucLoss(const data::DistinctRows& rows, Leaves& leaves, Ticks leaf_cost, const AucCosts& costs)
      : rows_(rows),
        leaves_(leaves),
        leaf_cost_(leaf_cost),
        half_pair_cost_(costs.half_pair),
        max_false_positives_(costs.max_false_positives),
        any_(leaves[0].captured.size()) {}

  double share(Ticks cost) const {
    return static_cast<double>(cost) / static_cast<double>(half_pair_cost_ * 2 * pairs());
  }

  void fix(std::span<const LeafId> fixed) {
    fixed_.clear();
    add_units(fixed_, fixed);
  }
  Ticks loss(std::span<const LeafId> others) { return lost(others, {}, {0, 0}); }
  /// With the positives of the leaves to be split before all others and their negatives after them:
  /// [lin2020gosdt, theorem 2.1].
  Ticks kept_loss(std::span<const LeafId> kept, std::span<const LeafId> split) {
    RocSegment pure{0, 0};
    for (const LeafId id : split) {
      pure.positive += unit_of(leaves_[id]).positive;
      pure.negative += unit_of(leaves_[id]).negative;
    }
    return lost(kept, {}, pure);
  }
  /// With each group of equal rows of the leaves to be split ordered by itself: [lin2020gosdt, theorem C.3].
  Ticks beyond_kept_loss(std::span<const LeafId> kept, std::span<const LeafId> split) {
    return lost(kept, split, {0, 0}) - kept_loss(kept, split);
  }

  bool may_be(const Measured& leaf) const {
    const RocSegment all = unit_of(leaves_[0]), unit = unit_of(leaf);
    return bounds::matters_to_auc(half_pair_cost_ * 2 * (unit.positive * all.negative + unit.negative * all.positive),
                                  leaf_cost_);
  }
  /// `others` are the leaves besides the fixed ones, including this one.
  bool is_worth_splitting(LeafId id, std::span<const LeafId> others, bool with_equivalent_points) {
    const Ticks gain = half_pair_cost_ * largest_gain(id, others, with_equivalent_points);
    return bounds::could_gain_in_auc(gain - leaves_[id].split_loss, leaf_cost_);
  }

  /// Whether bounds/few_segments.hpp holds.
  bool is_full_curve() const { return max_false_positives_ >= unit_of(leaves_[0]).negative << kFalsePositiveBits; }
  /// Finds, by bounds/few_segments.hpp, what splitting a leaf costs, in all and on each column, in addition to two
  /// leaves and its rows ordered individually; from the same for leaves up to `n_levels` - 1 below it. `open(leaf)`
  /// makes the sides of a leaf.
  template <class Open>
  void evaluate_below(LeafId id, std::uint32_t n_levels, const std::optional<std::uint32_t>& max_depth,
                      const Open& open) {
    if (max_depth && leaves_[id].depth() >= *max_depth) leaves_[id].split_loss = kInfinity;
    if (leaves_[id].split_loss >= kInfinity || leaves_[id].n_levels >= n_levels) return;
    if (!leaves_[id].is_open) open(id);
    Leaf& leaf = leaves_[id];
    leaf.n_levels = n_levels;
    leaf.split_loss = kInfinity;
    leaves_.make_column_losses(id);
    const auto each_split = [&](const auto& visit) {
      for (std::uint32_t column = 0; column < rows_.n_columns; ++column)
        if (leaf.may_be_split_on(column)) visit(column, leaf.sides[column]);
    };
    each_split([&](std::uint32_t, const std::array<LeafId, 2>& sides) {
      for (const LeafId side : sides) evaluate_below(side, n_levels - 1, max_depth, open);
    });
    curve_.clear();
    for_each_row(leaf.captured, [&](const RocSegment& row) { curve_.add(row.positive, row.negative); });
    const Ticks three_or_more = half_pair_cost_ * curve_.least_of_three_or_more(leaf_cost_ / half_pair_cost_);
    each_split([&](std::uint32_t column, const std::array<LeafId, 2>& sides) {
      leaf.column_loss[column] = beyond_rows(leaves_[sides[0]], leaves_[sides[1]], three_or_more);
      leaf.split_loss = std::min(leaf.split_loss, leaf.column_loss[column]);
    });
  }

 private:
  static RocSegment unit_of(const Measured& leaf) { return {leaf.class_weight[1], leaf.class_weight[0]}; }
  template <class Visit>
  void for_each_row(std::span<const Word> captured, Visit visit) const {
    for (std::uint32_t w = 0; w < captured.size(); ++w)
      for_each_bit(captured[w], word_at(w), [&](std::size_t row) { visit(unit_of_row(row)); });
  }
  /// The cost of splitting the leaf of `curve_` into these sides; trees of three leaves or more cost at least
  /// `three_or_more`.
  Ticks beyond_rows(const Leaf& one, const Leaf& other, Ticks three_or_more) const {
    const RocSegment a = unit_of(one), b = unit_of(other);
    const Ticks rows = half_pair_cost_ * curve_.lost();
    const std::int64_t across = 2 * std::min(a.positive * b.negative, b.positive * a.negative);
    Ticks least = half_pair_cost_ * (a.positive * a.negative + b.positive * b.negative + across) - rows;
    const auto consider = [&](Ticks cost) { least = std::min(least, std::max(cost, three_or_more)); };
    consider(one.split_loss + other.split_loss + 2 * leaf_cost_);
    // Pairs are only counted if the result can be smaller.
    if (least > std::max(three_or_more, other.split_loss + leaf_cost_))
      consider(half_pair_cost_ * lost_with(a, other) - rows + other.split_loss + leaf_cost_);
    if (least > std::max(three_or_more, one.split_loss + leaf_cost_))
      consider(half_pair_cost_ * lost_with(b, one) - rows + one.split_loss + leaf_cost_);
    return least;
  }
  /// Half pairs that a leaf and the individually ordered rows of another leaf lose together.
  std::int64_t lost_with(const RocSegment& leaf, const Leaf& split) const {
    std::int64_t lost = 0, negatives = 0;
    bool is_before = true;
    const auto add = [&](const RocSegment& unit) {
      lost += unit.positive * (2 * negatives + unit.negative);
      negatives += unit.negative;
    };
    for_each_row(split.captured, [&](const RocSegment& row) {
      if (is_before && leaf.before(row)) {
        add(leaf);
        is_before = false;
      }
      add(row);
    });
    if (is_before) add(leaf);
    return lost;
  }
  RocSegment unit_of_row(std::size_t row) const {
    const std::int64_t* weight = rows_.weight(static_cast<std::uint32_t>(row));
    return {weight[1], weight[0]};
  }
  std::int64_t pairs() const { return unit_of(leaves_[0]).positive * unit_of(leaves_[0]).negative; }

  void add_units(std::vector<RocSegment>& units, std::span<const LeafId> ids) const {
    const auto known = static_cast<std::ptrdiff_t>(units.size());
    const auto before = [](const RocSegment& a, const RocSegment& b) { return a.before(b); };
    for (const LeafId id : ids) units.push_back(unit_of(leaves_[id]));
    std::sort(units.begin() + known, units.end(), before);
    std::inplace_merge(units.begin(), units.begin() + known, units.end(), before);
  }

  Ticks lost(std::span<const LeafId> kept, std::span<const LeafId> split, const RocSegment& pure);
  std::int64_t largest_gain(LeafId id, std::span<const LeafId> others, bool with_equivalent_points);

  const data::DistinctRows& rows_;
  Leaves& leaves_;
  Ticks leaf_cost_, half_pair_cost_;
  std::int64_t max_false_positives_;
  std::vector<RocSegment> fixed_, units_;
  bounds::GroupCurve curve_;
  std::vector<Word> any_;
};

/// The joint loss of the fixed and kept leaves, the rows of the leaves to be split, and perfectly ordered positives and
/// negatives.
inline Ticks AucLoss::lost(std::span<const LeafId> kept, std::span<const LeafId> split, const RocSegment& pure) {
  units_.assign(fixed_.begin(), fixed_.end());
  add_units(units_, kept);
  RocCurve curve(pure.positive, max_false_positives_);
  std::size_t next = 0;
  if (!split.empty()) {
    std::fill(any_.begin(), any_.end(), 0);
    for (const LeafId id : split)
      for (std::size_t w = 0; w < any_.size(); ++w) any_[w] |= leaves_[id].captured[w];
    for (std::uint32_t w = 0; w < any_.size() && !curve.is_full(); ++w)
      for_each_bit(any_[w], word_at(w), [&](std::size_t row) {
        const RocSegment unit = unit_of_row(row);
        while (next < units_.size() && units_[next].before(unit)) curve.add(units_[next++]);
        curve.add(unit);
      });
  }
  while (next < units_.size()) curve.add(units_[next++]);
  curve.add({0, pure.negative});
  return half_pair_cost_ * 2 * pairs() - curve.area(half_pair_cost_);
}

/// The largest number of half pairs that splitting a leaf can gain, whatever else is split.
inline std::int64_t AucLoss::largest_gain(LeafId id, std::span<const LeafId> others, bool with_equivalent_points) {
  const RocSegment unit = unit_of(leaves_[id]);
  std::int64_t gain = unit.positive * unit.negative;
  const auto add_pairs_with = [&](const RocSegment& other) {
    gain += 2 * std::min(unit.positive * other.negative, unit.negative * other.positive);
  };
  for (const RocSegment& other : fixed_) add_pairs_with(other);
  for (const LeafId other : others)
    if (other != id) add_pairs_with(unit_of(leaves_[other]));
  if (!with_equivalent_points) return gain;
  std::int64_t negatives = 0;
  for_each_row(leaves_[id].captured, [&](const RocSegment& row) {
    gain -= row.positive * (2 * negatives + row.negative);
    negatives += row.negative;
  });
  return gain;
}

}  // namespace hornbeam::leafsets
