// primal/greedy_tree.hpp
//
// WHAT    The greedy tree: every leaf is split by the column whose two sides lose least, and what does not pay is
//         pruned. The loss is the exact one of the problem, whose rows weigh for every target.
// FLOW    api/incumbent, before the search or once it was stopped -> here -> api/start_tree, which labels the tree.
// HOLDS   Within the limits, of which one on leaves makes the growth best first, and a rule list is what pruning leaves
//         of the tree. Ties go to the first column. Of more than 2^14 rows with many thresholds, those of a variable
//         that are tried are about two hundred and then all near the best of them (primal/binned_rows.hpp).
// COST    `work` says how much; most of it are additions of weights, for each level, row, target, and four columns or
//         one variable.
// SOURCE  [breiman1984cart]; sums of four columns at once (the method of four Russians) as in data/column_groups.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "data/ordered_columns.hpp"
#include "data/packed_columns.hpp"
#include "data/row_targets.hpp"
#include "models/leaf_model.hpp"
#include "primal/greedy_splits.hpp"
#include "tree/start_tree.hpp"

namespace hornbeam::primal {

/// The columns of a tree::StartTree.
struct GreedyTree {
  std::vector<std::int32_t> column, left, right;
  tree::StartTree view() const { return {column, left, right}; }
};

GreedyWork greedy_work(const data::PackedColumns& columns, const models::LeafModel& model, const TreeLimits& limits);
GreedyWork greedy_work(const data::OrderedColumns& columns, const models::LeafModel& model, const TreeLimits& limits);

/// `targets` weigh for every target.
GreedyTree greedy_tree(const data::PackedColumns& columns, const data::RowTargets& targets,
                       const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits);
GreedyTree greedy_tree(const data::OrderedColumns& columns, const data::RowTargets& targets,
                       const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits);

}  // namespace hornbeam::primal
