// rashomon/read_tree.cpp: the part of TreeGraph that finds one tree by its number.
#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "rashomon/counts.hpp"
#include "rashomon/tree_graph.hpp"

namespace hornbeam {

namespace {

using Rows = std::vector<std::uint32_t>;  // numbers of distinct rows

/// Where a tree stands among those of one split and one cost.
template <class Count>
struct Place {
  std::uint32_t copy;
  Ticks cost[2];  // of its two sides
  Count rank[2];  // of these among the trees of their cost
};

/// Of a number that fits a word.
template <class Count>
std::uint64_t to_integer(const Count& count) {
  const Limbs limbs = count.limbs();
  return limbs.empty() ? 0 : limbs[0];
}

template <class Count>
Count number_of_pairs(const Histogram<Count> (&sides)[2], const BarredPair& barred, Ticks cost) {
  Count number{};
  for (const CostCount<Count>& holds : sides[1]) number += holds.count * count_of(sides[0], cost - holds.cost);
  if (barred && barred->first + barred->second == cost) number -= Count(1);
  return number;
}

/// Finds pair number `rank` of this cost: by copy of the split, then by cost of the true side, then by the true side's
/// tree. If there are no more than `rank`, lowers it by their number. The barred pair is the first of its costs.
template <class Count>
std::optional<Place<Count>> place_of(const Histogram<Count> (&sides)[2], const BarredPair& barred, std::uint32_t copies,
                                     Ticks cost, Count& rank) {
  const Count number = number_of_pairs(sides, barred, cost), all = number * Count(copies);
  if (rank >= all) {
    rank -= all;
    return std::nullopt;
  }
  auto [copy, rest] = rank.divided_by(number);
  for (const CostCount<Count>& holds : sides[1]) {
    const Count fails = count_of(sides[0], cost - holds.cost);
    Count here = holds.count * fails;
    const bool has_barred = barred && barred->second == holds.cost && barred->first == cost - holds.cost;
    if (has_barred) here -= Count(1);
    if (rest < here) {
      if (has_barred) rest += Count(1);
      auto [of_true, of_false] = rest.divided_by(fails);
      return Place<Count>{static_cast<std::uint32_t>(to_integer(copy)),
                          {cost - holds.cost, holds.cost},
                          {std::move(of_false), std::move(of_true)}};
    }
    rest -= here;
  }
  throw std::logic_error("a tree is missing in the set: please report this fault of hornbeam");
}

}  // namespace

template <class Count>
class TreeGraph<Count>::Reader {
 public:
  explicit Reader(TreeGraph& graph) : graph_(graph), problem_(graph.problem_) {}

  ResultTree read(Ticks cost, Count rank) {
    Rows all(problem_.rows.n_rows);
    std::iota(all.begin(), all.end(), 0u);
    read_node(graph_.root_, all, 0, problem_.depth, 0, cost, std::move(rank));
    tree_.cost = cost;
    return std::move(tree_);
  }

 private:
  void read_node(RowSet& rows, const Rows& numbers, std::uint32_t node, std::uint32_t depth, std::size_t level,
                 Ticks cost, Count rank) {
    std::vector<Leaf> leaves;
    graph_.small_trees_.list_leaves(rows.total.data(), cost, leaves);
    for (const Leaf& leaf : leaves) {
      if (leaf.cost != cost) continue;
      if (rank.is_zero()) return add_leaf(leaf.prediction);
      rank -= Count(1);
    }
    if (!graph_.nodes_[node].is_deep) return read_shallow(rows, numbers, depth, cost, std::move(rank));
    for (const Split& split : graph_.nodes_[node].splits) {
      const Node &fails = graph_.nodes_[split.node[0]], &holds = graph_.nodes_[split.node[1]];
      const Histogram<Count> sides[2] = {fails.trees, holds.trees};
      const auto place = place_of(sides, barred_pair(problem_.kind, fails.leaf, holds.leaf), split.copies, cost, rank);
      if (!place) continue;
      graph_.maker_.make_slot_rows(rows);
      const auto at = std::find(rows.columns.begin(), rows.columns.end(), split.column) - rows.columns.begin();
      const Copy copy = copy_of(numbers, split.column, split.column, place->copy);
      return add_split(numbers, split.column, copy, [&](int x, const Rows& side) {
        RowSet& child = graph_.child_of(rows, static_cast<std::uint32_t>(at), x == 1, level);
        const std::uint32_t depth_below = depth == kUnlimited ? kUnlimited : depth - 1;
        read_node(child, side, split.node[x], depth_below, level + 1, place->cost[x], place->rank[x]);
      });
    }
    missing("tree");
  }

  void read_shallow(const RowSet& rows, const Rows& numbers, std::uint32_t levels, Ticks cost, Count rank) {
    SmallTrees& small_trees = graph_.small_trees_;
    Histogram<Count> sides[2];
    for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
      if (!small_trees.list_sides(rows, column, levels, cost)) continue;
      for (int x = 0; x < 2; ++x) count_small_trees(small_trees.trees(x), sides[x]);
      const auto place = place_of(sides, small_trees.barred(), rows.copies[column], cost, rank);
      if (!place) continue;
      const Copy copy = copy_of(numbers, rows.columns[column], rows.columns[column], place->copy);
      return add_split(numbers, rows.columns[column], copy, [&](int x, const Rows& side) {
        add_small_tree(rows, numbers, side, small_trees.trees(x), place->cost[x], place->rank[x]);
      });
    }
    missing("tree");
  }

