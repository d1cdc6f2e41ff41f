// posterior/posterior_tree.hpp
//
// WHAT    Reads the best known tree off the table, by plain lists of rows, and writes a tree to it.
// HOLDS   Costs no more than the root's upper bound, unless the table was too full to keep all entries.
#pragma once

#include "data/distinct_rows.hpp"
#include "posterior/posterior_costs.hpp"
#include "table/subproblem_table.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::posterior {

/// The prediction of a node is the class with the largest sum of rows and prior count; the first one in case of ties.
/// Nodes below what the table knows are completed greedily if there is time; otherwise they are leaves.
tree::ResultTree read_posterior_tree(const data::DistinctRows& rows, PosteriorCosts& costs,
                                     const table::SubproblemTable& table, bool has_time);

/// Records a tree of all rows, and all below it; returns its root. `table` needs room for it.
table::KnownTree record_posterior_tree(const data::DistinctRows& rows, PosteriorCosts& costs,
                                       table::SubproblemTable& table, const tree::ResultTree& tree);

}  // namespace hornbeam::posterior
