#include "rows/row_set.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/each_bit.hpp"
#include "bounds/support_condition.hpp"

namespace hornbeam::rows {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// The highest shift to use, given how many slots each shift would have, and the words it takes: words of single shifts
/// below it plus words of (count >> top) copies at it.
std::pair<std::uint32_t, std::uint64_t> choose_top(const std::uint64_t (&n_set)[64]) {
  std::uint32_t top = 0, n_bits = 64;
  while (n_bits > 0 && n_set[n_bits - 1] == 0) --n_bits;
  if (n_bits == 0) return {0, 0};
  std::uint64_t fewest = ~std::uint64_t{0}, below = 0, sum = 0;  // the last: of (count >> shift)
  for (std::uint32_t shift = 0; shift < n_bits; ++shift) sum += n_set[shift] << shift;
  for (std::uint32_t shift = 0; shift < n_bits; ++shift) {
    const std::uint64_t n_words = below + (sum + kWordBits - 1) / kWordBits;
    if (n_words < fewest) {
      fewest = n_words;
      top = shift;
    }
    below += (n_set[shift] + kWordBits - 1) / kWordBits;
    sum = (sum - n_set[shift]) / 2;
  }
  return {top, fewest};
}

/// Whether a slot of this target and shift is the first one of a row with these counts.
bool is_first_slot(const std::int64_t* counts, std::uint32_t target, std::uint32_t shift) {
  return (counts[target] & ((std::int64_t{1} << shift) - 1)) == 0 &&
         std::all_of(counts, counts + target, [](std::int64_t count) { return count == 0; });
}

}  // namespace

std::uint64_t RowSet::bytes() const {
  return (slots.capacity() + slot_rows.capacity() + fingerprint_planes.capacity() + sums.capacity() +
          pair_sums.capacity() + total.capacity()) *
             8 +
         slot_supports.capacity() * sizeof(SupportSet) +
         (columns.capacity() + copies.capacity() + narrow_sums.capacity() + numbers.capacity()) * 4;
}

bool RowSet::are_nested(std::uint32_t a, std::uint32_t b) const {
  const RowSet& tile = source == nullptr ? *this : *source;
  Word only_a = 0, only_b = 0;
  for (std::uint32_t w = 0; w < tile.n_slot_words; ++w) {
    const Word counted = source == nullptr ? ~Word{0} : filter[w];
    only_a |= tile.word(a, w) & ~tile.word(b, w) & counted;
    only_b |= tile.word(b, w) & ~tile.word(a, w) & counted;
  }
  return only_a == 0 || only_b == 0;
}

RowSetMaker::RowSetMaker(const data::DistinctRows& data, const models::LeafModel& model,
                         const kernels::Kernels& kernels, Ticks leaf_cost, std::uint64_t rows_per_leaf,
                         Ticks support_threshold)
    : data_(data),
      model_(model),
      kernels_(kernels),
      measures_(model.measures()),
      leaf_cost_(leaf_cost),
      rows_per_leaf_(rows_per_leaf),
      support_threshold_(support_threshold) {
  std::int64_t weight = 0;
  for (const std::int64_t each : data.target_weight) weight += each;
  is_narrow_ = measures_.cancelled && !measures_.counts_rows && weight < kernels::kNarrowInfinity;
  if (!is_narrow_) return;
  const Ticks error_cost = measures_.largest_cost[0];
  const auto in_weight = [error_cost](Ticks cost) {
    return static_cast<std::int32_t>(std::min<Ticks>(cost / error_cost, kernels::kNarrowInfinity));
  };
  narrow_.leaf_cost = in_weight(leaf_cost);
  narrow_.support_threshold = in_weight(support_threshold + error_cost - 1);
}

