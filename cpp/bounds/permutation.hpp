// bounds/permutation.hpp
//
// SAYS     The trees that a set of leaves can lead to do not depend on the order of the splits that made it.
// SO       A set of leaves that has been seen is not visited again.
// WHY      A leaf is a set of literals, and a tree is the set of its leaves. All leaves to be split are split at once,
//          so a leaf with k literals was made in step k, and the leaves of the last step, which may be split next, are
//          the same for every path to the set. So are the choices among them that lead to an optimal tree, provided
//          that a bound on the parents of these leaves holds for any parents that they can have.
// NEEDS    nothing from the loss.
// KEEPS    all optima, as sets of leaves.
// SOURCE   [hu2019osdt, corollary 6]; [lin2020gosdt, theorem B.8].
// Switch   permutation
#pragma once

#include <span>

#include "base/fingerprint.hpp"

namespace hornbeam::bounds {

/// The fingerprint of a set of leaves, given in two parts by their numbers.
inline Fingerprint fingerprint_of_set(std::span<const std::uint32_t> some, std::span<const std::uint32_t> others) {
  Fingerprint fingerprint;
  for (const std::uint32_t leaf : some) fingerprint ^= Fingerprint::of_row(leaf);
  for (const std::uint32_t leaf : others) fingerprint ^= Fingerprint::of_row(leaf);
  return fingerprint;
}

}  // namespace hornbeam::bounds
