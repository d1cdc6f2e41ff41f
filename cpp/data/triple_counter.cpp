#include "data/triple_counter.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace hornbeam::data {

namespace {

constexpr std::size_t kTileRows = std::size_t{TripleCounter::kTileWords} * kWordBits;

}  // namespace

TripleCounter::TripleCounter(std::uint32_t n_columns, std::uint32_t n_targets, bool only_pairs)
    : n_columns_(n_columns),
      only_pairs_(only_pairs),
      counts_(n_targets, std::vector<std::int64_t>(std::size_t{n_columns} * n_columns * n_columns, 0)),
      totals_(n_targets, 0),
      stride_((n_columns + kLanes - 1) / kLanes * kLanes),
      tile_(std::size_t{stride_} * kTileWords),
      masks_(std::size_t{n_targets} * kTileWords),
      row_(padded_to_lanes(n_columns)) {}

void TripleCounter::add(std::span<const CodesOfColumn> columns, std::span<const std::uint8_t> targets) {
  for (std::size_t first = 0; first < targets.size(); first += kTileRows) {
    const std::size_t n_rows = std::min(kTileRows, targets.size() - first);
    std::fill(masks_.begin(), masks_.end(), 0);
    for (std::size_t row = 0; row < n_rows; ++row)
      masks_[targets[first + row] * std::size_t{kTileWords} + row / kWordBits] |= Word{1} << (row % kWordBits);
    for (std::uint32_t c = 0; c < n_columns_; ++c)
      for (std::size_t row = 0; row < n_rows; row += kWordBits)
        tile_[row / kWordBits * stride_ + c] = load_flags(
            columns[c], first + row, static_cast<std::uint32_t>(std::min<std::size_t>(kWordBits, n_rows - row)));
    const kernels::TileView tile = {tile_.data(), words_for(static_cast<std::uint32_t>(n_rows)), stride_};
    for (std::uint32_t target = 0; target < n_targets(); ++target)
      add_words(tile, target, &masks_[std::size_t{target} * kTileWords], 1);
  }
}

void TripleCounter::add_words(const kernels::TileView& tile, std::uint32_t target, const Word* mask,
                              std::int64_t times) {
  Word one[kTileWords], two[kTileWords];
  const auto and_with = [&](const Word* rows, std::size_t column, Word* both) {
    for (std::uint32_t w = 0; w < tile.n_words; ++w)
      both[w] = rows[w] & tile.words[std::size_t{w} * tile.stride + column];
  };
  for (std::uint32_t w = 0; w < tile.n_words; ++w) totals_[target] += times * std::popcount(mask[w]);
  for (std::uint32_t i = 0; i < n_columns_; ++i) {
    and_with(mask, i, one);
    for (std::uint32_t j = i; j < (only_pairs_ ? i + 1 : n_columns_); ++j) {
      and_with(one, j, two);
      kernels::kernels().count_columns(tile, two, j, row_.data());
      std::int64_t* const of_pair = &counts_[target][(std::size_t{i} * n_columns_ + j) * n_columns_];
      for (std::uint32_t k = j; k < n_columns_; ++k) of_pair[k] += times * row_[k];
      if (!only_pairs_) continue;
      for (std::uint32_t k = i + 1; k < n_columns_; ++k)
        counts_[target][(std::size_t{i} * n_columns_ + k) * n_columns_ + k] += times * row_[k];
    }
  }
}

void TripleCounter::add(const TripleCounter& other) {
  for (std::size_t target = 0; target < totals_.size(); ++target) {
    totals_[target] += other.totals_[target];
    std::transform(counts_[target].begin(), counts_[target].end(), other.counts_[target].begin(),
                   counts_[target].begin(), std::plus());
  }
}

void TripleCounter::add_cells(std::uint32_t target, std::span<const std::int64_t> cells) {
  totals_[target] += std::accumulate(cells.begin(), cells.end(), std::int64_t{0});
  std::vector<std::int64_t> scratch(cells.size());
  std::vector<std::uint32_t> held;
  add_sums(target, cells, held, scratch.data());
}

/// Adds the cells of the columns below, where the columns of `held` hold. The last column holds in the upper half of
/// the cells; where it does not matter, the halves are added up, so that each column left out halves the work.
void TripleCounter::add_sums(std::uint32_t target, std::span<const std::int64_t> cells,
                             std::vector<std::uint32_t>& held, std::int64_t* scratch) {
  if (held.size() == 3 || cells.size() == 1) {
    add_to_triples(target, held, std::accumulate(cells.begin(), cells.end(), std::int64_t{0}));
    return;
  }
  const std::size_t half = cells.size() / 2;
  held.push_back(static_cast<std::uint32_t>(std::countr_zero(half)));
  add_sums(target, cells.subspan(half), held, scratch);
  held.pop_back();
  for (std::size_t i = 0; i < half; ++i) scratch[i] = cells[i] + cells[half + i];
  add_sums(target, {scratch, half}, held, scratch + half);
}

/// Of one or two columns that hold, each triple of them has these rows; `held` descends.
void TripleCounter::add_to_triples(std::uint32_t target, std::span<const std::uint32_t> held, std::int64_t n_rows) {
  const auto add = [&](std::size_t i, std::size_t j, std::size_t k) {
    counts_[target][(i * n_columns_ + j) * n_columns_ + k] += n_rows;
  };
  if (held.empty()) return;
  add(held.back(), held[held.size() / 2], held.front());
  if (held.size() == 2) add(held.back(), held.front(), held.front());
}

}  // namespace hornbeam::data