std::uint64_t RowSetMaker::bytes() const {
  return (scratch_.capacity() + hashes_.capacity() + wide_.capacity() + pair_sums_.capacity() +
          scan_values_.capacity() + slot_bits_.capacity() + row_bits_.capacity() + row_counts_.capacity()) *
             sizeof(Word) +
         merged_.capacity() * sizeof(SupportSet) + seen_.capacity() * sizeof(std::uint16_t) +
         (hash_of_slot_.capacity() + new_number_.capacity()) * sizeof(std::uint32_t) + index_.bytes() +
         suspect_.capacity() * sizeof(Suspect);
}

Word* RowSetMaker::scratch_for(const RowSet& rows) {
  scratch_.resize(std::max(scratch_.size(), kernels::kernel_scratch_words(rows.slot_tile(), measures_)));
  return scratch_.data();
}

const Ticks* RowSetMaker::pair_measures(const RowSet& rows, std::uint32_t column) {
  pair_sums_.resize(std::max(pair_sums_.size(), std::size_t{measures_.size()} * rows.stride));
  kernels_.measure(rows.slot_tile(), measures_, &column, pair_sums_.data(), scratch_for(rows));
  return pair_sums_.data();
}

const Ticks* RowSetMaker::kept_pair_measures(RowSet& rows, std::uint32_t column) {
  if (rows.pair_column != column) {
    rows.pair_sums.resize(std::size_t{measures_.size()} * rows.stride);
    kernels_.measure(rows.slot_tile(), measures_, &column, rows.pair_sums.data(), scratch_for(rows));
    rows.pair_column = column;
  }
  return rows.pair_sums.data();
}

void RowSetMaker::pair_stage(const RowSet& rows, std::uint32_t column, kernels::PairSide* sides) {
  kernels_.pair_stage(rows.slot_tile(), measures_, pair_input(rows), column, sides, scratch_for(rows));
}

kernels::PairInput RowSetMaker::pair_input(const RowSet& rows) const {
  kernels::PairInput input{
      rows.sums.data(), rows.total.data(), leaf_cost_, support_threshold_, static_cast<Ticks>(rows_per_leaf_), narrow_};
  if (is_narrow_) {
    input.narrow.sums = rows.narrow_sums.data();
    std::copy_n(rows.narrow_total, 2, input.narrow.total);
  }
  return input;
}

const kernels::SplitScan& RowSetMaker::scan_splits(const RowSet& rows) {
  scan_values_.resize(std::max(scan_values_.size(), std::size_t{8} * rows.stride));
  Ticks* at = scan_values_.data();
  const auto next = [&at, &rows] { return std::exchange(at, at + rows.stride); };
  scan_ = {{next(), next()}, {next(), next()}, {next(), next()}, next(), next()};
  kernels_.scan_splits(measures_, pair_input(rows), rows.stride, scan_, scratch_for(rows));
  return scan_;
}

void RowSetMaker::number_root(RowSet& root) const {
  for (std::uint32_t row = 0; row < data_.n_rows; ++row) root.numbers.push_back(row);
}

