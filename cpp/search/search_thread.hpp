// search/search_thread.hpp
//
// WHAT    The context of one thread's search: the problem, the state of all threads, the maker of row sets, the
//         counters, the work meter, and the frames that the thread is in.
// HOLDS   Every part checks `stopped()` between steps of bounded work and then returns with all intervals valid.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/kernels.hpp"
#include "rows/problem.hpp"
#include "rows/row_set.hpp"
#include "search/frame.hpp"
#include "search/shared_state.hpp"

namespace hornbeam::search {

class SearchThread {
 public:
  /// `number` 0 is the calling thread. `poll` is called periodically and may stop the run.
  SearchThread(const rows::Problem& problem, SharedState& shared, const kernels::Kernels& kernels, std::uint32_t number,
               std::function<void()> poll);

  Counters counters;
  const rows::Problem& problem;
  SharedState& shared;
  const kernels::Kernels& kernels;
  rows::RowSetMaker maker;
  run::WorkMeter meter;  // of words of kernel work

  void count_subproblem();
  /// Of the whole thread, once it has ended.
  Counters all_counters() const;
  /// Whether to leave the current frame: the search has ended, or another thread has finished this frame or one above.
  bool stopped();

  /// Bracket the work on a frame.
  void enter(const Frame& frame, Ticks budget) { path_.push_back({&frame, budget}); }
  void leave(const Frame& frame);
  /// Checks whether another thread has raised a frame of the path to its budget, or closed it.
  void check_finished_elsewhere();

 private:
  struct Visit {
    const Frame* frame;
    Ticks budget;
  };

  const std::uint32_t number_;
  std::vector<Visit> path_;                    // the root first
  const Frame* finished_elsewhere_ = nullptr;  // the first of them: everything below it ends
};

/// For the table, which forgets the entries of the least effort first.
inline std::uint8_t effort_of(std::uint64_t work) { return static_cast<std::uint8_t>(std::bit_width(work)); }

/// The groups of the columns on the path to a side.
inline std::uint64_t path_columns(const Frame& frame, const Candidate& candidate) {
  return frame.path_columns | table::Proof::group_of(frame.rows.columns[candidate.column]);
}
inline table::Proof proof_of(const Frame& frame, const Candidate& candidate, std::uint64_t work) {
  return {effort_of(work), path_columns(frame, candidate)};
}

/// Whether bounds/subset.hpp and bounds/similarity.hpp cover the limits of the frame.
inline bool subset_bound_holds(const rows::Problem& problem, const Frame& frame) {
  return problem.bounds.subset && frame.limits.depth == table::kUnlimited && frame.limits.leaves == table::kUnlimited &&
         !problem.limits_rows();
}
inline bool similarity_holds(const rows::Problem& problem, const Frame& frame) {
  return problem.bounds.similarity && frame.limits.leaves == table::kUnlimited && !problem.limits_rows();
}

}  // namespace hornbeam::search
