// rashomon/filter_index.hpp
//
// WHAT    What filters need to know of the nodes of a graph of trees: found once from the rows.
// FLOW    rashomon/tree_graph -> here -> rashomon/filtered_trees.
// HOLDS   (I1) The budget of a node is the most that one of its trees costs as a part of a tree of the set; the trees
//         above it are no dearer than what their cheapest other parts leave. Nodes and splits that are in no tree of
//         the set are left out. (I2) For a node that is not deep, the index has all small trees on both sides of each
//         split that is within the budget.
// COST    One pass over the rows of each node, and 16 bytes for each small tree.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "rashomon/cost_sums.hpp"
#include "rashomon/row_masks.hpp"
#include "rashomon/tree_graph.hpp"

namespace hornbeam::rashomon {

/// A leaf, or a split with two leaves, on one side of a split.
struct SmallTree {
  Ticks cost;
  std::uint32_t what;  // the place of its column in the node; of a leaf, kLeaf plus the prediction
  std::uint32_t rows;  // least number in a leaf

  static constexpr std::uint32_t kLeaf = std::uint32_t{1} << 31;
  bool is_leaf() const { return what >= kLeaf; }
};

/// What filters need to know of a node.
struct IndexedNode {
  /// The small trees of a split, those of the false side first, each side by ascending cost.
  struct Split {
    std::uint32_t place;
    std::uint32_t n_trees[2];
  };
  Ticks budget = -1;       // of its trees, the most that one costs as a part of a tree of the set; -1 if none is one
  std::uint32_t rows = 0;  // 0 before it was visited
  // Of its trees, and of the trees below it:
  std::uint32_t levels = 0;      // of splits, at most
  std::uint32_t least_rows = 0;  // in a leaf
  std::uint64_t columns = 0;     // bit c % 64 for each column c that they test
  std::vector<TreeLeaf> leaves;
  /// The columns of the data at each place: of those that trees test, or of the splits if the node is deep. A split of
  /// a deep node that is in no tree of the set has none.
  std::vector<RowMasks::Copy> copies;
  std::vector<std::uint32_t> copy_ends;
  std::vector<Split> splits;  // of a node that is not deep
  std::vector<SmallTree> trees;
  std::vector<std::array<std::uint32_t, 2>> predictions;  // of each of them, by side; of a leaf the first

  std::span<const RowMasks::Copy> copies_at(std::size_t place) const {
    const std::uint32_t begin = place == 0 ? 0 : copy_ends[place - 1];
    return {copies.data() + begin, copies.data() + copy_ends[place]};
  }
  std::uint64_t heap_bytes() const {
    return leaves.capacity() * sizeof(TreeLeaf) + copies.capacity() * sizeof(RowMasks::Copy) +
           copy_ends.capacity() * sizeof(std::uint32_t) + splits.capacity() * sizeof(Split) +
           trees.capacity() * sizeof(SmallTree) + predictions.capacity() * sizeof(predictions[0]);
  }
};

/// Bit c % 64, by which a set of columns is small; other columns may share it.
inline std::uint64_t column_bit(std::uint32_t column) { return std::uint64_t{1} << (column % 64); }

/// Of a depth that is left.
inline std::uint32_t one_less(std::uint32_t depth) { return depth == table::kUnlimited ? depth : depth - 1; }

/// Adds bytes to a total that others add to as well, and takes them off again at the end of its life. For any thread.
class HeldBytes {
 public:
  explicit HeldBytes(std::atomic<std::uint64_t>& total) : total_(total) {}
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes(HeldBytes&&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  HeldBytes& operator=(HeldBytes&&) = delete;
  ~HeldBytes() { total_ -= own_; }
  void add(std::uint64_t bytes) {
    own_ += bytes;
    total_ += bytes;
  }

 private:
  std::atomic<std::uint64_t>& total_;
  std::atomic<std::uint64_t> own_{0};
};

template <class Count>
class FilterIndex {
 public:
  /// Throws Stopped, also if it does not fit into the run's limit on bytes.
  FilterIndex(TreeGraph<Count>& graph, run::Run& run);

  const IndexedNode& operator[](std::uint32_t node) const { return nodes_[node]; }
  const CostLattice& lattice() const { return lattice_; }
  std::uint32_t count_rows(const Mask& mask) const;
  /// Of a node that is not deep, whether the graph has it or not.
  IndexedNode list(const rows::RowSet& rows, const Mask& mask, std::uint32_t levels, Ticks budget) const;

 private:
  using Split = typename TreeGraph<Count>::Split;

  void find_budgets();
  void list_sides_first(std::uint32_t node, std::vector<bool>& is_listed, std::vector<std::uint32_t>& order) const;
  /// The least costs on both sides of a split; nothing if no tree of at most this budget has it.
  std::optional<std::array<Ticks, 2>> least_costs(const Split& split, Ticks budget) const;
  void visit(rows::RowSet& rows, std::uint32_t node, const Mask& mask, std::uint32_t depth, std::size_t level,
             run::WorkMeter& meter);
  void count_bytes(const IndexedNode& node, run::WorkMeter& meter);
  void add_copies(const Mask& mask, std::uint32_t first, std::uint32_t n_copies, IndexedNode& node) const;
  std::uint32_t count_rows(const Mask& mask, std::uint32_t column) const;

  TreeGraph<Count>& graph_;
  const data::DistinctRows& data_;
  const RowMasks masks_;
  const CostLattice lattice_;
  HeldBytes held_;
  std::vector<IndexedNode> nodes_;
};

}  // namespace hornbeam::rashomon
