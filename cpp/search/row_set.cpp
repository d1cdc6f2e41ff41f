#include "search/row_set.hpp"

#include <algorithm>
#include <bit>

#include "bounds/support_condition.hpp"

namespace hornbeam {

namespace {

/// Calls `visit(index)` for each set bit of a mask.
template <class Visit>
void for_each_bit(const std::vector<Word>& mask, Visit visit) {
  for (std::size_t w = 0; w < mask.size(); ++w)
    for (Word word = mask[w]; word != 0; word &= word - 1)
      visit(static_cast<std::uint32_t>(w * kWordBits) + static_cast<std::uint32_t>(std::countr_zero(word)));
}

std::uint32_t count_bits(const std::vector<Word>& mask) {
  std::uint32_t count = 0;
  for (const Word word : mask) count += static_cast<std::uint32_t>(std::popcount(word));
  return count;
}

}  // namespace

std::uint64_t RowSet::bytes() const {
  return (bits.capacity() + slots.capacity() + sums.capacity() + class_weight.capacity() + base_loss.capacity() +
          row_count.capacity() + total.capacity()) *
             8 +
         identity.capacity() * sizeof(Fingerprint) + row_hash.capacity() * sizeof(Key128) + columns.capacity() * 4;
}

bool RowSet::are_nested(std::uint32_t a, std::uint32_t b) const {
  const TileView tile = only_counted() ? slot_tile().tile : view();  // every group is in some slot
  Word only_a = 0, only_b = 0;
  for (std::uint32_t w = 0; w < tile.n_words; ++w) {
    const Word* word = tile.words + std::size_t{w} * stride;
    only_a |= word[a] & ~word[b];
    only_b |= word[b] & ~word[a];
    if (only_a != 0 && only_b != 0) return false;
  }
  return true;
}

RowSetMaker::RowSetMaker(const DistinctRows& data, const Costs& costs, const Kernels& kernels,
                         std::uint64_t rows_per_leaf, Ticks support_threshold)
    : data_(data),
      costs_(costs),
      kernels_(kernels),
      measures_(costs.measures()),
      rows_per_leaf_(rows_per_leaf),
      support_threshold_(support_threshold) {}

Word* RowSetMaker::scratch_for(const RowSet& rows, std::uint32_t n_columns) {
  scratch_.resize(std::max(scratch_.size(), kernel_scratch_words(rows.slot_tile(), measures_, n_columns)));
  return scratch_.data();
}

const Ticks* RowSetMaker::pair_measures(const RowSet& rows, std::uint32_t column) {
  if (paired_rows_ == rows.serial && paired_column_ == column) return pair_sums_.data();
  paired_rows_ = rows.serial;
  paired_column_ = column;
  pair_sums_.resize(std::max(pair_sums_.size(), std::size_t{measures_.size()} * rows.stride));
  kernels_.measure(rows.slot_tile(), measures_, &column, pair_sums_.data(), scratch_for(rows));
  return pair_sums_.data();
}

void RowSetMaker::make_root(RowSet& root, StopSignal& stop) {
  root.serial = ++n_made_;
  root.n_groups = data_.n_rows;
  root.n_columns = data_.n_columns;
  root.stride = data_.stride;
  root.bits = data_.bits;
  root.class_weight = data_.class_weight;
  root.row_count = data_.row_count;
  root.columns.resize(root.n_columns);
  for (std::uint32_t c = 0; c < root.n_columns; ++c) root.columns[c] = c;
  for (std::uint32_t row = 0; row < data_.n_rows; ++row) {
    root.identity.push_back(Fingerprint::of_row(row));
    counts_.assign(std::max(costs_.n_loss_prices(), 1u), 0);
    costs_.add_least_loss_counts(data_.weight(row), counts_.data());
    Ticks loss = 0;
    for (std::uint32_t i = 0; i < costs_.n_loss_prices(); ++i) loss += counts_[i] * costs_.price_of_least_loss(i);
    root.base_loss.push_back(loss);
  }
  drop_repeated_columns(root);
  stop.require_running();
  finish(root);
}

void RowSetMaker::hash_groups(RowSet& root, StopSignal& stop) {
  select_all(root);
  root.row_hash.assign(root.n_groups, {});
  for (std::uint32_t c = 0; c < root.n_columns; ++c) {
    if (c % kWordBits == 0) stop.require_running();
    toggle_column(root, c, root.row_hash);
  }
}

void RowSetMaker::make_child(const RowSet& parent, std::uint32_t column, bool side, RowSet& child) {
  choose_columns(parent, column, side);
  select_groups(parent, column, side);
  hash_of_group_ = parent.row_hash;
  bool may_merge = false;
  for (std::uint32_t c : dropped_) may_merge |= toggle_column(parent, c, hash_of_group_);

  child.n_groups = count_bits(mask_);
  take_columns(parent, child);
  child.bits.assign(std::size_t{child.n_words()} * child.stride, 0);
  plan_.clear();
  append_extraction(mask_.data(), parent.n_words(), 0, plan_);
  kernels_.prepare(plan_.data(), plan_.size());
  kernels_.extract(parent.view(), kept_.data(), child.n_columns, plan_.data(), plan_.size(), child.bits.data(),
                   child.stride);
  copy_groups(parent, child);
  if (may_merge) merge_equal_groups(child);
  drop_repeated_columns(child);
  finish(child);
}

void RowSetMaker::count_child(const RowSet& parent, std::uint32_t column, bool side, RowSet& child) {
  const Ticks* both = choose_columns(parent, column, side);
  const auto measure_of = [&](std::uint32_t m, std::uint32_t c) {
    const Ticks held = both[std::size_t{m} * parent.stride + c];
    return side ? held : parent.sums[std::size_t{m} * parent.stride + c] - held;
  };
  mask_.resize(parent.n_slot_words);
  for (std::uint32_t w = 0; w < parent.n_slot_words; ++w) {
    const Word word = parent.slots[std::size_t{w} * parent.stride + column];
    mask_[w] = side ? word : ~word;  // what it selects behind the last slot is zero in all columns
  }
  drop_equal_columns(parent, measure_of);
  child.n_groups = 0;
  child.bits.clear();
  take_columns(parent, child);
  child.total.resize(measures_.size());
  child.sums.assign(std::size_t{measures_.size()} * child.stride, 0);
  for (std::uint32_t m = 0; m < measures_.size(); ++m) {
    const Ticks held = parent.sums[std::size_t{m} * parent.stride + column];
    child.total[m] = side ? held : parent.total[m] - held;
    for (std::uint32_t i = 0; i < child.n_columns; ++i)
      child.sums[std::size_t{m} * child.stride + i] = measure_of(m, kept_[i]);
  }

  plan_.clear();
  child.segments.clear();
  child.n_slot_words = 0;
  for (const Segment& segment : parent.segments) {
    const std::uint32_t begin = child.n_slot_words;
    child.n_slot_words = words_for(
        append_extraction(&mask_[segment.begin], segment.end - segment.begin, begin * kWordBits, plan_, segment.begin));
    if (child.n_slot_words > begin)
      child.segments.push_back({begin, child.n_slot_words, segment.target, segment.shift});
  }
  child.slots.assign(std::size_t{child.n_slot_words} * child.stride, 0);
  kernels_.prepare(plan_.data(), plan_.size());
  kernels_.extract(parent.slot_tile().tile, kept_.data(), child.n_columns, plan_.data(), plan_.size(),
                   child.slots.data(), child.stride);
}

/// Takes out of `kept_` all but the first of columns that are equal on the slots in `mask_`. Equal columns have equal
/// measures, so that hardly any others are compared.
template <class MeasureOf>
void RowSetMaker::drop_equal_columns(const RowSet& parent, MeasureOf measure_of) {
  constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  const auto equal = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t m = 0; m < measures_.size(); ++m)
      if (measure_of(m, a) != measure_of(m, b)) return false;
    for (std::uint32_t w = 0; w < parent.n_slot_words; ++w) {
      const Word* word = &parent.slots[std::size_t{w} * parent.stride];
      if (((word[a] ^ word[b]) & mask_[w]) != 0) return false;
    }
    return true;
  };
  slot_of_hash_.assign(std::bit_ceil(2 * kept_.size() + 1), kEmpty);
  std::erase_if(kept_, [&](std::uint32_t c) {
    std::uint64_t hash = 0;
    for (std::uint32_t m = 0; m < measures_.size(); ++m)
      hash = mix(hash ^ static_cast<std::uint64_t>(measure_of(m, c)));
    std::size_t at = hash & (slot_of_hash_.size() - 1);
    while (slot_of_hash_[at] != kEmpty && !equal(slot_of_hash_[at], c)) at = (at + 1) & (slot_of_hash_.size() - 1);
    if (slot_of_hash_[at] != kEmpty) return true;
    slot_of_hash_[at] = c;
    return false;
  });
}

