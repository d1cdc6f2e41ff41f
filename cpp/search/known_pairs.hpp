// search/known_pairs.hpp
//
// WHAT    The bound of bounds/packing.hpp for the rows of a subproblem, by pairs that are known for the whole problem.
// FLOW    search/bound_raiser, once there are pairs, before it looks for pairs of the subproblem itself.
// COST    The words of a row for each pair of the rows.
#pragma once

#include <vector>

#include "packing/near_pairs.hpp"
#include "rows/problem.hpp"
#include "rows/row_set.hpp"

namespace hornbeam::search {

class KnownPairs {
 public:
  explicit KnownPairs(const rows::Problem& problem) : problem_(problem), n_words_(words_for(problem.rows.n_columns)) {}

  /// No tree for rows that have numbers costs less; stops once that is `enough`. `row_bits` are those of all rows.
  Ticks bound(const rows::RowSet& rows, const packing::PairOrder& order, const std::vector<Word>& row_bits,
              Ticks enough);
  /// What the last packing has left of a column of the data.
  Ticks unused(std::uint32_t column) const {
    return (allowed_[column / kWordBits] >> (column % kWordBits) & 1) != 0 ? capacity_[column] : 0;
  }
  /// Words of work of the last call.
  std::uint64_t work() const { return work_; }

 private:
  Ticks pack(std::uint32_t a, std::uint32_t b, const std::vector<Word>& row_bits);

  const rows::Problem& problem_;
  const std::size_t n_words_;    // of a row
  std::vector<Word> allowed_;    // columns of the data that a tree may split on
  std::vector<Word> full_;       // those without capacity
  std::vector<Word> apart_;      // those that separate a pair
  std::vector<Ticks> capacity_;  // of each column
  std::vector<bool> is_inside_;  // by row of the data
  std::vector<Ticks> left_;      // the same
  std::vector<std::uint32_t> numbers_of_pairs_;
  std::uint64_t work_ = 0;
};

}  // namespace hornbeam::search
