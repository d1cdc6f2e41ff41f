// bounds/similarity.hpp
//
// SAYS     For two splits f and g and any side x of f and y of g: best(y) >= best(x) - del(x \ y) + q(y \ x), where
//          del(z) = min(n(z), L + err(z)), or n(z) if depth is limited to the same number of levels for both.
// SO       What has been proven about the sides of one split bounds the sides of every similar split; for nested
//          columns (thresholds of one variable) even before their own pair stage. And what has been proven about the
//          sides of g in a set bounds the sides of g in a part of it, before the part has counted a pair: there y is a
//          part of x with one level less, and q(y \ x) is 0.
// WHY      An optimal tree of the common rows of x and y extends to x by sending x \ y down the tree (at most n more),
//          or by one more split with a leaf for it (L + err more, one level deeper). The best tree of a set costs at
//          least that of a subset plus q of the other rows: drop these rows, which lost at least q, and close the
//          leaves that became empty.
// NEEDS    additive loss; no limit on leaves; no minimum of rows per leaf (a subset's leaves might be too small).
// KEEPS    all optima (it bounds sets and drops none).
// SOURCE   generalizes the similar support bound of [lin2020gosdt, theorem B.10] and, for thresholds of one column
//          (del = 0 one way), the interval pruning of [brita2025contree] and [mazumder2022quantbnb].
// Switch   similarity
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr Ticks similarity_distance(Ticks largest_loss, Ticks loss, Ticks leaf_cost, bool depth_limited) {
  return depth_limited ? largest_loss : std::min(largest_loss, leaf_cost + loss);
}

}  // namespace hornbeam::bounds
