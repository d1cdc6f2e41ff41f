// data/best_stump.hpp
//
// WHAT    The best split of some rows into two leaves, for any cost of a leaf.
// COST    One population count for each column and plane: the rows of one word that share a bit of a count.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "data/row_list.hpp"

namespace hornbeam::data {

struct Stump {
  Ticks cost = kInfinity;
  std::uint32_t column = 0;
};

class StumpFinder {
 public:
  /// Counts the weight of each class and then the rows; `count_of(row)` is the number that a distinct row stands for.
  template <class CountOf>
  StumpFinder(const DistinctRows& data, const RowList& rows, CountOf count_of)
      : data_(data), total_(target_weights(data, rows)) {
    total_.push_back(0);
    constexpr std::size_t kNowhere = ~std::size_t{0};
    std::vector<std::size_t> place(total_.size() * kWordBits, kNowhere);  // of target and shift
    std::size_t first = 0;                                                // plane of the word
    for (const std::uint32_t row : rows) {
      const std::size_t word = row / kWordBits;
      if (first == planes_.size() || planes_[first].word != word) first = planes_.size();
      total_.back() += count_of(row);
      for (std::uint32_t target = 0; target < total_.size(); ++target) {
        auto count = static_cast<std::uint64_t>(target < data.n_targets ? data.weight(row)[target] : count_of(row));
        for (; count != 0; count &= count - 1) {
          const auto shift = static_cast<std::uint32_t>(std::countr_zero(count));
          std::size_t& at = place[std::size_t{target} * kWordBits + shift];
          if (at < first || at == kNowhere) {
            at = planes_.size();
            planes_.push_back({word, target, shift, 0});
          }
          planes_[at].rows |= Word{1} << (row % kWordBits);
        }
      }
    }
  }

  /// Words counted by `find`.
  std::uint64_t work() const { return planes_.size() * std::uint64_t{data_.n_columns}; }

  /// The first column of least `cost(true_side, false_side)`, which gets the counts of both sides.
  template <class Cost>
  Stump find(Cost cost) const {
    Stump best;
    std::vector<std::int64_t> of_block(total_.size() * kColumnsOfBlock), true_side(total_.size()),
        false_side(total_.size());
    for (std::uint32_t first = 0; first < data_.n_columns; first += kColumnsOfBlock) {
      const std::uint32_t n_columns = std::min(kColumnsOfBlock, data_.n_columns - first);
      std::fill(of_block.begin(), of_block.end(), 0);
      // Words of one row of the data lie side by side, so that the columns are the inner loop.
      for (const Plane& plane : planes_) {
        const Word* bits = &data_.bits[plane.word * data_.stride + first];
        std::int64_t* counts = &of_block[std::size_t{plane.target} * kColumnsOfBlock];
        for (std::uint32_t c = 0; c < n_columns; ++c)
          counts[c] += std::int64_t{std::popcount(plane.rows & bits[c])} << plane.shift;
      }
      for (std::uint32_t c = 0; c < n_columns; ++c) {
        for (std::size_t target = 0; target < true_side.size(); ++target) {
          true_side[target] = of_block[target * kColumnsOfBlock + c];
          false_side[target] = total_[target] - true_side[target];
        }
        const Ticks here = cost(true_side, false_side);
        if (here < best.cost) best = {here, first + c};
      }
    }
    return best;
  }

 private:
  /// Whose counts stay in the nearest cache.
  static constexpr std::uint32_t kColumnsOfBlock = 256;

  /// Rows of one word of the data whose count number `target` has the bit `shift`.
  struct Plane {
    std::size_t word;
    std::uint32_t target, shift;
    Word rows;
  };

  const DistinctRows& data_;
  std::vector<std::int64_t> total_;
  std::vector<Plane> planes_;
};

}  // namespace hornbeam::data
