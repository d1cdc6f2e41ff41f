// pricing/priced_rows.hpp
//
// WHAT    Rows of binary columns and what each loses with each prediction, for bounds/row_prices.hpp.
// HOLDS   Losses and the leaf penalty are rounded down to units, of which all rows together lose less than 2^30, so
//         that sums of prices and losses fit 32 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "pricing/feasible_prices.hpp"

namespace hornbeam::pricing {

/// That a column holds, or that it fails.
struct Condition {
  std::uint32_t column;
  bool value;
};

struct PricedRows {
  /// Masks of rows are padded to so many columns, a cache line.
  static constexpr std::uint32_t kColumnsOfLine = 64;

  std::uint32_t n_rows = 0, n_columns = 0, n_predictions = 0;
  int shift = 0;  // a tick is 2^shift units
  Units leaf_penalty = 0;
  std::vector<Units> loss;           // (n_predictions, n_rows)
  std::vector<Word> bits;            // (n_rows, n_words()), padding bits are 0
  AlignedVector<std::int8_t> masks;  // (n_rows, stride()), -1 where the column holds

  PricedRows() = default;
  /// `largest_total` is what all rows together lose at most, the leaf penalty included.
  PricedRows(std::uint32_t rows, std::uint32_t columns, std::uint32_t predictions, Ticks largest_total)
      : n_rows(rows),
        n_columns(columns),
        n_predictions(predictions),
        shift(30 - static_cast<int>(std::bit_width(static_cast<Word>(std::max<Ticks>(largest_total, 1))))),
        loss(std::size_t{predictions} * rows),
        bits(std::size_t{rows} * n_words()),
        masks(std::size_t{rows} * stride()) {}

  std::uint32_t n_words() const { return words_for(n_columns); }
  std::size_t stride() const { return (std::size_t{n_columns} + kColumnsOfLine - 1) / kColumnsOfLine * kColumnsOfLine; }
  Ticks total_units(Ticks ticks) const { return shift >= 0 ? ticks << shift : ticks >> -shift; }
  Units units(Ticks ticks) const { return static_cast<Units>(total_units(ticks)); }
  void set(std::uint32_t row, std::uint32_t column) {
    bits[std::size_t{row} * n_words() + column / kWordBits] |= Word{1} << (column % kWordBits);
    masks[row * stride() + column] = -1;
  }
  bool holds(std::uint32_t row, std::uint32_t column) const { return masks[row * stride() + column] != 0; }
  bool meets(std::uint32_t row, Condition condition) const { return holds(row, condition.column) == condition.value; }
  /// Those rows that meet a condition.
  void keep(std::span<const std::uint32_t> from, Condition condition, std::vector<std::uint32_t>& to) const {
    to.clear();
    for (const std::uint32_t row : from)
      if (meets(row, condition)) to.push_back(row);
  }
  /// The rows that meet all of these.
  std::vector<std::uint32_t> meeting(std::span<const Condition> conditions) const {
    std::vector<std::uint32_t> rows(n_rows), next;
    std::iota(rows.begin(), rows.end(), 0u);
    for (const Condition condition : conditions) {
      keep(rows, condition, next);
      rows.swap(next);
    }
    return rows;
  }
  const Word* row(std::uint32_t row) const { return &bits[std::size_t{row} * n_words()]; }
  const Units* losses(std::uint32_t prediction) const { return &loss[std::size_t{prediction} * n_rows]; }

  /// Some of the rows, with a leaf penalty of their own.
  PricedRows select(std::span<const std::uint32_t> rows, Units penalty) const {
    PricedRows part(static_cast<std::uint32_t>(rows.size()), n_columns, n_predictions, 0);
    part.shift = shift;
    part.leaf_penalty = penalty;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::uint32_t k = 0; k < n_predictions; ++k) part.loss[k * rows.size() + i] = losses(k)[rows[i]];
      std::copy_n(row(rows[i]), n_words(), &part.bits[i * n_words()]);
      std::copy_n(&masks[rows[i] * stride()], stride(), &part.masks[i * stride()]);
    }
    return part;
  }

  static std::uint64_t bytes(std::uint64_t rows, std::uint64_t columns, std::uint64_t predictions) {
    return rows * (4 * predictions + columns + kColumnsOfLine + columns / 8 + 8);
  }
};

/// The conditions that a conjunction may still use, or uses: that a column holds, and that it fails.
struct Conditions {
  std::vector<Word> holds, fails;

  explicit Conditions(std::uint32_t n_words = 0) : holds(n_words, 0), fails(n_words, 0) {}
  void add(Condition of) { (of.value ? holds : fails)[of.column / kWordBits] |= bit_of(of); }
  void drop(Condition of) { (of.value ? holds : fails)[of.column / kWordBits] &= ~bit_of(of); }
  bool has(Condition of) const { return ((of.value ? holds : fails)[of.column / kWordBits] & bit_of(of)) != 0; }
  /// Whether a row fails any of them.
  bool exclude(const Word* row) const {
    Word excluded = 0;
    for (std::size_t w = 0; w < holds.size(); ++w) excluded |= (holds[w] & ~row[w]) | (fails[w] & row[w]);
    return excluded != 0;
  }

  /// The first of them that a row fails.
  std::optional<Condition> excluding(const Word* row) const {
    for (std::size_t w = 0; w < holds.size(); ++w)
      if (const Word excluded = (holds[w] & ~row[w]) | (fails[w] & row[w]); excluded != 0) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(excluded));
        return Condition{static_cast<std::uint32_t>(w) * kWordBits + bit, (holds[w] >> bit & 1) != 0};
      }
    return std::nullopt;
  }

 private:
  static Word bit_of(Condition of) { return Word{1} << (of.column % kWordBits); }
};

}  // namespace hornbeam::pricing
