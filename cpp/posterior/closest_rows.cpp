#include "posterior/closest_rows.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace hornbeam::posterior {

namespace {

constexpr std::uint64_t kMostWork = std::uint64_t{1} << 32;

/// Whether the rows have two different classes between them.
bool differ_in_class(const data::DistinctRows& rows, std::uint32_t one, std::uint32_t other) {
  for (std::uint32_t k = 0; k < rows.n_targets; ++k)
    for (std::uint32_t m = 0; m < rows.n_targets; ++m)
      if (k != m && rows.weight(one)[k] > 0 && rows.weight(other)[m] > 0) return true;
  return false;
}

}  // namespace

std::uint32_t least_distance(const data::DistinctRows& rows, run::Run& run) {
  const std::size_t n_words = words_for(rows.n_columns);
  std::uint32_t least = std::max(rows.n_columns, 1u);
  if (std::uint64_t{rows.n_rows} * rows.n_rows * n_words > kMostWork) least = 1;
  if (least > 1) run.require(rows.bytes() + rows.n_rows * n_words * sizeof(Word));
  std::vector<Word> bits(least > 1 ? std::size_t{rows.n_rows} * n_words : 0, 0);
  for (std::uint32_t row = 0; row < rows.n_rows && least > 1; ++row) {
    run.require();
    for (std::uint32_t c = 0; c < rows.n_columns; ++c)
      bits[row * n_words + c / kWordBits] |= Word{rows.test(c, row)} << (c % kWordBits);
  }
  for (std::uint32_t one = 0; one < rows.n_rows && least > 1; ++one) {
    run.require();
    for (std::uint32_t other = 0; other < one; ++other) {
      std::uint32_t distance = 0;
      for (std::size_t w = 0; w < n_words; ++w)
        distance += static_cast<std::uint32_t>(std::popcount(bits[one * n_words + w] ^ bits[other * n_words + w]));
      if (distance < least && differ_in_class(rows, one, other)) least = distance;
    }
  }
  return least;
}

}  // namespace hornbeam::posterior
