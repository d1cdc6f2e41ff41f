// leafsets/leaves.hpp
//
// WHAT    The leaves that a search has come across, each kept once: what it captures, what it loses, its children.
// FLOW    leafsets/leaf_set_search asks for children -> here.
// HOLDS   A leaf is a set of literals (column, value), however it was come by; number 0 is the root, without literals.
// SOURCE  [hu2019osdt, sections 4 and 5]: incremental computation and the cache of leaves.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/fingerprint.hpp"
#include "data/costs.hpp"
#include "data/distinct_rows.hpp"

namespace hornbeam {

using LeafId = std::uint32_t;
inline constexpr LeafId kNoLeaf = ~LeafId{0};

struct FingerprintHash {
  std::size_t operator()(const Fingerprint& name) const noexcept { return name.hash(); }
};

struct Leaf {
  std::vector<Word> captured;              // distinct rows
  std::vector<std::uint32_t> literals;     // 2 * column + value, in the order of splitting
  Fingerprint name;                        // of the literals
  std::vector<std::int64_t> class_weight;  // (n_classes)
  std::int64_t n_rows = 0;                 // the caller's
  Ticks largest_loss = 0;                  // if every row is predicted in the dearest way
  Ticks loss = 0;                          // of the best prediction
  Ticks least_loss = 0;                    // of its equivalent points
  std::uint32_t prediction = 0;
  std::vector<bool> dead;                    // columns that no best tree splits this leaf on, or one below it
  std::vector<std::array<LeafId, 2>> sides;  // by column: where it does not hold, where it does; kNoLeaf if not made
  bool is_open = false;                      // all columns have been tried
  Ticks split_loss = 0;        // of an open leaf: see bounds/split_lookahead.hpp or, for ranks, bounds/few_segments.hpp
  std::uint32_t n_levels = 0;  // below it that this looks at, for ranks
  std::vector<Ticks> column_loss;  // the same of each column that it may be split on, if it looks at any

  std::uint32_t depth() const { return static_cast<std::uint32_t>(literals.size()); }
  bool asks(std::uint32_t column) const;
};

class Leaves {
 public:
  Leaves(const DistinctRows& rows, const Costs& costs);

  const Leaf& operator[](LeafId leaf) const { return *leaves_[leaf]; }
  Leaf& operator[](LeafId leaf) { return *leaves_[leaf]; }
  std::size_t size() const { return leaves_.size(); }
  std::size_t bytes() const { return bytes_; }
  Ticks total() const { return leaves_[0]->largest_loss; }
  std::uint32_t n_columns() const { return rows_.n_columns; }

  /// The part of a leaf where a column it does not ask has a value. It inherits the dead columns if it is new.
  LeafId side(LeafId leaf, std::uint32_t column, bool value);

  /// Makes room for what is known of each column.
  void make_column_losses(LeafId leaf);

  /// The largest loss of the rows of a leaf that change sides from a split on one column to a split on another, or on
  /// its negation.
  Ticks loss_of_moved(LeafId leaf, std::uint32_t one, std::uint32_t other) const;

 private:
  void measure(Leaf& leaf) const;
  LeafId keep(std::unique_ptr<Leaf> leaf);

  const DistinctRows& rows_;
  const Costs& costs_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::unordered_map<Fingerprint, LeafId, FingerprintHash> by_name_;
  std::size_t bytes_ = 0;
};

}  // namespace hornbeam
