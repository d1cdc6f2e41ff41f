// bounds/similar_support.hpp
//
// SAYS     Split a leaf on f or on g, everything else being the same: the costs of the best trees differ by at most w,
//          the largest loss of the rows that change sides.
// SO       If all trees with f are known to cost at least w more than the best tree found, g is left out.
// WHY      Take the best tree with g and replace g by f. Rows that change sides lose at most their largest loss more,
//          the others as much as before; leaves that become empty are closed. Sides may be swapped together with the
//          trees below them.
// NEEDS    a loss that is a sum over the rows; what is known of f must hold for all trees with this split, including
//          those that other bounds leave out.
// KEEPS    one optimum.
// SOURCE   [hu2019osdt, theorem 7]; [lin2020gosdt, theorem B.10].
// Switch   similar_support; off by default, since it takes longer than it saves.
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr bool too_similar(Ticks excess_of_other, Ticks loss_of_moved_rows) {
  return excess_of_other >= loss_of_moved_rows;
}

}  // namespace hornbeam::bounds
