// bounds/auc_leaves.hpp
//
// SAYS     In some tree that is optimal for the AUC, the pairs of every leaf are worth more than L, and every leaf that
//          has been split could gain more than L by it: the pairs within it and those that it orders wrongly with other
//          leaves, as they stand, minus what its equivalent points lose among themselves.
// SO       A split with a side whose pairs are worth less is left out; a leaf that cannot gain that much is not split,
//          in this set and all below it.
// WHY      Give the rows of the leaf to the subtree of its sibling and keep the order of the other leaves: at most the
//          pairs of these rows are lost, and a leaf is saved; reordering the leaves only gains. And replacing a subtree
//          by a leaf j loses no more than the pairs within j, minus those that equal rows lose in any tree, plus the
//          pairs of j with each other leaf i that j orders wrongly, min(p_j n_i, n_j p_i). Splitting i can only lower
//          that sum: the sum of the lesser of two numbers is no more than the lesser of two sums.
//          The area below a part of the curve, up to a number of negatives, changes by no more than that: splitting
//          raises the curve everywhere, and without the leaf the curve is at most p_j lower and n_j further right.
// NEEDS    the same penalty for all leaves; the leaves are ordered by their share of positives.
// KEEPS    one optimum, one of the fewest leaves.
// SOURCE   [lin2020gosdt, lemma C.1 and theorem C.2] for the second, there with two pure leaves in place of the
//          subtree; the first and the equivalent points: ours. The bound of theorem B.7 is wrong for the AUC.
// Switch   leaf_accuracy for the first, leaf_support for the second
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr bool matters_to_auc(Ticks pairs_of_leaf, Ticks leaf_cost) { return pairs_of_leaf > leaf_cost; }

constexpr bool could_gain_in_auc(Ticks largest_gain, Ticks leaf_cost) { return largest_gain > leaf_cost; }

}  // namespace hornbeam::bounds
