// search/bounded_memory.hpp
//
// WHAT    Keeps a search within its memory limit: the table forgets what is cheap to prove again.
// FLOW    search/search calls `on_poll` -> table/subproblem_table forgets; search/read_tree reads the best tree.
// HOLDS   A forgotten entry loses no proof: bounds of frames stay as they are, and a subproblem that is met again is
//         searched again. Only the tree may be lost, whose entries may be gone before it is read. So once entries are
//         forgotten, the best tree is read whenever there is a better one, and what is missing is solved again. Until
//         that has succeeded, the better tree does not count: what is reported is a tree at hand.
#pragma once

#include "rows/problem.hpp"
#include "search/read_tree.hpp"
#include "search/shared_state.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::search {

/// For the calling thread.
class BoundedMemory {
 public:
  BoundedMemory(const rows::Problem& problem, SharedState& shared) : problem_(problem), shared_(shared) {}

  /// `root` is what is known of the whole problem, and `limits` are its limits. Makes room, and keeps the tree: it is
  /// lost only if another search has forgotten a part of it. Returns whether there was too little room.
  bool make_room(const table::Interval& root, const NodeLimits& limits);
  /// The same for a search that has the table for itself: what the tree lacks is solved again.
  void on_poll(const table::Interval& root, const NodeLimits& limits);

  bool has_forgotten() const { return shared_.table.n_forgotten() > 0; }
  /// The best tree that was read; its cost is kInfinity if there is none.
  const tree::ResultTree& tree() const { return tree_; }
  /// Reads the tree of the table, and keeps it if it is better.
  void keep_tree(const NodeLimits& limits, const SolveAgain& solve_again = {});

 private:
  std::uint64_t room() const;
  /// Reads the tree of the table, and solves again what is missing.
  void solve_tree(const table::Interval& root, const NodeLimits& limits);
  tree::ResultTree solve(const data::RowList& rows, const NodeLimits& limits);

  const rows::Problem& problem_;
  SharedState& shared_;
  tree::ResultTree tree_{{}, {}, {}, {}, kInfinity, {}};
  Ticks tried_ = kInfinity;  // the cost of the last tree of which something was solved again
};

}  // namespace hornbeam::search
