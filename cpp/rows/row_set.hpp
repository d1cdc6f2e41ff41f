// rows/row_set.hpp
//
// WHAT    The rows and columns of one subproblem, compacted to its own size: slots for counting, and the measures of
//         every column.
// FLOW    search/child_maker makes the root from the data and every child from its parent.
// HOLDS   (R1) The counts are those of groups of rows that are equal on all remaining columns (LeafModel::merge); in
// large
//         sets, some equal rows may be in groups of their own, so that q is lower than it could be. (R2)
//         No column is constant, or equal or complementary to another one (compared, not only hashed), on the slots.
//         (R3) Some optimal tree of every subset does without every column that was dropped on the way
//         (bounds/support_condition.hpp). (R4) The XOR over the fingerprints of the slots where a column holds is the
//         fingerprint of its rows, and the sum of their base losses is theirs.
// COST    Making a child: its slots x (words of columns + fingerprint) to gather, a transposition per block of 64 x 64.
// CHOICE  Counts are written in binary over slots ("shifts"), so merged rows and sample weights are counted by the same
//         AND and population count as single rows. The highest shift is used more than once if that takes fewer words
//         (a weight of 3 may be 3 x 1 or 1 + 2). There are no groups besides the slots: a child's slots are chosen from
//         its parent's, and only rows whose counts change by a merge get new ones. The support sets of the slots take
//         three quarters of the memory of a root, so searches that look nothing up do without.
#pragma once

#include <optional>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/number_index.hpp"
#include "base/types.hpp"
#include "data/distinct_rows.hpp"
#include "kernels/kernels.hpp"
#include "models/leaf_model.hpp"

namespace hornbeam::rows {

/// What a slot stands for; the first slot of a row, or of merged rows, has all of it, and the others have none.
struct SupportSet {
  Fingerprint fingerprint;
  Ticks base_loss = 0;       // least loss of the distinct rows before any merge
  Ticks reference_loss = 0;  // what the reference loses on them (bounds/reference.hpp)
  void add(const SupportSet& other) {
    fingerprint ^= other.fingerprint;
    base_loss += other.base_loss;
    reference_loss += other.reference_loss;
  }
};

struct RowSet {
  std::uint32_t n_columns = 0;
  std::uint32_t stride = 0;
  std::vector<std::uint32_t> columns;  // number of each column in the data
  std::vector<std::uint32_t> copies;   // by column: how many of the data are equal or complementary to it, and itself

  std::uint32_t n_slot_words = 0;
  std::vector<kernels::Segment> segments;  // by target, then by shift
  AlignedVector<Word> slots;               // word-major
  std::vector<SupportSet> slot_supports;   // of each slot, 64 a word; empty without support sets
  /// The slots row by row, made when first needed: bit c % 64 of word c / 64 of a slot is column c.
  bool has_slot_rows = false;
  std::uint32_t words_per_slot = 0;
  AlignedVector<Word> slot_rows;
  /// The fingerprints in `slot_supports` as bit planes (kernels.hpp), where made.
  bool has_fingerprint_planes = false;
  AlignedVector<Word> fingerprint_planes;

  AlignedVector<Ticks> sums;                // measures of each column's true side: sums[m * stride + column]
  AlignedVector<std::int32_t> narrow_sums;  // PairInput
  std::int32_t narrow_total[2];
  std::vector<Ticks> total;  // measures of all rows
  /// The measures where one column and each other one hold, as in `sums`, and that column: the last one that was asked
  /// for (RowSetMaker::kept_pair_measures).
  std::optional<std::uint32_t> pair_column;
  AlignedVector<Ticks> pair_sums;
  SupportSet support;
  std::vector<std::uint32_t> numbers;  // of the rows in the data, if asked for (RowSetMaker::number_rows)

  /// For a row set that is only counted: the row set whose slots it uses, and which of them.
  const RowSet* source = nullptr;
  std::vector<Word> filter;

  kernels::SlotTile slot_tile() const {
    if (source != nullptr) return source->slot_tile().filtered(filter.data());
    return {{slots.data(), n_slot_words, stride}, segments.data(), static_cast<std::uint32_t>(segments.size())};
  }
  Word word(std::uint32_t column, std::uint32_t w) const { return slots[std::size_t{w} * stride + column]; }
  /// The slots of one word where the column equals `side`; `valid` marks those in use.
  Word chosen(std::uint32_t column, bool side, std::uint32_t w, Word valid) const {
    return (side ? word(column, w) : ~word(column, w)) & valid;
  }
  /// Whether the rows of one column include those of the other.
  bool are_nested(std::uint32_t a, std::uint32_t b) const;
  /// What was made when first needed. Its memory is kept: a vector that is emptied is filled with zeros when it grows.
  void forget_made() {
    has_slot_rows = has_fingerprint_planes = false;
    pair_column.reset();
  }
  std::uint64_t bytes() const;
};

/// Makes row sets; owns the scratch space of one thread.
class RowSetMaker {
 public:
  RowSetMaker(const data::DistinctRows& data, const models::LeafModel& model, const kernels::Kernels& kernels,
              Ticks leaf_cost, std::uint64_t rows_per_leaf, Ticks support_threshold);

  /// Throws Stopped.
  void make_root(RowSet& root, run::Run& run);

