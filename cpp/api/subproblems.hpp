// api/subproblems.hpp
//
// WHAT    The entry point for a search that several processes share: each solves subproblems of the same problem, as
//         another one tells it.
// FLOW    bindings -> here -> data (merge rows) -> search/subproblem_search.
// HOLDS   Trees are not scored again here: whoever joins them passes the whole tree to `solve` as its start tree.
#pragma once

#include "api/solve.hpp"
#include "search/subproblem_search.hpp"

namespace hornbeam::api {

class Subproblems {
 public:
  /// Copies what it needs. Throws std::invalid_argument as `solve`, and for a reference; run::Stopped if the limits
  /// leave no room for the rows.
  Subproblems(const data::PackedColumns& columns, const Input& input, std::uint64_t work_of_news);
  Subproblems(const Subproblems&) = delete;
  Subproblems& operator=(const Subproblems&) = delete;
  Subproblems(Subproblems&&) = delete;
  Subproblems& operator=(Subproblems&&) = delete;
  ~Subproblems() = default;

  /// Searches for at most so many seconds; `status` tells why it ended. Throws std::invalid_argument for columns that
  /// the data lack.
  search::SubproblemOutcome solve(const search::Subproblem& subproblem, std::optional<double> seconds,
                                  const run::OnPoll& on_poll, run::Status& status);

  search::SubproblemSearch& search() { return search_; }

 private:
  const models::LeafModel model_;
  const std::optional<std::uint64_t> byte_limit_;
  const data::DistinctRows rows_;
  search::SubproblemSearch search_;
};

}  // namespace hornbeam::api
