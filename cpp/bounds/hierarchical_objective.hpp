// bounds/hierarchical_objective.hpp
//
// SAYS     A tree that keeps some leaves of a set for ever loses at least what these lose, and has at least as many
//          leaves as the set.
// SO       A set of leaves is dropped where that costs no less than the best tree found.
// WHY      What is split further keeps the rows of the leaves that are kept, and only adds leaves.
// NEEDS    a loss that is a sum over the leaves; for ranks, bounds/rank_loss.hpp has the counterpart.
// KEEPS    one optimum (of equal cost, the first found is kept).
// SOURCE   [hu2019osdt, theorem 1]; [lin2020gosdt, theorem B.1].
// Switch   hierarchical_objective
#pragma once

#include "base/types.hpp"

namespace hornbeam {

constexpr Ticks hierarchical_objective(Ticks loss_of_kept, std::size_t n_leaves, Ticks leaf_cost) {
  return loss_of_kept + leaf_cost * static_cast<Ticks>(n_leaves);
}

}  // namespace hornbeam
