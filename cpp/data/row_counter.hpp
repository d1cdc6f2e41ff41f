// data/row_counter.hpp
//
// WHAT    Merges the rows of a table that is read in batches, and counts them.
// FLOW    Python turns each value of a batch into a small number, a code -> here -> one row for each combination. Where
//         these take too much memory, Python writes their words to disk, and merges those of a part of them here.
// HOLDS   Distinct rows are numbered in the order of their first appearance.
// COST    A batch: its cells to pack, and one look-up a row. Memory: a word for each 64 bits of codes, 8 bytes for the
//         count and 16 to 32 for the index, for each distinct row; up to 22 bits, 9 bytes for each combination at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/codes_of_column.hpp"
#include "data/row_index.hpp"

namespace hornbeam::data {

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

  std::uint32_t n_rows() const { return is_small() ? static_cast<std::uint32_t>(small_rows_.size()) : index_.size(); }
  std::uint32_t n_words() const { return n_words_; }
  const Word* row(std::uint32_t row) const { return is_small() ? &small_rows_[row] : index_.row(row); }
  std::int64_t count(std::uint32_t row) const { return is_small() ? small_count(small_rows_[row]) : counts_[row]; }
  std::uint32_t width(std::size_t column) const { return places_[column].width; }
  std::size_t n_columns() const { return places_.size(); }
  std::uint64_t bytes() const {
    return index_.bytes() + (counts_.capacity() + prepaid_.size()) * sizeof(std::int64_t) + spent_.size() +
           small_rows_.capacity() * sizeof(Word);
  }
  std::uint32_t code(std::uint32_t row, std::size_t column) const {
    const Place& place = places_[column];
    return static_cast<std::uint32_t>(this->row(row)[place.word] >> place.shift & place.mask());
  }

  /// The total of weights, one for each distinct row, by the code of each of the first columns: at [column][code]. That
  /// of the counts, if there are no weights.
  std::vector<std::vector<double>> totals(std::span<const double> weights, std::size_t n_columns) const;

  /// The rows by the code of the column behind the first ones, and by what conditions say about these: `bits[c][code]`
  /// are the bits of those on column c that hold. At [code][bits]; there are `n_conditions` bits.
  std::vector<std::vector<std::int64_t>> cells(std::span<const std::span<const std::uint32_t>> bits,
                                               std::uint32_t n_conditions) const;

 private:
  struct Place {
    std::uint32_t word, shift, width;
    Word mask() const { return (Word{1} << width) - 1; }
  };

  static constexpr std::int64_t kPrepaid = 256;  // as often as a byte can be counted up until it is 0 again

  bool is_small() const { return !spent_.empty(); }
  /// What is prepaid less what is not spent yet.
  std::int64_t small_count(Word row) const { return prepaid_[row] - (kPrepaid - spent_[row]) % kPrepaid; }
  void prepay(Word row, std::int64_t count);
  std::vector<std::vector<double>> totals_of_small(std::size_t n_columns) const;
  /// Adds small rows, each once, if all codes are of one bit, block by block. Returns how many: all but the last ones,
  /// or none.
  std::size_t count_flags(std::span<const CodesOfColumn> columns, std::size_t n_rows);
  /// Adds up to 64 rows, of which the first counts as `counts[0]`, or all once if there are none; sets their numbers
  /// unless rows are small.
  void count_packed(const Word* rows, std::uint32_t n, std::span<const std::int64_t> counts, std::uint32_t* numbers);
  void pack(std::span<const CodesOfColumn> columns, std::size_t first, std::uint32_t n);

  std::vector<Place> places_;
  std::uint32_t n_words_;
  RowIndex index_;
  std::vector<std::int64_t> counts_;
  // Instead of these, where rows have few bits, for each combination: a count of which `kPrepaid` are added ahead,
  // whenever the number of those spent, a byte that starts again at 0, is 0. And the combinations that have come.
  std::vector<std::int64_t> prepaid_;
  std::vector<std::uint8_t> spent_;
  std::vector<Word> small_rows_;
  std::vector<Word> rows_;  // the block of 64 that is packed
};

}  // namespace hornbeam::data
