// data/row_counter.hpp
//
// WHAT    Merges the rows of a table that is read in batches, and counts them.
// FLOW    Python turns each value of a batch into a small number, a code -> here -> one row for each combination. Where
//         these take too much memory, Python writes their words to disk, and merges those of a part of them here.
// HOLDS   Distinct rows are numbered in the order of their first appearance.
// COST    A batch: its cells to pack, and one look-up a row. Memory: a word for each 64 bits of codes, 8 bytes for the
//         count and 16 to 32 for the index, for each distinct row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/row_index.hpp"

namespace hornbeam::data {

/// The codes of one column in a batch, of one byte or of four.
struct CodesOfColumn {
  const std::uint8_t* bytes;  // or null, and then
  const std::uint32_t* numbers;
  std::uint32_t operator[](std::size_t row) const { return bytes != nullptr ? bytes[row] : numbers[row]; }
};

class RowCounter {
 public:
  /// Codes of column c are below 2^widths[c]; at most 32 bits each.
  explicit RowCounter(std::span<const std::uint32_t> widths);

  /// Adds rows, each `counts[row]` times, or once if there are none. False, and nothing is added, if a code is too
  /// large.
  bool add(std::span<const CodesOfColumn> columns, std::size_t n_rows, std::span<const std::int64_t> counts);

  /// Adds rows that such a counter has packed, and sets the number of each among the distinct rows. False, and nothing
  /// is added, if a bit is set that belongs to no column.
  bool add_packed(std::span<const Word> rows, std::span<const std::int64_t> counts, std::uint32_t* numbers);

  std::uint32_t n_rows() const { return index_.size(); }
  std::uint32_t n_words() const { return n_words_; }
  const Word* row(std::uint32_t row) const { return index_.row(row); }
  std::span<const std::int64_t> counts() const { return counts_; }
  std::uint32_t width(std::size_t column) const { return places_[column].width; }
  std::size_t n_columns() const { return places_.size(); }
  std::uint64_t bytes() const { return index_.bytes() + counts_.capacity() * sizeof(std::int64_t); }
  std::uint32_t code(std::uint32_t row, std::size_t column) const {
    const Place& place = places_[column];
    return static_cast<std::uint32_t>(index_.row(row)[place.word] >> place.shift & place.mask());
  }

 private:
  struct Place {
    std::uint32_t word, shift, width;
    Word mask() const { return (Word{1} << width) - 1; }
  };

  void pack(std::span<const CodesOfColumn> columns, std::size_t first, std::uint32_t n);

  std::vector<Place> places_;
  std::uint32_t n_words_;
  RowIndex index_;
  std::vector<std::int64_t> counts_;
  std::vector<Word> rows_;  // the block of 64 that is packed
};

}  // namespace hornbeam::data