/// Begins a child: it gets the columns in `kept_`.
void RowSetMaker::take_columns(const RowSet& parent, RowSet& child) {
  child.serial = ++n_made_;
  child.n_columns = static_cast<std::uint32_t>(kept_.size());
  child.stride = padded_to_lanes(std::max(child.n_columns, 1u));
  child.columns.clear();
  for (std::uint32_t c : kept_) child.columns.push_back(parent.columns[c]);
}

/// Sorts the parent's columns into those the child keeps and those that bounds/support_condition.hpp, or the least
/// number of rows of a leaf, drops for good. Columns constant on the child are in neither list. Returns the measures of
/// `column` with each other column.
const Ticks* RowSetMaker::choose_columns(const RowSet& parent, std::uint32_t column, bool side) {
  const Ticks* both = pair_measures(parent, column);
  kept_.clear();
  dropped_.clear();
  const std::size_t stride = parent.stride;
  Ticks cell[2][256];
  std::vector<Ticks> large_cell;
  Ticks* held = cell[0];
  Ticks* failed = cell[1];
  const std::uint32_t size = measures_.size();
  if (size > 256) {
    large_cell.resize(2 * std::size_t{size});
    held = large_cell.data();
    failed = held + size;
  }
  for (std::uint32_t g = 0; g < parent.n_columns; ++g) {
    for (std::uint32_t m = 0; m < size; ++m) {
      const Ticks all = side ? parent.sums[m * stride + column] : parent.total[m] - parent.sums[m * stride + column];
      held[m] = side ? both[m * stride + g] : parent.sums[m * stride + g] - both[m * stride + g];
      failed[m] = all - held[m];
    }
    const Ticks held_largest = costs_.largest_loss(held), failed_largest = costs_.largest_loss(failed);
    if (held_largest == 0 || failed_largest == 0) continue;
    const bool heavy = held_largest - costs_.least_loss(held) >= support_threshold_ &&
                       failed_largest - costs_.least_loss(failed) >= support_threshold_;
    const bool enough_rows = !measures_.counts_rows || (costs_.rows(held) >= static_cast<Ticks>(rows_per_leaf_) &&
                                                        costs_.rows(failed) >= static_cast<Ticks>(rows_per_leaf_));
    (heavy && enough_rows ? kept_ : dropped_).push_back(g);
  }
  return both;
}

