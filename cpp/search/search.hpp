// search/search.hpp
//
// WHAT    One search from start to outcome: threads, the root's interval over time, limits, the tree.
// FLOW    api/solve -> here -> search/and_or_search (one a thread) -> search/read_tree.
// HOLDS   Re-entrant: two searches in two threads do not meet. Outcome holds values only.
#pragma once

#include <functional>

#include "rows/problem.hpp"
#include "run/outcome.hpp"
#include "run/stop.hpp"

namespace hornbeam {

/// `stop` holds the clock, started by the caller. `on_poll` is called on the calling thread several hundred times a
/// second; it returns true to stop the search. Throws StoppedBeforeSearch if it is stopped before it has a root.
Outcome search(const Problem& problem, const SearchLimits& limits, StopSignal& stop,
               const std::function<bool(const Progress&)>& on_poll);

}  // namespace hornbeam
