// search/packing.hpp
//
// WHAT    A greedy packing of pairs of rows for bounds/packing.hpp.
// HOLDS   The weight found never exceeds that of the best packing; dropping a pair keeps the bound valid.
// COST    Rows of one class x rows of the other x words of a row, eight rows at a time, twice. The search for
//         a packing stops early when the remaining capacity of all columns, divided by the smallest distance of the
//         remaining pairs, cannot reach the target.
// CHOICE  Rows that have a near row of the other class first, and for each row the nearest first: near pairs use up the
//         least capacity.
#pragma once

#include <vector>

#include "base/number_index.hpp"
#include "rows/problem.hpp"
#include "rows/row_set.hpp"

namespace hornbeam::search {

class PairPacker {
 public:
  PairPacker(const rows::Problem& problem, const kernels::Kernels& kernels);

  /// Whether this problem's costs allow the bound.
  bool is_usable() const { return is_usable_; }

  /// The weight of a packing on rows that have their slot rows; stops once it is `enough`, or cannot reach `needed`.
  Ticks pack(const rows::RowSet& rows, Ticks needed, Ticks enough);

  /// Words of work of the last call.
  std::uint64_t work() const { return work_; }

 private:
  void find_columns(const rows::RowSet& rows);
  void find_rows(const rows::RowSet& rows);
  void merge_equal(int k, std::size_t n_words);
  void turn_others();
  void find_distances(std::size_t a);
  Ticks pack_row(std::size_t a);
  Ticks take(std::size_t a, std::size_t b);
  void forget_spent();
  kernels::TileView others() const { return {other_words_.data(), static_cast<std::uint32_t>(n_words_), stride_}; }

  const rows::Problem& problem_;
  const kernels::Kernels& kernels_;
  const models::Measures measures_;
  const bool is_usable_;
  std::uint64_t work_ = 0;
  std::size_t n_words_ = 0;          // of a row
  std::vector<Word> allowed_;        // columns that a tree may split on
  std::vector<Ticks> capacity_;      // of each column
  Ticks total_capacity_ = 0;         // of all columns together
  std::vector<Word> full_;           // columns without capacity
  std::vector<Word> bits_[2];        // of the rows of each class, on the allowed columns
  std::vector<Ticks> left_[2];       // of each row
  int first_ = 0;                    // the class whose rows are packed one after another
  AlignedVector<Word> other_words_;  // the rows of the other class, as a tile with rows for columns
  std::uint32_t stride_ = 0, n_others_ = 0;
  std::vector<std::uint8_t> distances_;
  std::vector<std::uint32_t> spent_, order_;
  NumberIndex index_;
  std::vector<Ticks> nearest_;  // distance of each row of the first class to the other
};

}  // namespace hornbeam::search
