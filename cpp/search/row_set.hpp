// search/row_set.hpp
//
// WHAT    The rows and columns of one subproblem, compacted to its own size: bits of its groups of equal rows, slots
//         for counting, and the measures of every column.
// FLOW    search/worker makes the root from the data and every child from its parent.
// HOLDS   (R1) groups that can incur a loss differ in some column that is left. (R2) no column is constant, nor equal
//         or complementary to another (compared, not only hashed). (R3) every column dropped on the way can be left
//         out of some optimal tree of every subset (bounds/support_condition.hpp). (R4) identity is the XOR over the
//         groups' rows. A child that is only counted has slots and measures and no groups, and of these only (R3)
//         holds: its equal rows stay apart (q may be smaller), complementary columns stay.
// COST    Making a child: columns x words of its parent for the bits, columns x slot words for the slots.
// CHOICE  A weight is written in binary over slots ("shifts"), so merged rows and sample weights are counted by the
//         same AND and population count as single rows. The highest shift is used more than once where that
//         takes fewer words (a weight of 3 may be 3 x 1 or 1 + 2).
#pragma once

#include <vector>

#include "base/fingerprint.hpp"
#include "base/types.hpp"
#include "data/costs.hpp"
#include "data/distinct_rows.hpp"
#include "kernels/extract_plan.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam {

struct RowSet {
  std::uint64_t serial = 0;  // of all that its maker has made
  std::uint32_t n_groups = 0;
  std::uint32_t n_columns = 0;
  std::uint32_t stride = 0;
  AlignedVector<Word> bits;                // word-major over groups
  std::vector<std::uint32_t> columns;      // number of each column in the data
  std::vector<Fingerprint> identity;       // (n_groups)
  std::vector<Key128> row_hash;            // (n_groups): XOR of the keys of the columns that hold, up to a constant
  std::vector<std::int64_t> class_weight;  // (n_groups, n_classes)
  std::vector<Ticks> base_loss;            // (n_groups): least loss of the distinct rows before any merge
  std::vector<std::int64_t> row_count;     // (n_groups)

  AlignedVector<Word> slots;
  std::vector<Segment> segments;
  std::uint32_t n_slot_words = 0;
  AlignedVector<Ticks> sums;  // measures of each column's true side: sums[m * stride + column]
  std::vector<Ticks> total;   // measures of all rows

  Fingerprint whole;
  Ticks whole_base_loss = 0;

  std::uint32_t n_words() const { return words_for(n_groups); }
  TileView view() const { return {bits.data(), n_words(), stride}; }
  SlotTile slot_tile() const {
    return {{slots.data(), n_slot_words, stride}, segments.data(), static_cast<std::uint32_t>(segments.size())};
  }
  bool only_counted() const { return bits.empty(); }
  bool test(std::uint32_t column, std::uint32_t group) const {
    return (bits[std::size_t{group / kWordBits} * stride + column] >> (group % kWordBits)) & 1;
  }
  /// Whether the rows of one column hold those of the other.
  bool are_nested(std::uint32_t a, std::uint32_t b) const;
  /// Bits of the last word that stand for groups.
  Word last_mask() const { return n_groups % kWordBits ? (Word{1} << (n_groups % kWordBits)) - 1 : ~Word{0}; }
  std::uint64_t bytes() const;
};

/// Makes row sets; owns the scratch space of one thread.
class RowSetMaker {
 public:
  RowSetMaker(const DistinctRows& data, const Costs& costs, const Kernels& kernels, std::uint64_t rows_per_leaf,
              Ticks support_threshold);

  /// Throws StoppedBeforeSearch if `stop` says so on the way; so does `hash_groups`.
  void make_root(RowSet& root, StopSignal& stop);

  /// What a root needs before children are made of it; to count children it does without.
  void hash_groups(RowSet& root, StopSignal& stop);

  /// The rows of `parent` where `column` (of the parent) equals `side`.
  void make_child(const RowSet& parent, std::uint32_t column, bool side, RowSet& child);

  /// The same without its groups, for a child that the pair stage closes. The caller knows its `whole` and
  /// `whole_base_loss`.
  void count_child(const RowSet& parent, std::uint32_t column, bool side, RowSet& child);

  /// Measures of the rows where `column` and each other column hold; valid until the next call of this object.
  const Ticks* pair_measures(const RowSet& rows, std::uint32_t column);

  /// Space for one kernel call on `rows`, for so many columns.
  Word* scratch_for(const RowSet& rows, std::uint32_t n_columns = 1);

 private:
  const Ticks* choose_columns(const RowSet& parent, std::uint32_t column, bool side);
  template <class MeasureOf>
  void drop_equal_columns(const RowSet& parent, MeasureOf measure_of);
  void take_columns(const RowSet& parent, RowSet& child);
  void select_groups(const RowSet& parent, std::uint32_t column, bool side);
  void select_all(const RowSet& rows);
  bool toggle_column(const RowSet& rows, std::uint32_t column, std::vector<Key128>& hashes) const;
  void copy_groups(const RowSet& parent, RowSet& child);
  void merge_equal_groups(RowSet& rows);
  void drop_repeated_columns(RowSet& rows);
  void keep_columns(RowSet& rows);
  void finish(RowSet& rows);
  void add_slots(RowSet& rows, std::uint32_t target);

  const DistinctRows& data_;
  const Costs& costs_;
  const Kernels& kernels_;
  Measures measures_;
  std::uint64_t rows_per_leaf_;
  Ticks support_threshold_;

  AlignedVector<Word> scratch_, spare_bits_, hashes_;
  std::uint64_t n_made_ = 0, paired_rows_ = 0;  // pair_sums_ are of paired_column_ in the set of this serial
  std::uint32_t paired_column_ = 0;
  AlignedVector<Ticks> pair_sums_;
  std::vector<std::uint32_t> kept_, dropped_, slot_of_hash_, group_of_;
  std::vector<Word> mask_, bit_masks_;
  std::vector<Key128> hash_of_group_;
  std::vector<ExtractWord> plan_;
  AlignedVector<std::int64_t> weight_;  // of one count, padded to whole words of groups
  std::vector<std::int64_t> price_weight_, counts_;
};

}  // namespace hornbeam
