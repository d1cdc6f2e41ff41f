// bounds/separated_pairs.hpp
//
// SAYS     Let J hold m pairs of rows of different classes, no row in two of them, and let no column separate more than
//          c < m of the pairs. A tree with a split on J costs at least that split, a leaf of each class alone
//          (bounds/perfect_split.hpp), and a rate r for each of the m - c pairs that the split cannot separate.
// SO       A set from which every split separates only a few rows needs several more splits; this is known before its
//          columns are counted.
// WHY      Any other pair is separated by a later split or ends in a leaf. Such a split or leaf must hold both rows of
//          each of its pairs, and it leaves a class in one more leaf; r is the least cost of this per pair. The proof,
//          with the terms for few and for many leaves, is in docs/theory/separated_pairs.md.
// NEEDS    two classes; the BCART prior; split costs that do not fall with depth. Limits only shrink the set of trees.
// KEEPS    all optima.
// SOURCE   ours; after bounds/packing.hpp.
// Switch   separated_pairs
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::bounds {

/// Inputs of the rate: the cost of a split one level below; the logarithm of each number of columns; how many columns
/// separate the closest pair; by class, the increments e of a leaf of that class alone; the sums of log(i + R).
struct PairCosts {
  Ticks split_below;
  const std::vector<Ticks>& logs;
  std::size_t least_distance;
  const std::vector<std::vector<Ticks>>& pure_increments;
  const std::vector<Ticks>& all_rows;
};

/// The cost of pairs beyond the first c, for one c.
struct PairRate {
  Ticks rate = 0;            // r
  Ticks without_leaves = 0;  // r'
  Ticks fragment = 0;        // f
  Ticks most_beyond = 0;     // the least of mix(u, u) - r u
};

/// Of up to `n_pairs` pairs.
inline PairRate pair_rate(const PairCosts& costs, Ticks most_separated, Ticks n_pairs) {
  const auto c = static_cast<std::size_t>(most_separated);
  PairRate found{kInfinity, kInfinity, kInfinity, kInfinity};
  for (const std::vector<Ticks>& increment : costs.pure_increments)
    if (!increment.empty())
      found.fragment = std::min(found.fragment, increment[0] - increment[std::min(c, increment.size() - 1)]);
  const auto lower = [&](Ticks paid, Ticks w) {
    found.rate = std::min(found.rate, (paid + found.fragment) / w);
    found.without_leaves = std::min(found.without_leaves, paid / w);
  };
  for (Ticks w = 1; w <= most_separated; ++w) {
    const auto by_rows = static_cast<std::size_t>(std::bit_width(static_cast<std::size_t>(2 * w - 1)));
    lower(costs.split_below + costs.logs[std::clamp(by_rows, costs.least_distance, costs.logs.size() - 1)], w);
  }
  const auto mix = [&](Ticks w) {
    const std::vector<Ticks>& all = costs.all_rows;
    return all[static_cast<std::size_t>(2 * w)] - 2 * all[static_cast<std::size_t>(w)];
  };
  for (Ticks w = 1; w <= n_pairs; ++w) lower(mix(w), w);
  found.rate = std::min(found.rate, found.fragment);
  found.without_leaves = std::min(found.without_leaves, found.rate);
  for (Ticks u = most_separated + 1; u <= n_pairs; ++u)
    found.most_beyond = std::min(found.most_beyond, mix(u) - found.rate * u);
  return found;
}

/// The cost of x = `beyond` > 0 pairs in a set with at least `fewest` rows of each class. By number of rows, `pure` is
/// the least cost of this many rows over the classes, and `increment` the largest e.
inline Ticks separated_pairs_bound(const PairRate& rate, Ticks beyond, Ticks fewest, const std::vector<Ticks>& pure,
                                   const std::vector<Ticks>& increment) {
  const Ticks t = beyond / 3;
  const Ticks many = (t + 1) * rate.fragment - beyond * (rate.rate - rate.without_leaves);
  const Ticks few = pure[static_cast<std::size_t>(beyond - t + 1)] - increment[0] -
                    beyond * increment[static_cast<std::size_t>(fewest - beyond)];
  return beyond * rate.rate + std::max<Ticks>(0, std::min({few, many, rate.most_beyond}));
}

}  // namespace hornbeam::bounds
