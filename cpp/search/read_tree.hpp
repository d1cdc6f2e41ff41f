// search/read_tree.hpp
//
// WHAT    Reads the best known tree off the table.
#pragma once

#include "rows/problem.hpp"
#include "search/shared_state.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::search {

/// Follows the best known splits from the whole problem down. Costs no more than the root's upper bound; leaves of the
/// known tree are split while that pays and little work is done on them.
tree::ResultTree read_tree(const rows::Problem& problem, const table::SubproblemTable& table, const NodeLimits& limits);

}  // namespace hornbeam::search
