// bounds/reference.hpp
//
// SAYS     A guess: no tree of two leaves or more costs less than 2L plus the loss of a reference model on the set.
// SO       A set where some tree is as good as the reference is closed with that tree.
// WHY      It need not hold. But the tree found costs no more than any tree t would if it also lost, on each row, at
//          least as much as the reference: for that cost of t the guess holds (a leaf costs no less than what is found
//          for it, two leaves or more no less than 2L plus the reference's loss), and so does every bound here that
//          follows from guesses of other sets: over the sides of a split; subset; similarity, if each row that the sets
//          do not share counts in full (del = n). A bound of one side from that of the whole set does not.
//          So when the search is finished, no tree costs less than the one found minus the total loss of the reference:
//          this is proven, not guessed (`bound_after_guesses`).
// NEEDS    additive loss. What a search proves with it does not cover all trees, which the status shows.
// KEEPS    not the optimum; see WHY for what it keeps.
// SOURCE   [mctavish2022guesses, section 4.3 and theorem 4.3]; 2L instead of the L of the authors' program.
// Switch   none: it is used if the caller passes a reference
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

constexpr Ticks guessed_bound(Ticks leaf_cost, Ticks reference_loss) { return 2 * leaf_cost + reference_loss; }

constexpr Ticks bound_after_guesses(Ticks cost_found, Ticks reference_loss) { return cost_found - reference_loss; }

}  // namespace hornbeam::bounds
