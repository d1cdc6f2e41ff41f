#include "data/row_counter.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "kernels/flags.hpp"
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

/// Whether the codes of a column are 0 and 1, and come as bits or bytes.
bool are_flags(const CodesOfColumn& codes, std::uint32_t width) {
  return codes.bits != nullptr || (width == 1 && codes.bytes != nullptr);
}

/// As many flags as a block of rows has.
void load_block(const CodesOfColumn& codes, std::size_t first, Word* flags) {
  constexpr std::size_t kBytes = kernels::kFlagRows / 8;
  const std::size_t first_bit = codes.first_bit + first;
  if (codes.bits != nullptr && first_bit % 8 == 0) {
    const std::uint8_t* const bytes = codes.bits + first_bit / 8;
    __builtin_prefetch(bytes + 4 * kBytes);  // so many columns at once are not foreseen by the processor
    std::memcpy(flags, bytes, kBytes);
    return;
  }
  for (std::size_t row = 0; row < kernels::kFlagRows; row += kWordBits)
    *flags++ = load_flags(codes, first + row, kWordBits);
}

/// Rows whose count is asked for while another one is counted up.
constexpr std::size_t kAhead = 48;

/// Counts rows up in bytes, and lists those whose count was 0; a few more rows than `n` can be read. Returns how many.
std::size_t count_up(const std::uint32_t* rows, std::size_t n, std::uint8_t* counts, std::uint32_t* listed) {
  std::size_t n_listed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    __builtin_prefetch(counts + rows[i + kAhead], 1);
    if (counts[rows[i]]++ == 0) listed[n_listed++] = rows[i];
  }
  return n_listed;
}

/// For so few bits, the counts of all combinations take no more than 36 MB.
constexpr std::uint32_t kFewBits = 22;

}  // namespace

RowCounter::RowCounter(std::span<const std::uint32_t> widths)
    : n_words_(words_of(widths)), index_(n_words_), rows_(std::size_t{kWordBits} * n_words_) {
  std::uint32_t word = 0, shift = 0;
  for (const std::uint32_t width : widths) {
    if (shift + width > kWordBits) {
      ++word;
      shift = 0;
    }
    places_.push_back({word, width == 0 ? 0 : shift, width});  // a shift by 64 is undefined
    shift += width;
  }
  const std::uint32_t bits = std::accumulate(widths.begin(), widths.end(), std::uint32_t{0});
  if (bits > kFewBits) return;
  prepaid_.assign(std::size_t{1} << bits, 0);
  spent_.assign(std::size_t{1} << bits, 0);
}

bool RowCounter::add(std::span<const CodesOfColumn> columns, std::size_t n_rows, std::span<const std::int64_t> counts) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::uint32_t all = columns[c].bits != nullptr ? 1 : 0;
    if (columns[c].bytes != nullptr)
      for (std::size_t row = 0; row < n_rows; ++row) all |= columns[c].bytes[row];
    else if (columns[c].numbers != nullptr)
      for (std::size_t row = 0; row < n_rows; ++row) all |= columns[c].numbers[row];
    if ((all & ~places_[c].mask()) != 0) return false;
  }
  std::uint32_t numbers[kWordBits];
  const std::size_t n_counted = is_small() && counts.empty() ? count_flags(columns, n_rows) : 0;
  for (std::size_t first = n_counted; first < n_rows; first += kWordBits) {
    const auto n = static_cast<std::uint32_t>(std::min<std::size_t>(kWordBits, n_rows - first));
    pack(columns, first, n);
    count_packed(rows_.data(), n, counts.empty() ? counts : counts.subspan(first, n), numbers);
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
    count_packed(rows.data() + first * n_words_, n, counts.subspan(first, n), numbers + first);
  }
  if (is_small()) {
    std::vector<std::uint32_t> number_of(spent_.size());
    for (std::uint32_t row = 0; row < n_rows(); ++row) number_of[small_rows_[row]] = row;
    for (std::size_t i = 0; i < rows.size(); ++i) numbers[i] = number_of[rows[i]];
  }
  return true;
}

void RowCounter::count_packed(const Word* rows, std::uint32_t n, std::span<const std::int64_t> counts,
                              std::uint32_t* numbers) {
  if (!is_small()) {
    index_.find_or_add(rows, n, numbers);
    counts_.resize(index_.size(), 0);
    for (std::uint32_t i = 0; i < n; ++i) counts_[numbers[i]] += counts.empty() ? 1 : counts[i];
    return;
  }
  for (std::uint32_t i = 0; i < n; ++i)
    if (!counts.empty())
      prepay(rows[i], counts[i]);
    else if (spent_[rows[i]]++ == 0)
      prepay(rows[i], kPrepaid);
}

