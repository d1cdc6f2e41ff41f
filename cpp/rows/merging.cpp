// rows/merging.cpp: the part of RowSetMaker that merges rows of a child that have become equal.
#include <algorithm>
#include <bit>

#include "base/each_bit.hpp"
#include "rows/row_set.hpp"

namespace hornbeam::rows {

namespace {

constexpr std::uint32_t kDropped = ~std::uint32_t{0};

/// Sets of more slots are large: merging their rows takes longer than counting their columns.
constexpr std::size_t kManySlots = 1 << 12;
/// Merging pays if it raises q by more than this share of the leaf penalty.
constexpr Ticks kShareOfLeafCost = 16;

}  // namespace

/// Merges the rows of the child that the remaining columns do not separate, where that raises q. Their slots leave
/// `chosen_`. While this does not pay for large sets, only every sixteenth of them is tried.
void RowSetMaker::merge_equal_rows(const RowSet& parent) {
  constexpr std::uint32_t kLeftOut = 16;
  constexpr int kSaved = 4, kMostCredit = 16;
  if (measures_.n_loss_units == 0) return;
  std::size_t n_chosen = 0;
  for (const Word word : chosen_) n_chosen += static_cast<std::size_t>(std::popcount(word));
  const bool is_large = n_chosen > kManySlots;
  if (is_large && merge_credit_ < 0 && ++n_merges_left_out_ % kLeftOut != 0) return;
  find_equal_rows(parent, n_chosen);
  const Ticks raised = merge_counts(parent);
  if (!is_large) return;
  const bool pays = kShareOfLeafCost * raised > leaf_cost_;
  merge_credit_ = pays ? std::min(merge_credit_ + kSaved, kMostCredit) : std::max(merge_credit_ - 1, -1);
}

/// Candidates are the slots whose hash is shared by slots of two classes or, if one row may have slots of both, by two
/// different rows (two with equal 15-bit hashes may stay apart: q is then less than it could be).
void RowSetMaker::find_equal_rows(const RowSet& parent, std::size_t n_chosen) {
  constexpr std::uint16_t kUnseen = 0, kSeveral = 0xffff;
  const std::uint32_t n_targets = measures_.cancelled ? 2 : measures_.n_counts();  // that the merge reads
  seen_.assign(std::bit_ceil(4 * n_chosen), kUnseen);
  const int unused_bits = std::countl_zero(seen_.size()) + 1;
  const std::uint32_t n_words = n_row_words_;
  const Word *const slot_rows = parent.slot_rows.data(), *const kept = kept_mask_.data();
  const auto hash_bits = [=](std::size_t slot, Word flip) {  // of the columns left; flipped, of the others
    const Word* row = slot_rows + slot * n_words;
    Word hash = 0;
    for (std::uint32_t k = 0; k < n_words; ++k) {
      hash = (hash ^ (row[k] & (kept[k] ^ flip))) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
    return hash * 0xbf58476d1ce4e5b9ULL;
  };
  // Calls `visit(slot, segment, n)` for the chosen slots, of which this one is number n.
  const auto for_each_slot = [&](auto visit) {
    std::size_t n = 0;
    for (std::uint32_t s = 0; s < parent.segments.size() && parent.segments[s].target < n_targets; ++s)
      for (std::uint32_t w = parent.segments[s].begin; w < parent.segments[s].end; ++w)
        for_each_bit(chosen_[w], word_at(w), [&](std::size_t slot) { visit(slot, s, n++); });
  };
  hash_of_slot_.resize(std::max(hash_of_slot_.size(), n_chosen));
  std::uint16_t* const seen = seen_.data();
  std::uint32_t* const hash_of_slot = hash_of_slot_.data();
  for_each_slot([&](std::size_t slot, std::uint32_t s, std::size_t n) {
    const auto hash = static_cast<std::uint32_t>(hash_bits(slot, 0) >> unused_bits);
    hash_of_slot[n] = hash;
    const std::uint32_t target = parent.segments[s].target;
    if (target >= measures_.n_targets) return;
    const auto here =
        static_cast<std::uint16_t>(measures_.cancelled ? target + 1 : (hash_bits(slot, ~Word{0}) >> 48 & 0x7fff) | 1);
    std::uint16_t& known = seen[hash];
    known = known == kUnseen || known == here ? here : kSeveral;
  });
  suspect_.clear();
  for_each_slot([&](std::size_t slot, std::uint32_t s, std::size_t n) {
    if (seen[hash_of_slot[n]] == kSeveral) suspect_.push_back({slot, s, hash_of_slot[n], 0});
  });
  if (suspect_.empty()) return;
  index_.reset(suspect_.size());
  for (Suspect& suspect : suspect_) {
    const Word* row = &parent.slot_rows[suspect.slot * n_words];
    const auto n_merged = static_cast<std::uint32_t>(merged_.size());
    suspect.row = index_.find_or_add(suspect.hash, n_merged, [&](std::uint32_t number) {
      for (std::uint32_t k = 0; k < n_words; ++k)
        if (row_bits_[std::size_t{number} * n_words + k] != (row[k] & kept[k])) return false;
      return true;
    });
    if (suspect.row == n_merged) {
      merged_.emplace_back();
      for (std::uint32_t k = 0; k < n_words; ++k) row_bits_.push_back(row[k] & kept[k]);
      row_counts_.resize(row_counts_.size() + measures_.n_counts());
    }
    const kernels::Segment& segment = parent.segments[suspect.segment];
    row_counts_[std::size_t{suspect.row} * measures_.n_counts() + segment.target] += std::int64_t{1} << segment.shift;
  }
}

/// Merges the counts of the rows found, and drops those that do not change: their slots stay as they are. Returns by
/// how much q rises.
Ticks RowSetMaker::merge_counts(const RowSet& parent) {
  const std::size_t n_counts = measures_.n_counts(), n_words = n_row_words_;
  std::uint32_t n_left = 0;
  Ticks raised = 0;
  new_number_.assign(merged_.size(), kDropped);
  for (std::size_t row = 0; row < merged_.size(); ++row) {
    std::int64_t* const counts = &row_counts_[row * n_counts];
    const Ticks least_loss = model_.least_loss_of(counts);
    if (!model_.merge(counts)) continue;
    raised += model_.least_loss_of(counts) - least_loss;
    new_number_[row] = n_left++;
    std::copy_n(counts, n_counts, &row_counts_[new_number_[row] * n_counts]);
    std::copy_n(row_bits_.data() + row * n_words, n_words, row_bits_.data() + new_number_[row] * n_words);
  }
  merged_.resize(n_left);
  for (const Suspect& suspect : suspect_) {
    if (new_number_[suspect.row] == kDropped) continue;
    merged_[new_number_[suspect.row]].add(parent.slot_supports[suspect.slot]);
    chosen_[suspect.slot / kWordBits] &= ~(Word{1} << (suspect.slot % kWordBits));
  }
  return raised;
}

}  // namespace hornbeam::rows
