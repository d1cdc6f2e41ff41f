// leafsets/leaves.hpp
//
// WHAT    The leaves that a search has met, each stored once: its rows, its loss, its children.
// FLOW    leafsets/leaf_set_search requests children -> here.
// HOLDS   A leaf is a set of literals (column, value); the order of the splits does not matter. Leaf 0 is the root,
//         without literals.
// COST    A leaf takes about 250 bytes, a bit per row and four bytes per literal; once it is split, 8 more bytes per
//         column. Leaves share their set of dead columns until one of them changes it.
// SOURCE  [hu2019osdt, sections 4 and 5]: incremental computation and the cache of leaves.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/number_index.hpp"
#include "data/distinct_rows.hpp"
#include "models/leaf_model.hpp"

namespace hornbeam::leafsets {

using LeafId = std::uint32_t;
inline constexpr LeafId kNoLeaf = ~LeafId{0};

/// Memory that is allocated in blocks and freed all at once, in no time however many leaves there are.
class LeafMemory {
 public:
  template <class T>
  std::span<T> take(std::size_t size) {
    static_assert(sizeof(T) <= sizeof(Word) && std::is_trivially_copyable_v<T>);
    const std::size_t n_words = (size * sizeof(T) + sizeof(Word) - 1) / sizeof(Word);
    if (blocks_.empty() || used_ + n_words > size_) add_block(n_words);
    T* const first = reinterpret_cast<T*>(blocks_.back().get() + std::exchange(used_, used_ + n_words));
    std::fill_n(first, size, T{});
    return {first, size};
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void add_block(std::size_t n_words) {
    size_ = std::max(n_words, kWordsOfBlock);
    used_ = 0;
    blocks_.push_back(std::make_unique_for_overwrite<Word[]>(size_));
    bytes_ += size_ * sizeof(Word);
  }

  static constexpr std::size_t kWordsOfBlock = std::size_t{1} << 13;
  std::vector<std::unique_ptr<Word[]>> blocks_;
  std::size_t used_ = 0, size_ = 0, bytes_ = 0;
};

/// A bit for each column.
class ColumnFlags {
 public:
  ColumnFlags() = default;
  explicit ColumnFlags(std::span<Word> bits) : bits_(bits) {}
  bool operator[](std::uint32_t column) const { return (bits_[column / kWordBits] >> (column % kWordBits) & 1) != 0; }
  /// A copy; both share the bits until one is set in one of them.
  ColumnFlags share() {
    is_shared_ = true;
    return *this;
  }
  void set(std::uint32_t column, LeafMemory& memory) {
    if (std::exchange(is_shared_, false)) {
      const std::span<Word> own = memory.take<Word>(bits_.size());
      std::copy(bits_.begin(), bits_.end(), own.begin());
      bits_ = own;
    }
    bits_[column / kWordBits] |= Word{1} << (column % kWordBits);
  }

 private:
  std::span<Word> bits_;
  bool is_shared_ = false;
};

/// Measures of some rows.
struct Measured {
  std::span<std::int64_t> class_weight;  // (n_classes)
  std::int64_t n_rows = 0;               // the caller's
  Ticks largest_loss = 0;                // with the costliest prediction for every row
  Ticks loss = 0;                        // of the best prediction
  Ticks least_loss = 0;                  // of its equivalent points
  std::uint32_t prediction = 0;
};

struct Leaf : Measured {
  std::span<Word> captured;                // distinct rows
  std::span<std::uint32_t> literals;       // 2 * column + value, in the order of splitting
  Fingerprint fingerprint;                 // of the literals
  ColumnFlags dead;                        // columns on which no optimal tree splits this leaf or one below it
  std::span<std::array<LeafId, 2>> sides;  // by column: where it does not hold, where it does; kNoLeaf if not made
  bool is_open = false;                    // all columns have been tried
  Ticks split_loss = 0;          // of an open leaf: bounds/split_lookahead.hpp or, for the AUC, bounds/few_segments.hpp
  std::uint32_t n_levels = 0;    // levels below it that were examined for `split_loss`, for the AUC
  std::span<Ticks> column_loss;  // the same for each column that it may be split on, if any level was examined

  std::uint32_t depth() const { return static_cast<std::uint32_t>(literals.size()); }
  bool tests(std::uint32_t column) const;
  bool may_be_split_on(std::uint32_t column) const { return !dead[column] && !tests(column); }
};

/// Leaves with stable addresses, in few blocks: a search makes millions, and frees them all at its end.
class LeafBlocks {
 public:
  Leaf& operator[](LeafId leaf) const { return blocks_[leaf / kLeavesOfBlock][leaf % kLeavesOfBlock]; }
  LeafId size() const { return size_; }
  void push_back(Leaf leaf) {
    if (size_ % kLeavesOfBlock == 0) blocks_.push_back(std::make_unique<Leaf[]>(kLeavesOfBlock));
    (*this)[size_++] = std::move(leaf);
  }

 private:
  static constexpr LeafId kLeavesOfBlock = 256;
  std::vector<std::unique_ptr<Leaf[]>> blocks_;
  LeafId size_ = 0;
};

class Leaves {
 public:
  Leaves(const data::DistinctRows& rows, const models::LeafModel& model);

  const Leaf& operator[](LeafId leaf) const { return leaves_[leaf]; }
  Leaf& operator[](LeafId leaf) { return leaves_[leaf]; }
  std::size_t size() const { return leaves_.size(); }
  std::size_t bytes() const;
  Ticks total() const { return leaves_[0].largest_loss; }
  /// Rows measured so far.
  std::uint64_t work() const { return work_; }
  std::uint32_t n_columns() const { return rows_.n_columns; }

  /// The part of a leaf where a column that it does not test has a value. A new leaf inherits the dead columns.
  LeafId side(LeafId leaf, std::uint32_t column, bool value);

  /// The measures of both sides of a column, the false side first, without keeping them as leaves. Valid until the next
  /// call.
  const std::array<Measured, 2>& measure_sides(LeafId leaf, std::uint32_t column);

  void mark_dead(LeafId leaf, std::uint32_t column) { leaves_[leaf].dead.set(column, memory_); }

  /// Makes space for the bounds of each column.
  void make_column_losses(LeafId leaf);

  /// The largest loss of the rows of a leaf that change sides if it is split on another column, or on its negation.
  Ticks loss_of_moved(LeafId leaf, std::uint32_t one, std::uint32_t other) const;

 private:
  /// Adds the rows of one word.
  void measure_word(std::uint32_t w, Word captured, Measured& measured);
  void finish(Measured& measured) const;
  LeafId keep(Leaf leaf);

  const data::DistinctRows& rows_;
  const models::LeafModel& model_;
  LeafMemory memory_;
  LeafBlocks leaves_;
  std::array<Measured, 2> sides_;
  NumberIndex by_fingerprint_;
  std::size_t bytes_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace hornbeam::leafsets
