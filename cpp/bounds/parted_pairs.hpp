// bounds/parted_pairs.hpp
//
// SAYS     Let J hold m pairs of rows of different classes, no row in two of them, and let no column tell the rows of
//          more than c < m of the pairs apart; x = m - c. A tree with a split on J costs at least that split, pure(a) +
//          pure(b) for its a and b rows of the two classes (bounds/perfect_split.hpp), and r x, where r is the least of
//          (split below + log v(w) + f) / w for w from 1 to c, v(w) being how many columns tell w pairs apart at least;
//          (mix(w, w) + f) / w, for mix(a, b) = cost(a, b) - pure(a) - pure(b); and f, the least price of the first row
//          of a leaf less that of the row after c others. Also, for t < x, at least the least of three more:
//          pure(x - t + 1) - e(0) - x e(min(a, b) - x); mix(u, u) - r u for a u > c; (t + 1) f + (r' - r) x, where r'
//          is r with 0 for f in both quotients.
// SO       A set from which splits cut small corners is known to need several splits more, without a look at them.
// WHY      The first split parts at most c pairs; any other pair is parted by another split or ends in a leaf. A split
//          that parts w pairs has 2w different rows and two that are as far apart as the closest pair, so v(w) columns
//          at least. A leaf with w pairs has w rows of both classes, and mix(a, b) does not fall in a or b. If s splits
//          beside the first part pairs and t leaves hold some, the classes lie in n >= s + t leaves beside the largest
//          of each: one for each split, one more for each mixed leaf. Having n such leaves costs at least f each, or x
//          f in all (lemma 14: e(0) - e(i) each, for an i >= c up to the x-th). So r x is paid. Where the largest
//          leaves of the classes differ, one split alone parts pairs within them, at most c; so x rows or more lie in
//          the n leaves beside: if n <= t, these cost no less than with n - 1 rows alone and the rest together
//          (majorization), which is the first of the three beyond f each; if n > t, they pay (t + 1) f. Where both
//          largest leaves are one with u pairs, the same holds if u <= c, and else mix(u, u) is paid.
// NEEDS    two classes; the BCART prior; prices of splits that do not fall with depth. Limits only shrink the set.
// KEEPS    all optima.
// SOURCE   ours; after bounds/packing.hpp.
// Switch   parted_pairs
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace hornbeam {

/// What the rates hang on: the price of a split one level below; the logarithm of each number of columns; how many
/// columns tell the closest pair apart; by class, the increments e of a leaf of that class alone; log(i + R), summed.
struct PairPrices {
  Ticks split_below;
  const std::vector<Ticks>& logs;
  std::size_t least_distance;
  const std::vector<std::vector<Ticks>>& pure_increments;
  const std::vector<Ticks>& all_rows;
};

/// What pairs beyond the first c cost, for one c.
struct PairRate {
  Ticks rate = 0;            // r
  Ticks without_leaves = 0;  // r'
  Ticks fragment = 0;        // f
  Ticks most_beyond = 0;     // the least of mix(u, u) - r u
};

/// Of up to `n_pairs` pairs.
inline PairRate pair_rate(const PairPrices& prices, Ticks most_parted, Ticks n_pairs) {
  const auto c = static_cast<std::size_t>(most_parted);
  PairRate found{kInfinity, kInfinity, kInfinity, kInfinity};
  for (const std::vector<Ticks>& increment : prices.pure_increments)
    if (!increment.empty())
      found.fragment = std::min(found.fragment, increment[0] - increment[std::min(c, increment.size() - 1)]);
  const auto lower = [&](Ticks paid, Ticks w) {
    found.rate = std::min(found.rate, (paid + found.fragment) / w);
    found.without_leaves = std::min(found.without_leaves, paid / w);
  };
  for (Ticks w = 1; w <= most_parted; ++w) {
    const auto by_rows = static_cast<std::size_t>(std::bit_width(static_cast<std::size_t>(2 * w - 1)));
    lower(prices.split_below + prices.logs[std::clamp(by_rows, prices.least_distance, prices.logs.size() - 1)], w);
  }
  const auto mix = [&](Ticks w) {
    const std::vector<Ticks>& all = prices.all_rows;
    return all[static_cast<std::size_t>(2 * w)] - 2 * all[static_cast<std::size_t>(w)];
  };
  for (Ticks w = 1; w <= n_pairs; ++w) lower(mix(w), w);
  found.rate = std::min(found.rate, found.fragment);
  found.without_leaves = std::min(found.without_leaves, found.rate);
  for (Ticks u = most_parted + 1; u <= n_pairs; ++u)
    found.most_beyond = std::min(found.most_beyond, mix(u) - found.rate * u);
  return found;
}

/// What x = `beyond` > 0 pairs cost in a set with at least `fewest` rows of each class; of the tables over numbers of
/// rows, `pure` is the least over the classes of what so many rows cost, `increment` the largest of e.
inline Ticks parted_pairs_bound(const PairRate& rate, Ticks beyond, Ticks fewest, const std::vector<Ticks>& pure,
                                const std::vector<Ticks>& increment) {
  const Ticks t = beyond / 3;
  const Ticks many = (t + 1) * rate.fragment - beyond * (rate.rate - rate.without_leaves);
  const Ticks few = pure[static_cast<std::size_t>(beyond - t + 1)] - increment[0] -
                    beyond * increment[static_cast<std::size_t>(fewest - beyond)];
  return beyond * rate.rate + std::max<Ticks>(0, std::min({few, many, rate.most_beyond}));
}

}  // namespace hornbeam
