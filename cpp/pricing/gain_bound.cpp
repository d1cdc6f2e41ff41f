#include "pricing/gain_bound.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/kernels.hpp"

namespace hornbeam::pricing {

namespace {

constexpr std::size_t kMostTries = 16;  // for the first row of a pair
// Work of 64 x 64 values, and words of rows looked at in a unit of work.
constexpr std::uint64_t kUnitsOfBlock = 64, kStepsOfUnit = 6;

std::size_t first_of(Word rows, std::size_t v) {
  return v * kWordBits + static_cast<std::size_t>(std::countr_zero(rows));
}

/// Calls `visit` with each set bit of the words, as long as it returns true.
template <class Visit>
void for_each_bit(std::span<const Word> words, Visit visit) {
  for (std::size_t w = 0; w < words.size(); ++w)
    for (Word left = words[w]; left != 0; left &= left - 1)
      if (!visit(first_of(left, w))) return;
}

}  // namespace

void GainBound::find_values() {
  n_words_ = words_for(static_cast<std::uint32_t>(positive_.size()));
  holds_.resize(std::size_t{rows_.n_words()} * kWordBits * n_words_);
  alignas(64) std::array<Word, kWordBits> block;
  for (std::size_t v = 0; v < n_words_; ++v)
    for (std::uint32_t w = 0; w < rows_.n_words(); ++w) {
      for (std::size_t i = 0; i < kWordBits; ++i) {
        const std::size_t at = v * kWordBits + i;
        block[i] = at < positive_.size() ? rows_.row(positive_[at])[w] : 0;
      }
      kernels::kernels().transpose(block.data());
      for (std::size_t c = 0; c < kWordBits; ++c) holds_[(std::size_t{w} * kWordBits + c) * n_words_ + v] = block[c];
    }
  n_holding_.assign(rows_.n_columns, 0);
  for (std::uint32_t c = 0; c < rows_.n_columns; ++c)
    for (std::size_t v = 0; v < n_words_; ++v)
      n_holding_[c] += static_cast<std::uint32_t>(std::popcount(having(c, true, v)));
  meter_.require(kUnitsOfBlock * n_words_ * rows_.n_words());
}

bool GainBound::may_exceed(Ticks limit, const Conditions& open) {
  live_.assign(n_words_, ~Word{0});
  return may_exceed(limit, open, negative_);
}

bool GainBound::may_exceed(Ticks limit, const Conditions& open, Condition condition) {
  live_.resize(n_words_);
  for (std::size_t v = 0; v < n_words_; ++v) live_[v] = having(condition.column, condition.value, v);
  kept_.clear();
  for (const Negative& negative : negative_)
    if (rows_.meets(negative.row, condition)) kept_.push_back(negative);
  return may_exceed(limit, open, kept_);
}

/// Of the live positive rows and of these negative ones.
bool GainBound::may_exceed(Ticks limit, const Conditions& open, std::span<const Negative> negative) {
  if (positive_.size() % kWordBits != 0) live_.back() &= (Word{1} << (positive_.size() % kWordBits)) - 1;
  left_ = gains_;
  Ticks most = 0, losses = 0;
  for_each_bit(live_, [&](std::size_t i) {
    most += gains_[i];
    return true;
  });
  for (const Negative& row : negative) losses += row.loss;
  pending_.clear();
  n_steps_ = 0;
  // No more can be lost than all losses.
  bool may = most - losses > limit;
  for (std::size_t i = 0; !may && most > limit && i < negative.size(); ++i) {
    Negative row = negative[i];
    find_excluding(row, open);
    const Units lost = take_equal(row);
    most -= lost;
    losses -= lost;
    if (row.loss > 0) pending_.push_back(row);
  }
  Ticks left = most;
  for (std::size_t i = 0; !may && most > limit && i < pending_.size(); ++i) {
    Negative& row = pending_[i];
    find_excluding(row, open);
    while (row.loss > 0 && most > limit) {
      // A pair loses as much twice.
      may = most - std::min(losses, left / 2) > limit;
      const Units lost = may ? 0 : take_pair(row);
      if (lost == 0) break;
      most -= lost;
      losses -= lost;
      left -= 2 * Ticks{lost};
    }
    losses -= row.loss;
  }
  meter_.require(1 + n_steps_ / kStepsOfUnit);
  return most > limit;
}

/// The columns whose open conditions exclude a negative row.
void GainBound::find_excluding(const Negative& negative, const Conditions& open) {
  const Word* const bits = rows_.row(negative.row);
  excluding_.resize(rows_.n_words());
  apart_.resize(rows_.n_words());
  for (std::uint32_t w = 0; w < rows_.n_words(); ++w)
    excluding_[w] = (open.holds[w] & ~bits[w]) | (open.fails[w] & bits[w]);
}

/// Finds the live rows that have the values of the negative row in these columns. False if there are none.
bool GainBound::find_common(std::span<const Word> columns, std::uint32_t negative) {
  common_ = live_;
  Word any = 0;
  for (const Word word : common_) any |= word;
  for_each_bit(columns, [&](std::size_t c) {
    if (any == 0) return false;
    any = 0;
    const bool value = rows_.holds(negative, static_cast<std::uint32_t>(c));
    for (std::size_t v = 0; v < n_words_; ++v) any |= common_[v] &= having(c, value, v);
    n_steps_ += n_words_;
    return true;
  });
  return any != 0;
}

/// From positive rows that every condition that excludes the negative row excludes.
Units GainBound::take_equal(Negative& negative) {
  Units lost = 0;
  if (!find_common(excluding_, negative.row)) return 0;
  for_each_bit(common_, [&](std::size_t i) {
    const Units part = std::min(negative.loss, left_[i]);
    take(i, part);
    negative.loss -= part;
    lost += part;
    return negative.loss > 0;
  });
  return lost;
}

/// From two positive rows such that every condition that excludes the negative row excludes one of them.
Units GainBound::take_pair(Negative& negative) {
  // One of them has the value that the fewest positive rows share with the negative one.
  std::size_t rarest = 0, fewest = positive_.size() + 1;
  bool value = false;
  for_each_bit(excluding_, [&](std::size_t c) {
    const bool holds = rows_.holds(negative.row, static_cast<std::uint32_t>(c));
    const std::size_t n = holds ? n_holding_[c] : positive_.size() - n_holding_[c];
    if (n < fewest) {
      fewest = n;
      rarest = c;
      value = holds;
    }
    return true;
  });
  n_steps_ += rows_.n_columns / 8;
  if (fewest > positive_.size()) return 0;
  const Word* const bits = rows_.row(negative.row);
  std::size_t n_tries = 0;
  for (std::size_t v = 0; v < n_words_; ++v)
    for (Word rows = live_[v] & having(rarest, value, v); rows != 0; rows &= rows - 1) {
      const std::size_t i = first_of(rows, v);
      const Word* const first = rows_.row(positive_[i]);
      for (std::uint32_t w = 0; w < rows_.n_words(); ++w) apart_[w] = (first[w] ^ bits[w]) & excluding_[w];
      if (find_common(apart_, negative.row)) {
        std::size_t u = 0;
        while (common_[u] == 0) ++u;
        const std::size_t j = first_of(common_[u], u);
        const Units lost = std::min({negative.loss, left_[i], left_[j]});
        take(i, lost);
        take(j, lost);
        negative.loss -= lost;
        return lost;
      }
      if (++n_tries == kMostTries) return 0;
    }
  return 0;
}

void GainBound::take(std::size_t i, Units part) {
  left_[i] -= part;
  if (left_[i] == 0) live_[i / kWordBits] &= ~(Word{1} << (i % kWordBits));
}

}  // namespace hornbeam::pricing
