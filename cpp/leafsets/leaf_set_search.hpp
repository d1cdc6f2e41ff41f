// leafsets/leaf_set_search.hpp
//
// WHAT    OSDT: a best-first search over sets of leaves, some final and some to be split next, all at once.
// FLOW    api/solve -> here (queue, bounds, limits, trace) -> leafsets/leaf_set_tree.
// HOLDS   Each set of leaves is visited once: a leaf with k literals was made in step k, so the set alone determines
//         which of its leaves may still be split, whatever path led to it.
// SOURCE  [hu2019osdt, algorithm 2]; [lin2020gosdt, section 3] for objectives that are not additive.
#pragma once

#include "base/options.hpp"
#include "leafsets/options.hpp"
#include "leafsets/rank_loss.hpp"
#include "run/run.hpp"

namespace hornbeam {

struct LeafSetProblem {
  const DistinctRows& rows;
  const LeafModel& model;  // what a leaf predicts; the loss, too, where it is a sum
  Ticks leaf_cost;
  TreeLimits tree;
};

/// In the outcome, n_subproblems counts sets of leaves with a choice of leaves to split that were queued, and
/// n_table_entries different sets of leaves.
Outcome search_leaf_sets(const LeafSetProblem& problem, const LeafSetOptions& options, Run& run);

/// The same for leafsets/rank_loss.hpp. Two classes, the second positive; rows are numbered by their share of
/// positives.
Outcome search_ranks(const LeafSetProblem& problem, const RankPrices& prices, const LeafSetOptions& options, Run& run);

}  // namespace hornbeam
