// pricing/priced_rows.hpp
//
// WHAT    Rows of binary columns and what each loses with each prediction, for bounds/row_prices.hpp.
// HOLDS   Losses and the leaf penalty are rounded down to units, of which all rows together lose less than 2^30, so
//         that sums of prices and losses fit 32 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "pricing/feasible_prices.hpp"

namespace hornbeam::pricing {

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
  const Word* row(std::uint32_t row) const { return &bits[std::size_t{row} * n_words()]; }
  const Units* losses(std::uint32_t prediction) const { return &loss[std::size_t{prediction} * n_rows]; }

  static std::uint64_t bytes(std::uint64_t rows, std::uint64_t columns, std::uint64_t predictions) {
    return rows * (4 * predictions + columns + kColumnsOfLine + columns / 8 + 8);
  }
};

/// The conditions that a conjunction may still use, or uses: that a column holds, and that it fails.
struct Conditions {
  std::vector<Word> holds, fails;

  explicit Conditions(std::uint32_t n_words = 0) : holds(n_words, 0), fails(n_words, 0) {}
  void add(std::uint32_t column, bool value) {
    (value ? holds : fails)[column / kWordBits] |= Word{1} << (column % kWordBits);
  }
  void drop(std::uint32_t column, bool value) {
    (value ? holds : fails)[column / kWordBits] &= ~(Word{1} << (column % kWordBits));
  }
  bool has(std::uint32_t column, bool value) const {
    return ((value ? holds : fails)[column / kWordBits] >> (column % kWordBits) & 1) != 0;
  }
  /// Whether a row fails any of them.
  bool exclude(const Word* row) const {
    Word excluded = 0;
    for (std::size_t w = 0; w < holds.size(); ++w) excluded |= (holds[w] & ~row[w]) | (fails[w] & row[w]);
    return excluded != 0;
  }
};

}  // namespace hornbeam::pricing
