// data/row_index.hpp
//
// WHAT    Finds equal rows, each of so many words of bits.
// FLOW    Used by data/distinct_rows, and by data/row_counter for tables that are read in batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/number_index.hpp"
#include "base/types.hpp"

namespace hornbeam::data {

/// The distinct rows so far, numbered in the order of their first appearance.
class RowIndex {
 public:
  explicit RowIndex(std::size_t words_per_row) : words_per_row_(words_per_row) {}

  /// Space for this many rows; pages that no row comes to are never touched.
  void reserve(std::size_t n_rows) { rows_.reserve(n_rows * words_per_row_); }

  /// For each of up to 64 rows the number of the distinct row equal to it; a new one if there is none yet. All are
  /// hashed before the first is looked up, so that memory is waited for once, not once a row.
  void find_or_add(const Word* rows, std::uint32_t n, std::uint32_t* numbers) {
    std::uint64_t hashes[kWordBits];
    for (std::uint32_t i = 0; i < n; ++i) {
      hashes[i] = 0;
      for (std::size_t w = 0; w < words_per_row_; ++w) hashes[i] = mix(hashes[i] ^ rows[i * words_per_row_ + w]);
      index_.prefetch(hashes[i]);
    }
    for (std::uint32_t i = 0; i < n; ++i) numbers[i] = find_or_add(rows + i * words_per_row_, hashes[i]);
  }

  /// Frees the memory that only looking up needs; no row may be added afterwards.
  void close() { index_ = {}; }

  std::uint32_t size() const { return size_; }
  std::uint64_t bytes() const { return rows_.size() * sizeof(Word) + index_.bytes(); }
  const Word* row(std::uint32_t number) const { return rows_.data() + number * words_per_row_; }

 private:
  std::uint32_t find_or_add(const Word* row, std::uint64_t hash) {
    const std::uint32_t number =
        index_.find_or_add(hash, size_, [&](std::uint32_t known) { return is_row(known, row); });
    if (number < size_) return number;
    rows_.insert(rows_.end(), row, row + words_per_row_);
    return size_++;
  }

  /// In a loop of our own: mostly of one word, for which a call of memcmp would take longer.
  bool is_row(std::uint32_t number, const Word* row) const {
    const Word* known = this->row(number);
    for (std::size_t w = 0; w < words_per_row_; ++w)
      if (known[w] != row[w]) return false;
    return true;
  }

  std::size_t words_per_row_;
  std::uint32_t size_ = 0;
  NumberIndex index_;
  std::vector<Word> rows_;
};

}  // namespace hornbeam::data
