// search/packing.hpp
//
// WHAT    A greedy packing of pairs of rows for bounds/packing.hpp, within blocks of rows if there are too many pairs
//         (bounds/packing_blocks.hpp).
// HOLDS   The weight found never exceeds that of the best packing; dropping a pair keeps the bound valid.
// COST    Rows of one class x rows of the other x words of a row, eight rows at a time, at most twice: 2^23 words, but
//         for the padding of small blocks. The search for a packing stops early when the remaining capacity of all
//         columns, divided by the smallest distance of the remaining pairs, cannot reach the target.
// CHOICE  Rows that have a near row of the other class first, and for each row the nearest first: near pairs use up the
//         least capacity. All blocks share this order, as they share the capacity. With more than two classes, or
//         costs that differ, the groups of equal rows with the heaviest best prediction take the place of one class,
//         and all others that of the other.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/number_index.hpp"
#include "rows/problem.hpp"
#include "rows/row_set.hpp"

namespace hornbeam::search {

/// With less depth, searching a set costs less than packing its rows.
inline constexpr std::uint32_t kLeastDepthToPack = 4;

/// `visit(column, weight)` for each column of a row set that a tree may split on (bounds/support_condition.hpp), with
/// the weight of its lighter side.
template <class Visit>
void for_each_packed_column(const rows::Problem& problem, const rows::RowSet& rows, Visit visit) {
  const Ticks threshold = problem.threshold();
  const std::size_t n_measures = problem.model.measures().size();
  std::vector<Ticks> other_side(n_measures);
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
    for (std::size_t m = 0; m < n_measures; ++m) other_side[m] = rows.total[m] - rows.sums[m * rows.stride + c];
    const auto weight = [](const models::Cell<Ticks>& cell) { return cell.largest_loss - cell.least_loss; };
    const Ticks lighter =
        std::min(weight(problem.model.cell(&rows.sums[c], rows.stride)), weight(problem.model.cell(other_side.data())));
    if (lighter >= threshold) visit(c, lighter);
  }
}

class PairPacker {
 public:
  PairPacker(const rows::Problem& problem, const kernels::Kernels& kernels);

  /// Whether this problem's costs allow the bound.
  bool is_usable() const { return is_usable_; }

  /// Whether these rows have so many pairs, unless many rows are equal on the columns that a tree may split on.
  bool may_need_blocks(const rows::RowSet& rows) const;

  /// Whether such rows may be packed before a search is a long one. With more than two classes they are closed too
  /// rarely.
  bool tries_large_sets() const { return measures_.n_targets <= 2; }

  /// The weight of a packing on rows that have their slot rows; stops once it is `enough`, or cannot reach `needed`.
  /// Rows that need blocks that they may not use are not packed.
  Ticks pack(const rows::RowSet& rows, Ticks needed, Ticks enough, bool may_use_blocks = true);

  /// What the last packing has left of a column of the row set; 0 of those that no tree needs, or if there was none.
  Ticks unused(std::uint32_t column) const { return column < capacity_.size() ? capacity_[column] : 0; }

  /// Words of work of the last call.
  std::uint64_t work() const { return work_; }
  /// Whether the last call packed within blocks.
  bool is_in_blocks() const { return is_in_blocks_; }

 private:
  /// The rows of the other class in one block, as a tile with rows for columns.
  struct Block {
    std::size_t first;  // row in `others_left_`; the words begin at `n_words_` times that
    std::uint32_t n_rows, stride;
  };

  void find_columns(const rows::RowSet& rows);
  template <class Visit>
  void for_each_slot(const rows::RowSet& rows, Visit visit) const;
  template <class Visit>
  void merge_equal(std::vector<Word>& bits, Visit visit);
  void find_rows(const rows::RowSet& rows);
  void find_groups(const rows::RowSet& rows);
  Ticks find_sides();
  void make_blocks();
  void add_block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> others);
  void find_order();
  Ticks pack_row(std::size_t a);
  Ticks take(std::size_t a, Block& block, std::size_t b);
  void forget_spent(Block& block);
  kernels::TileView view(const Block& block) const {
    return {&other_words_[block.first * n_words_], static_cast<std::uint32_t>(n_words_), block.stride};
  }

  const rows::Problem& problem_;
  const kernels::Kernels& kernels_;
  const models::Measures measures_;
  const bool is_usable_;
  bool is_in_blocks_ = false;
  std::uint64_t work_ = 0;
  std::size_t n_words_ = 0;                               // of a row
  std::vector<Word> allowed_;                             // columns that a tree may split on
  std::vector<std::pair<Ticks, std::uint32_t>> columns_;  // the same, with the weight of their lighter side
  std::vector<Ticks> capacity_;                           // of each column
  Ticks total_capacity_ = 0;                              // of all columns together
  std::vector<Word> full_;                                // columns without capacity
  std::vector<Word> bits_[2];                             // of the rows of each side, on the allowed columns
  std::vector<Ticks> left_[2];                            // of each row
  std::vector<Word> group_bits_;                          // on the allowed columns
  std::vector<std::int64_t> group_weight_;                // (groups, targets)
  int first_ = 0;                                         // the class whose rows are packed one after another
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_;  // of each row of the first class that has a partner in its block
  AlignedVector<Word> other_words_;      // the rows of the other class, block by block
  std::vector<Ticks> others_left_;       // of the same
  std::vector<std::uint8_t> distances_;
  std::vector<std::uint32_t> spent_, order_;
  NumberIndex index_;
  std::vector<Ticks> nearest_;  // distance of each row of the first class to the other
};

}  // namespace hornbeam::search
