#include "search/packing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/fingerprint.hpp"

namespace hornbeam {

namespace {

/// More pairs than this are thinned out evenly.
constexpr std::size_t kMostPairs = 1 << 22;
constexpr std::uint32_t kMostBetween = 64;

/// Writes for each row of `y` the number of bits in which it differs from the row `x`.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target_clones("avx2", "default")]]
#endif
void count_between(const Word* x, const Word* y, std::size_t n, std::size_t step, std::size_t n_words,
                   std::uint8_t* between) {
  for (std::size_t b = 0; b < n; b += step) {
    int differ = 0;
    for (std::size_t w = 0; w < n_words; ++w) differ += __builtin_popcountll(x[w] ^ y[b * n_words + w]);
    *between++ = static_cast<std::uint8_t>(std::min<int>(differ, kMostBetween));
  }
}

}  // namespace

PairPacker::PairPacker(const Problem& problem)
    : problem_(problem),
      measures_(problem.costs.measures()),
      is_usable_(problem.switches.packing && measures_.separable && measures_.netted && measures_.n_classes == 2 &&
                 measures_.price[0] == measures_.price[1] && problem.leaf_cost > 0) {}

void PairPacker::find_columns(const RowSet& rows) {
  const Ticks threshold = problem_.threshold(), all = rows.total[0] + rows.total[1];
  allowed_.assign(rows.words_per_slot, 0);
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
    const Ticks held = rows.sums[c] + rows.sums[rows.stride + c];
    if (held >= threshold && all - held >= threshold) allowed_[c / kWordBits] |= Word{1} << (c % kWordBits);
  }
  room_.assign(rows.n_columns, problem_.leaf_cost);
  full_.assign(rows.words_per_slot, 0);
}

void PairPacker::find_rows(const RowSet& rows) {
  const std::uint32_t n_words = rows.words_per_slot;
  for (int k = 0; k < 2; ++k) {
    bits_[k].clear();
    left_[k].clear();
  }
  for (const Segment& segment : rows.segments) {
    if (segment.target > 1) continue;
    for (std::uint32_t i = 0; i < segment.n_slots; ++i) {
      const Word* row = &rows.slot_rows[(std::size_t{segment.begin} * kWordBits + i) * n_words];
      for (std::uint32_t w = 0; w < n_words; ++w) bits_[segment.target].push_back(row[w] & allowed_[w]);
      left_[segment.target].push_back(measures_.price[0] << segment.shift);
    }
  }
  for (int k = 0; k < 2; ++k) merge_equal(k, n_words);
}

/// Adds up rows of one class that are equal on the allowed columns.
void PairPacker::merge_equal(int k, std::size_t n_words) {
  std::vector<Word>& bits = bits_[k];
  std::vector<Ticks>& left = left_[k];
  table_.assign(std::bit_ceil(2 * left.size() + 1), 0);
  std::uint32_t n_kept = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Word* row = &bits[i * n_words];
    Word hash = 0;
    for (std::size_t w = 0; w < n_words; ++w) hash = mix(hash ^ row[w]);
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at] != 0 && !std::equal(row, row + n_words, &bits[std::size_t{table_[at] - 1} * n_words]))
      at = (at + 1) & (table_.size() - 1);
    if (table_[at] != 0) {
      left[table_[at] - 1] += left[i];
      continue;
    }
    std::copy(row, row + n_words, &bits[std::size_t{n_kept} * n_words]);
    left[n_kept] = left[i];
    table_[at] = ++n_kept;
  }
  bits.resize(std::size_t{n_kept} * n_words);
  left.resize(n_kept);
}

Ticks PairPacker::pack(const RowSet& rows, Ticks enough) {
  find_columns(rows);
  find_rows(rows);
  const std::size_t n_words = rows.words_per_slot;
  const std::size_t n[2] = {left_[0].size(), left_[1].size()};
  work_ = n[0] * n[1] * n_words / 4;
  if (n[0] == 0 || n[1] == 0) return 0;
  std::size_t step = 1;  // of the rows of either class
  while ((n[0] / step + 1) * (n[1] / step + 1) > kMostPairs) ++step;
  const std::size_t n_b = (n[1] + step - 1) / step;
  const std::size_t n_pairs = (n[0] + step - 1) / step * n_b;
  between_.resize(n_pairs);
  std::size_t at = 0;
  for (std::size_t a = 0; a < n[0]; a += step, at += n_b)
    count_between(&bits_[0][a * n_words], bits_[1].data(), n[1], step, n_words, &between_[at]);
  Ticks packed = 0;
  for (std::uint32_t d = 0; d <= kMostBetween; ++d) {
    for (std::size_t a = 0; a < n[0]; a += step) {
      const std::uint8_t* const row = &between_[a / step * n_b];
      for (std::size_t b = 0; left_[0][a] > 0 && b < n_b; ++b) {
        const void* const found = std::memchr(row + b, static_cast<int>(d), n_b - b);
        if (found == nullptr) break;
        b = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - row);
        packed += take(a, b * step, n_words);
        if (packed >= enough) return packed;
      }
    }
  }
  return packed;
}

/// Gives a pair all the weight that is left for it.
Ticks PairPacker::take(std::size_t a, std::size_t b, std::size_t n_words) {
  Ticks weight = std::min(left_[0][a], left_[1][b]);
  if (weight == 0) return 0;
  const Word *x = &bits_[0][a * n_words], *y = &bits_[1][b * n_words];
  for (std::size_t w = 0; w < n_words; ++w)
    if (((x[w] ^ y[w]) & full_[w]) != 0) return 0;
  const auto for_each_column = [&](auto visit) {
    for (std::size_t w = 0; w < n_words; ++w)
      for (Word word = x[w] ^ y[w]; word != 0; word &= word - 1)
        visit(w, static_cast<std::size_t>(std::countr_zero(word)));
  };
  for_each_column([&](std::size_t w, std::size_t bit) { weight = std::min(weight, room_[w * kWordBits + bit]); });
  for_each_column([&](std::size_t w, std::size_t bit) {
    Ticks& room = room_[w * kWordBits + bit];
    room -= weight;
    if (room == 0) full_[w] |= Word{1} << bit;
  });
  left_[0][a] -= weight;
  left_[1][b] -= weight;
  return weight;
}

}  // namespace hornbeam
