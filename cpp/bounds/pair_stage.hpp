// bounds/pair_stage.hpp
//
// SAYS     Let f be the root split of s and x one side of f. Among the trees on x with at most two leaves the best
//          costs small(x) = min(L + err(x), 2L + min_g err(x g1) + err(x g0)). Every other tree costs at least
//          large(x) = min(3L + min_g' q(cell) + err(other cell), 4L + q(x) if some g has two splittable cells),
//          where g' runs over the columns with exactly one splittable cell, and a cell is splittable if
//          err(cell) - q(cell) > L.
// SO       ub(s) <= small(f1) + small(f0), and every tree with root f that this does not cover costs at least
//          min(large(f1) + least(f0), least(f1) + large(f0)) with least = min(small, large).
// WHY      A tree on x with three leaves or more has a root g; the subtree of a cell that is not a leaf pays one more
//          leaf and gains at most err - q, so in an optimal tree only splittable cells are split, and each cell costs
//          at least q. With one split cell that is 3L + q(cell) + err(other), with two 4L + q(x).
// NEEDS    additive loss; the same penalty for all leaves. Limits of depth, leaves and rows only shrink the set of
//          trees.
// KEEPS    one optimum (a cell with err - q = L may be split at equal cost, but need not be).
// SOURCE   ours; the best stump from pair counts is the depth-two solver of [demirovic2022murtree].
// Switch   pair_stage
#pragma once

#include "models/measures.hpp"

namespace hornbeam::bounds {

/// Value is Ticks, or a vector of them: the kernels evaluate eight columns g at once.
template <class Value>
struct PairMinima {
  Value stump_loss;       // min over g of err(x g1) + err(x g0)
  Value three_leaf_loss;  // min over g with one splittable cell of q(that cell) + err(the other)
  Value four_leaves;      // nonzero where some g has two splittable cells
};

/// Updates `minima` by the split of one side on the column(s) g; `allowed` marks where g is a legal split.
template <class Value, class Mask>
HORNBEAM_INLINE void take_pair(const models::Cell<Value>& p, const models::Cell<Value>& r, Mask allowed,
                               Value leaf_cost, Value infinity, PairMinima<Value>& minima) {
  const Value stump = allowed ? p.loss + r.loss : infinity;
  minima.stump_loss = stump < minima.stump_loss ? stump : minima.stump_loss;
  const Mask split_p = allowed & ((p.loss - p.least_loss) > leaf_cost);
  const Mask split_r = allowed & ((r.loss - r.least_loss) > leaf_cost);
  const Value by_p = split_p ? p.least_loss + r.loss : infinity;
  const Value by_r = split_r ? r.least_loss + p.loss : infinity;
  const Mask both = split_p & split_r;
  const Value lesser = by_p < by_r ? by_p : by_r;
  const Value three = both ? infinity : lesser;
  minima.three_leaf_loss = three < minima.three_leaf_loss ? three : minima.three_leaf_loss;
  minima.four_leaves |= both;
}

}  // namespace hornbeam::bounds
