// leafsets/additive_loss.hpp
//
// WHAT    The additive loss, a sum over the leaves, for the leaf-set search.
// HOLDS   Every objective has: `fix` for the leaves that all sets below share; then `loss` of these and others, and
//         bounds on the loss of every tree that keeps the fixed and the `kept` leaves and splits the others. `kIsSum`:
//         bounds that need a sum over the leaves may be used.
#pragma once

#include <span>

#include "bounds/leaf_accuracy.hpp"
#include "bounds/leaf_support.hpp"
#include "leafsets/leaves.hpp"

namespace hornbeam::leafsets {

class AdditiveLoss {
 public:
  static constexpr bool kIsSum = true;

  AdditiveLoss(const Leaves& leaves, Ticks leaf_cost) : leaves_(leaves), leaf_cost_(leaf_cost) {}

  double share(Ticks cost) const { return static_cast<double>(cost) / static_cast<double>(leaves_.total()); }

  void fix(std::span<const LeafId> fixed) { fixed_ = sum(fixed, &Leaf::loss); }
  Ticks loss(std::span<const LeafId> others) const { return fixed_ + sum(others, &Leaf::loss); }

  /// bounds/hierarchical_objective.hpp.
  Ticks kept_loss(std::span<const LeafId> kept, std::span<const LeafId>) const { return loss(kept); }
  /// The amount by which bounds/equivalent_points.hpp raises that.
  Ticks beyond_kept_loss(std::span<const LeafId>, std::span<const LeafId> split) const {
    return sum(split, &Leaf::least_loss);
  }

  bool may_be(const Measured& leaf) const { return bounds::accurate_enough(leaf.largest_loss, leaf.loss, leaf_cost_); }
  bool is_worth_splitting(LeafId id, std::span<const LeafId>, bool with_equivalent_points) const {
    const Leaf& leaf = leaves_[id];
    return bounds::worth_splitting(leaf.loss, with_equivalent_points ? leaf.least_loss : 0, leaf_cost_);
  }

 private:
  Ticks sum(std::span<const LeafId> ids, Ticks Leaf::* of) const {
    Ticks total = 0;
    for (const LeafId id : ids) total += leaves_[id].*of;
    return total;
  }

  const Leaves& leaves_;
  Ticks leaf_cost_;
  Ticks fixed_ = 0;
};

}  // namespace hornbeam::leafsets
