// rashomon/two_level_trees.hpp
//
// WHAT    All trees of at most two levels of splits on a row set, by the split at their root: the small trees (a leaf,
//         or one split) on both of its sides. They are found from pair counts, without making a subproblem.
// FLOW    rashomon/tree_graph counts them; rashomon/read_tree finds one of them again.
// HOLDS   The order of all lists is that of the columns in the data, so it does not depend on how a set was reached.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "rashomon/histogram.hpp"
#include "rows/row_set.hpp"

namespace hornbeam::rashomon {

/// The prediction of a leaf.
enum class LeafRule {
  differ,      // the class of least loss, the first in case of ties; no split has two leaves that predict the same
  best,        // the class of least loss
  any,         // any class
  any_differ,  // any class, but no split has two leaves that predict the same; for two classes
};

/// Which trees there are, and what they cost. All sides of all splits have rows, at least `rows_per_leaf` of them.
struct TreeKind {
  Ticks leaf_cost;
  std::uint64_t rows_per_leaf;
  LeafRule leaf_rule;
  /// The loss of each leaf is rounded up to a multiple of 2^loss_bits, so that trees have few costs where almost every
  /// set of rows has a loss of its own. No loss becomes less, so every lower bound on losses remains one.
  int loss_bits = 0;

  Ticks cost_of_leaf(Ticks loss) const {
    const Ticks rest = (Ticks{1} << loss_bits) - 1;
    return leaf_cost + ((loss + rest) & ~rest);
  }
};

struct TreeLeaf {
  Ticks cost;
  std::uint32_t prediction;
};

struct OneLevelTree {
  Ticks cost;
  std::uint32_t column;         // of the row set, kNoSplit for a leaf
  std::uint32_t copies;         // columns of the data that are the same split
  std::uint32_t prediction[2];  // by side; of a leaf the first
};

/// The costs of two leaves, by side, that must not be below one split.
using TrivialSplitPair = std::optional<std::pair<Ticks, Ticks>>;

/// All pairs of such leaves, with the number of each leaf among the trees of its cost.
struct TrivialSplits {
  struct Pair {
    Ticks cost[2];          // by side
    std::uint32_t rank[2];  // the same
  };
  std::array<Pair, 2> pairs;
  std::size_t n = 0;

  const Pair* begin() const { return pairs.data(); }
  const Pair* end() const { return pairs.data() + n; }
};

/// Of two best leaves.
inline TrivialSplitPair trivial_split_pair(const TreeKind& kind, const TreeLeaf& false_side,
                                           const TreeLeaf& true_side) {
  if (kind.leaf_rule != LeafRule::differ || false_side.prediction != true_side.prediction) return std::nullopt;
  return std::pair(false_side.cost, true_side.cost);
}

/// The leaves that a subproblem may be.
struct NodeLeaves {
  TreeLeaf best{kInfinity, 0};
  Ticks cost[2] = {kInfinity, kInfinity};  // by prediction; only for LeafRule::any_differ

  std::uint32_t rank(std::uint32_t prediction) const { return prediction == 1 && cost[0] == cost[1] ? 1 : 0; }
};

inline TrivialSplits trivial_splits(const TreeKind& kind, const NodeLeaves& false_side, const NodeLeaves& true_side) {
  TrivialSplits found;
  if (const TrivialSplitPair best = trivial_split_pair(kind, false_side.best, true_side.best))
    found.pairs[found.n++] = {{best->first, best->second}, {0, 0}};
  if (kind.leaf_rule == LeafRule::any_differ)
    for (std::uint32_t k = 0; k < 2; ++k)
      found.pairs[found.n++] = {{false_side.cost[k], true_side.cost[k]}, {false_side.rank(k), true_side.rank(k)}};
  return found;
}

class TwoLevelTrees {
 public:
  TwoLevelTrees(const TreeKind& kind, const models::LeafModel& model, rows::RowSetMaker& maker)
      : kind_(kind), model_(model), maker_(maker), size_(model.measures().size()) {}

  /// The leaves of at most `most` that rows of these measures may have, by prediction.
  void list_leaves(const Ticks* measures, Ticks most, std::vector<TreeLeaf>& leaves) const;
  TreeLeaf best_leaf(const Ticks* measures) const {
    return {kind_.cost_of_leaf(model_.loss(measures)), model_.best_prediction_of(measures)};
  }
  NodeLeaves leaves_of(const Ticks* measures) const {
    NodeLeaves leaves{best_leaf(measures)};
    if (kind_.leaf_rule == LeafRule::any_differ)
      for (std::uint32_t k = 0; k < 2; ++k) leaves.cost[k] = kind_.cost_of_leaf(model_.loss_if(measures, k));
    return leaves;
  }
  bool may_be_leaf(const Ticks* measures) const {
    if (!model_.measures().counts_rows) return model_.largest_loss(measures) > 0;
    return model_.rows(measures) >= static_cast<Ticks>(std::max<std::uint64_t>(1, kind_.rows_per_leaf));
  }

  /// Measures of the rows on one side of a column; valid until the next call for that side.
  const Ticks* side_of(const rows::RowSet& rows, std::uint32_t column, bool side) {
    std::vector<Ticks>& measures = side_[side ? 1 : 0];
    measures.resize(size_);
    for (std::size_t m = 0; m < size_; ++m) {
      const Ticks true_side = rows.sums[m * rows.stride + column];
      measures[m] = side ? true_side : rows.total[m] - true_side;
    }
    return measures.data();
  }

  /// Lists the small trees on both sides of `column`, by ascending cost, that can be part of a tree of at most `most`;
  /// for one level, only leaves. False if there is no such tree.
  bool list_sides(const rows::RowSet& rows, std::uint32_t column, std::uint32_t levels, Ticks most);
  const std::vector<OneLevelTree>& trees(int side) const { return trees_[side]; }
  const TrivialSplits& trivial_splits_listed() const { return trivial_splits_; }

 private:
  void list_side(const rows::RowSet& rows, std::uint32_t column, int side, bool may_split, Ticks most);
  void list_stumps(const rows::RowSet& rows, std::uint32_t column, int side, Ticks most);

  const TreeKind kind_;
  const models::LeafModel& model_;
  rows::RowSetMaker& maker_;
  const std::size_t size_;
  std::vector<Ticks> side_[2], true_side_, false_side_;
  const Ticks* both_ = nullptr;  // measures of the pairs of the column
  mutable std::vector<TreeLeaf> leaves_[2];
  std::vector<OneLevelTree> trees_[2];
  TrivialSplits trivial_splits_;
};

/// How many of these trees have each cost.
template <class Count>
void count_one_level_trees(const std::vector<OneLevelTree>& trees, Histogram<Count>& counts) {
  counts.clear();
  for (const OneLevelTree& tree : trees) {
    if (counts.empty() || counts.back().cost != tree.cost) counts.push_back({tree.cost, Count()});
    counts.back().count += Count(tree.copies);
  }
}

}  // namespace hornbeam::rashomon
