// rashomon/tree_set.hpp
//
// WHAT    All trees that cost at most a bound: their number by cost, and any one of them.
// FLOW    api/rashomon -> here -> rashomon/tree_graph, or rashomon/prefix_graph for the set that RESPLIT finds.
// HOLDS   (S1) The set of `find_trees` has exactly the trees of the kind that cost at most `complete_up_to`; that of
//         `find_trees_by_prefixes` those that complete a prefix of at most this value. (S2) Trees of one cost are in an
//         order that depends only on the problem, not on how the set was found.
// SOURCE  [xin2022treefarms]: the set and its graph. Counting it by histograms of cost, and the rest, is ours.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/bounds.hpp"
#include "rashomon/filter.hpp"
#include "rashomon/reliance.hpp"
#include "rashomon/row_masks.hpp"
#include "rashomon/two_level_trees.hpp"
#include "rows/problem.hpp"
#include "run/run.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::rashomon {

using Limbs = std::vector<std::uint64_t>;  // of a number of any size, the lowest first

struct TreeSetStatistics {
  std::uint64_t n_subproblems = 0;  // distinct ones
  std::uint64_t n_expansions = 0;   // some are expanded again for a larger budget
  std::uint64_t n_splits = 0;       // of subproblems of more than two levels
  std::uint64_t n_costs = 0;        // entries of all histograms
  std::uint64_t bytes = 0;
  Limbs n_prefixes;  // of RESPLIT, within the bound
  Counters counters = {};
};

/// The weight of both classes in a leaf.
struct LeafWeight {
  std::int64_t weight[2];
  friend bool operator==(const LeafWeight&, const LeafWeight&) = default;
};

/// The cost of a set of leaves by an objective other than that of the graph; the largest share of class 1 comes first.
using LeafSetCost = std::function<Ticks(std::span<const LeafWeight>)>;

struct BestOfSet {
  std::optional<tree::ResultTree> tree;  // of that cost; every prediction is 0
  std::uint64_t n_leaf_sets = 0;         // whose cost was computed
};

/// From a node to the side of a column of the data where it holds, or where it fails.
struct PathStep {
  std::uint32_t column;
  bool side;
};

/// Numbers of trees by ascending cost, each as `n_words` words, the lowest first.
struct CostTable {
  std::vector<Ticks> costs;
  std::vector<std::uint64_t> words;
  std::size_t n_words = 1;
};

/// A split of the rows of a node, and what may stand on both of its sides, by side.
struct SplitView {
  struct Copy {
    std::uint32_t column;
    bool flipped;  // fails on the true side, and holds on the false side
  };
  std::vector<Copy> copies;  // all columns of the data that make this split
  CostTable trees[2];
  std::vector<TreeLeaf> leaves[2];
};

/// The trees that may stand at a node, by cost: single leaves, and by their splits. The pairs of sides of a split
/// include those of two leaves that are no tree because they predict the same (`LeafRule`).
struct NodeView {
  CostTable trees;
  std::vector<TreeLeaf> leaves;
  std::vector<SplitView> splits;
};

/// How many trees predict each class for each row: (n_rows, n_predictions).
using VoteCounts = std::vector<Limbs>;

/// The predictions of all trees for each row, where they are numbers.
struct PredictionSpread {
  std::vector<std::uint32_t> low, high;
  std::vector<Limbs> sum;
};

/// The trees of a set that pass a filter. The set has to outlive it.
class FilteredTrees {
 public:
  FilteredTrees() = default;
  FilteredTrees(const FilteredTrees&) = delete;
  FilteredTrees(FilteredTrees&&) = delete;
  FilteredTrees& operator=(const FilteredTrees&) = delete;
  FilteredTrees& operator=(FilteredTrees&&) = delete;
  virtual ~FilteredTrees() = default;
  /// As `TreeSet::view`.
  virtual std::optional<NodeView> view(std::span<const PathStep> path, Ticks budget, bool with_splits) = 0;
  /// For any rows with the columns of the data. Throws Stopped.
  virtual VoteCounts votes(const RowMasks& rows, const TreeLimit& limit, run::Run& run) = 0;
  /// The same, if a tree is within the limit.
  virtual PredictionSpread spread(const RowMasks& rows, const TreeLimit& limit, run::Run& run) = 0;
  /// Of the trees within the limit. Throws Stopped.
  virtual RelianceSum sum_of_reliance(const RelianceProblem& group, const TreeLimit& limit, run::Run& run) = 0;
};

class TreeSet {
 public:
  TreeSet() = default;
  TreeSet(const TreeSet&) = delete;
  TreeSet(TreeSet&&) = delete;
  TreeSet& operator=(const TreeSet&) = delete;
  TreeSet& operator=(TreeSet&&) = delete;
  virtual ~TreeSet() = default;
  /// -1 if not even the cheapest tree is known.
  virtual Ticks complete_up_to() const = 0;
  virtual std::vector<CostCount<Limbs>> histogram() const = 0;
  /// Tree number `rank` (from 0) of those that cost `cost`.
  virtual tree::ResultTree tree(Ticks cost, const Limbs& rank) = 0;
  /// Of the trees of a set that is not empty. Throws Stopped.
  virtual RelianceRange reliance(const RelianceProblem& /*group*/, run::Run& /*run*/) {
    throw std::invalid_argument("trees: this set is not a graph of subproblems; read its trees one by one");
  }
  /// The tree of the cheapest set of leaves, if it costs less than `below`; for two classes and LeafRule::best. After a
  /// stop, the cheapest one so far.
  virtual BestOfSet least_by_leaves(const LeafSetCost& /*cost*/, Ticks /*below*/, run::Run& /*run*/) {
    throw std::invalid_argument("trees: this set is not a graph of subproblems");
  }
  /// What may stand at the end of a path; nothing if no tree has it. `budget` is what the bound of the set leaves at
  /// most for the trees there. Without splits it takes less time.
  virtual std::optional<NodeView> view(std::span<const PathStep> /*path*/, Ticks /*budget*/, bool /*with_splits*/) {
    throw std::invalid_argument("trees: this set is not a graph of subproblems");
  }
  /// Of a set that is not empty. Throws Stopped.
  virtual std::unique_ptr<FilteredTrees> filtered(const TreeFilter& /*filter*/, run::Run& /*run*/) {
    throw std::invalid_argument("trees: this set is not a graph of subproblems");
  }
  virtual TreeSetStatistics statistics() const = 0;
};

struct TreeSetProblem {
  data::DistinctRows rows;
  const models::LeafModel& model;
  TreeKind kind;
  std::uint32_t depth;  // kUnlimited without a limit
};

/// All trees of at most `bound`. Those of at most `optimum` are found first; it is the cost of the best tree, or near
/// it. After a stop, those of the last bound that was reached.
std::unique_ptr<TreeSet> find_trees(TreeSetProblem problem, Ticks optimum, Ticks bound, run::Run& run);

/// How RESPLIT makes its prefixes.
struct PrefixRule {
  std::uint32_t lookahead_depth;  // levels of splits of a prefix
  std::uint32_t depth;            // of a prefix with its greedy trees; at least as much
  Ticks leaf_count_mask;          // the bits of a cost that count leaves; comparisons with a greedy tree ignore them
};

/// All trees of RESPLIT, of at most the depth of `problem`; `best` is the value of the best prefix.
std::unique_ptr<TreeSet> find_trees_by_prefixes(TreeSetProblem problem, const PrefixRule& rule, Ticks best, Ticks bound,
                                                run::Run& run);

}  // namespace hornbeam::rashomon
