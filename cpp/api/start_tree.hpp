// api/start_tree.hpp
//
// WHAT    The tree that a search starts from, on the caller's rows: its predictions and its cost.
// FLOW    api/solve -> here -> the search, whose first incumbent it is; and back to api/solve, which returns it if the
//         search was stopped before it had a tree as good.
#pragma once

#include <cstdint>
#include <optional>

#include "api/checks.hpp"
#include "data/row_targets.hpp"
#include "models/leaf_model.hpp"
#include "tree/result_tree.hpp"
#include "tree/start_tree.hpp"

namespace hornbeam::api {

/// Throws std::logic_error if the arrays are not a tree, or the tree is too deep. None is right, too.
void check_start_tree(const tree::StartTree& start, std::uint32_t n_columns, std::uint32_t n_predictions,
                      std::optional<std::uint32_t> max_depth);

/// The same splits in pre-order, true sides first, with any prediction.
tree::ResultTree in_preorder(const tree::StartTree& start);

/// Predicts what loses least in every node and adds up the cost, given the leaf of each row.
void label(tree::ResultTree& tree, const data::RowLosses& losses, const models::LeafModel& model, Ticks leaf_cost);

/// `columns` has n_columns, n_rows and test(column, row). Throws std::logic_error if the arrays are not a tree, or the
/// tree exceeds a limit.
template <class Columns>
tree::ResultTree start_tree(const tree::StartTree& start, const Columns& columns, const data::RowLosses& losses,
                            const models::LeafModel& model, Ticks leaf_cost, const TreeLimits& limits) {
  check_start_tree(start, columns.n_columns, losses.n_predictions, limits.depth);
  tree::ResultTree tree = in_preorder(start);
  tree.leaf_of_row = verify::leaf_of_rows(flat(tree), columns, losses.n_predictions, limits, losses.targets.counts);
  label(tree, losses, model, leaf_cost);
  return tree;
}

}  // namespace hornbeam::api