  /// A column of the data that is equal or complementary (`flipped`) to another one on some rows.
  struct Copy {
    std::uint32_t column;
    bool flipped;
  };

  /// One split with two leaves, in the order in which a node of these rows would have it (S2).
  struct Stump {
    std::uint32_t first;  // of the columns that are the same split of these rows
    std::uint32_t column;
    Ticks true_loss;              // of the leaf where `first` holds
    std::uint32_t prediction[2];  // where `first` holds, where it fails
    friend auto operator<=>(const Stump&, const Stump&) = default;
  };

  /// Adds tree number `rank` of this cost; `trees` are those on one side of a split of `rows`, `numbers` the rows
  /// there.
  void add_small_tree(const RowSet& rows, const Rows& of_node, const Rows& numbers, const std::vector<SmallTree>& trees,
                      Ticks cost, const Count& rank) {
    std::size_t place = to_integer(rank);
    std::vector<Stump> stumps;
    for (const SmallTree& tree : trees) {
      if (tree.cost != cost) continue;
      if (tree.column == kNoSplit) {
        if (place == 0) return add_leaf(tree.prediction[0]);
        --place;
        continue;
      }
      const std::uint32_t column = rows.columns[tree.column];
      const Copy first = copy_of(numbers, column, 0, 0);
      const std::uint32_t prediction[2] = {tree.prediction[first.flipped ? 0 : 1],
                                           tree.prediction[first.flipped ? 1 : 0]};
      const Ticks true_loss = loss_of(numbers, first.column, prediction[0]);
      for (std::uint32_t copy = 0; copy < tree.copies; ++copy)
        stumps.push_back(
            {first.column, copy_of(of_node, column, column, copy).column, true_loss, {prediction[0], prediction[1]}});
    }
    if (place >= stumps.size()) missing("tree");
    std::sort(stumps.begin(), stumps.end());
    const Stump& stump = stumps[place];
    const bool flipped = problem_.rows.test(stump.column, numbers[0]) != problem_.rows.test(stump.first, numbers[0]);
    add_split(numbers, stump.first, {stump.column, flipped},
              [&](int x, const Rows&) { add_leaf(stump.prediction[1 - x]); });
  }

  Ticks loss_of(const Rows& numbers, std::uint32_t column, std::uint32_t prediction) const {
    Ticks loss = 0;
    for (const std::uint32_t row : numbers)
      if (problem_.rows.test(column, row)) loss += problem_.costs.loss_of(problem_.rows.weight(row), prediction);
    return loss;
  }

  std::size_t add_node(std::int32_t column, std::uint32_t prediction) {
    tree_.column.push_back(column);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.prediction.push_back(static_cast<std::int32_t>(prediction));
    return tree_.column.size() - 1;
  }

  void add_leaf(std::uint32_t prediction) { add_node(-1, prediction); }

  /// A split by a copy of `column`; `add_side(x, numbers)` adds what is on side x of `column` itself.
  template <class AddSide>
  void add_split(const Rows& numbers, std::uint32_t column, Copy copy, AddSide add_side) {
    const DistinctRows& data = problem_.rows;
    std::vector<std::int64_t> weight(data.n_classes);
    Rows side[2];
    for (const std::uint32_t row : numbers) {
      side[data.test(column, row) ? 1 : 0].push_back(row);
      for (std::uint32_t c = 0; c < data.n_classes; ++c) weight[c] += data.weight(row)[c];
    }
    const std::size_t node =
        add_node(static_cast<std::int32_t>(copy.column), problem_.costs.best_prediction(weight.data()));
    const int held = copy.flipped ? 0 : 1;
    tree_.left[node] = static_cast<std::int32_t>(tree_.column.size());
    add_side(held, side[held]);
    tree_.right[node] = static_cast<std::int32_t>(tree_.column.size());
    add_side(1 - held, side[1 - held]);
  }

  /// Of the columns from `begin` on that are equal or complementary to `column` on these rows, number `copy`.
  Copy copy_of(const Rows& numbers, std::uint32_t column, std::uint32_t begin, std::uint32_t copy) const {
    const DistinctRows& data = problem_.rows;
    for (std::uint32_t other = begin; other < data.n_columns; ++other) {
      const bool flipped = data.test(column, numbers[0]) != data.test(other, numbers[0]);
      const bool is_copy = std::all_of(numbers.begin(), numbers.end(), [&](std::uint32_t row) {
        return (data.test(column, row) != data.test(other, row)) == flipped;
      });
      if (is_copy && copy-- == 0) return {other, flipped};
    }
    missing("column");
  }

  [[noreturn]] static void missing(const std::string& what) {
    throw std::logic_error("a " + what + " is missing in the set of trees: please report this fault of hornbeam");
  }

  TreeGraph& graph_;
  const TreeSetProblem& problem_;
  ResultTree tree_;
};

template <class Count>
ResultTree TreeGraph<Count>::tree(Ticks cost, const Limbs& rank) {
  const std::optional<Count> number = Count::of(rank);
  if (!number || *number >= count_of(nodes_[0].trees, cost))
    throw std::invalid_argument("rank: there are not so many trees of this cost");
  return Reader(*this).read(cost, *number);
}

template ResultTree TreeGraph<WordCount>::tree(Ticks, const Limbs&);
template ResultTree TreeGraph<BigCount>::tree(Ticks, const Limbs&);

}  // namespace hornbeam
