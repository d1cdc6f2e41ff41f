#include "data/row_counter.hpp"

#include <algorithm>
#include <numeric>

#include "data/packed_bytes.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam::data {

namespace {

std::uint32_t words_of(std::span<const std::uint32_t> widths) {
  std::uint32_t words = 1, used = 0;
  for (const std::uint32_t width : widths) {
    if (used + width > kWordBits) {
      ++words;
      used = 0;
    }
    used += width;
  }
  return words;
}

/// For so few bits, a number for each combination takes no more than 16 MB.
constexpr std::uint32_t kFewBits = 22;

RowIndex index_of(std::span<const std::uint32_t> widths) {
  const std::uint32_t bits = std::accumulate(widths.begin(), widths.end(), std::uint32_t{0});
  return bits <= kFewBits ? RowIndex::of_small(bits) : RowIndex(words_of(widths));
}

}  // namespace

RowCounter::RowCounter(std::span<const std::uint32_t> widths)
    : n_words_(words_of(widths)), index_(index_of(widths)), rows_(std::size_t{kWordBits} * n_words_) {
  std::uint32_t word = 0, shift = 0;
  for (const std::uint32_t width : widths) {
    if (shift + width > kWordBits) {
      ++word;
      shift = 0;
    }
    places_.push_back({word, width == 0 ? 0 : shift, width});  // a shift by 64 is undefined
    shift += width;
  }
}

bool RowCounter::add(std::span<const CodesOfColumn> columns, std::size_t n_rows, std::span<const std::int64_t> counts) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::uint32_t all = 0;
    if (columns[c].bytes != nullptr)
      for (std::size_t row = 0; row < n_rows; ++row) all |= columns[c].bytes[row];
    else
      for (std::size_t row = 0; row < n_rows; ++row) all |= columns[c].numbers[row];
    if ((all & ~places_[c].mask()) != 0) return false;
  }
  std::uint32_t numbers[kWordBits];
  for (std::size_t first = 0; first < n_rows; first += kWordBits) {
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(kWordBits, n_rows - first));
    pack(columns, first, n);
    index_.find_or_add(rows_.data(), n, numbers);
    counts_.resize(index_.size(), 0);
    for (std::uint32_t i = 0; i < n; ++i) counts_[numbers[i]] += counts.empty() ? 1 : counts[first + i];
  }
  return true;
}

bool RowCounter::add_packed(std::span<const Word> rows, std::span<const std::int64_t> counts, std::uint32_t* numbers) {
  std::vector<Word> used(n_words_, 0);
  for (const Place& place : places_) used[place.word] |= place.mask() << place.shift;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if ((rows[i] & ~used[i % n_words_]) != 0) return false;
  for (std::size_t first = 0; first < counts.size(); first += kWordBits) {
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(kWordBits, counts.size() - first));
    index_.find_or_add(rows.data() + first * n_words_, n, numbers + first);
    counts_.resize(index_.size(), 0);
    for (std::uint32_t i = 0; i < n; ++i) counts_[numbers[first + i]] += counts[first + i];
  }
  return true;
}

/// Packs up to 64 rows. Columns of one bit are gathered as columns and turned, which takes a few steps for eight cells.
void RowCounter::pack(std::span<const CodesOfColumn> columns, std::size_t first, std::uint32_t n) {
  std::fill(rows_.begin(), rows_.end(), 0);
  alignas(64) Word block[kWordBits];
  for (std::size_t c = 0; c < places_.size();) {
    const std::uint32_t word = places_[c].word;
    std::fill_n(block, kWordBits, 0);
    const std::size_t begin = c;
    for (; c < places_.size() && places_[c].word == word; ++c) {
      if (places_[c].width != 1 || columns[c].bytes == nullptr) continue;
      block[places_[c].shift] = packed_bytes(columns[c].bytes + first, n);
    }
    kernels::kernels().transpose(block);
    for (std::uint32_t i = 0; i < n; ++i) rows_[std::size_t{i} * n_words_ + word] = block[i];
    for (c = begin; c < places_.size() && places_[c].word == word; ++c) {
      if (places_[c].width == 1 && columns[c].bytes != nullptr) continue;
      for (std::uint32_t i = 0; i < n; ++i)
        rows_[std::size_t{i} * n_words_ + word] |= Word{columns[c][first + i]} << places_[c].shift;
    }
  }
}

}  // namespace hornbeam::data