void RowSetMaker::make_root(RowSet& root, run::Run& run) {
  n_row_words_ = words_for(data_.n_columns);
  root.n_columns = data_.n_columns;
  root.columns.resize(root.n_columns);
  for (std::uint32_t c = 0; c < root.n_columns; ++c) root.columns[c] = c;
  root.copies.assign(root.n_columns, 1);
  kept_ = root.columns;
  const std::uint32_t n_counts = measures_.n_counts();
  // Of a model without equivalent points the weights are the counts.
  const bool are_counts = n_counts == data_.n_targets;
  const std::uint64_t tile = word_at(data_.view().n_words) * n_row_words_ * sizeof(Word);
  // Rows of one weight have a slot each: the same number of bytes row by row and as columns.
  run.require(data_.bytes() + 2 * tile +
              std::uint64_t{data_.n_rows} * (sizeof(Word*) + (has_supports_ ? sizeof(SupportSet) : 0) +
                                             (are_counts ? 0 : 8 * std::uint64_t{n_counts})) +
              std::uint64_t{data_.stride} * (measures_.size() + 2) * sizeof(Ticks));
  row_bits_.resize(word_at(data_.view().n_words) * n_row_words_);
  row_counts_.assign(are_counts ? 0 : std::size_t{data_.n_rows} * n_counts, 0);
  const std::int64_t* const all_counts = are_counts ? data_.target_weight.data() : row_counts_.data();
  const auto support_of = [&](std::size_t number) -> SupportSet {
    const auto row = static_cast<std::uint32_t>(number);
    return {data_.fingerprint(row, measures_.counts_rows), model_.least_loss_of(all_counts + number * n_counts),
            data_.reference_loss.empty() ? 0 : data_.reference_loss[row]};
  };
  root.support = {};
  for (std::uint32_t row = 0; row < data_.n_rows; ++row) {
    if (row % kWordBits == 0) {
      run.require();
      turn_word(data_.view(), row / kWordBits, n_row_words_, row_bits_.data() + std::size_t{row} * n_row_words_);
    }
    if (!are_counts) {
      std::int64_t* counts = &row_counts_[std::size_t{row} * n_counts];
      std::copy(data_.weight(row), data_.weight(row) + data_.n_targets, counts);
      if (measures_.counts_rows) counts[n_counts - 1] = data_.row_count[row];
      model_.merge(counts);
    }
    if (has_supports_) root.support.add(support_of(row));
  }
  root.numbers.clear();
  if (numbers_rows_) number_root(root);
  // A slot for each row, and the rest of a word for each target: most tables need no more, and growing takes half as
  // much memory again.
  const std::size_t n_slots = word_at(words_for(data_.n_rows) + n_counts);
  if (has_supports_) root.slot_supports.reserve(n_slots);
  slot_bits_.reserve(n_slots);
  gather(nullptr, {data_.n_rows, all_counts}, support_of, root);
  // Not by {}, which would empty the vectors and keep their memory.
  row_counts_ = decltype(row_counts_)();
  lay_out(root, [&run] { run.require(); });
  row_bits_ = decltype(row_bits_)();
  slot_bits_ = decltype(slot_bits_)();
  run.require();
  finish(root);
}

void RowSetMaker::make_child(const RowSet& parent, std::uint32_t column, bool side, const SupportSet& support,
                             RowSet& child) {
  child.support = support;
  child.numbers.clear();
  for (const std::uint32_t number : parent.numbers)
    if (data_.test(parent.columns[column], number) == side) child.numbers.push_back(number);
  n_row_words_ = parent.words_per_slot;
  kept_mask_.resize(words_for(parent.stride));
  constant_mask_.resize(words_for(parent.stride));
  // Columns go that are constant here or too light for a split (bounds/support_condition.hpp). Rows that only a light
  // column separated are equal now, and may be merged.
  kernels_.test_columns(parent.slot_tile(), measures_, pair_input(parent), column, side, kept_mask_.data(),
                        constant_mask_.data(), scratch_for(parent));
  kept_.clear();
  child.columns.clear();
  child.copies.clear();
  for (std::size_t w = 0; w < n_row_words_; ++w)
    for_each_bit(kept_mask_[w], w * kWordBits, [&](std::size_t c) {
      kept_.push_back(static_cast<std::uint32_t>(c));
      child.columns.push_back(parent.columns[c]);
      child.copies.push_back(parent.copies[c]);
    });
  child.n_columns = static_cast<std::uint32_t>(kept_.size());
  std::size_t n_constant = 0;
  for (const Word word : constant_mask_) n_constant += static_cast<std::size_t>(std::popcount(word));
  choose_slots(parent, column, side);
  merged_.clear();
  row_bits_.clear();
  row_counts_.clear();
  n_light_columns_ += parent.stride - child.n_columns - n_constant;
  if (child.n_columns + n_constant < parent.stride) merge_equal_rows(parent);  // a column is gone that told rows apart
  gather(&parent, {merged_.size(), row_counts_.data()}, [this](std::size_t row) { return merged_[row]; }, child);
  lay_out(child, [] {});
  finish(child);
}

