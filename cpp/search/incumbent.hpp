// search/incumbent.hpp
//
// WHAT    Primal heuristics next to the exact search: they get a share of its work, and their trees go to the table.
// FLOW    search/search calls `improve` from the poll of its first thread -> primal/primal_search -> record_tree.
// HOLDS   A problem that is solved in a few milliseconds does without. With a reference there are no heuristics: a
//         guessed bound may lie above the cost of a tree.
#pragma once

#include <functional>
#include <optional>

#include "primal/primal_search.hpp"
#include "rows/problem.hpp"
#include "search/shared_state.hpp"

namespace hornbeam::search {

class Incumbent {
 public:
  /// `poll` is called periodically while the heuristics work.
  Incumbent(const rows::Problem& problem, SharedState& shared, std::function<void()> poll)
      : problem_(problem), shared_(shared), poll_(std::move(poll)) {}

  /// `limits` are those of the root, `searched` is the work of the search so far.
  void improve(const NodeLimits& limits, std::uint64_t searched);
  std::uint64_t n_found() const { return n_found_; }

 private:
  bool has_memory() const;

  const rows::Problem& problem_;
  SharedState& shared_;
  const std::function<void()> poll_;
  std::optional<primal::PrimalSearch> heuristics_;
  std::uint64_t allowed_ = 0, n_found_ = 0;
  bool is_working_ = false;
};

}  // namespace hornbeam::search
