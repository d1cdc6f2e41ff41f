#include "pricing/gain_bound.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace hornbeam::pricing {

bool GainBound::may_exceed(Ticks limit, std::span<const std::uint32_t> positive, std::span<const Units> gains,
                           std::span<const Row> negative, const Conditions& open) {
  Ticks most = std::accumulate(gains.begin(), gains.end(), Ticks{0}), unassigned = 0;
  for (const Row& row : negative) unassigned += row.loss;
  if (most - unassigned > limit) return true;
  set_positive(positive, gains, open);
  pending_.clear();
  for (Row row : negative) {
    compare(row.row);
    for (std::size_t i = 0; row.loss > 0 && (i = find_equal(i)) < n_positive_;) {
      const Units part = std::min(row.loss, left_[i]);
      take(i, part);
      row.loss -= part;
      most -= part;
      unassigned -= part;
    }
    if (most <= limit) return false;
    if (row.loss > 0) pending_.push_back(row);
  }
  Ticks left = most;
  for (Row row : pending_) {
    compare(row.row);
    while (row.loss > 0) {
      // A part takes as much from two rows.
      if (most - std::min(unassigned, left / 2) > limit) return true;
      const auto [i, j] = find_pair();
      if (j == n_positive_) break;
      const Units part = std::min({row.loss, left_[i], left_[j]});
      take(std::max(i, j), part);
      take(std::min(i, j), part);
      row.loss -= part;
      most -= part;
      unassigned -= part;
      left -= 2 * Ticks{part};
      if (most <= limit) return false;
    }
    unassigned -= row.loss;
  }
  return true;
}

void GainBound::set_positive(std::span<const std::uint32_t> positive, std::span<const Units> gains,
                             const Conditions& open) {
  const std::uint32_t n_words = rows_.n_words();
  n_positive_ = stride_ = positive.size();
  left_.assign(gains.begin(), gains.end());
  any_.resize(stride_);
  for (std::vector<Word>* const words : {&bits_, &met_, &differs_}) words->resize(n_words * stride_);
  for (std::size_t i = 0; i < stride_; ++i) {
    const Word* const bits = rows_.row(positive[i]);
    for (std::uint32_t w = 0; w < n_words; ++w) {
      bits_[w * stride_ + i] = bits[w];
      met_[w * stride_ + i] = (open.holds[w] & bits[w]) | (open.fails[w] & ~bits[w]);
    }
  }
}

/// Open conditions that each positive row meets and the negative one does not.
void GainBound::compare(std::uint32_t negative) {
  const std::uint32_t n_words = rows_.n_words();
  meter_.add(1 + n_words * n_positive_ / 32);
  std::fill_n(any_.begin(), n_positive_, 0);
  for (std::uint32_t w = 0; w < n_words; ++w) {
    const Word bits = rows_.row(negative)[w];
    const Word *const of_positive = &bits_[w * stride_], *const met = &met_[w * stride_];
    Word* const differs = &differs_[w * stride_];
    for (std::size_t i = 0; i < n_positive_; ++i) {
      differs[i] = (of_positive[i] ^ bits) & met[i];
      any_[i] |= differs[i];
    }
  }
}

/// The first positive row from so many on that no open condition tells from the negative one.
std::size_t GainBound::find_equal(std::size_t from) const {
  while (from < n_positive_ && any_[from] != 0) ++from;
  return from;
}

/// The positive row that the fewest conditions tell from the negative one, and one that makes a pair with it.
std::pair<std::size_t, std::size_t> GainBound::find_pair() const {
  const std::uint32_t n_words = rows_.n_words();
  std::size_t first = n_positive_, second = 0;
  int fewest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < n_positive_; ++i) {
    int n = 0;
    for (std::uint32_t w = 0; w < n_words; ++w) n += std::popcount(differs_[w * stride_ + i]);
    if (n >= fewest) continue;
    fewest = n;
    first = i;
  }
  for (; second < n_positive_; ++second) {
    Word common = 0;
    for (std::uint32_t w = 0; w < n_words; ++w)
      common |= differs_[w * stride_ + first] & differs_[w * stride_ + second];
    if (common == 0) break;
  }
  meter_.add(n_words * n_positive_ / 8);
  return {first, second};
}

/// A row from which all is taken makes room for the last one.
void GainBound::take(std::size_t i, Units part) {
  left_[i] -= part;
  if (left_[i] > 0) return;
  --n_positive_;
  left_[i] = left_[n_positive_];
  any_[i] = any_[n_positive_];
  for (std::uint32_t w = 0; w < rows_.n_words(); ++w)
    for (std::vector<Word>* const words : {&bits_, &met_, &differs_})
      (*words)[w * stride_ + i] = (*words)[w * stride_ + n_positive_];
}

}  // namespace hornbeam::pricing
