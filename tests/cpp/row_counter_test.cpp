// row_counter_test.cpp: data/row_counter against a map of the rows.
#include "data/row_counter.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "data/triple_counter.hpp"
#include "kernels/flags.hpp"
#include "support/check.hpp"

namespace hornbeam::testing::row_counter_test {

using namespace hornbeam::data;

namespace {

/// The codes of a batch, and the arrays that hold them: of bits, bytes or numbers, as the widths of the columns allow.
struct Batch {
  std::size_t n_rows;
  std::vector<std::vector<std::uint32_t>> codes;  // (column, row)
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<CodesOfColumn> columns;

  Batch(Random& draw, const std::vector<std::uint32_t>& widths, std::size_t rows) : n_rows(rows), bytes(widths.size()) {
    const Word most = draw.choose<Word>({1, 3, ~Word{0}});  // few different values now and then, so that rows repeat
    for (const std::uint32_t width : widths) {
      std::vector<std::uint32_t>& of_column = codes.emplace_back(n_rows);
      for (std::uint32_t& code : of_column)
        code = static_cast<std::uint32_t>(draw.word() & most & ((Word{1} << width) - 1));
    }
    for (std::size_t c = 0; c < widths.size(); ++c) columns.push_back(column(draw, c, widths[c]));
  }

