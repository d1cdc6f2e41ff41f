#include "api/ordered_subproblems.hpp"

#include <algorithm>

#include "api/checks.hpp"

namespace hornbeam::api {

namespace {

sorted::RowGains gains_of_checked(const data::OrderedColumns& columns, const Input& input) {
  check_ordered_input(columns, input);
  require(input.reference.empty(), "reference: not for subproblems");
  return sorted::gains_of_rows(input.losses, columns.n_rows, {});
}

}  // namespace

OrderedSubproblems::OrderedSubproblems(const data::OrderedColumns& columns, const Input& input,
                                       std::uint64_t work_between_polls)
    : byte_limit_(input.limits.bytes),
      rows_(gains_of_checked(columns, input)),
      problem_(ordered_problem(columns, rows_, input, work_between_polls)),
      search_(problem_, byte_limit_) {}

ordered::OrderedOutcome OrderedSubproblems::solve(const ordered::OrderedSubproblem& subproblem,
                                                  std::optional<double> seconds, const run::OnPoll& on_poll,
                                                  run::Status& status) {
  require(std::all_of(subproblem.path.begin(), subproblem.path.end(),
                      [&](const ordered::Condition& one) { return one.column < problem_.columns.n_columns; }),
          "path: there is no such column");
  run::SearchLimits limits;
  limits.seconds = seconds;
  limits.bytes = byte_limit_;
  run::Run run(limits, on_poll);
  ordered::OrderedOutcome outcome = search_.solve(subproblem, run);
  status = run.reason().value_or(run::Status::optimal);
  return outcome;
}

}  // namespace hornbeam::api
