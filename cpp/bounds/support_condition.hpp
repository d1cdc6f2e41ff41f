// bounds/support_condition.hpp
//
// SAYS     Some optimal tree has n(x) - q(x) >= L, and n(x) - q(x) > 0, on both sides x of every split.
// SO       A split with a side below that is not considered, here and in all descendants; a set with
//          n - q < 2L is closed as a leaf.
// WHY      The subtree of x costs at least L + q(x). If that exceeds n(x), the largest loss x can incur, giving x's
//          rows to the tree of the other side is no worse and saves a leaf. n - q only shrinks in subsets. Equal rows
//          stay together in every tree on the remaining columns, so n may be the sum, over groups of equal rows, of the
//          largest loss of one prediction (kernels.hpp, cancelled measures); n - q then also shrinks in merges.
// NEEDS    additive loss; the same penalty for all leaves; the merge adds no depth and no leaf, and only adds rows to
//          leaves, so every tree limit still holds after it.
// KEEPS    one optimum (at n - q = L both are kept; at L = 0 splits that cannot gain are dropped).
// SOURCE   stronger form of the leaf support bound of [hu2019osdt, theorem 3] and [lin2020gosdt, theorem B.6]: there
//          n >= L, here the equivalent-points loss is subtracted.
// Switch   support_condition
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

/// Least n - q of a side of a split; 1 excludes only splits that cannot gain.
constexpr Ticks support_threshold(bool switched_on, Ticks leaf_cost) {
  return switched_on && leaf_cost > 1 ? leaf_cost : 1;
}

constexpr bool too_light_to_split(Ticks largest_loss, Ticks least_loss, Ticks threshold) {
  return largest_loss - least_loss < 2 * threshold;
}

}  // namespace hornbeam::bounds
