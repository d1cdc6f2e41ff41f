// api/ordered_subproblems.hpp
//
// WHAT    The same as api/subproblems.hpp for columns that are thresholds of ordered variables.
// FLOW    bindings -> here -> ordered/ordered_subproblems.
// HOLDS   Costs are without what every tree loses, `floor`. Trees are not scored again here.
#pragma once

#include "api/solve.hpp"
#include "ordered/ordered_subproblems.hpp"
#include "sorted/row_gains.hpp"

namespace hornbeam::api {

class OrderedSubproblems {
 public:
  /// Keeps a reference to `columns` and copies what else it needs. Throws std::invalid_argument as `solve`, and for a
  /// reference; run::Stopped if the limits leave no room for the rows.
  OrderedSubproblems(const data::OrderedColumns& columns, const Input& input,
                     std::uint64_t work_between_polls = ordered::kWorkBetweenPolls);
  OrderedSubproblems(const OrderedSubproblems&) = delete;
  OrderedSubproblems& operator=(const OrderedSubproblems&) = delete;
  OrderedSubproblems(OrderedSubproblems&&) = delete;
  OrderedSubproblems& operator=(OrderedSubproblems&&) = delete;
  ~OrderedSubproblems() = default;

  /// Searches for at most so many seconds; `status` tells why it ended. Throws std::invalid_argument for columns that
  /// the data lack.
  ordered::OrderedOutcome solve(const ordered::OrderedSubproblem& subproblem, std::optional<double> seconds,
                                const run::OnPoll& on_poll, run::Status& status);

  /// The problem without its rows.
  const ordered::OrderedProblem& problem() const { return problem_; }
  Ticks floor() const { return rows_.floor; }
  std::uint64_t bytes() { return search_.bytes(); }

 private:
  const std::optional<std::uint64_t> byte_limit_;
  const sorted::RowGains rows_;
  const ordered::OrderedProblem problem_;
  ordered::OrderedSubproblems search_;
};

}  // namespace hornbeam::api
