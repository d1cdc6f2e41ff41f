// rashomon/leaf_sets.cpp: the part of TreeGraph that finds the cheapest set of leaves by a cost that is not additive.
//
// HOLDS   Trees with the same splits in a different order have the same leaves, and the cost of leaves depends only on
//         the weights of their classes. So one tree of a node is kept for each set of such weights; whatever is joined
//         to it higher up costs the same.
//         A node may have trees that are too expensive even with the cheapest ones of the other sides of the splits
//         above: the budgets of all nodes are found first, from the root down.
// COST    A node of the graph is visited once; the pairs of its sides' sets within its budget are merged and looked up.
//         At the root only their cost is computed.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "rashomon/counts.hpp"
#include "rashomon/row_masks.hpp"
#include "rashomon/tree_graph.hpp"

namespace hornbeam::rashomon {

namespace {

constexpr std::uint64_t kPairsBetweenPolls = 0x1000;

/// Whether `a` has the larger share of class 1; if equal, the smaller weight. Exact: weights stay below 2^31.
bool is_before(const LeafWeight& a, const LeafWeight& b) {
  const std::int64_t difference = a.weight[1] * b.weight[0] - b.weight[1] * a.weight[0];
  return difference != 0 ? difference > 0 : a.weight[0] + a.weight[1] < b.weight[0] + b.weight[1];
}

using LeafWeights = std::vector<LeafWeight>;

struct LeafWeightsHash {
  std::size_t operator()(const LeafWeights& leaves) const {
    std::uint64_t hash = 0;
    for (const LeafWeight& leaf : leaves)
      hash =
          mix(hash ^ (static_cast<std::uint64_t>(leaf.weight[0]) << 32 ^ static_cast<std::uint64_t>(leaf.weight[1])));
    return hash;
  }
};

/// A tree of a subproblem.
struct Part {
  Ticks cost;
  LeafWeights leaves;                 // by is_before
  std::vector<std::int32_t> columns;  // of its nodes, the true side first; -1 at a leaf
};

using Parts = std::vector<Part>;  // by ascending cost

void sort_by_cost(Parts& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.cost < b.cost; });
}

std::vector<std::int32_t> joined(std::int32_t column, const Part& true_side, const Part& false_side) {
  std::vector<std::int32_t> columns{column};
  columns.insert(columns.end(), true_side.columns.begin(), true_side.columns.end());
  columns.insert(columns.end(), false_side.columns.begin(), false_side.columns.end());
  return columns;
}

/// Adds the tree whose nodes begin at `next`.
void add_nodes(const std::vector<std::int32_t>& columns, std::size_t& next, tree::ResultTree& tree) {
  const std::int32_t column = columns[next++];
  if (column < 0) return tree.add_leaf(0);
  tree.add_split(static_cast<std::uint32_t>(column), 0, [&](bool) { add_nodes(columns, next, tree); });
}

}  // namespace

template <class Count>
class TreeGraph<Count>::LeafSets {
 public:
  LeafSets(TreeGraph& graph, const LeafSetCost& cost, Ticks below, run::Run& run)
      : graph_(graph),
        data_(graph.problem_.rows),
        masks_(data_),
        cost_(cost),
        below_(below),
        run_(run),
        meter_(run, kPairsBetweenPolls, [this, below] { run_.report({below, 0, 0, bytes_, 0}); }) {}

  BestOfSet find() {
    run_.guard([this] {
      find_budgets();
      visit(graph_.root_, 0, masks_.all(), graph_.problem_.depth, 0);
    });
    return best();
  }