  /// The rows of `parent` where `column` (of the parent) equals `side`, and their support set; `parent` has its slot
  /// rows.
  void make_child(const RowSet& parent, std::uint32_t column, bool side, const SupportSet& support, RowSet& child);

  /// Only the measures of that child, and its rows as a filter of the parent's tile: no column is dropped, no row
  /// merged.
  void count_child(RowSet& parent, std::uint32_t column, bool side, RowSet& child);

  void make_slot_rows(RowSet& rows) const;

  /// From now on, row sets have the numbers of their rows.
  void number_rows() { numbers_rows_ = true; }

  /// Numbers the rows of a root that was made before.
  void number_root(RowSet& root) const;

  /// From now on, slots have no support sets, and that of a row set means nothing. For models without equivalent
  /// points.
  void without_supports() { has_supports_ = false; }

  /// Makes bit planes of the fingerprints, which pay off from about five support sets on. A support set that is made
  /// from them has only its fingerprint.
  void make_fingerprint_planes(RowSet& rows) const;
  /// Of the rows where the column equals `side`.
  SupportSet support_of(const RowSet& rows, std::uint32_t column, bool side) const;
  /// The support set of the rows on one side of `column` where `other` holds.
  SupportSet support_of(const RowSet& rows, std::uint32_t column, bool side, std::uint32_t other) const;

  /// Measures of the rows where `column` and each other column hold; valid until the next call of this object.
  const Ticks* pair_measures(const RowSet& rows, std::uint32_t column);
  /// The same, kept in the row set, valid until they are asked for another column: a search looks at the splits of one
  /// column several times before it goes on to another one.
  const Ticks* kept_pair_measures(RowSet& rows, std::uint32_t column);

  void pair_stage(const RowSet& rows, std::uint32_t column, kernels::PairSide* sides);

  /// Number of columns that bounds/support_condition.hpp has dropped from the children made so far.
  std::uint64_t n_light_columns() const { return n_light_columns_; }

  /// Of the scratch space.
  std::uint64_t bytes() const;

  /// The cheap bounds of every column; valid until the next call.
  const kernels::SplitScan& scan_splits(const RowSet& rows);

 private:
  /// A slot that may be of a row that changes.
  struct Suspect {
    std::size_t slot;
    std::uint32_t segment, hash, row;
  };

  void turn_word(const kernels::TileView& tile, std::uint32_t w, std::uint32_t n_row_words, Word* rows) const;
  kernels::PairInput pair_input(const RowSet& rows) const;
  Word* scratch_for(const RowSet& rows);
  void choose_slots(const RowSet& parent, std::uint32_t column, bool side);
  void merge_equal_rows(const RowSet& parent);
  void find_equal_rows(const RowSet& parent, std::size_t n_chosen);
  Ticks merge_counts(const RowSet& parent);
  /// Rows that get new slots, with the bits in `row_bits_`: at the root those of the data, in a child the merged ones.
  struct NewRows {
    std::size_t n;
    const std::int64_t* counts;
  };
  template <class SupportOf>
  void gather(const RowSet* parent, const NewRows& added, const SupportOf& support_of, RowSet& rows);
  template <class SupportOf>
  void gather_target(const RowSet* parent, std::uint32_t target, const NewRows& added, const SupportOf& support_of,
                     RowSet& rows);
  /// `on_step` is called once a word of slots.
  template <class OnStep>
  void lay_out(RowSet& rows, OnStep on_step);
  void drop_repeated_columns(RowSet& rows);
  void keep_columns(RowSet& rows);
  void finish(RowSet& rows);
  void narrow_sums_of(RowSet& rows);

  const data::DistinctRows& data_;
  const models::LeafModel& model_;
  const kernels::Kernels& kernels_;
  models::Measures measures_;
  Ticks leaf_cost_;
  std::uint64_t rows_per_leaf_;
  Ticks support_threshold_;
  bool is_narrow_;  // PairInput
  bool numbers_rows_ = false, has_supports_ = true;
  std::uint64_t n_light_columns_ = 0;
  int merge_credit_ = 0;  // of large sets
  std::uint32_t n_merges_left_out_ = 0;

  AlignedVector<Word> scratch_, hashes_, wide_;
  AlignedVector<Ticks> pair_sums_, scan_values_;
  kernels::SplitScan scan_;
  kernels::NarrowPairInput narrow_;              // but for the sums
  std::uint32_t n_row_words_ = 0;                // of the parent's columns
  std::vector<Word> kept_mask_, constant_mask_;  // of the parent's columns
  std::vector<std::uint32_t> kept_;
  std::vector<Word> chosen_;            // slots of the parent, less those of changed rows
  std::vector<const Word*> slot_bits_;  // of each slot that is made, on the parent's columns
  std::vector<Word> unused_slot_;       // the bits of a slot that is not in use
  std::vector<Word> valid_;
  std::vector<std::uint16_t> seen_;
  std::vector<std::uint32_t> hash_of_slot_, new_number_;
  NumberIndex index_;
  std::vector<Suspect> suspect_;
  std::vector<SupportSet> merged_;  // rows of a child that need new slots, their bits and counts
  std::vector<Word> row_bits_;
  std::vector<std::int64_t> row_counts_, counts_;
};

}  // namespace hornbeam::rows
