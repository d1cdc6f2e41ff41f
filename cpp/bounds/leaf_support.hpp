// bounds/leaf_support.hpp
//
// SAYS     Some optimal tree splits no leaf whose loss exceeds the least loss of its rows by L or less.
// SO       Such a leaf is never split, in any set.
// WHY      The subtree below a split costs at least 2 L plus the least loss, the leaf costs L plus its loss.
// NEEDS    a loss that is a sum over the leaves; the same penalty for all leaves; a leaf may replace any subtree.
// KEEPS    one optimum, one of the fewest leaves.
// SOURCE   [lin2020gosdt, theorem B.6] and the program of [hu2019osdt], with 0 for the least loss; this is stronger
//          than the support of 2 L of [hu2019osdt, theorem 3]. The least loss of equivalent points in it: ours.
// Switch   leaf_support
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr bool worth_splitting(Ticks loss, Ticks least_loss, Ticks leaf_cost) { return loss - least_loss > leaf_cost; }

}  // namespace hornbeam::bounds
