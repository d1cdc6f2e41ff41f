#include "rashomon/two_level_trees.hpp"

#include <algorithm>

#include "bounds/equivalent_points.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::rashomon {

void TwoLevelTrees::list_leaves(const Ticks* measures, Ticks most, std::vector<TreeLeaf>& leaves) const {
  leaves.clear();
  if (kind_.leaf_rule == LeafRule::differ || kind_.leaf_rule == LeafRule::best) {
    const TreeLeaf leaf = best_leaf(measures);
    if (leaf.cost <= most) leaves.push_back(leaf);
    return;
  }
  for (std::uint32_t k = 0; k < model_.n_predictions(); ++k) {
    const Ticks cost = kind_.cost_of_leaf(model_.loss_if(measures, k));
    if (cost <= most) leaves.push_back({cost, k});
  }
}

bool TwoLevelTrees::list_sides(const rows::RowSet& rows, std::uint32_t column, std::uint32_t levels, Ticks most) {
  const Ticks* side[2] = {side_of(rows, column, false), side_of(rows, column, true)};
  if (!may_be_leaf(side[0]) || !may_be_leaf(side[1])) return false;
  NodeLeaves leaf[2];
  Ticks least[2];
  for (int x = 0; x < 2; ++x) {
    leaf[x] = leaves_of(side[x]);
    least[x] = leaf[x].best.cost;
    if (levels > 1)
      least[x] = std::min(least[x], bounds::cost_of_two_leaves_or_more(kind_.leaf_cost, model_.least_loss(side[x])));
  }
  // Measures of pairs take a pass over the rows, so cheaper bounds come first: of the sides, then of their stumps.
  if (least[0] + least[1] > most) return false;
  if (levels > 1) {
    kernels::PairSide stumps[2];  // of the true side first
    maker_.pair_stage(rows, column, stumps);
    for (int x = 0; x < 2; ++x) least[x] = std::min(leaf[x].best.cost, 2 * kind_.leaf_cost + stumps[1 - x].stump_loss);
    if (least[0] + least[1] > most) return false;
    both_ = maker_.pair_measures(rows, column);
  }
  trivial_splits_ = trivial_splits(kind_, leaf[0], leaf[1]);
  for (int x = 0; x < 2; ++x) list_side(rows, column, x, levels > 1, most - least[1 - x]);
  return true;
}

void TwoLevelTrees::list_side(const rows::RowSet& rows, std::uint32_t column, int side, bool may_split, Ticks most) {
  std::vector<OneLevelTree>& trees = trees_[side];
  trees.clear();
  list_leaves(side_[side].data(), most, leaves_[0]);
  for (const TreeLeaf& leaf : leaves_[0]) trees.push_back({leaf.cost, table::kNoSplit, 1, {leaf.prediction, 0}});
  if (may_split && bounds::cost_of_two_leaves_or_more(kind_.leaf_cost, model_.least_loss(side_[side].data())) <= most)
    list_stumps(rows, column, side, most);
  std::stable_sort(trees.begin(), trees.end(),
                   [](const OneLevelTree& a, const OneLevelTree& b) { return a.cost < b.cost; });
}

void TwoLevelTrees::list_stumps(const rows::RowSet& rows, std::uint32_t column, int side, Ticks most) {
  const bool must_differ = kind_.leaf_rule == LeafRule::differ || kind_.leaf_rule == LeafRule::any_differ;
  true_side_.resize(size_);
  false_side_.resize(size_);
  for (std::uint32_t other = 0; other < rows.n_columns; ++other) {
    if (other == column) continue;
    for (std::size_t m = 0; m < size_; ++m) {
      const std::size_t at = m * rows.stride + other;
      true_side_[m] = side == 1 ? both_[at] : rows.sums[at] - both_[at];
      false_side_[m] = side_[side][m] - true_side_[m];
    }
    if (2 * kind_.leaf_cost + model_.loss(true_side_.data()) + model_.loss(false_side_.data()) > most) continue;
    if (!may_be_leaf(true_side_.data()) || !may_be_leaf(false_side_.data())) continue;
    list_leaves(true_side_.data(), most, leaves_[1]);
    list_leaves(false_side_.data(), most, leaves_[0]);
    for (const TreeLeaf& false_side : leaves_[0])
      for (const TreeLeaf& true_side : leaves_[1]) {
        const Ticks cost = false_side.cost + true_side.cost;
        if (cost > most || (must_differ && false_side.prediction == true_side.prediction)) continue;
        trees_[side].push_back({cost, other, rows.copies[other], {false_side.prediction, true_side.prediction}});
      }
  }
}

}  // namespace hornbeam::rashomon
