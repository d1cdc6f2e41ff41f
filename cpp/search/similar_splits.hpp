// search/similar_splits.hpp
//
// WHAT    Bounds that pass from one candidate split to others whose sides hold nearly the same rows
//         (bounds/similarity.hpp).
// HOLDS   Only if `similarity_holds`: with limits on leaves or rows, a tree need not fit the similar side.
#pragma once

#include "search/search_thread.hpp"

namespace hornbeam::search {

/// From a candidate just paired to the columns next to it that are nested with it, such as thresholds of one variable:
/// their distance is a difference of sums. Only what is proven beyond the best tree is passed on. What is proven beyond
/// the budget would spare the neighbors their pairs only until the budget grows.
void spread_to_nested(SearchThread& thread, Frame& frame, const Candidate& from);

/// From the candidate just raised to every candidate below the budget.
void spread_to_similar(SearchThread& thread, Frame& frame, const Candidate& from, Ticks budget);

}  // namespace hornbeam::search
