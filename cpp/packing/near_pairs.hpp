// packing/near_pairs.hpp
//
// WHAT    Pairs of rows with different best predictions that few thresholds separate, in an order that packs much
//         (bounds/packing.hpp), for a whole problem and for its subproblems.
// FLOW    A search calls `work_up_to` from its poll and raises the bound of the whole problem -> its threads pack the
//         pairs that a subproblem has, in the same order.
// CHOICE  Each threshold has a price, and so has each row. Pairs are packed by their price, the cheapest first; what
//         the packings so far have used up has a higher price in the next one. These are multiplicative weights for
//         the dual of the linear program of bounds/packing.hpp, in which the price of a threshold is how much of a
//         split there is. Rows that are near each other at these prices are found in cells that splits at medians
//         leave, other cells each time.
// HOLDS   Prices only decide which pairs are packed, and in which order: any order gives a bound.
// SOURCE  Multiplicative weights for linear programs of packing: Plotkin, Shmoys and Tardos (1995). Ours for rows and
//         thresholds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "bounds/packing.hpp"
#include "packing/threshold_packer.hpp"
#include "run/run.hpp"

namespace hornbeam::packing {

using RowPair = std::pair<std::uint32_t, std::uint32_t>;

/// What a row loses.
struct RowLoss {
  std::uint32_t prediction;  // the best one
  Ticks least;               // with that
  Ticks weight;              // with any other one at least, beyond that
};

/// Pairs of rows of the whole problem.
struct PairOrder {
  std::vector<RowPair> pairs;         // in the order in which they are packed
  std::vector<std::uint32_t> begin;   // (n_rows + 1) of each row in `number`
  std::vector<std::uint32_t> number;  // of the pairs that have a row as their first one
  std::vector<RowLoss> losses;        // (n_rows)

  /// `visit(a, b)` for each pair of some rows in the order, until it returns false. `is_inside(row)` says which rows
  /// they are, and `rows` lists them; `numbers` is scratch space.
  template <class IsInside, class Visit>
  void for_each_pair(const std::vector<std::uint32_t>& rows, IsInside is_inside, std::vector<std::uint32_t>& numbers,
                     Visit visit) const {
    // To look at all pairs takes less time than to sort those of many rows.
    if (8 * rows.size() > losses.size()) {
      for (const auto& [a, b] : pairs)
        if (is_inside(a) && is_inside(b) && !visit(a, b)) return;
      return;
    }
    numbers.clear();
    for (const std::uint32_t row : rows)
      for (std::uint32_t k = begin[row]; k < begin[row + 1]; ++k)
        if (is_inside(pairs[number[k]].second)) numbers.push_back(number[k]);
    std::sort(numbers.begin(), numbers.end());
    for (const std::uint32_t i : numbers)
      if (!visit(pairs[i].first, pairs[i].second)) return;
  }
};

struct PairSizes {
  std::uint64_t n_rows, n_variables, n_thresholds;
  /// What the pairs of so many rows take at most.
  std::uint64_t bytes() const;
};

class NearPairs {
 public:
  /// `packer` has the bins of all rows and their thresholds. `meter` counts the work, each unit some thirty
  /// nanoseconds; it lives as long as the pairs.
  NearPairs(ThresholdPacker packer, std::vector<RowLoss> losses, Ticks leaf_penalty, run::WorkMeter& meter);

  /// Packs again and again until the meter has so much work, or more is unlikely to help. Throws Stopped.
  void work_up_to(std::uint64_t work);
  /// Whether more packings are unlikely to help much.
  bool is_settled() const { return n_rounds_ >= kRoundsToSettle || n_idle_ >= kIdleRoundsToSettle; }
  /// No tree of the whole problem costs less.
  Ticks bound() const { return bounds::packing_bound(leaf_penalty_, least_loss_, most_packed_); }
  /// The pairs in the order that has packed the most; null before.
  const std::shared_ptr<const PairOrder>& order() const { return order_; }

 private:
  static constexpr std::uint32_t kRoundsToSettle = 24, kIdleRoundsToSettle = 5;

  void improve();
  bool is_done() const;
  void find_coordinates();
  void find_pairs();
  void divide(std::uint32_t* begin, std::uint32_t* end);
  std::uint32_t* split(std::uint32_t* begin, std::uint32_t* end);
  void pair_up(const std::uint32_t* begin, const std::uint32_t* end);
  void sort_pairs();
  Ticks pack_all();
  void raise_prices();
  void keep_order();
  const std::uint32_t* coordinates(std::uint32_t row) const {
    return &coordinates_[std::size_t{row} * packer_.n_variables()];
  }
  std::uint32_t distance(std::uint32_t a, std::uint32_t b) const;

  ThresholdPacker packer_;
  const Ticks leaf_penalty_;
  run::WorkMeter& meter_;
  const std::vector<RowLoss> losses_;
  std::vector<double> price_, row_price_;   // of each threshold, and of each row
  std::vector<double> used_, row_used_;     // shares of capacities and of weights, in the mean of all packings
  std::vector<std::uint32_t> coordinates_;  // (n_rows, n_variables) prices of all thresholds before the bin of the row
  double scale_ = 1;                        // of coordinates: that of a price of 1
  std::vector<RowPair> pairs_;              // in the order of their prices
  std::shared_ptr<const PairOrder> order_;
  Ticks least_loss_ = 0;  // of all rows, each with its best prediction
  Ticks most_packed_ = 0;
  std::uint32_t n_rounds_ = 0, n_idle_ = 0;
  std::uint64_t random_ = 0;
  // Scratch space.
  std::vector<std::uint32_t> sample_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> nearest_;
};

}  // namespace hornbeam::packing
