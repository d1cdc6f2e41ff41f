// search/similar_splits.hpp
//
// WHAT    Bounds that pass from one candidate split to others whose sides hold nearly the same rows
//         (bounds/similarity.hpp): to other columns of the same frame, and to the same column in a child.
// HOLDS   Only if `similarity_holds`: with limits on leaves or rows, a tree need not fit the similar side.
#pragma once

#include <vector>

#include "search/search_thread.hpp"

namespace hornbeam::search {

/// From a candidate just paired to the columns next to it that are nested with it, such as thresholds of one variable:
/// their distance is a difference of sums. Only what is proven beyond the best tree is passed on. What is proven beyond
/// the budget would spare the neighbors their pairs only until the budget grows.
void spread_to_nested(SearchThread& thread, Frame& frame, const Candidate& from);

/// From the candidate just raised to every candidate below the budget.
void spread_to_similar(SearchThread& thread, Frame& frame, const Candidate& from, Ticks budget);

/// From the candidates of a frame to the same columns in one side of a split, which holds a part of the rows. What this
/// costs is a difference of sums: a candidate of a child may need neither pairs nor a frame where the same one of its
/// parent has been raised far.
class InheritedBounds {
 public:
  /// `part` has the measures of the side on the columns of the frame `whole` (RowSetMaker::count_child). Both must
  /// stay.
  InheritedBounds(SearchThread& thread, Frame& whole, const rows::RowSet& part);

  /// Raises the candidate `g` of the part; `column` is its column in the whole.
  void raise(std::uint32_t column, Candidate& g);

 private:
  Ticks distance(std::uint32_t column, int y);

  Counters& counters_;
  const models::LeafModel& model_;
  const Frame& whole_;
  const rows::RowSet& part_;
  const Ticks leaf_cost_;
  const bool may_not_add_split_;
  std::vector<Ticks> cell_;
};

/// Raises all candidates of a child that has the rows of `part`.
void inherit(SearchThread& thread, Frame& whole, const rows::RowSet& part, Frame& child);

}  // namespace hornbeam::search
