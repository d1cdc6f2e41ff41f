#include "data/triple_counter.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace hornbeam::data {

namespace {

using kernels::kTripleBlock, kernels::kTripleWords;
constexpr std::uint32_t kTileRows = kTripleWords * kWordBits;

std::size_t words_of_tile(std::uint64_t n_columns) {
  return std::size_t{kTripleWords} * (n_columns + kTripleBlock - 1);  // those behind the last column are read, too
}

}  // namespace

bool are_below(std::span<const std::uint8_t> numbers, std::uint32_t end) {
  std::uint8_t largest = 0;  // in a loop that compilers write with vectors, unlike std::max_element
  for (const std::uint8_t number : numbers) largest = std::max(largest, number);
  return numbers.empty() || largest < end;
}

TripleCounter::TripleCounter(std::uint32_t n_columns, std::uint32_t n_targets, bool only_pairs)
    : n_columns_(n_columns),
      n_blocks_(words_for(n_columns)),
      only_pairs_(only_pairs),
      counts_(n_targets, std::vector<std::int64_t>(std::size_t{n_columns} * n_columns * n_columns, 0)),
      totals_(n_targets, 0),
      read_(std::size_t{n_blocks_} * kWordBits),
      of_pair_(n_columns + kTripleBlock - 1) {}

std::uint64_t TripleCounter::bytes(std::uint64_t n_columns, std::uint64_t n_targets, std::uint64_t most) {
  return n_targets * (n_columns * n_columns * n_columns * sizeof(std::int64_t) +
                      static_cast<std::uint64_t>(std::bit_width(most)) * words_of_tile(n_columns) * sizeof(Word));
}

void TripleCounter::add(std::span<const CodesOfColumn> columns, std::span<const std::uint8_t> targets) {
  for (std::size_t first = 0; first < targets.size(); first += kWordBits) {
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(kWordBits, targets.size() - first));
    read([&](std::uint32_t c) { return load_flags(columns[c], first, n); });
    for (std::uint32_t row = 0; row < n; ++row) add_row(row, targets[first + row], 0);
  }
  flush();
}

void TripleCounter::flush() {
  for (std::size_t number = 0; number < gathered_.size(); ++number) {
    Gathered& rows = gathered_[number];
    const std::size_t n = totals_.size();
    const auto target = static_cast<std::uint32_t>(number % n), shift = static_cast<std::uint32_t>(number / n);
    if (rows.n_rows % kWordBits != 0) complete(rows, target, shift);
    if (rows.n_rows > 0) count(rows, target, shift);
  }
}

void TripleCounter::make_room(std::size_t number) {
  if (number >= gathered_.size()) gathered_.resize(number + 1);
  gathered_[number].tile.resize(words_of_tile(n_columns_));
  gathered_[number].last.resize(read_.size());
}

void TripleCounter::turn(Word* blocks) const {
  for (std::uint32_t b = 0; b < n_blocks_; ++b) kernels::kernels().transpose(blocks + std::size_t{b} * kWordBits);
}

void TripleCounter::complete(Gathered& rows, std::uint32_t target, std::uint32_t shift) {
  turn(rows.last.data());
  Word* const word = &rows.tile[(rows.n_rows - 1) / kWordBits];
  for (std::uint32_t c = 0; c < n_columns_; ++c) word[std::size_t{c} * kTripleWords] = rows.last[c];
  std::fill(rows.last.begin(), rows.last.end(), 0);
  if (rows.n_rows == kTileRows) count(rows, target, shift);
}

void TripleCounter::count(Gathered& rows, std::uint32_t target, std::uint32_t shift) {
  const kernels::TripleTile tile = {rows.tile.data(), n_columns_};
  const auto add = [&](std::size_t i, std::size_t j, std::size_t k, Ticks n_rows) {
    counts_[target][(i * n_columns_ + j) * n_columns_ + k] += n_rows << shift;
  };
  for (std::uint32_t i = 0; i < n_columns_; ++i) {
    kernels::kernels().count_triples(tile, i, i, i, of_pair_.data());
    add(i, i, i, of_pair_[0]);
    for (std::uint32_t k = i + 1; k < n_columns_; ++k) {
      add(i, i, k, of_pair_[k - i]);
      add(i, k, k, of_pair_[k - i]);
    }
    for (std::uint32_t j = i + 1; !only_pairs_ && j < n_columns_; ++j) {
      kernels::kernels().count_triples(tile, i, j, j + 1, of_pair_.data());
      for (std::uint32_t k = j + 1; k < n_columns_; ++k) add(i, j, k, of_pair_[k - j - 1]);
    }
  }
  totals_[target] += std::int64_t{rows.n_rows} << shift;
  std::fill(rows.tile.begin(), rows.tile.end(), 0);
  rows.n_rows = 0;
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
