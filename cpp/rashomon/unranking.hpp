// rashomon/unranking.hpp
//
// WHAT    From the number of a tree among those of one split and one cost to the trees of its two sides.
// FLOW    rashomon/read_tree and read_prefix -> here. They go through the splits of a node in one order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rashomon/counts.hpp"
#include "rashomon/histogram.hpp"
#include "rashomon/two_level_trees.hpp"

namespace hornbeam::rashomon {

/// The position of a tree among those of one split and one cost.
template <class Count>
struct UnrankedPair {
  std::uint32_t copy;
  Ticks cost[2];  // of its two sides
  Count rank[2];  // of these among the trees of their cost
};

/// Of a number that fits a word.
template <class Count>
std::uint64_t to_integer(const Count& count) {
  const auto limbs = count.limbs();
  return limbs.empty() ? 0 : limbs[0];
}

template <class Count>
Count number_of_pairs(const Histogram<Count> (&sides)[2], const TrivialSplits& trivial_splits, Ticks cost) {
  Count number{};
  for (const CostCount<Count>& true_side : sides[1])
    number += true_side.count * count_of(sides[0], cost - true_side.cost);
  for (const TrivialSplits::Pair& pair : trivial_splits)
    if (pair.cost[0] + pair.cost[1] == cost) number -= Count(1);
  return number;
}

/// The numbers of the trivial splits among all pairs of trees of these costs, in ascending order.
template <class Count>
std::vector<Count> numbers_of(const TrivialSplits& trivial_splits, Ticks of_false_side, Ticks of_true_side,
                              const Count& n_false_sides) {
  std::vector<Count> numbers;
  for (const TrivialSplits::Pair& pair : trivial_splits)
    if (pair.cost[0] == of_false_side && pair.cost[1] == of_true_side) {
      numbers.push_back(Count(pair.rank[1]) * n_false_sides);
      numbers.back() += Count(pair.rank[0]);
    }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Finds pair number `rank` of this cost: by copy of the split, then by cost of the true side, then by the true side's
/// tree. If there are no more than `rank`, lowers it by their number.
template <class Count>
std::optional<UnrankedPair<Count>> unrank(const Histogram<Count> (&sides)[2], const TrivialSplits& trivial_splits,
                                          std::uint32_t copies, Ticks cost, Count& rank) {
  const Count number = number_of_pairs(sides, trivial_splits, cost), all = number * Count(copies);
  if (rank >= all) {
    rank -= all;
    return std::nullopt;
  }
  auto [copy, rest] = rank.divided_by(number);
  for (const CostCount<Count>& true_side : sides[1]) {
    const Count false_side = count_of(sides[0], cost - true_side.cost);
    Count here = true_side.count * false_side;
    const std::vector<Count> left_out = numbers_of(trivial_splits, cost - true_side.cost, true_side.cost, false_side);
    here -= Count(left_out.size());
    if (rest < here) {
      for (const Count& number_left_out : left_out)
        if (rest >= number_left_out) rest += Count(1);
      auto [of_true, of_false] = rest.divided_by(false_side);
      return UnrankedPair<Count>{static_cast<std::uint32_t>(to_integer(copy)),
                                 {cost - true_side.cost, true_side.cost},
                                 {std::move(of_false), std::move(of_true)}};
    }
    rest -= here;
  }
  throw std::logic_error("a tree is missing in the set: please report this bug in hornbeam");
}

}  // namespace hornbeam::rashomon
