// search/read_tree.hpp
//
// WHAT    Reads the best known tree off the table.
#pragma once

#include "rows/problem.hpp"
#include "search/shared_state.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam {

/// Follows the best known splits from the whole problem down. Costs no more than the root's upper bound; leaves of the
/// known tree are split while that pays and little work is done on them.
ResultTree read_tree(const Problem& problem, const SubproblemTable& table, const NodeLimits& limits);

}  // namespace hornbeam
