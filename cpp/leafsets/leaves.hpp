// leafsets/leaves.hpp
//
// WHAT    The leaves that a search has come across, each kept once: what it captures, what it loses, its children.
// FLOW    leafsets/leaf_set_search asks for children -> here.
// HOLDS   A leaf is a set of literals (column, value); the order of the splits does not matter. Leaf 0 is the root,
//         without literals.
// COST    A leaf takes some 250 bytes and a bit for each row, and four bytes a literal; one that is split on a column 8
//         bytes for each column more. Leaves share what they know of dead columns until they learn more.
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
#include "data/costs.hpp"
#include "data/distinct_rows.hpp"

namespace hornbeam {

using LeafId = std::uint32_t;
inline constexpr LeafId kNoLeaf = ~LeafId{0};

/// Memory that is taken in blocks and given back all at once, in no time however many leaves there are.
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

/// What some rows lose.
struct Measured {
  std::span<std::int64_t> class_weight;  // (n_classes)
  std::int64_t n_rows = 0;               // the caller's
  Ticks largest_loss = 0;                // if every row is predicted in the dearest way
  Ticks loss = 0;                        // of the best prediction
  Ticks least_loss = 0;                  // of its equivalent points
  std::uint32_t prediction = 0;
};

struct Leaf : Measured {
  std::span<Word> captured;                // distinct rows
  std::span<std::uint32_t> literals;       // 2 * column + value, in the order of splitting
  Fingerprint name;                        // of the literals
  ColumnFlags dead;                        // columns that no best tree splits this leaf on, or one below it
  std::span<std::array<LeafId, 2>> sides;  // by column: where it does not hold, where it does; kNoLeaf if not made
  bool is_open = false;                    // all columns have been tried
  Ticks split_loss = 0;        // of an open leaf: see bounds/split_lookahead.hpp or, for ranks, bounds/few_segments.hpp
  std::uint32_t n_levels = 0;  // below it that this looks at, for ranks
  std::span<Ticks> column_loss;  // the same of each column that it may be split on, if it looks at any

  std::uint32_t depth() const { return static_cast<std::uint32_t>(literals.size()); }
  bool asks(std::uint32_t column) const;
  bool may_be_split_on(std::uint32_t column) const { return !dead[column] && !asks(column); }
};

/// Leaves that stay where they are, in few blocks: a search makes millions, and all are given back at its end.
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
  Leaves(const DistinctRows& rows, const Costs& costs);

  const Leaf& operator[](LeafId leaf) const { return leaves_[leaf]; }
  Leaf& operator[](LeafId leaf) { return leaves_[leaf]; }
  std::size_t size() const { return leaves_.size(); }
  std::size_t bytes() const;
  Ticks total() const { return leaves_[0].largest_loss; }
  /// Rows looked at so far.
  std::uint64_t work() const { return work_; }
  std::uint32_t n_columns() const { return rows_.n_columns; }

  /// The part of a leaf where a column it does not ask has a value. It inherits the dead columns if it is new.
  LeafId side(LeafId leaf, std::uint32_t column, bool value);

  /// What both sides of a column would be, where it does not hold and where it does, without keeping them. Valid until
  /// the next call.
  const std::array<Measured, 2>& look_at_sides(LeafId leaf, std::uint32_t column);

  void mark_dead(LeafId leaf, std::uint32_t column) { leaves_[leaf].dead.set(column, memory_); }

  /// Makes room for what is known of each column.
  void make_column_losses(LeafId leaf);

  /// The largest loss of the rows of a leaf that change sides from a split on one column to a split on another, or on
  /// its negation.
  Ticks loss_of_moved(LeafId leaf, std::uint32_t one, std::uint32_t other) const;

 private:
  /// Adds the rows of one word.
  void measure_word(std::uint32_t w, Word captured, Measured& measured);
  void finish(Measured& measured) const;
  LeafId keep(Leaf leaf);

  const DistinctRows& rows_;
  const Costs& costs_;
  LeafMemory memory_;
  LeafBlocks leaves_;
  std::array<Measured, 2> sides_;
  NumberIndex by_name_;
  std::size_t bytes_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace hornbeam