void RowSetMaker::select_groups(const RowSet& parent, std::uint32_t column, bool side) {
  mask_.resize(parent.n_words());
  for (std::uint32_t w = 0; w < parent.n_words(); ++w) {
    const Word word = parent.bits[std::size_t{w} * parent.stride + column];
    mask_[w] = side ? word : ~word;
  }
  mask_.back() &= parent.last_mask();
}

void RowSetMaker::select_all(const RowSet& rows) {
  mask_.assign(rows.n_words(), ~Word{0});
  mask_.back() &= rows.last_mask();
}

/// Takes a column into the hashes of the groups in `mask_`, or out of them; returns whether it tells any of them apart.
/// XOR over its smaller side gives the same hashes up to a constant, and equality is all they serve.
bool RowSetMaker::toggle_column(const RowSet& rows, std::uint32_t column, std::vector<Key128>& hashes) const {
  std::uint32_t n_held = 0, n_failed = 0;
  for (std::uint32_t w = 0; w < rows.n_words(); ++w) {
    const Word word = rows.bits[std::size_t{w} * rows.stride + column];
    n_held += static_cast<std::uint32_t>(std::popcount(word & mask_[w]));
    n_failed += static_cast<std::uint32_t>(std::popcount(~word & mask_[w]));
  }
  if (n_held == 0 || n_failed == 0) return false;
  const Key128 key = Key128::of(rows.columns[column]);
  for (std::uint32_t w = 0; w < rows.n_words(); ++w) {
    const Word word = rows.bits[std::size_t{w} * rows.stride + column];
    for (Word left = (n_held <= n_failed ? word : ~word) & mask_[w]; left != 0; left &= left - 1)
      hashes[w * kWordBits + static_cast<std::uint32_t>(std::countr_zero(left))] ^= key;
  }
  return true;
}

