// bounds/leaf_count.hpp
//
// SAYS     Let b be the loss of the kept leaves plus the penalty of all H leaves so far, and R the cost of the best
//          tree found. A better tree has fewer than H + (R - b) / L leaves: at most H + ceil((R - b) / L) - 1.
// SO       A set of H leaves is dropped if so many of them are split next that no better tree can result.
// WHY      With k more leaves the tree costs at least b + k L, which must be less than R.
// NEEDS    the same penalty for all leaves.
// KEEPS    one optimum.
// SOURCE   [lin2020gosdt, theorem B.5] and [hu2019osdt, theorem C.3 of the supplement], repaired: they print
//          "less than H + floor((R - b) / L)", which is one leaf too few unless L divides R - b. On the rows 10, 00,
//          11, 01, 10, 00 of classes 0, 0, 0, 1, 1, 0 at L = 3/40 this loses the optimum, 47/120 with three leaves.
//          The repaired one follows from bounds/lookahead.hpp, and prunes only if that is switched off.
// Switch   leaf_count
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr bool too_many_leaves(Ticks cost_so_far, Ticks leaf_cost, std::size_t n_more, Ticks best) {
  return cost_so_far + leaf_cost * static_cast<Ticks>(n_more) >= best;
}

}  // namespace hornbeam::bounds
