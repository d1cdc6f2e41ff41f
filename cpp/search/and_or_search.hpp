// search/and_or_search.hpp
//
// WHAT    Depth-first branch and bound over subproblems with budgets, by one thread: expand, choose, raise, record.
// FLOW    search/search starts one per thread -> here -> candidate_list, bound_raiser, child_maker, which share a
//         search_thread.
// HOLDS   (W1) lower <= best <= upper in every frame and entry, also when a stop unwinds the search. (W2) a call of
//         solve(frame, budget) returns with lower >= budget, or lower = upper, or stopped, or another thread has
//         finished a frame above.
// CHOICE  Depth first with budgets that grow by half, instead of best first: there is no queue, and the two sides of a
//         split are raised in turn, so that the cheaper proof is found first. Candidates live in the frame, not in the
//         table.
// SOURCE  Recursion over support sets: [lin2020gosdt]; the order and the budgets are ours.
#pragma once

#include <functional>
#include <optional>

#include "search/bound_raiser.hpp"
#include "search/candidate_list.hpp"
#include "search/child_maker.hpp"
#include "search/open_split.hpp"
#include "search/parts.hpp"
#include "search/search_thread.hpp"
#include "search/similar_splits.hpp"

namespace hornbeam::search {

/// The rows of a problem with the limits that can bind, for trees that are found without frames.
struct Whole {
  Part part;
  NodeLimits limits;
  table::SubproblemKey key() const { return {part.set, limits.depth, limits.leaves}; }
};

class AndOrSearch {
 public:
  /// `number` 0 is the calling thread. `poll` is called periodically and may stop the run.
  AndOrSearch(const rows::Problem& problem, SharedState& shared, const kernels::Kernels& kernels, std::uint32_t number,
              std::function<void()> poll);

  /// The whole problem without a frame, whose single leaf is recorded; none if no sums could solve it. Throws Stopped.
  std::optional<Whole> whole();
  /// Solves it from sums, unless it is stopped; false if it needs frames. `report` is called before.
  bool solve_whole(const Whole& whole, const std::function<void()>& report);

  /// Makes the frame of the whole problem and records its single leaf. Throws Stopped.
  void open_root(Frame& root);

  /// A good first tree: at each set the split whose best two stumps cost least, recursively (LicketySPLIT with a
  /// lookahead of two levels, [babbar2025split]).
  void find_incumbent(Frame& frame);

  /// Leaves only these candidate splits in a root that has just been opened; the best trees known stay. Throws
  /// std::invalid_argument for a column that no optimal tree of the rows needs.
  void keep_splits(Frame& root, const std::vector<SplitName>& splits);

  /// The candidates that may still have a better tree than the best one known, with their keys.
  std::vector<OpenSplit> open_splits(Frame& root);

  /// Raises the frame's lower bound to `budget`, or closes it (W2).
  void solve(Frame& frame, Ticks budget);

  Counters counters() const { return thread_.all_counters(); }
  /// Words of kernel work so far.
  std::uint64_t work() const { return thread_.meter.spent(); }

 private:
  void expand(Frame& frame);
  void expand_child(Frame& frame, const Candidate& candidate, int x, Frame& child);
  void raise(Frame& frame, Candidate& candidate, Ticks budget);
  void record(Frame& frame);

  SearchThread thread_;
  ChildMaker children_;
  CandidateList candidates_;
  BoundRaiser raiser_;
};

}  // namespace hornbeam::search