 private:
  BestOfSet best() const {
    BestOfSet found{std::nullopt, n_evaluated_};
    if (best_.empty()) return found;
    found.tree.emplace();
    found.tree->cost = below_;
    std::size_t next = 0;
    add_nodes(best_, next, *found.tree);
    return found;
  }
  Part leaf_of(const Mask& rows, Ticks cost) const {
    LeafWeight leaf{{0, 0}};
    RowMasks::for_each_row(rows, [&](std::uint32_t row) {
      for (int c = 0; c < 2; ++c) leaf.weight[c] += data_.weight(row)[c];
    });
    return {cost, {leaf}, {-1}};
  }
  Mask side_of(const Mask& rows, std::uint32_t column, bool side) const {
    Mask narrow = rows;
    masks_.narrow(narrow, column, side);
    return narrow;
  }

  /// Finds the largest cost that each node's subtree may have in any tree of the set.
  void find_budgets() {
    budgets_.assign(graph_.nodes_.size(), -1);
    budgets_[0] = graph_.nodes_[0].budget;
    std::vector<std::uint32_t> raised{0};
    while (!raised.empty()) {
      const std::uint32_t node = raised.back();
      raised.pop_back();
      if (!graph_.nodes_[node].is_deep) continue;
      for (const Split& split : graph_.nodes_[node].splits)
        for (int x = 0; x < 2; ++x) {
          const Histogram<Count>& other_side = graph_.nodes_[split.node[1 - x]].trees;
          if (other_side.empty() || budgets_[node] - other_side.front().cost <= budgets_[split.node[x]]) continue;
          budgets_[split.node[x]] = budgets_[node] - other_side.front().cost;
          raised.push_back(split.node[x]);
        }
    }
  }

  /// The parts of a node; at the root their cost is computed and none is kept.
  const Parts& visit(rows::RowSet& rows, std::uint32_t node, const Mask& mask, std::uint32_t depth, std::size_t level) {
    Parts found;
    std::unordered_set<LeafWeights, LeafWeightsHash> seen;
    const bool is_root = level == 0;
    const Ticks budget = budgets_[node];
    const Ticks leaf_cost = graph_.two_level_trees_.best_leaf(rows.total.data()).cost;
    if (leaf_cost <= budget) {
      Part leaf = leaf_of(mask, leaf_cost);
      if (is_root) evaluate(leaf.leaves, [] { return std::vector<std::int32_t>{-1}; });
      keep(std::move(leaf), seen, found);
    }
    const auto join = [&](std::uint32_t column, const Parts& true_side, const Parts& false_side) {
      join_sides(static_cast<std::int32_t>(column), true_side, false_side, budget, is_root ? nullptr : &found, seen);
    };
    if (graph_.nodes_[node].is_deep) {
      graph_.maker_.make_slot_rows(rows);
      for (const Split& split : graph_.nodes_[node].splits) {
        const Histogram<Count>* trees[2] = {&graph_.nodes_[split.node[0]].trees, &graph_.nodes_[split.node[1]].trees};
        if (trees[0]->empty() || trees[1]->empty() || trees[0]->front().cost + trees[1]->front().cost > budget)
          continue;
        const Parts* side[2];
        for (int x = 0; x < 2; ++x) side[x] = &side_of_split(rows, split, x == 1, mask, depth, level);
        join(split.column, *side[1], *side[0]);
      }
    } else if (depth > 0) {
      join_two_level_trees(rows, mask, depth, budget, join);
    }
    sort_by_cost(found);
    return known_[node] = std::move(found);
  }

  const Parts& side_of_split(rows::RowSet& rows, const Split& split, bool side, const Mask& mask, std::uint32_t depth,
                             std::size_t level) {
    const std::uint32_t node = split.node[side ? 1 : 0];
    const auto known = known_.find(node);
    if (known != known_.end()) return known->second;
    const auto at = std::find(rows.columns.begin(), rows.columns.end(), split.column) - rows.columns.begin();
    rows::RowSet& child = graph_.child_of(rows, static_cast<std::uint32_t>(at), side, level);
    return visit(child, node, side_of(mask, split.column, side),
                 depth == table::kUnlimited ? table::kUnlimited : depth - 1, level + 1);
  }