void RowSetMaker::count_child(RowSet& parent, std::uint32_t column, bool side, RowSet& child) {
  child.source = &parent;
  child.n_columns = parent.n_columns;
  child.stride = parent.stride;
  child.columns = parent.columns;
  child.filter.resize(parent.n_slot_words);
  for (const kernels::Segment& segment : parent.segments)
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      child.filter[w] = parent.chosen(column, side, w, segment.valid(w));
  const Ticks* both = kept_pair_measures(parent, column);
  child.sums.resize(parent.sums.size());
  child.total.resize(measures_.size());
  for (std::uint32_t m = 0; m < measures_.size(); ++m) {
    const Ticks true_side = parent.sums[std::size_t{m} * parent.stride + column];
    child.total[m] = side ? true_side : parent.total[m] - true_side;
  }
  for (std::size_t i = 0; i < child.sums.size(); ++i) child.sums[i] = side ? both[i] : parent.sums[i] - both[i];
  narrow_sums_of(child);
}

void RowSetMaker::narrow_sums_of(RowSet& rows) {
  if (!is_narrow_) return;
  rows.narrow_sums.resize(2 * std::size_t{rows.stride});
  const Ticks error_cost = measures_.largest_cost[0];
  for (std::size_t c = 0; c < 2; ++c) rows.narrow_total[c] = static_cast<std::int32_t>(rows.total[c] / error_cost);
  kernels_.narrow_sums(rows.sums.data(), error_cost, rows.narrow_sums.size(), rows.narrow_sums.data());
}

void RowSetMaker::choose_slots(const RowSet& parent, std::uint32_t column, bool side) {
  chosen_.resize(parent.n_slot_words);
  for (const kernels::Segment& segment : parent.segments)
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      chosen_[w] = parent.chosen(column, side, w, segment.valid(w));
}

/// Lists the slots of the child: those chosen of the parent, and those of the new rows.
template <class SupportOf>
void RowSetMaker::gather(const RowSet* parent, const NewRows& added, const SupportOf& support_of, RowSet& rows) {
  rows.segments.clear();
  rows.n_slot_words = 0;
  rows.forget_made();
  unused_slot_.assign(n_row_words_, 0);
  for (std::uint32_t target = 0; target < measures_.n_counts(); ++target)
    gather_target(parent, target, added, support_of, rows);
  if (has_supports_) rows.slot_supports.resize(word_at(rows.n_slot_words));
}

/// Makes the tile of the slots that have been listed.
template <class OnStep>
void RowSetMaker::lay_out(RowSet& rows, OnStep on_step) {
  rows.stride = padded_to_lanes(std::max(rows.n_columns, 1u));
  rows.slots.resize(std::size_t{rows.n_slot_words} * rows.stride);
  const std::size_t n_words = n_row_words_;
  wide_.resize(n_words * kWordBits);
  for (std::uint32_t w = 0; w < rows.n_slot_words; ++w) {
    on_step();
    const Word* const* const from = &slot_bits_[word_at(w)];
    for (std::size_t i = 0; i < kWordBits; ++i)
      for (std::size_t k = 0; k < n_words; ++k) wide_[k * kWordBits + i] = from[i][k];
    for (std::size_t k = 0; k < n_words; ++k) kernels_.transpose(&wide_[k * kWordBits]);
    Word* to = &rows.slots[std::size_t{w} * rows.stride];
    for (std::uint32_t i = 0; i < rows.n_columns; ++i) to[i] = wide_[kept_[i]];
    std::fill(to + rows.n_columns, to + rows.stride, 0);
  }
}