std::size_t RowCounter::count_flags(std::span<const CodesOfColumn> columns, std::size_t n_rows) {
  using kernels::kFlagColumns, kernels::kFlagRows;
  static_assert(kFewBits <= kFlagColumns);
  std::vector<std::size_t> used;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (places_[c].width == 0 || columns[c].are_zero()) continue;
    if (!are_flags(columns[c], places_[c].width)) return 0;
    used.push_back(c);
  }
  constexpr std::size_t kRowsAtOnce = 4 * kFlagRows;
  alignas(64) Word flags[kFlagColumns][kFlagRows / kWordBits] = {};
  alignas(64) std::uint32_t rows[kRowsAtOnce + kAhead] = {};
  std::uint32_t to_prepay[2 * kRowsAtOnce + kAhead] = {};
  std::size_t first = 0, n = 0, n_waiting = 0;
  const auto prepay_all = [&] {
    for (std::size_t i = 0; i < n_waiting; ++i) {
      __builtin_prefetch(&prepaid_[to_prepay[i + kAhead]], 1);
      prepay(to_prepay[i], kPrepaid);
    }
    n_waiting = 0;
  };
  for (; n_rows - first >= kFlagRows; first += n) {
    for (n = 0; n < kRowsAtOnce && n_rows - first - n >= kFlagRows; n += kFlagRows) {
      for (const std::size_t c : used) load_block(columns[c], first + n, flags[places_[c].shift]);
      kernels::transpose_flags(flags[0], rows + n);
    }
    // Rows wait for the second cache only: `spent_`, a byte for each combination, is all that is read for each of
    // them. What is prepaid is farther away, so that many rows wait for it together.
    n_waiting += count_up(rows, n, spent_.data(), to_prepay + n_waiting);
    if (n_waiting >= kRowsAtOnce) prepay_all();
  }
  prepay_all();
  return first;
}

std::vector<std::vector<double>> RowCounter::totals(std::span<const double> weights, std::size_t n_columns) const {
  if (weights.empty() && is_small()) return totals_of_small(n_columns);
  std::vector<std::vector<double>> found;
  found.reserve(n_columns);
  for (std::size_t c = 0; c < n_columns; ++c) found.emplace_back(std::size_t{1} << places_[c].width, 0.0);
  for (std::uint32_t row = 0; row < n_rows(); ++row) {
    const double weight = weights.empty() ? static_cast<double>(count(row)) : weights[row];
    for (std::size_t c = 0; c < n_columns; ++c) found[c][code(row, c)] += weight;
  }
  return found;
}

/// The last column has the highest bits of a row: the counts of each of its codes lie together, and are added up for
/// the columns before it.
std::vector<std::vector<double>> RowCounter::totals_of_small(std::size_t n_columns) const {
  std::vector<std::int64_t> counts(spent_.size());
  for (Word row = 0; row < counts.size(); ++row) counts[row] = small_count(row);
  std::vector<std::vector<double>> found(places_.size());
  for (std::size_t c = places_.size(); c-- > 0;) {
    const std::size_t n = counts.size() >> places_[c].width;
    for (std::size_t first = 0; first < counts.size(); first += n) {
      const std::span<const std::int64_t> of_code(&counts[first], n);
      found[c].push_back(static_cast<double>(std::accumulate(of_code.begin(), of_code.end(), std::int64_t{0})));
      if (first > 0) std::transform(of_code.begin(), of_code.end(), counts.begin(), counts.begin(), std::plus());
    }
    counts.resize(n);
  }
  found.resize(n_columns);
  return found;
}

std::vector<std::vector<std::int64_t>> RowCounter::cells(std::span<const std::span<const std::uint32_t>> bits,
                                                         std::uint32_t n_conditions) const {
  std::vector<std::vector<std::int64_t>> found(std::size_t{1} << places_[bits.size()].width);
  const auto add = [&](std::uint32_t target, std::uint32_t cell, std::int64_t count) {
    if (found[target].empty()) found[target].assign(std::size_t{1} << n_conditions, 0);
    found[target][cell] += count;
  };
  if (is_small()) {
    // Rows one after another in memory differ in the first columns: what the others say is looked up once for them all.
    const auto visit = [&](const auto& self, std::size_t n, Word row, std::uint32_t target,
                           std::uint32_t cell) -> void {
      if (n == 0) {
        if (prepaid_[row] != 0) add(target, cell, small_count(row));
        return;
      }
      const std::size_t c = n - 1;
      for (std::uint32_t code = 0; code <= places_[c].mask(); ++code)
        self(self, c, row | Word{code} << places_[c].shift, c == bits.size() ? code : target,
             c < bits.size() ? cell | bits[c][code] : cell);
    };
    visit(visit, places_.size(), 0, 0, 0);
    return found;
  }
  for (std::uint32_t row = 0; row < index_.size(); ++row) {
    std::uint32_t cell = 0;
    for (std::size_t c = 0; c < bits.size(); ++c) cell |= bits[c][code(row, c)];
    add(code(row, bits.size()), cell, counts_[row]);
  }
  return found;
}

void RowCounter::prepay(Word row, std::int64_t count) {
  if (prepaid_[row] == 0) small_rows_.push_back(row);
  prepaid_[row] += count;
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
      const CodesOfColumn& codes = columns[c];
      if (are_flags(codes, places_[c].width)) block[places_[c].shift] = load_flags(codes, first, n);
    }
    kernels::kernels().transpose(block);
    for (std::uint32_t i = 0; i < n; ++i) rows_[std::size_t{i} * n_words_ + word] = block[i];
    for (c = begin; c < places_.size() && places_[c].word == word; ++c) {
      if (are_flags(columns[c], places_[c].width) || places_[c].width == 0 || columns[c].are_zero()) continue;
      for (std::uint32_t i = 0; i < n; ++i)
        rows_[std::size_t{i} * n_words_ + word] |= Word{columns[c][first + i]} << places_[c].shift;
    }
  }
}

}  // namespace hornbeam::data