void RowSetMaker::copy_groups(const RowSet& parent, RowSet& child) {
  const std::uint32_t n_classes = costs_.n_classes();
  child.identity.clear();
  child.row_hash.clear();
  child.class_weight.clear();
  child.base_loss.clear();
  child.row_count.clear();
  for_each_bit(mask_, [&](std::uint32_t group) {
    child.identity.push_back(parent.identity[group]);
    child.row_hash.push_back(hash_of_group_[group]);
    child.base_loss.push_back(parent.base_loss[group]);
    child.row_count.push_back(parent.row_count[group]);
    const std::int64_t* weight = &parent.class_weight[std::size_t{group} * n_classes];
    child.class_weight.insert(child.class_weight.end(), weight, weight + n_classes);
  });
}

/// Merges groups of equal hash (128 random bits: see base/fingerprint.hpp for the chance of an accident).
void RowSetMaker::merge_equal_groups(RowSet& rows) {
  constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  const std::uint32_t n_classes = costs_.n_classes();
  slot_of_hash_.assign(std::bit_ceil(2 * std::size_t{rows.n_groups}), kEmpty);
  mask_.assign(rows.n_words(), 0);
  std::uint32_t n_left = 0;
  for (std::uint32_t group = 0; group < rows.n_groups; ++group) {
    std::size_t at = rows.row_hash[group].high & (slot_of_hash_.size() - 1);
    while (slot_of_hash_[at] != kEmpty && !(rows.row_hash[slot_of_hash_[at]] == rows.row_hash[group]))
      at = (at + 1) & (slot_of_hash_.size() - 1);
    const std::uint32_t first = slot_of_hash_[at];
    const std::int64_t* weight = &rows.class_weight[std::size_t{group} * n_classes];
    if (first != kEmpty) {
      rows.identity[first] ^= rows.identity[group];
      rows.base_loss[first] += rows.base_loss[group];
      rows.row_count[first] += rows.row_count[group];
      for (std::uint32_t c = 0; c < n_classes; ++c) rows.class_weight[std::size_t{first} * n_classes + c] += weight[c];
      continue;
    }
    slot_of_hash_[at] = n_left;
    mask_[group / kWordBits] |= Word{1} << (group % kWordBits);
    rows.identity[n_left] = rows.identity[group];
    rows.row_hash[n_left] = rows.row_hash[group];
    rows.base_loss[n_left] = rows.base_loss[group];
    rows.row_count[n_left] = rows.row_count[group];
    std::copy(weight, weight + n_classes, &rows.class_weight[std::size_t{n_left} * n_classes]);
    ++n_left;
  }
  if (n_left == rows.n_groups) return;
  plan_.clear();
  append_extraction(mask_.data(), rows.n_words(), 0, plan_);
  spare_bits_.assign(std::size_t{words_for(n_left)} * rows.stride, 0);
  kernels_.prepare(plan_.data(), plan_.size());
  kernels_.extract(rows.view(), nullptr, rows.stride, plan_.data(), plan_.size(), spare_bits_.data(), rows.stride);
  rows.bits.swap(spare_bits_);
  rows.n_groups = n_left;
  rows.identity.resize(n_left);
  rows.row_hash.resize(n_left);
  rows.base_loss.resize(n_left);
  rows.row_count.resize(n_left);
  rows.class_weight.resize(std::size_t{n_left} * n_classes);
}

