// bounds/lookahead.hpp
//
// SAYS     A set of leaves of which m are split next leads only to trees with m leaves more, or more than that.
// SO       The bound of the set rises by m times the price of a leaf.
// WHY      Every split replaces one leaf by two.
// NEEDS    one price for all leaves.
// KEEPS    all trees below the set.
// SOURCE   [hu2019osdt, lemma 2] for m = 1, algorithm 2 for any m; [lin2020gosdt, theorem B.2].
// Switch   lookahead
#pragma once

#include <cstddef>

namespace hornbeam {

template <class Cost>
constexpr Cost lookahead(Cost leaf_cost, std::size_t n_to_split) {
  return leaf_cost * static_cast<Cost>(n_to_split);
}

}  // namespace hornbeam
