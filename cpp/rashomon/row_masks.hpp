// rashomon/row_masks.hpp
//
// WHAT    Sets of rows as bits, for code that walks through the trees of a graph from the root down.
#pragma once

#include <vector>

#include "base/each_bit.hpp"
#include "data/distinct_rows.hpp"

namespace hornbeam::rashomon {

using Mask = std::vector<Word>;

class RowMasks {
 public:
  /// A column of the data that is equal or complementary (`flipped`) to another one on some rows.
  struct Copy {
    std::uint32_t column;
    bool flipped;
  };

  explicit RowMasks(const data::DistinctRows& data) : RowMasks(data.n_rows, data.n_columns) {
    for (std::uint32_t c = 0; c < data.n_columns; ++c)
      for (std::uint32_t w = 0; w < n_words_; ++w)
        columns_[std::size_t{c} * n_words_ + w] = data.bits[std::size_t{w} * data.stride + c];
  }

  /// Of other rows, which need not be distinct.
  explicit RowMasks(const data::PackedColumns& data) : RowMasks(data.n_rows, data.n_columns) {
    for (std::uint32_t c = 0; c < data.n_columns; ++c)
      for (std::uint32_t row = 0; row < data.n_rows; ++row)
        columns_[std::size_t{c} * n_words_ + row / kWordBits] |= Word{data.test(c, row)} << (row % kWordBits);
  }

  std::uint32_t n_rows() const { return n_rows_; }
  std::uint32_t n_columns() const { return n_columns_; }
  std::uint32_t n_words() const { return n_words_; }
  std::size_t bytes() const { return (all_.capacity() + columns_.capacity()) * sizeof(Word); }
  const Mask& all() const { return all_; }
  const Word* column(std::uint32_t number) const { return &columns_[std::size_t{number} * n_words_]; }

  /// Keeps those rows where the column equals `side`.
  void narrow(Mask& rows, std::uint32_t number, bool side) const {
    const Word flip = side ? 0 : ~Word{0};
    for (std::uint32_t w = 0; w < n_words_; ++w) rows[w] &= column(number)[w] ^ flip;
  }

  /// `first`, followed by the other columns that split these rows in the same way; there are `n_copies` in all.
  std::vector<Copy> copies_of(const Mask& rows, std::uint32_t first, std::uint32_t n_copies) const {
    std::vector<Copy> copies{{first, false}};
    for (std::uint32_t other = first + 1; copies.size() < n_copies && other < n_columns_; ++other)
      for (const bool flipped : {false, true}) {
        Word differs = 0;
        for (std::uint32_t w = 0; w < n_words_ && differs == 0; ++w)
          differs = (column(first)[w] ^ column(other)[w] ^ (flipped ? ~Word{0} : 0)) & rows[w];
        if (differs == 0) copies.push_back({other, flipped});
      }
    return copies;
  }

  template <class Visit>
  static void for_each_row(const Mask& rows, Visit visit) {
    for (std::uint32_t w = 0; w < rows.size(); ++w)
      for_each_bit(rows[w], word_at(w), [&](std::size_t row) { visit(static_cast<std::uint32_t>(row)); });
  }

 private:
  RowMasks(std::uint32_t n_rows, std::uint32_t n_columns)
      : n_rows_(n_rows),
        n_columns_(n_columns),
        n_words_(words_for(n_rows)),
        all_(n_words_, ~Word{0}),
        columns_(std::size_t{n_columns} * n_words_) {
    if (n_rows % kWordBits != 0) all_.back() >>= kWordBits - n_rows % kWordBits;
  }

  std::uint32_t n_rows_, n_columns_, n_words_;
  Mask all_;
  std::vector<Word> columns_;  // column after column
};

}  // namespace hornbeam::rashomon