 private:
  CodesOfColumn column(Random& draw, std::size_t c, std::uint32_t width) {
    CodesOfColumn found;
    if (width == 1 && draw.percent(60)) {
      found.first_bit = draw.below(20);
      bytes[c].assign((found.first_bit + n_rows + 7) / 8, 0);
      for (std::size_t i = 0; i < n_rows; ++i) {
        const std::size_t bit = found.first_bit + i;
        bytes[c][bit / 8] = static_cast<std::uint8_t>(bytes[c][bit / 8] | codes[c][i] << (bit % 8));
      }
      found.bits = bytes[c].data();
    } else if (width <= 8 && draw.percent(60)) {
      bytes[c].assign(codes[c].begin(), codes[c].end());
      found.bytes = bytes[c].data();
    } else {
      found.numbers = codes[c].data();
    }
    return found;
  }
};

}  // namespace

RANDOM_TEST(distinct_rows_are_counted_in_the_order_of_their_first_appearance, 300) {
  std::vector<std::uint32_t> widths(draw.size_between(1, 12));
  const bool are_flags = draw.percent(50);
  for (std::uint32_t& width : widths) width = are_flags ? 1 : draw.choose<std::uint32_t>({0, 1, 2, 5, 8, 9, 32});
  RowCounter counter(widths);
  std::map<std::vector<std::uint32_t>, std::size_t> number_of;
  std::vector<std::vector<std::uint32_t>> rows;
  std::vector<std::int64_t> expected;
  for (std::uint32_t n_batches = draw.size_between(1, 3); n_batches > 0; --n_batches) {
    const Batch batch(draw, widths, draw.size_between(1, are_flags ? 3000 : 700));
    std::vector<std::int64_t> counts(draw.percent(30) ? batch.n_rows : 0);
    for (std::int64_t& count : counts) count = 1 + static_cast<std::int64_t>(draw.below(1000));
    CHECK(counter.add(batch.columns, batch.n_rows, counts));
    for (std::size_t i = 0; i < batch.n_rows; ++i) {
      std::vector<std::uint32_t> row(widths.size());
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = batch.codes[c][i];
      const auto [known, is_new] = number_of.emplace(row, rows.size());
      if (is_new) {
        rows.push_back(row);
        expected.push_back(0);
      }
      expected[known->second] += counts.empty() ? 1 : counts[i];
    }
  }
  CHECK_EQUAL(counter.n_rows(), static_cast<std::uint32_t>(rows.size()));
  for (std::uint32_t i = 0; i < counter.n_rows(); ++i) {
    CHECK_EQUAL(counter.count(i), expected[i]);
    for (std::size_t c = 0; c < widths.size(); ++c) CHECK_EQUAL(counter.code(i, c), rows[i][c]);
  }
}

RANDOM_TEST(nothing_is_added_of_a_batch_with_a_code_too_large, 20) {
  RowCounter counter(std::vector<std::uint32_t>{1, 2});
  Batch batch(draw, {1, 2}, 200);
  std::vector<std::uint32_t> large = batch.codes[1];
  large[draw.below(200)] = 4;
  CodesOfColumn column;
  column.numbers = large.data();
  batch.columns[1] = column;
  CHECK(!counter.add(batch.columns, batch.n_rows, {}));
  CHECK_EQUAL(counter.n_rows(), 0u);
}

RANDOM_TEST(flags_are_transposed_by_all_kernels, 100) {
  using namespace hornbeam::kernels;
  alignas(64) Word columns[kFlagColumns * kFlagRows / kWordBits];
  alignas(64) std::uint32_t rows[kFlagRows];
  for (Word& word : columns) word = draw.word();
  const auto check = [&](auto transpose) {
    std::fill(rows, rows + kFlagRows, ~std::uint32_t{0});
    transpose(columns, rows);
    for (std::size_t i = 0; i < kFlagRows; ++i) {
      std::uint32_t row = 0;
      for (std::size_t c = 0; c < kFlagColumns; ++c)
        row |= static_cast<std::uint32_t>(columns[(c * kFlagRows + i) / kWordBits] >> (i % kWordBits) & 1) << c;
      CHECK_EQUAL(rows[i], row);
    }
  };
  check(transpose_flags_in_blocks);
  check(transpose_flags);
}

RANDOM_TEST(counts_of_merged_rows_are_those_of_the_rows, 200) {
  const std::uint32_t n_columns = draw.size_between(1, 8), n_conditions = draw.size_between(1, 9);
  std::vector<std::uint32_t> widths(n_columns + 1);
  for (std::uint32_t& width : widths) width = draw.choose<std::uint32_t>({0, 1, 1, 1, 2});
  if (draw.percent(30)) widths.push_back(32);  // too wide for a counter of every combination
  RowCounter counter(widths);
  const Batch batch(draw, widths, draw.size_between(1, 700));
  CHECK(counter.add(batch.columns, batch.n_rows, {}));
  // Each condition asks about one column.
  std::vector<std::vector<std::uint32_t>> bits;
  bits.reserve(n_columns);
  for (std::uint32_t c = 0; c < n_columns; ++c) bits.emplace_back(std::size_t{1} << widths[c], 0);
  for (std::uint32_t k = 0; k < n_conditions; ++k)
    for (std::uint32_t& of_code : bits[draw.below(n_columns)]) of_code |= draw.below(2) << k;
  const std::uint32_t n_targets = std::uint32_t{1} << widths[n_columns];
  const std::vector<std::span<const std::uint32_t>> spans(bits.begin(), bits.end());
  const auto cells = counter.cells(spans, n_conditions);
  TripleCounter merged(n_conditions, n_targets), expected(n_conditions, n_targets);
  for (std::uint32_t target = 0; target < n_targets; ++target)
    if (!cells[target].empty()) merged.add_cells(target, cells[target]);
  std::vector<std::vector<std::uint8_t>> held(n_conditions, std::vector<std::uint8_t>(batch.n_rows));
  std::vector<std::uint8_t> targets(batch.n_rows);
  for (std::size_t row = 0; row < batch.n_rows; ++row) {
    targets[row] = static_cast<std::uint8_t>(batch.codes[n_columns][row]);
    for (std::uint32_t k = 0; k < n_conditions; ++k)
      for (std::uint32_t c = 0; c < n_columns; ++c)
        held[k][row] = static_cast<std::uint8_t>(held[k][row] | (bits[c][batch.codes[c][row]] >> k & 1));
  }
  std::vector<CodesOfColumn> columns(n_conditions);
  for (std::uint32_t k = 0; k < n_conditions; ++k) columns[k].bytes = held[k].data();
  expected.add(columns, targets);
  for (std::uint32_t target = 0; target < n_targets; ++target) {
    CHECK_EQUAL(merged.total(target), expected.total(target));
    CHECK(std::equal(merged.counts(target).begin(), merged.counts(target).end(), expected.counts(target).begin()));
  }
}

}  // namespace hornbeam::testing::row_counter_test
