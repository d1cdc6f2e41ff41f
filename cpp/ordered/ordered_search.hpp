// ordered/ordered_search.hpp
//
// WHAT    The exact search for problems whose columns are the thresholds of a few variables. It sorts the
//         rows, solves the problem for growing depths, and manages threads, limits and trace.
// FLOW    api/solve -> here -> ordered/shared_root (the whole problem) -> ordered/ordered_worker (one a thread).
// HOLDS   (O1) `lower` of a result never exceeds the cost of any tree of the allowed depth; `cost` is that of a tree.
//         (O2) Nothing of the size of a column is stored: memory grows with the variables, not with their thresholds.
//         (O3) One thread gives the same tree every time, several give the same cost.
// COST    A subproblem costs its rows x variables, whatever the number of thresholds; how many thresholds are tried
//         depends on how soon sorted/open_thresholds.hpp closes the runs between them.
// SOURCE  [mazumder2022quantbnb], [brita2025contree]; the search with cutoffs and the exact integers are ours.
#pragma once

#include "ordered/ordered_problem.hpp"
#include "primal/companion.hpp"
#include "run/run.hpp"

namespace hornbeam::ordered {

/// Throws Stopped if it is stopped before the rows are in order.
/// `companion` may be null; otherwise it gets a share of the work. So may `start`, the first incumbent, which is within
/// the limits.
run::Outcome search_ordered(const OrderedProblem& problem, run::Run& run, primal::Companion* companion = nullptr,
                            const tree::ResultTree* start = nullptr);

}  // namespace hornbeam::ordered
