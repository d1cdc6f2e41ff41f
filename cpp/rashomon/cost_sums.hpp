// rashomon/cost_sums.hpp
//
// WHAT    Numbers of trees added up by cost, up to a budget; faster than HistogramSum where costs are few.
// WHY     A cost is k leaves and a loss, which is a multiple of a unit (one row, for accuracy). Where the unit is a
//         multiple of 2^b, and the cost of a leaf one more than such a multiple, the lowest b bits of a cost are k. So
//         each cost has a place in a table of leaves by loss, and the places of two costs add up as the costs do.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "data/distinct_rows.hpp"
#include "models/leaf_model.hpp"
#include "rashomon/two_level_trees.hpp"

namespace hornbeam::rashomon {

/// The costs of all trees, as numbers of leaves and of units of loss.
class CostLattice {
 public:
  CostLattice(const data::DistinctRows& data, const models::LeafModel& model, const TreeKind& kind)
      : leaf_cost_(kind.leaf_cost) {
    const Ticks unit = unit_of(data, model, kind.loss_bits);
    if (unit == 0 || leaf_cost_ <= 1) return;
    unit_ = unit;
    shift_ = std::countr_zero(static_cast<std::uint64_t>(unit));
    const int leaf_bits = std::min(shift_, std::countr_zero(static_cast<std::uint64_t>(leaf_cost_ - 1)));
    mask_ = (std::uint64_t{1} << leaf_bits) - 1;
    const std::uint64_t odd = static_cast<std::uint64_t>(unit) >> shift_;
    inverse_ = odd;  // modulo 2^3; each step of Newton's method doubles the exponent
    for (int step = 0; step < 5; ++step) inverse_ *= 2 - odd * inverse_;
  }

  /// How many places a table of costs of at most `most` needs; 0 if costs have no places.
  std::uint64_t size(Ticks most) const {
    if (unit_ == 0 || most_leaves(most) > mask_) return 0;
    return (most_leaves(most) + 1) * stride(most);
  }
  std::uint64_t stride(Ticks most) const { return static_cast<std::uint64_t>(most / unit_) + 1; }
  std::uint32_t place(Ticks cost, std::uint64_t stride) const {
    const auto [leaves, loss] = parts(cost);
    return static_cast<std::uint32_t>(leaves * stride + loss);
  }
  /// Leaves, and units of loss, of a cost that has a place.
  std::pair<std::uint32_t, std::uint32_t> parts(Ticks cost) const {
    const std::uint64_t leaves = static_cast<std::uint64_t>(cost) & mask_;
    const std::uint64_t loss = static_cast<std::uint64_t>(cost) - leaves * static_cast<std::uint64_t>(leaf_cost_);
    return {static_cast<std::uint32_t>(leaves), static_cast<std::uint32_t>((loss >> shift_) * inverse_)};  // exact
  }
  /// The most units of loss that cost at most this.
  std::uint64_t most_loss(Ticks most) const { return static_cast<std::uint64_t>(most / unit_); }
  Ticks leaf_cost() const { return leaf_cost_; }
  /// For each cost x of `a`, calls `add_row(place of x, count of x, n)`: x and each of the first n costs of `b` cost at
  /// most `most` together. Sets `places` to those of the costs of `b`. Neither histogram is empty.
  template <class Count, class AddRow>
  void for_each_row(const Histogram<Count>& a, const Histogram<Count>& b, Ticks most, std::uint64_t stride,
                    std::vector<std::uint32_t>& places, AddRow add_row) const {
    places.clear();
    for (const CostCount<Count>& y : b) {
      if (y.cost > most - a.front().cost) break;
      places.push_back(place(y.cost, stride));
    }
    std::size_t n = places.size();
    for (const CostCount<Count>& x : a) {
      while (n > 0 && b[n - 1].cost > most - x.cost) --n;
      if (n == 0) break;
      add_row(place(x.cost, stride), x.count, n);
    }
  }
  Ticks cost(std::uint32_t place, std::uint64_t stride) const {
    return static_cast<Ticks>(place / stride) * leaf_cost_ + static_cast<Ticks>(place % stride) * unit_;
  }

