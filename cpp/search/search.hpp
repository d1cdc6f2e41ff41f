// search/search.hpp
//
// WHAT    One search from start to outcome: threads, the root's interval over time, limits, the tree.
// FLOW    api/solve -> here -> search/worker (one a thread) -> search/result_tree.
// HOLDS   Re-entrant: two searches in two threads do not meet. Outcome holds values only.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/problem.hpp"
#include "search/result_tree.hpp"
#include "search/watch.hpp"

namespace hornbeam {

struct Outcome {
  ResultTree tree;
  Ticks lower = 0;
  Status status = Status::optimal;
  std::uint64_t n_subproblems = 0;
  std::uint64_t n_table_entries = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  Counters counters;
  std::vector<Progress> trace;  // one line for each change of the interval
};

/// `stop` holds the clock, started by the caller. `on_poll` is called on the calling thread several hundred times a
/// second; it returns true to stop the search. Throws StoppedBeforeSearch if it is stopped before it has a root.
Outcome search(const Problem& problem, const SearchLimits& limits, StopSignal& stop,
               const std::function<bool(const Progress&)>& on_poll);

}  // namespace hornbeam
