// posterior/posterior_tree.hpp
//
// WHAT    Reads the best known tree off the table, by plain lists of rows.
// HOLDS   Costs no more than the root's upper bound, unless the table was too full to keep all entries.
#pragma once

#include "data/distinct_rows.hpp"
#include "posterior/posterior_costs.hpp"
#include "table/subproblem_table.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam {

/// The prediction of a node is the class of the most rows and prior counts together (ties: the first).
/// With time, nodes below what is known are completed greedily; without, they are leaves.
ResultTree read_posterior_tree(const DistinctRows& rows, PosteriorCosts& costs, const SubproblemTable& table,
                               bool has_time);

}  // namespace hornbeam