 private:
  /// All losses are multiples of it; 0 if there is no loss, or no use in looking for the unit of squared errors.
  static Ticks unit_of(const data::DistinctRows& data, const models::LeafModel& model, int loss_bits) {
    if (loss_bits > 0) return Ticks{1} << loss_bits;
    if (model.measures().is_squared_error()) return 0;
    Ticks unit = 0;
    for (std::uint32_t row = 0; row < data.n_rows; ++row)
      for (std::uint32_t k = 0; k < model.n_predictions(); ++k)
        unit = std::gcd(unit, model.loss_of(data.weight(row), k));
    return unit;
  }
  std::uint64_t most_leaves(Ticks most) const { return static_cast<std::uint64_t>(most / leaf_cost_); }

  Ticks leaf_cost_, unit_ = 0;
  int shift_ = 0;
  std::uint64_t mask_ = 0, inverse_ = 0;
};

template <class Count>
class CostSums {
 public:
  explicit CostSums(const CostLattice& lattice) : lattice_(lattice) {}

  void begin(Ticks most) {
    most_ = most;
    const std::uint64_t size = lattice_.size(most);
    uses_table_ = size > 0 && size <= kLargestTable;
    sums_.clear();
    if (!uses_table_) return;
    stride_ = lattice_.stride(most);
    if (table_.size() < size) table_.resize(size);
  }
  void add(Ticks cost, const Count& count) {
    if (cost > most_) return;
    if (uses_table_)
      sum_at(lattice_.place(cost, stride_)) += count;
    else
      sums_.add(cost, count);
  }
  void subtract(Ticks cost, const Count& count) {
    if (cost > most_) return;
    if (uses_table_)
      sum_at(lattice_.place(cost, stride_)) -= count;
    else
      sums_.subtract(cost, count);
  }
  /// As HistogramSum::add_products.
  void add_products(const Histogram<Count>& a, const Histogram<Count>& b, const Count& copies) {
    if (!uses_table_) return sums_.add_products(a, b, copies, most_);
    if (a.empty() || b.empty()) return;
    const CostCount<Count>* const trees = b.data();
    lattice_.for_each_row(a, b, most_, stride_, places_, [&](std::uint32_t place, const Count& of_x, std::size_t n) {
      Count* const table = table_.data();  // the compiler cannot know that sums are none of these
      const std::uint32_t* const places = places_.data();
      const Count count = of_x * copies;
      for (std::size_t i = 0; i < n; ++i) {
        Count& sum = table[place + places[i]];
        if (sum.is_zero()) touched_.push_back(place + places[i]);
        sum += count * trees[i].count;
      }
    });
  }
  /// Returns the sums other than 0, and resets them.
  Histogram<Count> take() {
    if (!uses_table_) return sums_.take();
    Histogram<Count> sums;
    sums.reserve(touched_.size());
    for (const std::uint32_t place : touched_) {
      Count& sum = table_[place];
      if (!sum.is_zero()) sums.push_back({lattice_.cost(place, stride_), std::exchange(sum, Count())});
    }
    touched_.clear();
    std::sort(sums.begin(), sums.end(), [](const auto& x, const auto& y) { return x.cost < y.cost; });
    return sums;
  }

 private:
  static constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 22;

  Count& sum_at(std::uint32_t place) {
    Count& sum = table_[place];
    if (sum.is_zero()) touched_.push_back(place);  // more than once if it was 0 again in between
    return sum;
  }

  const CostLattice& lattice_;
  Ticks most_ = 0;
  bool uses_table_ = false;
  std::uint64_t stride_ = 0;
  std::vector<Count> table_;  // zeros, but for the places touched
  std::vector<std::uint32_t> touched_, places_;
  HistogramSum<Count> sums_;
};

}  // namespace hornbeam::rashomon