  template <class Join>
  void join_two_level_trees(const rows::RowSet& rows, const Mask& mask, std::uint32_t levels, Ticks budget,
                            const Join& join) {
    TwoLevelTrees& two_level_trees = graph_.two_level_trees_;
    for (std::uint32_t at = 0; at < rows.n_columns; ++at) {
      if (!two_level_trees.list_sides(rows, at, levels, budget)) continue;
      Parts parts[2];
      for (int x = 0; x < 2; ++x) {
        const Mask side = side_of(mask, rows.columns[at], x == 1);
        for (const OneLevelTree& tree : two_level_trees.trees(x)) {
          if (tree.column == table::kNoSplit) {
            parts[x].push_back(leaf_of(side, tree.cost));
            continue;
          }
          const std::uint32_t column = rows.columns[tree.column];
          const Part true_side = leaf_of(side_of(side, column, true), 0),
                     false_side = leaf_of(side_of(side, column, false), 0);
          parts[x].push_back({tree.cost, merged(true_side, false_side),
                              joined(static_cast<std::int32_t>(column), true_side, false_side)});
        }
      }
      join(rows.columns[at], parts[1], parts[0]);
    }
  }

  void join_sides(std::int32_t column, const Parts& true_side, const Parts& false_side, Ticks budget, Parts* found,
                  std::unordered_set<LeafWeights, LeafWeightsHash>& seen) {
    for (const Part& a : true_side)
      for (const Part& b : false_side) {
        if (a.cost + b.cost > budget) break;
        meter_.require(1);
        const LeafWeights leaves = merged(a, b);
        if (found == nullptr)
          evaluate(leaves, [&] { return joined(column, a, b); });
        else if (!seen.contains(leaves))
          keep({a.cost + b.cost, leaves, joined(column, a, b)}, seen, *found);
      }
  }

  static LeafWeights merged(const Part& a, const Part& b) {
    LeafWeights leaves(a.leaves.size() + b.leaves.size());
    std::merge(a.leaves.begin(), a.leaves.end(), b.leaves.begin(), b.leaves.end(), leaves.begin(), is_before);
    return leaves;
  }

  void keep(Part part, std::unordered_set<LeafWeights, LeafWeightsHash>& seen, Parts& found) {
    bytes_ += sizeof(Part) + part.leaves.size() * sizeof(LeafWeight) + part.columns.size() * sizeof(std::int32_t);
    seen.insert(part.leaves);
    found.push_back(std::move(part));
  }

  template <class Columns>
  void evaluate(const LeafWeights& leaves, const Columns& columns) {
    ++n_evaluated_;
    const Ticks cost = cost_(leaves);
    if (cost >= below_) return;
    best_ = columns();  // may fail, and then the cost stays, too
    below_ = cost;
  }

  TreeGraph& graph_;
  const data::DistinctRows& data_;
  const RowMasks masks_;
  const LeafSetCost& cost_;
  Ticks below_;
  run::Run& run_;
  run::WorkMeter meter_;
  std::vector<Ticks> budgets_;      // of the nodes
  std::vector<std::int32_t> best_;  // columns of a tree
  std::uint64_t n_evaluated_ = 0, bytes_ = 0;
  std::unordered_map<std::uint32_t, Parts> known_;  // by node
};

template <class Count>
BestOfSet TreeGraph<Count>::least_by_leaves(const LeafSetCost& cost, Ticks below, run::Run& run) {
  if (problem_.kind.leaf_rule != LeafRule::best || problem_.rows.n_targets != 2)
    throw std::invalid_argument("trees: sets of leaves need two classes and the rule 'best'");
  return LeafSets(*this, cost, below, run).find();
}

template BestOfSet TreeGraph<WordCount>::least_by_leaves(const LeafSetCost&, Ticks, run::Run&);
template BestOfSet TreeGraph<BigCount>::least_by_leaves(const LeafSetCost&, Ticks, run::Run&);

}  // namespace hornbeam::rashomon
