// search/record_tree.hpp
//
// WHAT    Writes a tree that was found elsewhere to the table, as the best tree known of all subproblems on its paths.
// FLOW    primal -> search/search -> here -> the table, where every frame looks.
#pragma once

#include "rows/problem.hpp"
#include "search/shared_state.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::search {

/// The tree must be within the limits of the problem. Thread-safe as the table is.
void record_tree(const rows::Problem& problem, table::SubproblemTable& table, const NodeLimits& limits,
                 const tree::ResultTree& tree);

}  // namespace hornbeam::search
