// lookahead/greedy_trees.hpp
//
// WHAT    Greedy trees: each node splits on the column of largest information gain until the depth is used up, then
//         subtrees that do not pay for their leaves are pruned from below. On request the last split uses the column
//         that leaves the least loss instead; that tree costs no more. For squared error every split does: the gain is
//         the decrease of the loss.
// FLOW    lookahead/lookahead_search closes the subproblems at its lookahead depth with the costs of these trees.
// HOLDS   (G1) `cost` is that of the tree that `grow` makes, or infinite if the run was stopped. (G2) Ties of gain
//         go to the first column, and gains within 1e-12 bits are a tie, so that neither rounding nor the scale of the
//         costs decides. The gain is not an integer, but it only chooses; costs are exact.
// COST    One pass of the counting kernel for both sides of a node: the counts of one side are those of the node minus
//         those of the other side. No row is copied; a node is a mask over the slots of its row set.
// SOURCE  [babbar2025split, algorithm 4], which also prunes from below (this gives the best pruning of the full greedy
//         tree). A node whose leaf costs no more than two leaves is not split: nothing below could pay.
#pragma once

#include <vector>

#include "models/leaf_model.hpp"
#include "rows/row_set.hpp"
#include "run/run.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::lookahead {

/// A tree in pre-order, true sides first: the column (of the data) of each split, kNoSplit for a leaf.
using SplitList = std::vector<std::uint32_t>;

class GreedyTrees {
 public:
  /// `counting` makes the measures of the row sets (a class's weight each, or the three sums of squared error, then
  /// nothing, then rows if they are counted); `model` determines the loss of a leaf.
  GreedyTrees(const models::LeafModel& counting, const models::LeafModel& model, const kernels::Kernels& kernels,
              Ticks leaf_cost, std::uint64_t rows_per_leaf, std::int64_t total_weight, bool last_by_loss,
              run::WorkMeter& meter);

  /// Costs of the trees of at most `depth` on both sides of a column.
  struct Sides {
    Ticks cost[2];
  };
  Sides costs_of_sides(const rows::RowSet& rows, std::uint32_t column, std::uint32_t depth);

  /// Appends the tree on the whole row set to `splits` and returns its cost. If it may stop, nodes that it did not
  /// reach are leaves.
  Ticks grow(const rows::RowSet& rows, std::uint32_t depth, SplitList& splits, bool may_stop = false);

  /// A leaf's cost, from the weight of each class.
  Ticks leaf_cost(const Ticks* class_weight) const;

  std::uint64_t bytes() const;

 private:
  /// Scratch space of a node of some depth, kept from one node to the next.
  struct Level {
    AlignedVector<Word> mask[2];  // the slots of both sides
    AlignedVector<Ticks> sums[2];
    std::vector<Ticks> total[2];
  };

  Ticks grow_node(const rows::RowSet& rows, const Word* mask, const Ticks* sums, const Ticks* total,
                  std::uint32_t depth, SplitList* splits);
  Ticks grow_sides(const rows::RowSet& rows, const Word* mask, const Ticks* sums, const Ticks* total,
                   std::uint32_t column, std::uint32_t depth, SplitList* splits, Ticks* cost);
  template <std::uint32_t kClasses>
  std::uint32_t best_column(const rows::RowSet& rows, const Ticks* sums, const Ticks* total, bool by_loss);
  template <std::uint32_t kClasses, class Number, class Score>
  std::uint32_t least_column(const rows::RowSet& rows, const Ticks* sums, const Ticks* total, Number tie, Score score);
  template <std::uint32_t kClasses>
  double tabled_impurity(const Ticks* class_weight, Ticks all) const;
  double impurity(const Ticks* class_weight) const;
  double mass_of(std::uint32_t label, Ticks weight) const {
    return static_cast<double>(weight) * (error_costs_.empty() ? 1.0 : error_costs_[label]);
  }
  void measure(const rows::RowSet& rows, const Word* mask, AlignedVector<Ticks>& sums);

  const models::LeafModel& model_;
  const models::Measures measures_;
  const kernels::Kernels& kernels_;
  const Ticks leaf_cost_;
  const Ticks rows_per_leaf_;
  const std::vector<double> error_costs_;  // of the classes; empty where they are the same
  const bool gain_is_loss_;                // squared error
  const bool last_by_loss_;
  run::WorkMeter& meter_;
  std::vector<double> entropy_;  // x log x of small whole weights; empty where classes have different costs
  std::vector<Level> levels_;    // by depth left
  AlignedVector<Word> scratch_, all_;
  std::vector<Ticks> side_[2];  // weights of the classes
  bool may_stop_ = true;
};

}  // namespace hornbeam::lookahead
