// bounds/perfect_split.hpp
//
// SAYS     For a node with c_k rows of class k, at depth d, every tree with a split costs at least the sum of: that
//          split; for each class, pure(c_k) = -log likelihood of a leaf with only these rows; and for each class with
//          more rows than any group of equal rows, the least of: a share of the costs of leaves;
//          pure(1) + pure(c_k - 1) - pure(c_k), the cost of having its rows in two leaves; log((c_k + R) / R), the
//          cost of one row of another class in their leaf. A node of one class pays the second in any case.
// SO       A node costs at least the lesser of that and of its leaf.
// WHY      Adding a row of class k to a leaf of n rows, i of them of its class, costs log((n + R) / (i + rho_k)), no
//          less than if it were alone with the i (lemma 13); this falls as i grows, so one leaf is cheaper than two
//          (lemma 14), and splitting off one row is the cheapest way to have two. Let C be the classes with more rows
//          than a group. Those in two leaves or more pay for that. Each other class lies in one leaf, which pays its
//          cost, as its rows are not all equal; j such leaves pay j shares: a share is the least, over j, of a jth of
//          the least cost of j leaves and the splits above them, except the first split and one more, which is left to
//          bounds/second_split.hpp. If m of these classes share a leaf, merging them by descending size adds at least
//          log((c + R) / R) for m - 1 of them.
// NEEDS    a Dirichlet prior; costs of leaves and splits of at least 0. Limits only shrink the set of trees.
// KEEPS    all optima.
// SOURCE   [sullivan2024maptree, definition 7, lemmas 13 and 14], without the costs of leaves and of the choice of the
//          column; these, and any number of classes: ours.
// Switch   none: the search starts with this bound.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::bounds {

/// The least cost of the rows of a class in addition to that of the split, by their number: first if there are other
/// classes, then if there are none. `pure` is pure(c), `increment` is e(i) = log((i + R) / (i + rho)), `all` is
/// log(i + R); e does not grow and `all` does not fall.
inline std::vector<Ticks> least_costs_of_class(const std::vector<Ticks>& pure, const std::vector<Ticks>& increment,
                                               const std::vector<Ticks>& all, Ticks share, Ticks largest_group) {
  const std::size_t size = pure.size();
  std::vector<Ticks> least(2 * size, 0);
  for (std::size_t count = 1; count < size; ++count) {
    const Ticks fragment = increment[0] - increment[count - 1];
    const Ticks mixed = count < all.size() ? all[count] - all[0] : kInfinity;
    const bool has_fragment = static_cast<Ticks>(count) > largest_group;
    least[count] = pure[count] + (has_fragment ? std::min({share, fragment, mixed}) : 0);
    least[size + count] = pure[count] + fragment;
  }
  return least;
}

}  // namespace hornbeam::bounds
