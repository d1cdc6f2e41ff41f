// data/triple_counter.hpp
//
// WHAT    Counts, for each target, the rows where three binary columns hold, for all triples of columns, of a table
//         that is read in batches. These numbers tell the cost of every tree of at most three levels, however many rows
//         there are.
// FLOW    Python evaluates the conditions on a batch, or passes the bits of its booleans -> here -> search/triple_tree
//         finds the best tree. Or the rows were merged already (data/row_counter.hpp), and few columns tell them apart:
//         then `add_cells`. Of a table in memory, search/triple_search adds the distinct rows.
// COST    targets x columns^3 / 48 steps of a vector for 64 rows; 10 steps for each of 2^columns cells. Memory:
//         targets x columns^3 numbers, and twice the cells of a target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/codes_of_column.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam::data {

class TripleCounter {
 public:
  static constexpr std::uint32_t kTileWords = 64;  // of 50 columns fit into the nearest cache

  /// With `only_pairs`, only the numbers of columns i <= i <= k and i <= k <= k are counted.
  TripleCounter(std::uint32_t n_columns, std::uint32_t n_targets, bool only_pairs = false);

  /// Adds rows: a flag of each column for each row, in bits or bytes, and the target of each row, which is in range.
  void add(std::span<const CodesOfColumn> columns, std::span<const std::uint8_t> targets);

  /// Adds rows of a target: `cells[i]` of those where column c holds if and only if bit c of i is set. There are
  /// 2^n_columns cells.
  void add_cells(std::uint32_t target, std::span<const std::int64_t> cells);

  /// Adds rows of a target: those of at most kTileWords words of a tile that are in `mask`, so many times each.
  void add_words(const kernels::TileView& tile, std::uint32_t target, const Word* mask, std::int64_t times);

  /// Adds what another one of the same columns and targets has counted.
  void add(const TripleCounter& other);

  /// Rows of a target where columns i <= j <= k hold, at [(i * n_columns + j) * n_columns + k]; the others are 0.
  std::span<const std::int64_t> counts(std::uint32_t target) const { return counts_[target]; }
  /// All rows of a target.
  std::int64_t total(std::uint32_t target) const { return totals_[target]; }
  std::uint32_t n_columns() const { return n_columns_; }
  std::uint32_t n_targets() const { return static_cast<std::uint32_t>(totals_.size()); }

 private:
  void add_sums(std::uint32_t target, std::span<const std::int64_t> cells, std::vector<std::uint32_t>& held,
                std::int64_t* scratch);
  void add_to_triples(std::uint32_t target, std::span<const std::uint32_t> held, std::int64_t n_rows);

  std::uint32_t n_columns_;
  bool only_pairs_;
  std::vector<std::vector<std::int64_t>> counts_;
  std::vector<std::int64_t> totals_;
  std::uint32_t stride_;
  AlignedVector<Word> tile_;  // word by word
  std::vector<Word> masks_;   // target by target
  AlignedVector<Ticks> row_;  // of one pair of columns and all columns behind it
};

}  // namespace hornbeam::data