/// Keeps the first of columns that are equal or complementary, and none that is constant (R2).
void RowSetMaker::drop_repeated_columns(RowSet& rows) {
  constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  if (rows.n_columns == 0) return;
  hashes_.resize(std::max<std::size_t>(hashes_.size(), rows.stride));
  kernels_.hash_columns(rows.view(), rows.last_mask(), hashes_.data());
  slot_of_hash_.assign(std::bit_ceil(2 * std::size_t{rows.n_columns}), kEmpty);
  const auto same = [&rows](std::uint32_t a, std::uint32_t b) {
    const Word flip = ((rows.bits[a] ^ rows.bits[b]) & 1) != 0 ? ~Word{0} : Word{0};
    for (std::uint32_t w = 0; w < rows.n_words(); ++w) {
      const Word* word = &rows.bits[std::size_t{w} * rows.stride];
      const Word valid = w + 1 == rows.n_words() ? rows.last_mask() : ~Word{0};
      if (((word[a] ^ word[b] ^ flip) & valid) != 0) return false;
    }
    return true;
  };
  const auto is_constant = [&rows](std::uint32_t c) {
    const Word flip = (rows.bits[c] & 1) != 0 ? ~Word{0} : Word{0};
    for (std::uint32_t w = 0; w < rows.n_words(); ++w) {
      const Word valid = w + 1 == rows.n_words() ? rows.last_mask() : ~Word{0};
      if (((rows.bits[std::size_t{w} * rows.stride + c] ^ flip) & valid) != 0) return false;
    }
    return true;
  };
  select_all(rows);
  kept_.clear();
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
    if (hashes_[c] == 0 && is_constant(c)) continue;
    std::size_t at = mix(hashes_[c]) & (slot_of_hash_.size() - 1);
    while (slot_of_hash_[at] != kEmpty && !(hashes_[slot_of_hash_[at]] == hashes_[c] && same(slot_of_hash_[at], c)))
      at = (at + 1) & (slot_of_hash_.size() - 1);
    if (slot_of_hash_[at] != kEmpty) {
      if (!rows.row_hash.empty()) toggle_column(rows, c, rows.row_hash);
      continue;
    }
    slot_of_hash_[at] = c;
    kept_.push_back(c);
  }
  if (kept_.size() < rows.n_columns) keep_columns(rows);
}

/// Moves the columns in `kept_` together.
void RowSetMaker::keep_columns(RowSet& rows) {
  const std::uint32_t n_columns = static_cast<std::uint32_t>(kept_.size());
  const std::uint32_t stride = padded_to_lanes(std::max(n_columns, 1u));
  for (std::uint32_t w = 0; w < rows.n_words(); ++w) {
    const std::size_t from = std::size_t{w} * rows.stride, to = std::size_t{w} * stride;
    for (std::uint32_t i = 0; i < n_columns; ++i) rows.bits[to + i] = rows.bits[from + kept_[i]];
    for (std::uint32_t i = n_columns; i < stride; ++i) rows.bits[to + i] = 0;
  }
  for (std::uint32_t i = 0; i < n_columns; ++i) rows.columns[i] = rows.columns[kept_[i]];
  rows.columns.resize(n_columns);
  rows.n_columns = n_columns;
  rows.stride = stride;
  rows.bits.resize(std::size_t{rows.n_words()} * stride);
}

