// search/triple_tree.hpp
//
// WHAT    The best tree of at most three levels, from how many rows of each target there are where three columns hold.
// FLOW    search/triple_search counts the rows of a table in memory; for one that is read in batches,
// fitting/triples.py
//         calls this with the counts of data/triple_counter.
// HOLDS   The tree is a function of the counts: of trees that cost the same, the one of fewest leaves, then of least
//         depth, then whose root comes first among the columns; and so on for its sides, the true side first.
// COST    columns^3 / 6 triples with eight cells each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::search {

struct TripleCounts {
  std::uint32_t n_columns;
  /// By target: rows where columns i <= j <= k hold, at [(i * n_columns + j) * n_columns + k].
  std::vector<const std::int64_t*> held;
  std::vector<std::int64_t> totals;  // by target
};

struct TripleCosts {
  std::span<const Ticks> losses;  // (n_targets, n_predictions), of one row
  std::uint32_t n_predictions;
  Ticks leaf_cost;
  std::uint64_t rows_per_leaf;  // at least so many, unless the tree is a leaf
};

/// A tree of at most `n_levels` (0 to 3), with its cost.
tree::ResultTree best_tree(const TripleCounts& counts, const TripleCosts& costs, std::uint32_t n_levels);

}  // namespace hornbeam::search
