// rashomon/filtered_trees.hpp
//
// WHAT    The trees of a graph that avoid some columns, are less deep, or have more rows in each leaf: counted again
//         from the graph, without a search.
// FLOW    rashomon/tree_graph -> FilterIndex, made once from the rows -> FilteredGraph, made for each filter;
//         rashomon/view_node answers from it.
// HOLDS   (F1) The trees of a node that pass a filter are a subset of those in its histogram, so the budgets of the
//         graph are sufficient, and no number overflows. (F2) A split passes if both sides do, and one of its columns
//         is allowed; trees are counted once for each of these, as in the graph. (F3) For a node that is not deep, the
//         index has all small trees on both sides of each split that is within the budget.
//         (F4) All that is kept counts against the limit on bytes, together with the graph and what other filters keep.
// COST    The index takes one pass over the rows of each node, and 16 bytes for each small tree. A filter takes a
//         product of histograms for each split, and no row.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <utility>
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
  std::uint32_t rows = 0;        // 0 before it was visited
  std::uint32_t least_rows = 0;  // in a leaf of its trees; of a deep node, as a leaf
  std::vector<TreeLeaf> leaves;
  /// The columns of the data at each place: of those that trees test, or of the splits if the node is deep.
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

/// Adds bytes to a total that others add to as well, and takes them off again at the end of its life.
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
  std::uint64_t own_ = 0;
};

/// Of a depth that is left.
inline std::uint32_t one_less(std::uint32_t depth) { return depth == table::kUnlimited ? depth : depth - 1; }

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

template <class Count>
class FilteredGraph final : public FilteredTrees {
 public:
  /// Counts the trees of all nodes. Throws Stopped, also if they do not fit into the run's limit on bytes.
  FilteredGraph(TreeGraph<Count>& graph, const FilterIndex<Count>& index, TreeFilter filter, run::Run& run);

  std::optional<NodeView> view(std::span<const PathStep> path, Ticks budget, bool with_splits) override;
  VoteCounts votes(const RowMasks& rows, const TreeLimit& limit, run::Run& run) override;
  PredictionSpread spread(const RowMasks& rows, const TreeLimit& limit, run::Run& run) override;
  RelianceSum sum_of_reliance(const RelianceProblem& group, const TreeLimit& limit, run::Run& run) override;

  const TreeFilter& filter() const { return filter_; }
  const FilterIndex<Count>& index() const { return index_; }
  /// The trees of a node of at most `depth` levels that pass.
  const Histogram<Count>& trees(std::uint32_t node, std::uint32_t depth);
  /// Those of a node that is not deep. After each split with trees, calls `on_split` with its first column and
  /// the trees of both sides.
  template <class OnSplit>
  Histogram<Count> count_small(const IndexedNode& node, std::uint32_t depth, Ticks budget, OnSplit on_split);

 private:
  template <class, class, class>
  friend class LeafOccurrences;

  const Histogram<Count>& find(std::uint32_t node, std::uint32_t depth);
  Histogram<Count> count_deep(std::uint32_t number, std::uint32_t depth);
  void add_leaves(const IndexedNode& node);
  /// Whether all trees of a node pass, which then has the histogram of the graph.
  bool passes(std::uint32_t node, std::uint32_t depth);
  /// How many columns at a place are allowed.
  std::uint32_t n_allowed(const IndexedNode& node, std::size_t place) const;
  bool must_differ() const;

  TreeGraph<Count>& graph_;
  const FilterIndex<Count>& index_;
  TreeFilter filter_;
  run::WorkMeter* meter_ = nullptr;  // while the constructor counts
  HeldBytes held_;
  CostSums<Count> sum_;
  Histogram<Count> side_[2];
  std::vector<std::uint32_t> allowed_;          // of the node at hand, by place
  std::size_t n_depths_ = 1;                    // that nodes are counted for; one if there is no limit
  std::vector<const Histogram<Count>*> known_;  // by node and depth
  std::deque<Histogram<Count>> counted_;
};

template <class Count>
template <class OnSplit>
Histogram<Count> FilteredGraph<Count>::count_small(const IndexedNode& node, std::uint32_t depth, Ticks budget,
                                                   OnSplit on_split) {
  sum_.begin(budget);
  add_leaves(node);
  allowed_.clear();
  for (std::size_t place = 0; place < node.copy_ends.size(); ++place) allowed_.push_back(n_allowed(node, place));
  const SmallTree* next = node.trees.data();
  for (const IndexedNode::Split& split : node.splits) {
    const SmallTree* const begin[2] = {next, next + split.n_trees[0]};
    const SmallTree* const end[2] = {begin[1], begin[1] + split.n_trees[1]};
    next = end[1];
    const std::uint32_t copies = allowed_[split.place];
    if (depth == 0 || copies == 0) continue;
    for (int x = 0; x < 2; ++x) {
      side_[x].clear();
      for (const SmallTree* tree = begin[x]; tree != end[x]; ++tree) {
        const std::uint32_t n = tree->is_leaf() ? 1 : (depth == 1 ? 0 : allowed_[tree->what]);
        if (n == 0 || tree->rows < filter_.rows_per_leaf) continue;
        if (side_[x].empty() || side_[x].back().cost != tree->cost) side_[x].push_back({tree->cost, Count()});
        side_[x].back().count += Count(n);
      }
    }
    if (side_[0].empty() || side_[1].empty()) continue;
    sum_.add_products(side_[1], side_[0], Count(copies));
    if (must_differ())
      for (const SmallTree* a = begin[0]; a != end[0]; ++a)
        for (const SmallTree* b = begin[1]; a->is_leaf() && b != end[1]; ++b)
          if (a->what == b->what && std::min(a->rows, b->rows) >= filter_.rows_per_leaf)
            sum_.subtract(a->cost + b->cost, Count(copies));
    on_split(node.copies_at(split.place).front().column, side_);
  }
  return sum_.take();
}

}  // namespace hornbeam::rashomon
