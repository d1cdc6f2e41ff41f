// bounds/parted_pairs.hpp
//
// SAYS     Let J hold m pairs of rows of different classes, no row in two of them, and let no column tell the rows of
//          more than c < m of the pairs apart. Then a tree with a split on J costs at least that split, pure(a) +
//          pure(b) for its a and b rows of the two classes (bounds/perfect_split.hpp), and (m - c) r, where r is the
//          least of: (split below + log v(w) + f) / w for w from 1 to c, v(w) being how many columns tell w pairs
//          apart at least; (mix(w, w) + f) / w, for mix(a, b) = cost(a, b) - pure(a) - pure(b); and f, the price of
//          the first row of a leaf less that of the row after c others.
// SO       A set from which splits cut small corners is known to need several splits more, without a look at them.
// WHY      The first split parts at most c pairs. Any other pair is parted by another split or ends in a leaf. A split
//          that parts w pairs, at most c, has them all below it: 2w different rows, and two that are as far apart as
//          the closest pair, so at least v(w) columns to choose from; a leaf with w pairs has w rows of both classes
//          and mix(a, b) does not fall in a or b. If s splits beside the first and t leaves do so, the classes lie in s
//          + t leaves beside the first of each: a leaf of one class for every split and two for every mixed leaf. Having
//          a class of n rows in one leaf more costs e(0) - e(i) for an i >= c (lemma 14), up to the (n - c)th leaf;
//          that is f each, or (m - c) f in all.
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

/// What the rate hangs on: the price of a split one level below; the logarithm of each number of columns; how many
/// columns tell the closest pair apart; the increments of a leaf of each class alone, and those of log(i + R), summed.
struct PairPrices {
  Ticks split_below;
  const std::vector<Ticks>& logs;
  std::size_t least_distance;
  const std::vector<std::vector<Ticks>>& pure_increments;
  const std::vector<Ticks>& all_rows;
};

/// What each pair beyond the first `most_parted` costs, the rate r: by c, from 0 to `most`.
inline std::vector<Ticks> rates_of_pairs(const PairPrices& prices, std::size_t most) {
  std::vector<Ticks> rates(most + 1, 0);
  for (std::size_t c = 1; c <= most; ++c) {
    Ticks fragment = kInfinity;
    for (const std::vector<Ticks>& increment : prices.pure_increments)
      if (!increment.empty())
        fragment = std::min(fragment, increment[0] - increment[std::min(c, increment.size() - 1)]);
    Ticks rate = fragment;
    for (std::size_t w = 1; w <= c; ++w) {
      const auto by_rows = static_cast<std::size_t>(std::bit_width(2 * w - 1));
      const std::size_t n_splits = std::clamp<std::size_t>(by_rows, prices.least_distance, prices.logs.size() - 1);
      rate = std::min(rate, (prices.split_below + prices.logs[n_splits] + fragment) / static_cast<Ticks>(w));
    }
    for (std::size_t w = 1; 2 * w < prices.all_rows.size() && w <= most; ++w)
      rate = std::min(rate, (prices.all_rows[2 * w] - 2 * prices.all_rows[w] + fragment) / static_cast<Ticks>(w));
    rates[c] = rate;
  }
  return rates;
}

}  // namespace hornbeam
