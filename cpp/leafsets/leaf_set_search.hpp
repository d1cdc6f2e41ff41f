// leafsets/leaf_set_search.hpp
//
// WHAT    OSDT: a best-first search over sets of leaves; some are final, the others are all split next, at once.
// FLOW    api/solve -> here (queue, bounds, limits, trace) -> leafsets/leaf_set_tree.
// HOLDS   Each set of leaves is visited once: a leaf with k literals was made in step k, so the set alone determines
//         which of its leaves may still be split, whatever path led to it.
// SOURCE  [hu2019osdt, algorithm 2]; [lin2020gosdt, section 3] for objectives that are not additive.
#pragma once

#include "base/options.hpp"
#include "leafsets/auc_loss.hpp"
#include "leafsets/options.hpp"
#include "run/run.hpp"

namespace hornbeam::leafsets {

struct LeafSetProblem {
  const data::DistinctRows& rows;
  const models::LeafModel& model;  // determines the prediction of a leaf and, for an additive objective, its loss
  Ticks leaf_cost;
  TreeLimits tree;
};

/// In the outcome, n_subproblems counts the states that were queued (a set of leaves with a choice of those to split),
/// and n_table_entries the different sets of leaves.
run::Outcome search_leaf_sets(const LeafSetProblem& problem, const LeafSetOptions& options, run::Run& run);

/// The same for leafsets/auc_loss.hpp. Two classes, the second positive; rows are numbered by their share of
/// positives.
run::Outcome search_auc(const LeafSetProblem& problem, const AucCosts& costs, const LeafSetOptions& options,
                        run::Run& run);

}  // namespace hornbeam::leafsets
