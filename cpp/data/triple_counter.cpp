#include "data/triple_counter.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/kernels.hpp"

namespace hornbeam::data {

namespace {

/// The words of 50 columns fit into the nearest cache.
constexpr std::uint32_t kTileWords = 64;
constexpr std::size_t kTileRows = std::size_t{kTileWords} * kWordBits;

}  // namespace

TripleCounter::TripleCounter(std::uint32_t n_columns, std::uint32_t n_targets)
    : n_columns_(n_columns),
      counts_(n_targets, std::vector<std::int64_t>(std::size_t{n_columns} * n_columns * n_columns, 0)),
      totals_(n_targets, 0),
      stride_((n_columns + kLanes - 1) / kLanes * kLanes),
      tile_(std::size_t{stride_} * kTileWords),
      masks_(std::size_t{n_targets} * kTileWords),
      row_(stride_) {}

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
    count_tile(static_cast<std::uint32_t>((n_rows + kWordBits - 1) / kWordBits));
  }
}

void TripleCounter::count_tile(std::uint32_t n_words) {
  Word one[kTileWords], two[kTileWords];
  const auto and_with = [&](const Word* mask, std::size_t column, Word* both) {
    for (std::uint32_t w = 0; w < n_words; ++w) both[w] = mask[w] & tile_[std::size_t{w} * stride_ + column];
  };
  const kernels::TileView tile = {tile_.data(), n_words, stride_};
  for (std::size_t target = 0; target < totals_.size(); ++target) {
    const Word* const mask = &masks_[target * kTileWords];
    for (std::uint32_t w = 0; w < n_words; ++w) totals_[target] += std::popcount(mask[w]);
    for (std::uint32_t i = 0; i < n_columns_; ++i) {
      and_with(mask, i, one);
      for (std::uint32_t j = i; j < n_columns_; ++j) {
        and_with(one, j, two);
        kernels::kernels().count_columns(tile, two, j, row_.data());
        std::int64_t* const counts = &counts_[target][(std::size_t{i} * n_columns_ + j) * n_columns_];
        for (std::uint32_t k = j; k < n_columns_; ++k) counts[k] += row_[k];
      }
    }
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
