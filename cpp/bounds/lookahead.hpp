// bounds/lookahead.hpp
//
// SAYS     A set of leaves, m of which are split next, leads only to trees with at least m more leaves.
// SO       The bound of the set rises by m times the leaf penalty.
// WHY      Every split replaces one leaf by two.
// NEEDS    the same penalty for all leaves.
// KEEPS    all trees below the set.
// SOURCE   [hu2019osdt, lemma 2] for m = 1, algorithm 2 for any m; [lin2020gosdt, theorem B.2].
// Switch   lookahead
#pragma once

#include <cstddef>

namespace hornbeam::bounds {

template <class Cost>
constexpr Cost lookahead(Cost leaf_cost, std::size_t n_to_split) {
  return leaf_cost * static_cast<Cost>(n_to_split);
}

}  // namespace hornbeam::bounds
