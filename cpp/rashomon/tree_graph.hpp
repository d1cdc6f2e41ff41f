// rashomon/tree_graph.hpp
//
// WHAT    The trees within a bound as a shared graph of subproblems, each with a histogram of the costs of its trees.
// FLOW    rashomon/tree_set -> here (tree_graph.cpp builds, read_tree.cpp and view_node.cpp
//         read, reliance.cpp, leaf_sets.cpp and filtered_trees.cpp go through all of it) -> rashomon/two_level_trees.
// HOLDS   (G1) The histogram of a node has all trees of its subproblem that cost at most its budget. (G2) The splits of
//         a deep node are those of all these trees except leaves, in the order of the columns; a node that is not deep
//         has trees of at most two levels, which are counted, and found again when read, without being stored. (G3) A
//         node that is raised to a larger budget keeps what it had: references to it stay valid.
// COST    A subproblem is expanded once for each budget; a budget is what the bound leaves when the other sides of all
//         splits above cost their known minimum.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rashomon/tree_set.hpp"
#include "shallow/sum_solver.hpp"
#include "shallow/two_levels.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::rashomon {

template <class Count>
class TreeReader;
template <class Count>
class PrefixGraph;
template <class Count>
class PrefixReader;
template <class Count>
class FilterIndex;
template <class Count>
class FilteredGraph;
template <class Count, class Sum, class Visitor>
class LeafOccurrences;

template <class Count>
class TreeGraph final : public TreeSet {
 public:
  TreeGraph(std::shared_ptr<const TreeSetProblem> problem, run::Run& run);

  /// Raises the bound step by step, until it is reached or the run is stopped. Throws CountOverflow.
  void build(Ticks optimum, Ticks bound);

  Ticks complete_up_to() const override { return nodes_[0].budget; }
  std::vector<CostCount<Limbs>> histogram() const override;
  tree::ResultTree tree(Ticks cost, const Limbs& rank) override;
  RelianceRange reliance(const RelianceProblem& group, run::Run& run) override;
  BestOfSet least_by_leaves(const LeafSetCost& cost, Ticks below, run::Run& run) override;
  std::optional<NodeView> view(std::span<const PathStep> path, Ticks budget, bool with_splits) override;
  std::unique_ptr<FilteredTrees> filtered(const TreeFilter& filter, run::Run& run) override;
  TreeSetStatistics statistics() const override;

 private:
  friend class TreeReader<Count>;
  friend class PrefixGraph<Count>;
  friend class PrefixReader<Count>;
  friend class FilterIndex<Count>;
  friend class FilteredGraph<Count>;
  template <class, class, class>
  friend class LeafOccurrences;

  struct Split {
    std::uint32_t column;  // of the data; the first of its copies
    std::uint32_t copies;
    std::uint32_t node[2];  // by side
  };
  struct Node {
    Ticks budget = -1;
    Histogram<Count> trees;
    std::vector<Split> splits;
    NodeLeaves leaves;
    bool is_deep = false;
    Ticks least = 0;  // no tree costs less
    bool is_least_known = false;
  };
  struct Side {
    Ticks leaf, least_loss, lower;
  };
  class Reliance;
  class LeafSets;
  class NodeViewer;

  /// `raise_root(to)` raises the root to a bound.
  void build_by_steps(Ticks optimum, Ticks bound, const std::function<void(Ticks)>& raise_root);
  void raise(rows::RowSet& rows, std::uint32_t depth, std::size_t level, Ticks budget, std::uint32_t node);
  bool is_deep(const rows::RowSet& rows, std::uint32_t depth, Ticks budget) const;
  /// Counts the trees of at most two levels in `sum_`. After each column, calls `on_column` with its place in the row
  /// set and whether a tree may split on it; `side_` then has the trees of both sides.
  template <class OnColumn>
  void count_shallow(const rows::RowSet& rows, std::uint32_t levels, Ticks budget, OnColumn on_column);
  void subtract(const TrivialSplits& trivial_splits, const Count& copies, Ticks budget);
  std::vector<Split> find_splits(rows::RowSet& rows, std::uint32_t depth, std::size_t level, Ticks budget);
  bool raise_sides(rows::RowSet& rows, std::uint32_t column, std::uint32_t depth, std::size_t level, Ticks budget,
                   Split& split);
  bool find_least(const rows::RowSet& rows, std::uint32_t column, bool is_true_side, std::uint32_t depth, Ticks most,
                  const Side& side, Node& node);
  /// The best tree of at most two or three levels on one side, but for a leaf. Nothing if stopped.
  std::optional<table::KnownTree> best_on_side(const rows::RowSet& rows, std::uint32_t column, bool is_true_side,
                                               std::uint32_t levels, Ticks most);
  std::uint32_t node_of(const table::SubproblemKey& key);
  rows::RowSet& child_of(const rows::RowSet& rows, std::uint32_t column, bool side, std::size_t level);
  void report();
  std::uint64_t bytes() const;
  std::uint64_t bytes_with_filters() const { return bytes() + filter_bytes_; }
  /// Counts the work of indexing or filtering nodes in one thread, the calling one is 0; its polls check the bytes.
  run::WorkMeter filter_meter(run::Run& run, std::uint32_t thread = 0) const;

  const std::shared_ptr<const TreeSetProblem> shared_problem_;
  const TreeSetProblem& problem_;
  run::Run& run_;  // of use only in `build`
  run::WorkMeter meter_;
  rows::RowSetMaker maker_;
  TwoLevelTrees two_level_trees_;
  const rows::Problem search_problem_;
  shallow::TwoLevelSolver two_levels_;
  std::optional<const shallow::CodedRows> coded_rows_;  // where two_levels_ is not usable, like the next one
  std::optional<shallow::SumSolver> sum_solver_;
  rows::RowSet root_;
  std::deque<rows::RowSet> levels_;
  std::deque<Node> nodes_;
  std::unordered_map<table::SubproblemKey, std::uint32_t, table::SubproblemKeyHash> index_;
  HistogramSum<Count> sum_;
  Histogram<Count> side_[2];
  std::uint64_t n_expansions_ = 0, list_bytes_ = 0;
  Counters counters_;
  std::uint64_t other_bytes_ = 0;  // that count against the limit
  Ticks optimum_ = 0;
  std::atomic<std::uint64_t> filter_bytes_ = 0;  // of the index and of all filtered graphs, which may end in any thread
  std::shared_ptr<const FilterIndex<Count>> filter_index_;  // made for the first filter
};

template <class Count>
template <class OnColumn>
void TreeGraph<Count>::count_shallow(const rows::RowSet& rows, std::uint32_t levels, Ticks budget, OnColumn on_column) {
  sum_.clear();
  std::vector<TreeLeaf> leaves;
  two_level_trees_.list_leaves(rows.total.data(), budget, leaves);
  for (const TreeLeaf& leaf : leaves) sum_.add(leaf.cost, Count(1));
  if (levels == 0) return;
  for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
    const bool has_trees = two_level_trees_.list_sides(rows, column, levels, budget);
    if (has_trees) {
      for (int x = 0; x < 2; ++x) count_one_level_trees(two_level_trees_.trees(x), side_[x]);
      const Count copies(rows.copies[column]);
      sum_.add_products(side_[1], side_[0], copies, budget);
      subtract(two_level_trees_.trivial_splits_listed(), copies, budget);
    }
    on_column(column, has_trees);
  }
}

}  // namespace hornbeam::rashomon