template <class SupportOf>
void RowSetMaker::gather_target(const RowSet* parent, std::uint32_t target, const NewRows& added,
                                const SupportOf& support_of, RowSet& rows) {
  const std::size_t n_counts = measures_.n_counts();
  const std::uint32_t n_words = n_row_words_;
  std::uint64_t n_set[64] = {};  // slots of each shift
  if (parent != nullptr)
    for (const kernels::Segment& segment : parent->segments)
      for (std::uint32_t w = segment.begin; w < segment.end && segment.target == target; ++w)
        n_set[segment.shift] += static_cast<std::uint64_t>(std::popcount(chosen_[w]));
  for (std::size_t row = 0; row < added.n; ++row)
    for_each_bit(static_cast<Word>(added.counts[row * n_counts + target]), 0, [&](std::size_t bit) { ++n_set[bit]; });
  const auto [top, fewest] = choose_top(n_set);
  if (fewest == 0) return;
  const std::size_t most_slots = (rows.n_slot_words + fewest) * kWordBits;
  slot_bits_.resize(std::max(slot_bits_.size(), most_slots));
  if (has_supports_) rows.slot_supports.resize(most_slots);
  SupportSet* const supports = has_supports_ ? rows.slot_supports.data() : nullptr;
  const Word** const slot_bits = slot_bits_.data();
  for (std::uint32_t shift = 0; shift <= top; ++shift) {
    const std::size_t first = word_at(rows.n_slot_words);
    std::size_t next = first;
    const auto append = [&](const SupportSet& support, const Word* bits, std::int64_t copies) {
      if (supports != nullptr) {
        supports[next] = support;
        std::fill(supports + next + 1, supports + next + copies, SupportSet{});
      }
      for (; copies > 0; --copies) slot_bits[next++] = bits;
    };
    for (std::size_t s = 0; parent != nullptr && s < parent->segments.size(); ++s) {
      const kernels::Segment& segment = parent->segments[s];
      if (segment.target != target || segment.shift < shift || (segment.shift > shift && shift < top)) continue;
      const std::int64_t copies = std::int64_t{1} << (segment.shift - shift);
      const SupportSet* const from_supports = parent->slot_supports.data();
      const Word* const from = parent->slot_rows.data();
      for (std::uint32_t w = segment.begin; w < segment.end; ++w)
        for_each_bit(chosen_[w], word_at(w), [&](std::size_t slot) {
          if (copies > 1)
            return append(supports == nullptr ? SupportSet{} : from_supports[slot], from + slot * n_words, copies);
          if (supports != nullptr) supports[next] = from_supports[slot];
          slot_bits[next++] = from + slot * n_words;
        });
    }
    for (std::size_t row = 0; row < added.n; ++row) {
      const std::int64_t* const counts = added.counts + row * n_counts;
      const std::int64_t count = counts[target] >> shift, copies = shift < top ? count & 1 : count;
      if (copies == 0) continue;
      const bool has_support = supports != nullptr && is_first_slot(counts, target, shift);
      append(has_support ? support_of(row) : SupportSet{}, row_bits_.data() + row * n_words, copies);
    }
    const std::size_t end = word_at(words_for(static_cast<std::uint32_t>(next)));
    if (supports != nullptr) std::fill(supports + next, supports + end, SupportSet{});
    std::fill(slot_bits + next, slot_bits + end, unused_slot_.data());
    const std::uint32_t begin = rows.n_slot_words;
    rows.n_slot_words = words_for(static_cast<std::uint32_t>(next));
    if (next > first)
      rows.segments.push_back({begin, rows.n_slot_words, target, shift, static_cast<std::uint32_t>(next - first)});
  }
}

void RowSetMaker::make_slot_rows(RowSet& rows) const {
  if (rows.has_slot_rows) return;
  rows.has_slot_rows = true;
  rows.words_per_slot = words_for(rows.n_columns);
  rows.slot_rows.resize(word_at(rows.n_slot_words) * rows.words_per_slot);
  for (std::uint32_t w = 0; w < rows.n_slot_words; ++w)
    turn_word(rows.slot_tile().tile, w, rows.words_per_slot, &rows.slot_rows[word_at(w) * rows.words_per_slot]);
}

