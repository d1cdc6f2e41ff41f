// rashomon/prefix_graph.hpp
//
// WHAT    RESPLIT: all trees that complete a prefix of a few levels of splits. The value of a prefix is the cost of its
//         leaves, where those at the last level cost as much as their greedy trees. If it is within a bound, each leaf
//         of the prefix is replaced by every tree that costs no more than the greedy tree of the same rows and depth.
// FLOW    rashomon/tree_set -> here (read_prefix.cpp reads) -> lookahead/prefixes, rashomon/tree_graph (all trees below
//         the last level of the prefixes).
// HOLDS   (X1) No tree is in the set twice. Several prefixes may lead to one tree; its *score* is the least of their
//         values, infinite if there is none, and the set has the trees whose score is within the bound. The scores of
//         the two sides of a split add up; at a node where a prefix may end, all trees no worse than the greedy one
//         have at most the value of that end as their score. So trees are counted by score and cost, and the counts
//         multiply. (X2) A node has the trees of a score up to `scores`, and those that cost up to `costs` whatever
//         their score, which is infinite if above `scores`: no others are in the set, or count where a prefix ends
//         above. (X3) Every tree of the set costs at most the bound: no part of it costs more than its prefix there.
// COST    That of lookahead search once, and of the graph of all trees below the prefixes.
// SOURCE  [babbar2025split, algorithm 5]; the released program expands equal trees again for each prefix, and lists
//         them. Scores, histograms by score and cost, and reading trees by number are ours.
#pragma once

#include <map>

#include "lookahead/prefixes.hpp"
#include "rashomon/tree_graph.hpp"

namespace hornbeam::rashomon {

template <class Count>
class PrefixGraph final : public TreeSet {
 public:
  PrefixGraph(std::shared_ptr<const TreeSetProblem> problem, const PrefixRule& rule, run::Run& run);

  /// Raises the bound step by step from the value of the best prefix, until it is reached or the run is stopped. Throws
  /// CountOverflow.
  void build(Ticks best, Ticks bound);

  Ticks complete_up_to() const override { return nodes_[0].scores; }
  std::vector<CostCount<Limbs>> histogram() const override;
  tree::ResultTree tree(Ticks cost, const Limbs& rank) override;
  TreeSetStatistics statistics() const override;

 private:
  friend class PrefixReader<Count>;
  using Split = TreeGraph<Count>::Split;

  /// The trees of one score.
  struct Scored {
    Ticks score;
    Histogram<Count> trees;
  };
  struct Node {
    Ticks scores = -1, costs = -1;
    std::vector<Scored> trees;      // by ascending score
    Histogram<Count> prefixes;      // by their value
    std::vector<Split> splits;      // none at the last level of the prefixes
    std::uint32_t of_graph = 0;     // at the last level, the node of the graph of all trees
    TreeLeaf leaf{kInfinity, 0};    // the best one
    Ticks value = kInfinity;        // of a prefix that ends here, if it may be within the bound
    Ticks greedy = -1;              // the largest cost of a tree that may replace the end of a prefix here
    Ticks least_score = kInfinity;  // of all trees, if it may be within the bound
    /// Of the tree that is only the best leaf.
    Ticks score_of_leaf() const { return leaf.cost <= greedy && value <= scores ? value : kInfinity; }
  };
  using Sums = std::map<Ticks, HistogramSum<Count>>;  // of trees, by the sum of the scores of their sides

  void raise(rows::RowSet& rows, rows::RowSet& counted, std::uint32_t level, Ticks scores, Ticks costs,
             std::uint32_t at);
  void raise_end(rows::RowSet& rows, std::uint32_t level, Ticks scores, Ticks costs, std::uint32_t at);
  std::vector<Split> find_splits(rows::RowSet& rows, rows::RowSet& counted, std::uint32_t level, Ticks scores,
                                 Ticks costs);
  void raise_side(rows::RowSet& rows, rows::RowSet& counted, std::uint32_t column, int side, std::uint32_t level,
                  Ticks scores, Ticks costs, std::uint32_t at);
  void add_splits(const std::vector<Split>& splits, Ticks scores, Ticks costs, Sums& sums);
  void set_trees(Node& node, Ticks scores, Ticks costs, Sums& sums);
  std::uint32_t node_of(const table::SubproblemKey& key);
  /// A tree whose objective is that of `cost` costs no more, whatever its leaves.
  Ticks most_of(Ticks cost) const { return cost | rule_.leaf_count_mask; }
  void check_memory();

  const PrefixRule rule_;
  TreeGraph<Count> graph_;
  lookahead::Prefixes prefixes_;
  rows::RowSet root_;                 // for `prefixes_`
  std::deque<rows::RowSet> counted_;  // by level
  std::deque<Node> nodes_;
  std::unordered_map<table::SubproblemKey, std::uint32_t, table::SubproblemKeyHash> index_;
  HistogramSum<Count> prefix_sum_;
  std::uint64_t list_bytes_ = 0;
};

}  // namespace hornbeam::rashomon
