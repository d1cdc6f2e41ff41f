// rashomon/filtered_trees.hpp
//
// WHAT    The trees of a graph that avoid some columns, are less deep, or have more rows in each leaf: counted again
//         from the graph, without a search.
// FLOW    rashomon/filter_index, made once from the rows -> FilteredGraph, made for each filter; rashomon/view_node
//         answers from it.
// HOLDS   (F1) The trees of a node that pass a filter are a subset of those in its histogram, so the budgets of the
//         graph are sufficient, and no number overflows. (F2) A split passes if both sides do, and one of its columns
//         is allowed; trees are counted once for each of these, as in the graph. (F3) A node is counted up to the most
//         that the cheapest other parts leave of the bound, among the trees that pass: no tree of the whole set that
//         passes has a dearer part there. (F4) All that is kept counts against the limit on bytes, together with the
//         graph and what other filters keep.
//         (F5) Nodes are counted round after round, both sides of a split before it. Those of a round need nothing of
//         each other, so several threads count them, and the result is the same.
// COST    The cheapest tree of each node first, then a product of histograms for each split of those nodes that the
//         filter does not leave as they are, and that some tree that passes has. No row.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "rashomon/filter_index.hpp"
#include "rashomon/subset_sums.hpp"

namespace hornbeam::rashomon {

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
  /// The trees of a node of at most `depth` levels that pass, of those that are in some tree of the whole set that
  /// passes: all of at most `most(node, depth)`. There may be dearer ones, not all of which pass.
  const Histogram<Count>& trees(std::uint32_t node, std::uint32_t depth) const;
  Ticks most(std::uint32_t node, std::uint32_t depth) const;
  /// Those of a node that is not deep. After each split with trees, calls `on_split` with its first column and
  /// the trees of both sides.
  template <class OnSplit>
  Histogram<Count> count_small(const IndexedNode& node, std::uint32_t depth, Ticks budget, OnSplit on_split) {
    return count_small(node, depth, budget, nullptr, scratch_.front(), on_split);
  }

 private:
  template <class, class, class>
  friend class LeafOccurrences;

  using Split = typename TreeGraph<Count>::Split;
  /// A node with what is left of the filter's depth.
  struct Place {
    std::uint32_t node, depth;
    Place side(const Split& split, int x) const { return {split.node[x], one_less(depth)}; }
  };
  /// Of the trees there that pass.
  struct Found {
    Ticks least = -1;   // cost, or kInfinity; -1 before it was looked for
    Ticks budget = -1;  // -1 if none of them is in a tree of the whole set that passes
    const Histogram<Count>* trees = nullptr;
    std::uint32_t round = 0;  // in which they are counted
  };
  /// What one thread needs to count.
  struct Scratch {
    explicit Scratch(const CostLattice& lattice) : sum(lattice) {}
    SubsetSums<Count> sum;
    Histogram<Count> side[2];
    std::vector<const SmallTree*> leaves[2];  // of both sides at hand
    std::vector<std::uint32_t> allowed;       // of the node at hand, by place
  };

  std::size_t number_of(const Place& place) const {
    return std::size_t{place.node} * n_depths_ + (place.depth == table::kUnlimited ? 0 : place.depth);
  }
  /// Appends what has to be counted, both sides of a split before it.
  Ticks find_least(const Place& place, std::vector<Place>& sides_first, run::WorkMeter& meter);
  Ticks least_of_all(std::uint32_t node) const;
  Ticks least_of_splits(const Place& place, std::vector<Place>& sides_first, run::WorkMeter& meter);
  Ticks least_of_small(const IndexedNode& node, std::uint32_t depth);
  bool is_used(const Place& place, const Split& split, Ticks budget) const;
  void give_budgets(const Place& place);
  /// The places of each round that trees that pass have, from all places with both sides of a split before it.
  std::vector<std::vector<Place>> rounds_of(std::span<const Place> sides_first);
  void count_round(std::span<const Place> places, run::Run& run);
  void count(const Place& place, Histogram<Count>& trees, Scratch& scratch, run::WorkMeter& meter);
  Histogram<Count> count_deep(const Place& place, Ticks budget, Scratch& scratch);
  template <class OnSplit>
  Histogram<Count> count_small(const IndexedNode& node, std::uint32_t depth, Ticks budget, const Histogram<Count>* all,
                               Scratch& scratch, OnSplit on_split);
  void add_leaves(const IndexedNode& node, SubsetSums<Count>& sum) const;
  /// Whether all trees of a node pass, which then has the histogram of the graph.
  bool passes(const Place& place) const;
  /// How many columns at a place are allowed.
  std::uint32_t n_allowed(const IndexedNode& node, std::size_t place) const;
  void find_allowed(const IndexedNode& node, std::vector<std::uint32_t>& allowed) const;
  /// Of a small tree, how many there are with allowed columns.
  std::uint32_t n_passing(const SmallTree& tree, std::uint32_t depth, const Scratch& scratch) const {
    if (tree.rows < filter_.rows_per_leaf) return 0;
    return tree.is_leaf() ? 1 : (depth == 1 ? 0 : scratch.allowed[tree.what]);
  }
  bool must_differ() const;

  TreeGraph<Count>& graph_;
  const FilterIndex<Count>& index_;
  TreeFilter filter_;
  std::uint64_t forbidden_ = 0;  // as IndexedNode::columns
  HeldBytes held_;
  std::deque<Scratch> scratch_;  // one for each thread
  std::size_t n_depths_ = 1;     // that nodes are counted for; one if there is no limit
  std::vector<Found> found_;     // by node and depth
  std::deque<Histogram<Count>> counted_;
  const Histogram<Count> none_;
};

template <class Count>
template <class OnSplit>
Histogram<Count> FilteredGraph<Count>::count_small(const IndexedNode& node, std::uint32_t depth, Ticks budget,
                                                   const Histogram<Count>* all, Scratch& scratch, OnSplit on_split) {
  auto& [sum, side, leaves, allowed] = scratch;
  sum.begin(budget, all);
  add_leaves(node, sum);
  find_allowed(node, allowed);
  const SmallTree* next = node.trees.data();
  for (const IndexedNode::Split& split : node.splits) {
    const SmallTree* const begin[2] = {next, next + split.n_trees[0]};
    const SmallTree* const end[2] = {begin[1], begin[1] + split.n_trees[1]};
    next = end[1];
    const std::uint32_t copies = allowed[split.place];
    if (depth == 0 || copies == 0) continue;
    for (int x = 0; x < 2; ++x) {
      side[x].clear();
      leaves[x].clear();
      for (const SmallTree* tree = begin[x]; tree != end[x]; ++tree) {
        const std::uint32_t n = n_passing(*tree, depth, scratch);
        if (n == 0) continue;
        if (tree->is_leaf()) leaves[x].push_back(tree);
        if (side[x].empty() || side[x].back().cost != tree->cost) side[x].push_back({tree->cost, Count()});
        side[x].back().count += Count(n);
      }
    }
    if (side[0].empty() || side[1].empty()) continue;
    sum.add_products(side[1], side[0], Count(copies));
    if (must_differ())
      for (const SmallTree* const a : leaves[0])
        for (const SmallTree* const b : leaves[1])
          if (a->what == b->what) sum.subtract(a->cost + b->cost, Count(copies));
    on_split(node.copies_at(split.place).front().column, side);
  }
  return sum.take();
}

}  // namespace hornbeam::rashomon