/// Writes the 64 rows of one word of a tile.
void RowSetMaker::turn_word(const kernels::TileView& tile, std::uint32_t w, std::uint32_t n_row_words,
                            Word* rows) const {
  alignas(64) Word block[kWordBits];
  for (std::uint32_t k = 0; k < n_row_words; ++k) {
    const std::uint32_t first = k * kWordBits, n = std::min(kWordBits, tile.stride - first);
    const Word* from = tile.words + std::size_t{w} * tile.stride + first;
    std::copy(from, from + n, block);
    std::fill(block + n, block + kWordBits, 0);
    kernels_.transpose(block);
    for (std::uint32_t i = 0; i < kWordBits; ++i) rows[std::size_t{i} * n_row_words + k] = block[i];
  }
}

/// Keeps only the first of equal or complementary columns, and no constant one (R2).
void RowSetMaker::drop_repeated_columns(RowSet& rows) {
  if (rows.n_columns == 0) return;
  valid_.clear();
  for (const kernels::Segment& segment : rows.segments)
    for (std::uint32_t w = segment.begin; w < segment.end; ++w) valid_.push_back(segment.valid(w));
  hashes_.resize(std::max<std::size_t>(hashes_.size(), rows.stride));
  kernels_.hash_columns(rows.slot_tile().tile, valid_.data(), hashes_.data());
  // Whether the columns, or one column and nothing, are equal or complementary.
  const auto same = [&](std::uint32_t a, std::uint32_t b) {
    const auto difference = [&](std::uint32_t w) { return rows.word(a, w) ^ (b == kNone ? 0 : rows.word(b, w)); };
    const Word flip = rows.n_slot_words > 0 && (difference(0) & 1) != 0 ? ~Word{0} : Word{0};
    for (std::uint32_t w = 0; w < rows.n_slot_words; ++w)
      if (((difference(w) ^ flip) & valid_[w]) != 0) return false;
    return true;
  };
  kept_.clear();
  index_.reset(rows.n_columns);
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
    if (hashes_[c] == 0 && same(c, kNone)) continue;
    const std::uint32_t first = index_.find_or_add(
        mix(hashes_[c]), c, [&](std::uint32_t known) { return hashes_[known] == hashes_[c] && same(known, c); });
    if (first != c) {
      rows.copies[first] += rows.copies[c];
      continue;
    }
    kept_.push_back(c);
  }
  if (kept_.size() < rows.n_columns) keep_columns(rows);
}

/// Moves the columns in `kept_` together.
void RowSetMaker::keep_columns(RowSet& rows) {
  const std::uint32_t n_columns = static_cast<std::uint32_t>(kept_.size());
  const std::uint32_t stride = padded_to_lanes(std::max(n_columns, 1u));
  for (std::uint32_t w = 0; w < rows.n_slot_words; ++w) {
    const std::size_t from = std::size_t{w} * rows.stride, to = std::size_t{w} * stride;
    for (std::uint32_t i = 0; i < n_columns; ++i) rows.slots[to + i] = rows.slots[from + kept_[i]];
    for (std::uint32_t i = n_columns; i < stride; ++i) rows.slots[to + i] = 0;
  }
  for (std::uint32_t i = 0; i < n_columns; ++i) {
    rows.columns[i] = rows.columns[kept_[i]];
    rows.copies[i] = rows.copies[kept_[i]];
  }
  rows.columns.resize(n_columns);
  rows.copies.resize(n_columns);
  rows.n_columns = n_columns;
  rows.stride = stride;
  rows.slots.resize(std::size_t{rows.n_slot_words} * stride);
}

/// Measures all columns.
void RowSetMaker::finish(RowSet& rows) {
  drop_repeated_columns(rows);
  counts_.assign(measures_.n_counts(), 0);
  for (const kernels::Segment& segment : rows.segments)
    counts_[segment.target] += static_cast<std::int64_t>(segment.n_slots) << segment.shift;
  rows.total.resize(measures_.size());
  model_.measures_of(counts_.data(), rows.total.data());
  rows.sums.resize(std::size_t{measures_.size()} * rows.stride);
  kernels_.measure(rows.slot_tile(), measures_, nullptr, rows.sums.data(), scratch_for(rows));
  narrow_sums_of(rows);
}

}  // namespace hornbeam::rows
