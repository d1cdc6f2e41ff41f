// bounds/hierarchical_objective.hpp
//
// SAYS     A tree that keeps some leaves of a set loses at least as much as these leaves, and has at least as many
//          leaves as the set.
// SO       A set of leaves is dropped if this costs no less than the best tree found.
// WHY      Splitting other leaves does not change the rows of the leaves that are kept, and only adds leaves.
// NEEDS    a loss that is a sum over the leaves; the same penalty for all leaves.
// KEEPS    one optimum (of equal cost, the first found is kept).
// SOURCE   [hu2019osdt, theorem 1]; [lin2020gosdt, theorem B.1].
// Switch   hierarchical_objective
#pragma once

#include <cstddef>

namespace hornbeam::bounds {

template <class Cost>
constexpr Cost hierarchical_objective(Cost loss_of_kept, std::size_t n_leaves, Cost leaf_cost) {
  return loss_of_kept + leaf_cost * static_cast<Cost>(n_leaves);
}

}  // namespace hornbeam::bounds
