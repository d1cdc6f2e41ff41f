// rashomon/reliance.cpp: the part of TreeGraph that finds which trees rely least and most on a group of columns.
//
// HOLDS   The sum over a tree's leaves of what they add (rashomon/shuffled_group) splits as its cost does: below a node
// it
//         depends only on the two row sets and the trees below.
// COST    A node of the graph is visited once for each pair of row sets that meets in its rows. Of its trees only
//         the Pareto-optimal pairs of cost and reliance are kept.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "rashomon/counts.hpp"
#include "rashomon/shuffled_group.hpp"
#include "rashomon/tree_graph.hpp"

namespace hornbeam::rashomon {

namespace {

constexpr std::uint64_t kVisitsBetweenPolls = 64;

/// The Pareto-optimal pairs of cost and reliance of some trees of a subproblem.
class Front {
 public:
  void add(Ticks cost, TicksTimesShare value) {
    most_[0].push_back({cost, -value});
    most_[1].push_back({cost, value});
  }
  /// Adds all pairs of a tree of `a` and one of `b` that together cost at most `budget`.
  void add_sums(const Front& a, const Front& b, Ticks budget) {
    for (std::size_t x = 0; x < 2; ++x)
      for (const Choice& of_a : a.most_[x])
        for (const Choice& of_b : b.most_[x]) {
          if (of_a.cost + of_b.cost > budget) break;
          most_[x].push_back({of_a.cost + of_b.cost, of_a.value + of_b.value});
        }
  }
  /// Sorts by cost and keeps the trees that rely more (or less) than all cheaper ones: no other can be part of a tree
  /// that relies most (or least) among those within a bound.
  void keep_pareto_front() {
    for (std::vector<Choice>& choices : most_) {
      std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
        return a.cost != b.cost ? a.cost < b.cost : a.value > b.value;
      });
      std::size_t n_kept = 0;
      for (const Choice& choice : choices)
        if (n_kept == 0 || choice.value > choices[n_kept - 1].value) choices[n_kept++] = choice;
      choices.resize(n_kept);
    }
  }
  /// Of a front that is not empty, after `keep_pareto_front`.
  RelianceRange range() const { return {-most_[0].back().value, most_[1].back().value, {}}; }

 private:
  struct Choice {
    Ticks cost;
    TicksTimesShare value;
  };
  std::array<std::vector<Choice>, 2> most_;  // the negative value, the value
};

/// The result of one visit. Leaves are separate from other trees, since one split may not have two leaves of the same
/// prediction. `avoiding` counts the trees without conditions on the group, if the path has none either.
template <class Count>
struct Visit {
  Front leaves, splits;
  Histogram<Count> avoiding;
};

}  // namespace

template <class Count>
class TreeGraph<Count>::Reliance {
 public:
  Reliance(TreeGraph& graph, const RelianceProblem& group, run::Run& run)
      : graph_(graph),
        group_(group),
        shuffled_(graph.problem_, group),
        meter_(run, kVisitsBetweenPolls, [&run] { run.report({}); }) {}

  RelianceRange find() {
    const Visit<Count>& found = visit(graph_.root_, 0, shuffled_.all(), graph_.problem_.depth, 0);
    Front trees;
    for (const Front* part : {&found.leaves, &found.splits}) trees.add_sums(*part, nothing(), graph_.nodes_[0].budget);
    trees.keep_pareto_front();
    RelianceRange range = trees.range();
    Count n_avoiding{};
    for (const CostCount<Count>& each : found.avoiding) n_avoiding += each.count;
    range.n_avoiding = n_avoiding.limbs();
    return range;
  }

 private:
  using Sets = ShuffledGroup::Sets;
  using Copy = RowMasks::Copy;

  /// The columns that split the rows of both sets in the same way as `first`.
  std::vector<Copy> copies_of(const Sets& sets, std::uint32_t first, std::uint32_t n_copies) {
    Mask both = sets.donors;
    for (std::uint32_t w = 0; w < both.size(); ++w) both[w] &= sets.others[w];
    return shuffled_.masks().copies_of(both, first, n_copies);
  }

  const Visit<Count>& visit(rows::RowSet& rows, std::uint32_t node, const Sets& sets, std::uint32_t depth,
                            std::size_t level) {
    meter_.require(1);
    Visit<Count> found;
    HistogramSum<Count> avoiding;
    const Ticks budget = graph_.nodes_[node].budget;
    std::vector<TreeLeaf> leaves;
    graph_.two_level_trees_.list_leaves(rows.total.data(), budget, leaves);
    for (const TreeLeaf& leaf : leaves) {
      found.leaves.add(leaf.cost, shuffled_.added_by_leaf(sets, leaf.prediction, leaf.cost));
      if (!sets.uses_group) avoiding.add(leaf.cost, Count(1));
    }
    found.leaves.keep_pareto_front();
    if (graph_.nodes_[node].is_deep) {
      graph_.maker_.make_slot_rows(rows);
      for (const Split& split : graph_.nodes_[node].splits)
        for (const Copy& copy : copies_of(sets, split.column, split.copies))
          add_deep(rows, split, copy, sets, depth == table::kUnlimited ? table::kUnlimited : depth - 1, level, budget,
                   found.splits, avoiding);
    } else if (depth > 0) {
      add_shallow(rows, sets, depth, budget, found.splits, avoiding);
    }
    found.splits.keep_pareto_front();
    found.avoiding = avoiding.take();
    return known_[{node, sets}] = std::move(found);
  }

