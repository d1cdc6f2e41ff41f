// search/search.hpp
//
// WHAT    One search from start to outcome: threads, the root's interval over time, limits, the tree.
// FLOW    api/solve -> here -> search/and_or_search (one a thread) -> search/read_tree.
// HOLDS   Re-entrant: concurrent searches share no state. Outcome holds values only.
#pragma once

#include "primal/companion.hpp"
#include "rows/problem.hpp"
#include "run/run.hpp"
#include "search/earlier_searches.hpp"

namespace hornbeam::search {

/// Whether sums over columns are expected to end the search soon: they find the lowest three levels at once.
bool is_fast_by_sums(const rows::Problem& problem);

/// Throws Stopped if it is stopped before it has a root.
/// `companion` may be null; otherwise it gets a share of the work. So may `earlier`; otherwise the search uses what is
/// known from there, and adds what it proves itself. Throws std::invalid_argument if that is of another problem.
/// And `start`, the first incumbent, which is within the limits.
run::Outcome search(const rows::Problem& problem, run::Run& run, primal::Companion* companion = nullptr,
                    EarlierSearches* earlier = nullptr, const tree::ResultTree* start = nullptr);

}  // namespace hornbeam::search
