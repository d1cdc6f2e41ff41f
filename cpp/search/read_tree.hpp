// search/read_tree.hpp
//
// WHAT    Reads the best known tree off the table.
#pragma once

#include <functional>

#include "data/row_list.hpp"
#include "rows/problem.hpp"
#include "search/shared_state.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::search {

/// The best tree of some rows within limits, or the best that was found before a stop. May be empty.
using SolveAgain = std::function<tree::ResultTree(const data::RowList& rows, const NodeLimits& limits)>;

/// Follows the best known splits from the whole problem down. Costs no more than the root's upper bound; leaves of the
/// known tree are split while that pays and little work is done on them. What the table has forgotten of the tree is
/// solved again; without `solve_again`, the tree may then cost more.
tree::ResultTree read_tree(const rows::Problem& problem, const SharedState& shared, const NodeLimits& limits,
                           const SolveAgain& solve_again = {});

}  // namespace hornbeam::search
