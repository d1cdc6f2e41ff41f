// data/triple_counter.hpp
//
// WHAT    Counts, for each target, the rows where three binary columns hold, for all triples of columns, of a table
//         that is read in batches. These numbers tell the cost of every tree of at most three levels, however many rows
//         there are.
// FLOW    Python evaluates the conditions on a batch, or passes the bits of its booleans -> here -> search/triple_tree
//         finds the best tree. Or the rows were merged already (data/row_counter.hpp), and few columns tell them apart:
//         then `add_cells`. Of a table in memory, search/triple_search adds the distinct rows.
// CHOICE  Rows of each target are gathered until they fill a tile, so that every triple is counted once for a row.
// COST    columns^3 / 6 triples, of half a step of a vector for 64 rows each; 10 steps for each of 2^columns cells.
//         Memory: targets x columns^3 numbers, 512 bytes a column and target, and twice the cells of a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/each_bit.hpp"
#include "base/types.hpp"
#include "data/codes_of_column.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam::data {

/// Whether all numbers are below `end`. Not in the bindings, which are compiled for size and without vectors.
bool are_below(std::span<const std::uint8_t> numbers, std::uint32_t end);

class TripleCounter {
 public:
  /// With `only_pairs`, only the numbers of columns i <= i <= k and i <= k <= k are counted.
  TripleCounter(std::uint32_t n_columns, std::uint32_t n_targets, bool only_pairs = false);

  /// Adds rows: a flag of each column for each row, in bits or bytes, and the target of each row, which is in range.
  void add(std::span<const CodesOfColumn> columns, std::span<const std::uint8_t> targets);

  /// Adds rows of a target: `cells[i]` of those where column c holds if and only if bit c of i is set. There are
  /// 2^n_columns cells.
  void add_cells(std::uint32_t target, std::span<const std::int64_t> cells);

  /// Reads 64 rows, of which `add_row` adds some: `word_of(c)` has a bit of column c for each. Bits of the rows behind
  /// the last column are of earlier ones, and are dropped when blocks are turned back.
  template <class WordOf>
  void read(const WordOf& word_of) {
    for (std::uint32_t c = 0; c < n_columns_; ++c) read_[c] = word_of(c);
    turn(read_.data());
  }
  /// Adds one of the rows that were read, 2^shift times.
  void add_row(std::size_t row, std::uint32_t target, std::uint32_t shift) {
    Gathered& rows = gathered(target, shift);
    const std::uint32_t at = rows.n_rows % kWordBits;
    for (std::uint32_t b = 0; b < n_blocks_; ++b) rows.last[word_at(b) + at] = read_[word_at(b) + row];
    if (++rows.n_rows % kWordBits == 0) complete(rows, target, shift);
  }
  /// Counts the rows that do not fill a tile; before `counts` and `total`, and after `add_row`.
  void flush();

  /// Adds what another one of the same columns and targets has counted.
  void add(const TripleCounter& other);

  /// Rows of a target where columns i <= j <= k hold, at [(i * n_columns + j) * n_columns + k]; the others are 0.
  std::span<const std::int64_t> counts(std::uint32_t target) const { return counts_[target]; }
  /// All rows of a target.
  std::int64_t total(std::uint32_t target) const { return totals_[target]; }
  std::uint32_t n_columns() const { return n_columns_; }
  std::uint32_t n_targets() const { return static_cast<std::uint32_t>(totals_.size()); }

  /// Of a counter, if no row is added more often than `most` times.
  static std::uint64_t bytes(std::uint64_t n_columns, std::uint64_t n_targets, std::uint64_t most);

 private:
  /// Rows of a target that are added equally often: blocks of 64 as a tile, and the last ones row by row.
  struct Gathered {
    AlignedVector<Word> tile, last;
    std::uint32_t n_rows = 0;
  };

  Gathered& gathered(std::uint32_t target, std::uint32_t shift) {
    const std::size_t number = std::size_t{shift} * n_targets() + target;
    if (number >= gathered_.size() || gathered_[number].tile.empty()) make_room(number);
    return gathered_[number];
  }
  void make_room(std::size_t number);
  /// Turns blocks of 64 columns of 64 rows into rows of 64 columns, or back.
  void turn(Word* blocks) const;
  /// Moves the last rows, up to 64, to the tile, and counts it once it is full.
  void complete(Gathered& rows, std::uint32_t target, std::uint32_t shift);
  void count(Gathered& rows, std::uint32_t target, std::uint32_t shift);
  void add_sums(std::uint32_t target, std::span<const std::int64_t> cells, std::vector<std::uint32_t>& held,
                std::int64_t* scratch);
  void add_to_triples(std::uint32_t target, std::span<const std::uint32_t> held, std::int64_t n_rows);

  std::uint32_t n_columns_, n_blocks_;  // blocks of 64 columns
  bool only_pairs_;
  std::vector<std::vector<std::int64_t>> counts_;
  std::vector<std::int64_t> totals_;
  std::vector<Gathered> gathered_;  // at [shift * n_targets + target]
  AlignedVector<Word> read_;        // 64 rows, block by block
  AlignedVector<Ticks> of_pair_;    // the rows of a tile where two columns hold and each third one
};

}  // namespace hornbeam::data