/// Lays out the slots and measures all columns.
void RowSetMaker::finish(RowSet& rows) {
  const std::uint32_t n_classes = costs_.n_classes(), n_prices = costs_.n_loss_prices();
  rows.whole = Fingerprint{};
  rows.whole_base_loss = 0;
  for (std::uint32_t group = 0; group < rows.n_groups; ++group) {
    rows.whole ^= rows.identity[group];
    rows.whole_base_loss += rows.base_loss[group];
  }
  rows.segments.clear();
  rows.n_slot_words = 0;
  plan_.clear();
  counts_.assign(measures_.n_counts(), 0);
  weight_.assign(std::size_t{rows.n_words()} * kWordBits, 0);
  const auto add_target = [&](std::uint32_t target, auto weight_of) {
    for (std::uint32_t group = 0; group < rows.n_groups; ++group) {
      weight_[group] = weight_of(group);
      counts_[target] += weight_[group];
    }
    add_slots(rows, target);
  };
  for (std::uint32_t c = 0; c < n_classes; ++c)
    add_target(c, [&](std::uint32_t group) { return rows.class_weight[std::size_t{group} * n_classes + c]; });
  if (n_prices > 0) {
    price_weight_.assign(std::size_t{rows.n_groups} * n_prices, 0);
    for (std::uint32_t group = 0; group < rows.n_groups; ++group)
      costs_.add_least_loss_counts(&rows.class_weight[std::size_t{group} * n_classes],
                                   &price_weight_[std::size_t{group} * n_prices]);
    for (std::uint32_t i = 0; i < n_prices; ++i)
      add_target(n_classes + i, [&](std::uint32_t group) { return price_weight_[std::size_t{group} * n_prices + i]; });
  }
  if (measures_.counts_rows)
    add_target(n_classes + n_prices, [&](std::uint32_t group) { return rows.row_count[group]; });

  rows.slots.assign(std::size_t{rows.n_slot_words} * rows.stride, 0);
  kernels_.prepare(plan_.data(), plan_.size());
  kernels_.extract(rows.view(), nullptr, rows.stride, plan_.data(), plan_.size(), rows.slots.data(), rows.stride);
  rows.total.resize(measures_.size());
  costs_.measures_of(counts_.data(), rows.total.data());
  rows.sums.resize(std::size_t{measures_.size()} * rows.stride);
  kernels_.measure(rows.slot_tile(), measures_, nullptr, rows.sums.data(), scratch_for(rows));
}

/// Plans the slots of one count: group g gets slots whose shifts add up to weight_[g].
void RowSetMaker::add_slots(RowSet& rows, std::uint32_t target) {
  const std::uint32_t n_words = rows.n_words();
  std::uint64_t any = 0;
  for (std::uint32_t group = 0; group < rows.n_groups; ++group) any |= static_cast<std::uint64_t>(weight_[group]);
  if (any == 0) return;
  const auto n_bits = static_cast<std::uint32_t>(std::bit_width(any));
  bit_masks_.resize(std::max(bit_masks_.size(), std::size_t{n_bits} * n_words));
  std::uint64_t n_set[64], sum = 0;  // groups with each bit set; sum of (weight >> shift)
  for (std::uint32_t shift = 0; shift < n_bits; ++shift) {
    Word* mask = &bit_masks_[std::size_t{shift} * n_words];
    kernels_.mark_bit(weight_.data(), std::int64_t{1} << shift, mask, n_words);
    n_set[shift] = 0;
    for (std::uint32_t w = 0; w < n_words; ++w) n_set[shift] += static_cast<std::uint64_t>(std::popcount(mask[w]));
    sum += n_set[shift] << shift;
  }

  // The highest shift: words of single shifts below it plus words of (weight >> top) copies at it.
  std::uint32_t top = 0;
  std::uint64_t fewest = ~std::uint64_t{0}, below = 0;
  for (std::uint32_t shift = 0; shift < n_bits; ++shift) {
    const std::uint64_t n_slot_words = below + (sum + kWordBits - 1) / kWordBits;
    if (n_slot_words < fewest) {
      fewest = n_slot_words;
      top = shift;
    }
    below += (n_set[shift] + kWordBits - 1) / kWordBits;
    sum = (sum - n_set[shift]) / 2;
  }

  std::uint32_t begin = rows.n_slot_words;
  const auto add_segment = [&](std::uint32_t shift, std::uint32_t next_bit) {
    rows.n_slot_words = words_for(next_bit);
    if (rows.n_slot_words > begin) rows.segments.push_back({begin, rows.n_slot_words, target, shift, next_bit - begin * kWordBits});
    begin = rows.n_slot_words;
  };
  for (std::uint32_t shift = 0; shift < top; ++shift)
    add_segment(shift, append_extraction(&bit_masks_[std::size_t{shift} * n_words], n_words, begin * kWordBits, plan_));
  mask_.resize(std::max<std::size_t>(mask_.size(), n_words));
  std::uint32_t next_bit = begin * kWordBits, layer_begin = next_bit;
  for (std::int64_t copies = 1;; ++copies) {
    kernels_.mark_at_least(weight_.data(), copies << top, mask_.data(), n_words);
    next_bit = append_extraction(mask_.data(), n_words, next_bit, plan_);
    if (next_bit == layer_begin) break;
    layer_begin = next_bit;
  }
  add_segment(top, next_bit);
}

}  // namespace hornbeam
