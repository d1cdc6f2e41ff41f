// leafsets/additive_loss.hpp
//
// WHAT    The loss that is a sum over the leaves, as a leaf-set search asks for it.
// HOLDS   What another objective has to have: `fix` the leaves that all sets below share; then `loss` of these and
//         others, and two bounds on the loss of every tree that keeps the fixed and the `kept` leaves and splits the
//         others. `kIsSum` says whether bounds that need a sum over the leaves may be used.
#pragma once

#include <span>

#include "leafsets/leaves.hpp"

namespace hornbeam {

class AdditiveLoss {
 public:
  static constexpr bool kIsSum = true;

  explicit AdditiveLoss(const Leaves& leaves) : leaves_(leaves) {}

  void fix(std::span<const LeafId> fixed) { fixed_ = sum(fixed, &Leaf::loss); }
  Ticks loss(std::span<const LeafId> others) const { return fixed_ + sum(others, &Leaf::loss); }

  /// bounds/hierarchical_objective.hpp.
  Ticks kept_loss(std::span<const LeafId> kept, std::span<const LeafId>) const { return loss(kept); }
  /// The same with bounds/equivalent_points.hpp.
  Ticks least_loss(std::span<const LeafId> kept, std::span<const LeafId> split) const {
    return loss(kept) + sum(split, &Leaf::least_loss);
  }

 private:
  Ticks sum(std::span<const LeafId> ids, Ticks Leaf::* of) const {
    Ticks total = 0;
    for (const LeafId id : ids) total += leaves_[id].*of;
    return total;
  }

  const Leaves& leaves_;
  Ticks fixed_ = 0;
};

}  // namespace hornbeam
