#include "data/triple_counter.hpp"

#include <algorithm>
#include <bit>

#include "data/packed_bytes.hpp"

namespace hornbeam::data {

namespace {

/// The words of 50 columns and of a pair of them fit into the nearer caches.
constexpr std::uint32_t kTileWords = 64;
constexpr std::size_t kTileRows = std::size_t{kTileWords} * kWordBits;

}  // namespace

TripleCounter::TripleCounter(std::uint32_t n_columns, std::uint32_t n_targets)
    : n_columns_(n_columns),
      counts_(n_targets, std::vector<std::int64_t>(std::size_t{n_columns} * n_columns * n_columns, 0)),
      totals_(n_targets, 0),
      tile_(std::size_t{n_columns} * kTileWords),
      masks_(std::size_t{n_targets} * kTileWords) {}

void TripleCounter::add(std::span<const std::uint8_t* const> columns, std::span<const std::uint8_t> targets) {
  for (std::size_t first = 0; first < targets.size(); first += kTileRows) {
    const std::size_t n_rows = std::min(kTileRows, targets.size() - first);
    std::fill(masks_.begin(), masks_.end(), 0);
    for (std::size_t row = 0; row < n_rows; ++row)
      masks_[targets[first + row] * std::size_t{kTileWords} + row / kWordBits] |= Word{1} << (row % kWordBits);
    for (std::uint32_t c = 0; c < n_columns_; ++c)
      for (std::size_t row = 0; row < n_rows; row += kWordBits)
        tile_[c * std::size_t{kTileWords} + row / kWordBits] =
            packed_bytes(columns[c] + first + row, std::min<std::size_t>(kWordBits, n_rows - row));
    count_tile(static_cast<std::uint32_t>((n_rows + kWordBits - 1) / kWordBits));
  }
}

void TripleCounter::count_tile(std::uint32_t n_words) {
  Word one[kTileWords], two[kTileWords];
  for (std::size_t target = 0; target < totals_.size(); ++target) {
    const Word* const mask = &masks_[target * kTileWords];
    for (std::uint32_t w = 0; w < n_words; ++w) totals_[target] += std::popcount(mask[w]);
    for (std::size_t i = 0; i < n_columns_; ++i) {
      for (std::uint32_t w = 0; w < n_words; ++w) one[w] = mask[w] & tile_[i * kTileWords + w];
      for (std::size_t j = i; j < n_columns_; ++j) {
        for (std::uint32_t w = 0; w < n_words; ++w) two[w] = one[w] & tile_[j * kTileWords + w];
        std::int64_t* const counts = &counts_[target][(i * n_columns_ + j) * n_columns_];
        for (std::size_t k = j; k < n_columns_; ++k) {
          const Word* const words = &tile_[k * kTileWords];
          std::int64_t n = 0;
          for (std::uint32_t w = 0; w < n_words; ++w) n += std::popcount(two[w] & words[w]);
          counts[k] += n;
        }
      }
    }
  }
}

}  // namespace hornbeam::data
