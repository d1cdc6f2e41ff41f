#include "api/ordered_subproblems.hpp"

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
  return solve_subproblem(search_, subproblem, problem_.columns.n_columns, {seconds, byte_limit_}, on_poll, status);
}

}  // namespace hornbeam::api
