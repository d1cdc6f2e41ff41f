// rows/problem.hpp
//
// WHAT    One problem: distinct rows, costs, limits on the tree, bounds that are switched on.
// HOLDS   Immutable.
#pragma once

#include "base/bounds.hpp"
#include "base/options.hpp"
#include "bounds/support_condition.hpp"
#include "data/distinct_rows.hpp"
#include "models/leaf_model.hpp"
#include "packing/root_packing.hpp"
#include "pricing/schedule.hpp"

namespace hornbeam::rows {

/// Up to this many columns, trees of three levels are found directly (shallow/three_levels.cpp). Measured in
/// docs/notes/2026-11-22-three-levels.md.
inline constexpr std::uint32_t kFewColumns = 40;

/// Up to this many columns, trees of two levels, or of three, are found from sums over pairs or triples of columns.
inline constexpr std::uint32_t kMostColumnsOfPairs = 2048, kMostColumnsOfTriples = 160;

/// Up to this many cells of four or five columns, or four times as many for many rows, all of them are counted
/// (shallow/cell_solver.hpp).
inline constexpr std::uint64_t kMostCells = std::uint64_t{1} << 26;

/// When bounds/packing_blocks.hpp is tried; tests choose less.
struct BlockPacking {
  std::uint64_t most_words = std::uint64_t{1} << 22;  // of pairs to compare, above which a set is packed within blocks
  std::uint64_t least_work = std::uint64_t{1} << 35;  // words that the search has counted before: about five seconds
};

/// Units of work before the search packs pairs of all rows: some dozen milliseconds.
inline constexpr std::uint64_t kUnitsBeforePairs = std::uint64_t{1} << 22;

struct Problem {
  const data::DistinctRows& rows;
  const models::LeafModel& model;
  Ticks leaf_cost;
  TreeLimits tree;
  Bounds bounds;
  BlockPacking block_packing{};
  packing::Schedule pair_packing{kUnitsBeforePairs};
  pricing::Schedule row_pricing{};
  // For models of two sums (shallow/sum_solver.hpp); tests choose less.
  std::uint32_t most_columns_of_pairs = kMostColumnsOfPairs;
  std::uint32_t most_columns_of_triples = kMostColumnsOfTriples;
  std::uint64_t most_cells = kMostCells;

  Ticks threshold() const { return bounds::support_threshold(bounds.support_condition, leaf_cost); }
  bool limits_rows() const { return tree.rows_per_leaf > 1; }
  bool has_few_columns() const { return rows.n_columns <= kFewColumns; }
  bool has_reference() const { return !rows.reference_loss.empty(); }
};

}  // namespace hornbeam::rows
