// data/triple_counter.hpp
//
// WHAT    Counts, for each target, the rows where three binary columns hold, for all triples of columns, of a table
//         that is read in batches. These numbers tell the cost of every tree of at most three levels, however many rows
//         there are.
// FLOW    Python evaluates the conditions on a batch -> here -> fitting/triples.py finds the best tree.
// COST    targets x columns^3 / 6 steps for 64 rows. Memory: targets x columns^3 numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::data {

class TripleCounter {
 public:
  TripleCounter(std::uint32_t n_columns, std::uint32_t n_targets);

  /// Adds rows: for each column a byte for each row, 0 or 1, and the target of each row, which is in range.
  void add(std::span<const std::uint8_t* const> columns, std::span<const std::uint8_t> targets);

  /// Rows of a target where columns i <= j <= k hold, at [(i * n_columns + j) * n_columns + k]; the others are 0.
  std::span<const std::int64_t> counts(std::uint32_t target) const { return counts_[target]; }
  /// All rows of a target.
  std::int64_t total(std::uint32_t target) const { return totals_[target]; }
  std::uint32_t n_columns() const { return n_columns_; }
  std::uint32_t n_targets() const { return static_cast<std::uint32_t>(totals_.size()); }

 private:
  void count_tile(std::uint32_t n_words);

  std::uint32_t n_columns_;
  std::vector<std::vector<std::int64_t>> counts_;
  std::vector<std::int64_t> totals_;
  std::vector<Word> tile_, masks_;  // column by column; by target
};

}  // namespace hornbeam::data