  void add_deep(rows::RowSet& rows, const Split& split, const Copy& copy, const Sets& sets, std::uint32_t depth_below,
                std::size_t level, Ticks budget, Front& trees, HistogramSum<Count>& avoiding) {
    const auto at = std::find(rows.columns.begin(), rows.columns.end(), split.column) - rows.columns.begin();
    const Visit<Count>* side[2];
    for (int x = 0; x < 2; ++x) {
      const Sets narrow = shuffled_.narrowed(sets, copy, x == 1);
      const auto known = known_.find({split.node[x], narrow});
      if (known != known_.end()) {
        side[x] = &known->second;
        continue;
      }
      rows::RowSet& child = graph_.child_of(rows, static_cast<std::uint32_t>(at), x == 1, level);
      side[x] = &visit(child, split.node[x], narrow, depth_below, level + 1);
    }
    const TrivialSplits left_out =
        trivial_splits(graph_.problem_.kind, graph_.nodes_[split.node[0]].leaves, graph_.nodes_[split.node[1]].leaves);
    add_pairs(*side[0], *side[1], left_out, budget, trees);
    if (!sets.uses_group && !group_.is_in_group[copy.column])
      count_pairs(side[0]->avoiding, side[1]->avoiding, left_out, budget, avoiding);
  }

  void add_shallow(const rows::RowSet& rows, const Sets& sets, std::uint32_t levels, Ticks budget, Front& trees,
                   HistogramSum<Count>& avoiding) {
    std::vector<std::vector<Copy>> copies(rows.n_columns);
    const auto copies_at = [&](std::uint32_t at) -> const std::vector<Copy>& {
      if (copies[at].empty()) copies[at] = copies_of(sets, rows.columns[at], rows.copies[at]);
      return copies[at];
    };
    TwoLevelTrees& two_level_trees = graph_.two_level_trees_;
    for (std::uint32_t at = 0; at < rows.n_columns; ++at) {
      if (!two_level_trees.list_sides(rows, at, levels, budget)) continue;
      for (const Copy& copy : copies_at(at)) {
        Visit<Count> side[2];
        for (int x = 0; x < 2; ++x) {
          const Sets narrow = shuffled_.narrowed(sets, copy, x == 1);
          for (const OneLevelTree& tree : two_level_trees.trees(x))
            if (tree.column == table::kNoSplit)
              side[x].leaves.add(tree.cost, shuffled_.added_by_leaf(narrow, tree.prediction[0], tree.cost));
            else
              for (const Copy& below : copies_at(tree.column))
                side[x].splits.add(tree.cost, shuffled_.added_by_stump(
                                                  narrow, below, {tree.prediction[0], tree.prediction[1]}, tree.cost));
          if (!narrow.uses_group) count_avoiding(two_level_trees.trees(x), copies_at, side[x].avoiding);
          side[x].leaves.keep_pareto_front();
          side[x].splits.keep_pareto_front();
        }
        add_pairs(side[0], side[1], two_level_trees.trivial_splits_listed(), budget, trees);
        if (!sets.uses_group && !group_.is_in_group[copy.column])
          count_pairs(side[0].avoiding, side[1].avoiding, two_level_trees.trivial_splits_listed(), budget, avoiding);
      }
    }
  }

  template <class CopiesAt>
  void count_avoiding(const std::vector<OneLevelTree>& trees, CopiesAt copies_at, Histogram<Count>& avoiding) {
    HistogramSum<Count> sum;
    for (const OneLevelTree& tree : trees) {
      std::uint64_t n_copies = 1;
      if (tree.column != table::kNoSplit) {
        const std::vector<Copy>& copies = copies_at(tree.column);
        n_copies = static_cast<std::uint64_t>(std::count_if(
            copies.begin(), copies.end(), [&](const Copy& copy) { return !group_.is_in_group[copy.column]; }));
      }
      if (n_copies != 0) sum.add(tree.cost, Count(n_copies));
    }
    avoiding = sum.take();
  }

  static void count_pairs(const Histogram<Count>& a, const Histogram<Count>& b, const TrivialSplits& left_out,
                          Ticks budget, HistogramSum<Count>& sum) {
    sum.add_products(a, b, Count(1), budget);
    for (const TrivialSplits::Pair& pair : left_out)
      if (pair.cost[0] + pair.cost[1] <= budget) sum.subtract(pair.cost[0] + pair.cost[1], Count(1));
  }

  static void add_pairs(const Visit<Count>& a, const Visit<Count>& b, const TrivialSplits& left_out, Ticks budget,
                        Front& trees) {
    if (left_out.n == 0) trees.add_sums(a.leaves, b.leaves, budget);
    trees.add_sums(a.leaves, b.splits, budget);
    trees.add_sums(a.splits, b.leaves, budget);
    trees.add_sums(a.splits, b.splits, budget);
  }

  static Front nothing() {
    Front front;
    front.add(0, 0);
    return front;
  }

  TreeGraph& graph_;
  const RelianceProblem& group_;
  ShuffledGroup shuffled_;
  run::WorkMeter meter_;
  std::map<std::pair<std::uint32_t, Sets>, Visit<Count>> known_;
};

template <class Count>
RelianceRange TreeGraph<Count>::reliance(const RelianceProblem& group, run::Run& run) {
  if (problem_.kind.leaf_rule == LeafRule::any_differ)
    throw std::invalid_argument("trees: reliance is not defined for leaves of any class");
  return Reliance(*this, group, run).find();
}

template RelianceRange TreeGraph<WordCount>::reliance(const RelianceProblem&, run::Run&);
template RelianceRange TreeGraph<BigCount>::reliance(const RelianceProblem&, run::Run&);

}  // namespace hornbeam::rashomon
