// bounds/similar_support.hpp
//
// SAYS     Split a leaf on f or on g, everything else being the same: the best that can come of the one costs at most
//          w less than the best that can come of the other, where w is the largest loss of the rows that change sides.
// SO       Where all that can come of f is known to cost w more than the best tree found, or more, g is left out.
// WHY      Take the best tree with g and ask f in its place. Rows that change sides lose at most their largest loss
//          more, the others what they lost; leaves that become empty are closed. Sides may be swapped, as the trees
//          below them may.
// NEEDS    a loss that is a sum over the rows; what is known of f must hold for all trees that split so, also for those
//          that other bounds leave out.
// KEEPS    one optimum.
// SOURCE   [hu2019osdt, theorem 7]; [lin2020gosdt, theorem B.10].
// Switch   similar_support; off where not switched on, since it takes longer than what it saves.
#pragma once

#include "base/types.hpp"

namespace hornbeam {

constexpr bool too_similar(Ticks excess_of_other, Ticks loss_of_moved_rows) {
  return excess_of_other >= loss_of_moved_rows;
}

}  // namespace hornbeam
