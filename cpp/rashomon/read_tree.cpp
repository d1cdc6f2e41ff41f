#include "rashomon/read_tree.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace hornbeam::rashomon {

template <class Count>
tree::ResultTree TreeReader<Count>::read(Ticks cost, Count rank) {
  read_node(graph_.root_, data::all_rows(problem_.rows), 0, problem_.depth, 0, cost, std::move(rank));
  tree_.cost = cost;
  return std::move(tree_);
}

template <class Count>
bool TreeReader<Count>::read_leaf(const rows::RowSet& rows, Ticks cost, Count& rank) {
  std::vector<TreeLeaf> leaves;
  graph_.two_level_trees_.list_leaves(rows.total.data(), cost, leaves);
  for (const TreeLeaf& leaf : leaves) {
    if (leaf.cost != cost) continue;
    if (rank.is_zero()) {
      tree_.add_leaf(leaf.prediction);
      return true;
    }
    rank -= Count(1);
  }
  return false;
}

template <class Count>
void TreeReader<Count>::read_node(rows::RowSet& rows, const data::RowList& numbers, std::uint32_t node,
                                  std::uint32_t depth, std::size_t level, Ticks cost, Count rank) {
  if (read_leaf(rows, cost, rank)) return;
  if (!graph_.nodes_[node].is_deep) return read_shallow(rows, numbers, depth, cost, std::move(rank));
  for (const Split& split : graph_.nodes_[node].splits) {
    const Node &false_side = graph_.nodes_[split.node[0]], &true_side = graph_.nodes_[split.node[1]];
    const Histogram<Count> sides[2] = {false_side.trees, true_side.trees};
    const auto pair =
        unrank(sides, trivial_splits(problem_.kind, false_side.leaves, true_side.leaves), split.copies, cost, rank);
    if (!pair) continue;
    return read_split(rows, numbers, split.column, pair->copy, level,
                      [&](rows::RowSet& child, const data::RowList& side, int x) {
                        const std::uint32_t depth_below = depth == table::kUnlimited ? table::kUnlimited : depth - 1;
                        read_node(child, side, split.node[x], depth_below, level + 1, pair->cost[x], pair->rank[x]);
                      });
  }
  missing("tree");
}

template <class Count>
void TreeReader<Count>::read_shallow(const rows::RowSet& rows, const data::RowList& numbers, std::uint32_t levels,
                                     Ticks cost, Count rank) {
  TwoLevelTrees& two_level_trees = graph_.two_level_trees_;
  Histogram<Count> sides[2];
  for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
    if (!two_level_trees.list_sides(rows, column, levels, cost)) continue;
    for (int x = 0; x < 2; ++x) count_one_level_trees(two_level_trees.trees(x), sides[x]);
    const auto pair = unrank(sides, two_level_trees.trivial_splits_listed(), rows.copies[column], cost, rank);
    if (!pair) continue;
    const Copy copy = copy_of(numbers, rows.columns[column], rows.columns[column], pair->copy);
    return add_split(numbers, rows.columns[column], copy, [&](int x, const data::RowList& side) {
      add_one_level_tree(rows, numbers, side, two_level_trees.trees(x), pair->cost[x], pair->rank[x]);
    });
  }
  missing("tree");
}

/// Adds tree number `rank` of this cost; `trees` are those on one side of a split of `rows`, `numbers` the rows
/// there.
template <class Count>
void TreeReader<Count>::add_one_level_tree(const rows::RowSet& rows, const data::RowList& of_node,
                                           const data::RowList& numbers, const std::vector<OneLevelTree>& trees,
                                           Ticks cost, const Count& rank) {
  std::size_t index = to_integer(rank);
  std::vector<Stump> stumps;
  for (const OneLevelTree& tree : trees) {
    if (tree.cost != cost) continue;
    if (tree.column == table::kNoSplit) {
      if (index == 0) return tree_.add_leaf(tree.prediction[0]);
      --index;
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
  if (index >= stumps.size()) missing("tree");
  std::sort(stumps.begin(), stumps.end());
  const Stump& stump = stumps[index];
  const bool flipped = problem_.rows.test(stump.column, numbers[0]) != problem_.rows.test(stump.first, numbers[0]);
  add_split(numbers, stump.first, {stump.column, flipped},
            [&](int x, const data::RowList&) { tree_.add_leaf(stump.prediction[1 - x]); });
}

template <class Count>
Ticks TreeReader<Count>::loss_of(const data::RowList& numbers, std::uint32_t column, std::uint32_t prediction) const {
  Ticks loss = 0;
  for (const std::uint32_t row : numbers)
    if (problem_.rows.test(column, row)) loss += problem_.model.loss_of(problem_.rows.weight(row), prediction);
  return loss;
}

template <class Count>
auto TreeReader<Count>::copy_of(const data::RowList& numbers, std::uint32_t column, std::uint32_t begin,
                                std::uint32_t copy) const -> Copy {
  const data::DistinctRows& data = problem_.rows;
  for (std::uint32_t other = begin; other < data.n_columns; ++other) {
    const bool flipped = data.test(column, numbers[0]) != data.test(other, numbers[0]);
    const bool is_copy = std::all_of(numbers.begin(), numbers.end(), [&](std::uint32_t row) {
      return (data.test(column, row) != data.test(other, row)) == flipped;
    });
    if (is_copy && copy-- == 0) return {other, flipped};
  }
  missing("column");
}

template <class Count>
tree::ResultTree TreeGraph<Count>::tree(Ticks cost, const Limbs& rank) {
  const std::optional<Count> number = Count::of(rank);
  if (!number || *number >= count_of(nodes_[0].trees, cost))
    throw std::invalid_argument("rank: there are fewer trees of this cost");
  return TreeReader<Count>(*this).read(cost, *number);
}

template tree::ResultTree TreeGraph<WordCount>::tree(Ticks, const Limbs&);
template tree::ResultTree TreeGraph<BigCount>::tree(Ticks, const Limbs&);

template class TreeReader<WordCount>;
template class TreeReader<BigCount>;

}  // namespace hornbeam::rashomon
