// verify/score.hpp
//
// WHAT    A second opinion: the cost of a tree, counted again from the caller's rows, one row at a time.
// HOLDS   Shares no code with the search, its table, its kernels or its bounds; kept plain, never optimised.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "base/types.hpp"
#include "data/costs.hpp"

namespace hornbeam {

struct FlatTree {
  std::span<const std::int32_t> column, left, right, prediction;
};

/// The caller's columns: how many, and whether a column holds in a row.
struct ColumnTest {
  std::uint32_t n_columns;
  std::function<bool(std::uint32_t column, std::uint32_t row)> holds;
};

/// Checks that the arrays are one tree within the limit of depth; returns its number of leaves.
/// Throws std::logic_error if they are not.
std::uint32_t check_tree(const FlatTree& tree, std::uint32_t n_columns, std::uint32_t n_predictions,
                         const std::optional<std::uint32_t>& most_depth);

/// Cost of the tree on the rows.
/// Throws std::logic_error if the arrays are no tree or the tree breaks a limit.
Ticks score(const FlatTree& tree, const ColumnTest& columns, std::span<const std::int32_t> classes,
            std::span<const std::int64_t> weights, const Costs& costs, Ticks leaf_cost, const TreeLimits& limits);

}  // namespace hornbeam
