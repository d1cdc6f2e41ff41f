#include "data/distinct_rows.hpp"

#include <algorithm>
#include <cstring>

#include "data/row_index.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam::data {

namespace {

/// Word `block` (64 rows) of one packed column, zero past its end.
Word load_word(const PackedColumns& columns, std::uint32_t column, std::size_t block) {
  const std::size_t size = columns.bytes_per_column(), at = block * sizeof(Word);
  Word word = 0;
  std::memcpy(&word, columns.bytes + column * size + at, std::min(sizeof(Word), size - at));
  return word;
}

}  // namespace

DistinctRows::DistinctRows(const PackedColumns& columns, const RowTargets& targets, run::Run& run,
                           std::span<const Ticks> reference_losses)
    : n_targets(targets.n_targets), n_columns(columns.n_columns), stride(padded_to_lanes(std::max(n_columns, 1u))) {
  const std::size_t words_per_row = words_for(n_columns);  // 0 without columns: all rows are equal
  RowIndex index(words_per_row);
  index.reserve(columns.n_rows);
  std::vector<Word> rows(kWordBits * std::max<std::size_t>(words_per_row, 1));
  std::vector<std::uint32_t> number_of_row(columns.n_rows);
  alignas(64) Word block[kWordBits];
  for (std::uint32_t first = 0; first < columns.n_rows; first += kWordBits) {
    run.require(index.bytes() + number_of_row.size() * sizeof(std::uint32_t));
    for (std::uint32_t w = 0; w < words_per_row; ++w) {
      for (std::uint32_t i = 0; i < kWordBits; ++i) {
        const std::uint32_t column = w * kWordBits + i;
        block[i] = column < n_columns ? load_word(columns, column, first / kWordBits) : 0;
      }
      kernels::kernels().transpose(block);
      for (std::uint32_t i = 0; i < kWordBits; ++i) rows[i * words_per_row + w] = block[i];
    }
    index.find_or_add(rows.data(), std::min(kWordBits, columns.n_rows - first), &number_of_row[first]);
  }
  index.close();
  n_rows = index.size();
  run.require(index.bytes() + number_of_row.size() * sizeof(std::uint32_t) +
              std::uint64_t{n_rows} * (n_targets + 2) * sizeof(std::int64_t) +
              std::uint64_t{words_for(n_rows)} * stride * sizeof(Word));
  row_count.assign(n_rows, 0);
  target_weight.assign(std::size_t{n_rows} * n_targets, 0);
  if (!reference_losses.empty()) reference_loss.assign(n_rows, 0);
  for (std::uint32_t row = 0; row < columns.n_rows; ++row) {
    const std::size_t number = number_of_row[row];
    row_count[number] += targets.n_rows(row);
    std::int64_t* const sums = &target_weight[number * n_targets];
    targets.for_each(row, [sums](std::uint32_t target, std::int64_t weight) { sums[target] += weight; });
    if (!reference_losses.empty()) reference_loss[number] += reference_losses[row];
  }
  bits.assign(std::size_t{words_for(n_rows)} * stride, 0);
  for (std::uint32_t first = 0; first < n_rows; first += kWordBits) {
    run.require();
    for (std::uint32_t w = 0; w < words_per_row; ++w) {
      for (std::uint32_t i = 0; i < kWordBits; ++i) block[i] = first + i < n_rows ? index.row(first + i)[w] : 0;
      kernels::kernels().transpose(block);
      for (std::uint32_t i = 0; i < std::min(kWordBits, n_columns - w * kWordBits); ++i)
        bits[std::size_t{first / kWordBits} * stride + std::size_t{w} * kWordBits + i] = block[i];
    }
  }
}

DistinctRows DistinctRows::of(const std::vector<std::uint32_t>& numbers, run::Run& run) const {
  DistinctRows part;
  part.n_targets = n_targets;
  part.n_columns = n_columns;
  part.n_rows = static_cast<std::uint32_t>(numbers.size());
  part.stride = stride;
  run.require(bytes() + std::uint64_t{words_for(part.n_rows)} * stride * sizeof(Word));
  part.bits.assign(std::size_t{words_for(part.n_rows)} * stride, 0);
  for (std::uint32_t row = 0; row < part.n_rows; ++row) {
    run.require();
    const std::uint32_t from = numbers[row];
    part.row_count.push_back(row_count[from]);
    part.first_number.push_back(first_number.empty() ? from : first_number[from]);
    if (!reference_loss.empty()) part.reference_loss.push_back(reference_loss[from]);
    part.target_weight.insert(part.target_weight.end(), weight(from), weight(from) + n_targets);
    const Word* const source = &bits[std::size_t{from / kWordBits} * stride];
    Word* const to = &part.bits[std::size_t{row / kWordBits} * stride];
    for (std::uint32_t c = 0; c < n_columns; ++c) to[c] |= (source[c] >> (from % kWordBits) & 1) << (row % kWordBits);
  }
  return part;
}

Fingerprint DistinctRows::fingerprint(std::uint32_t row, bool counts_rows) const {
  const bool counts = counts_rows || std::any_of(weight(row), weight(row) + n_targets, [](auto w) { return w != 0; });
  if (!counts) return {};
  return Fingerprint::of_row(first_number.empty() ? row : first_number[row]);
}

}  // namespace hornbeam::data
