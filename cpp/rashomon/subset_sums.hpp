// rashomon/subset_sums.hpp
//
// WHAT    Numbers of trees added up by cost, where each sum is at most one that is known.
// WHY     The trees of a node that pass a filter are some of all trees there. So their costs need no list and no order
//         of their own, and no sum of words overflows, since the larger one did not. Most products have many costs
//         side by side; a product with such a row needs no places.
// HOLDS   (S1) What is subtracted was added before. (S2) After all of it, a cost that the known sums lack has a sum of
//         0, and no sum of products on the way exceeds the largest number of words, if it is none in those either.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "rashomon/cost_sums.hpp"
#include "rashomon/counts.hpp"

namespace hornbeam::rashomon {

template <class Count>
class SubsetSums {
 public:
  explicit SubsetSums(const CostLattice& lattice) : lattice_(lattice) {}

  /// Of sums up to `most`; `all` are the known ones, or null if there are none.
  void begin(Ticks most, const Histogram<Count>* all) {
    most_ = most;
    all_ = all;
    const std::uint64_t size = lattice_.size(most);
    uses_table_ = all != nullptr && size > 0 && size <= kLargestTable;
    if (!uses_table_) return sums_.clear();
    stride_ = lattice_.stride(most);
    if (table_.size() < size) table_.resize(size);
    most_losses_.clear();
    for (Ticks left = most; left >= 0; left -= lattice_.leaf_cost()) most_losses_.push_back(lattice_.most_loss(left));
  }
  void add(Ticks cost, const Count& count) {
    if (cost > most_) return;
    if (uses_table_)
      table_[lattice_.place(cost, stride_)] += count;
    else
      sums_.add(cost, count);
  }
  void subtract(Ticks cost, const Count& count) {
    if (cost > most_) return;
    if (uses_table_)
      table_[lattice_.place(cost, stride_)] -= count;
    else
      sums_.subtract(cost, count);
  }
  /// As HistogramSum::add_products.
  void add_products(const Histogram<Count>& a, const Histogram<Count>& b, const Count& copies) {
    if (a.empty() || b.empty()) return;
    if (!uses_table_) return sums_.add_products(a, b, copies, most_);
    const bool is_a_short = a.size() < b.size();
    const Histogram<Count>&few = is_a_short ? a : b, &many = is_a_short ? b : a;
    if constexpr (std::is_same_v<Count, WordCount>)
      if (few.size() >= kFewCosts && lay_in_rows(many, most_ - few.front().cost))
        return add_products_with_rows(few, copies);
    add_products_one_by_one(few, many, copies);
  }
  /// Returns the sums other than 0, and resets them.
  Histogram<Count> take() {
    if (!uses_table_) return sums_.take();
    taken_.clear();
    for (const CostCount<Count>& each : *all_) {
      if (each.cost > most_) break;
      Count& sum = table_[lattice_.place(each.cost, stride_)];
      if (!sum.is_zero()) taken_.push_back({each.cost, std::exchange(sum, Count())});
    }
    return Histogram<Count>(std::make_move_iterator(taken_.begin()), std::make_move_iterator(taken_.end()));
  }

 private:
  static constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 22;
  static constexpr std::size_t kFewCosts = 12;
  static constexpr std::size_t kMostPerCost = 3;
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

  /// Numbers of trees of as many leaves, by loss.
  struct Row {
    std::uint32_t leaves, least_loss, most_loss;
    std::size_t begin;  // in counts_
  };

  /// False if they would be mostly zeros.
  bool lay_in_rows(const Histogram<Count>& trees, Ticks most) {
    rows_.clear();
    row_of_leaves_.assign(most_losses_.size(), kNoRow);
    parts_.clear();
    for (const CostCount<Count>& each : trees) {
      if (each.cost > most) break;
      const auto [leaves, loss] = lattice_.parts(each.cost);
      std::uint32_t& row = row_of_leaves_[leaves];
      if (row == kNoRow) {
        row = static_cast<std::uint32_t>(rows_.size());
        rows_.push_back({leaves, loss, loss, 0});
      }
      rows_[row].most_loss = loss;  // costs ascend
      parts_.emplace_back(row, loss);
    }
    std::size_t size = 0;
    for (Row& row : rows_) {
      row.begin = size;
      size += row.most_loss - row.least_loss + 1;
    }
    if (size > kMostPerCost * parts_.size()) return false;
    counts_.assign(size, Count());
    halves_.assign(size, 0);
    are_halves_ = true;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Row& row = rows_[parts_[i].first];
      const std::size_t at = row.begin + (parts_[i].second - row.least_loss);
      const std::optional<std::uint32_t> half = trees[i].count.half();
      are_halves_ = are_halves_ && half;
      counts_[at] = trees[i].count;
      halves_[at] = half.value_or(0);
    }
    return true;
  }

  void add_products_with_rows(const Histogram<Count>& few, const Count& copies) {
    for (const CostCount<Count>& x : few) {
      if (x.cost > most_) break;
      const auto [leaves, loss] = lattice_.parts(x.cost);
      const Count count = x.count * copies;
      const std::optional<std::uint32_t> half = are_halves_ ? count.half() : std::nullopt;
      for (const Row& row : rows_) {
        if (leaves + row.leaves >= most_losses_.size()) continue;
        const std::uint64_t most = most_losses_[leaves + row.leaves];
        if (loss + row.least_loss > most) continue;
        const std::size_t n = std::min<std::size_t>(row.most_loss, most - loss) - row.least_loss + 1;
        Count* const sums = &table_[(leaves + row.leaves) * stride_ + loss + row.least_loss];
        if (half)
          Count::add_products(sums, *half, &halves_[row.begin], n);
        else
          for (std::size_t i = 0; i < n; ++i) sums[i].add_product(count, counts_[row.begin + i]);
      }
    }
  }

  void add_products_one_by_one(const Histogram<Count>& few, const Histogram<Count>& many, const Count& copies) {
    const CostCount<Count>* const trees = many.data();
    lattice_.for_each_row(
        few, many, most_, stride_, places_, [&](std::uint32_t place, const Count& of_x, std::size_t n) {
          Count* const sums = table_.data() + place;  // the compiler cannot know that sums are none of these
          const std::uint32_t* const places = places_.data();
          const Count count = of_x * copies;
          for (std::size_t i = 0; i < n; ++i) sums[places[i]].add_product(count, trees[i].count);
        });
  }

  const CostLattice& lattice_;
  Ticks most_ = 0;
  const Histogram<Count>* all_ = nullptr;
  bool uses_table_ = false;
  std::uint64_t stride_ = 0;
  std::vector<Count> table_;                // zeros between `take` and `begin`
  std::vector<std::uint64_t> most_losses_;  // by number of leaves, in units
  std::vector<std::uint32_t> places_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> row_of_leaves_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts_;  // row and loss
  std::vector<Count> counts_;                                   // of all rows
  std::vector<std::uint32_t> halves_;                           // the same, if `are_halves_`
  bool are_halves_ = false;
  Histogram<Count> taken_;
  HistogramSum<Count> sums_;
};

}  // namespace hornbeam::rashomon
