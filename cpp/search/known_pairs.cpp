#include "search/known_pairs.hpp"

#include <algorithm>
#include <bit>

#include "bounds/packing.hpp"
#include "search/packing.hpp"

namespace hornbeam::search {

Ticks KnownPairs::bound(const rows::RowSet& rows, const packing::PairOrder& order, const std::vector<Word>& row_bits,
                        Ticks enough) {
  allowed_.assign(n_words_, 0);
  for_each_packed_column(problem_, rows, [&](std::uint32_t column, Ticks) {
    const std::uint32_t c = rows.columns[column];
    allowed_[c / kWordBits] |= Word{1} << (c % kWordBits);
  });
  full_.assign(n_words_, 0);
  apart_.resize(n_words_);
  capacity_.assign(problem_.rows.n_columns, problem_.leaf_cost);
  is_inside_.resize(problem_.rows.n_rows, false);
  left_.resize(problem_.rows.n_rows, 0);
  Ticks least_loss = 0, packed = 0;
  for (const std::uint32_t row : rows.numbers) {
    is_inside_[row] = true;
    left_[row] = order.losses[row].weight;
    least_loss += order.losses[row].least;
  }
  const auto bound = [&] { return bounds::packing_bound(problem_.leaf_cost, least_loss, packed); };
  std::uint64_t n_pairs = 0;
  order.for_each_pair(
      rows.numbers, [&](std::uint32_t row) { return is_inside_[row]; }, numbers_of_pairs_,
      [&](std::uint32_t a, std::uint32_t b) {
        ++n_pairs;
        packed += pack(a, b, row_bits);
        return bound() < enough;
      });
  for (const std::uint32_t row : rows.numbers) is_inside_[row] = false;
  work_ = 16 * (n_pairs + rows.numbers.size());
  return bound();
}

/// Gives two rows all the weight that is left for both.
Ticks KnownPairs::pack(std::uint32_t a, std::uint32_t b, const std::vector<Word>& row_bits) {
  Ticks weight = std::min(left_[a], left_[b]);
  if (weight == 0) return 0;
  Word blocked = 0;
  for (std::size_t w = 0; w < n_words_; ++w) {
    apart_[w] = (row_bits[a * n_words_ + w] ^ row_bits[b * n_words_ + w]) & allowed_[w];
    blocked |= apart_[w] & full_[w];
  }
  if (blocked != 0) return 0;
  const auto for_each_column = [&](auto visit) {
    for (std::size_t w = 0; w < n_words_; ++w)
      for (Word word = apart_[w]; word != 0; word &= word - 1)
        visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(word)));
  };
  for_each_column([&](std::size_t c) { weight = std::min(weight, capacity_[c]); });
  for_each_column([&](std::size_t c) {
    capacity_[c] -= weight;
    if (capacity_[c] == 0) full_[c / kWordBits] |= Word{1} << (c % kWordBits);
  });
  left_[a] -= weight;
  left_[b] -= weight;
  return weight;
}

}  // namespace hornbeam::search
