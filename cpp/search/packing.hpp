// search/packing.hpp
//
// WHAT    A greedy packing of pairs of rows for bounds/packing.hpp.
// HOLDS   The weight found never exceeds that of the best packing; any subset of pairs may be left out.
// COST    Slots of one class x slots of the other x words of a row, then the pairs taken x the columns between them.
// CHOICE  Pairs with few columns between them first: they use up least. Several rounds of small steps, to spread the
//         load over the columns, found less than one round of full steps.
#pragma once

#include <vector>

#include "search/problem.hpp"
#include "search/row_set.hpp"

namespace hornbeam {

class PairPacker {
 public:
  explicit PairPacker(const Problem& problem);

  /// Whether this problem's costs allow the bound.
  bool is_usable() const { return is_usable_; }

  /// The weight of a packing on rows that have their slot rows; stops once it is `enough`.
  Ticks pack(const RowSet& rows, Ticks enough);

  /// Words of work of the last call.
  std::uint64_t work() const { return work_; }

 private:
  void find_columns(const RowSet& rows);
  void find_rows(const RowSet& rows);
  Ticks take(std::size_t a, std::size_t b, std::size_t n_words);
  void merge_equal(int k, std::size_t n_words);

  const Problem& problem_;
  const Measures measures_;
  const bool is_usable_;
  std::uint64_t work_ = 0;
  std::vector<Word> allowed_;           // columns that a tree may ask
  std::vector<Ticks> room_;             // of each column
  std::vector<Word> full_;              // columns without room
  std::vector<Word> bits_[2];           // of the rows of each class, on the allowed columns
  std::vector<Ticks> left_[2];          // of each row
  std::vector<std::uint8_t> between_;   // columns that tell a pair apart
  std::vector<std::uint32_t> table_;
};

}  // namespace hornbeam
