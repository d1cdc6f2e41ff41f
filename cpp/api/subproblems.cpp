#include "api/subproblems.hpp"

#include <utility>
#include <vector>

#include "api/checks.hpp"

namespace hornbeam::api {

namespace {

models::LeafModel model_of_checked(const Input& input, std::uint32_t n_rows) {
  check_input(input, n_rows);
  require(input.reference.empty(), "reference: not for subproblems");
  return model_of(input);
}

data::DistinctRows rows_of(const data::PackedColumns& columns, const Input& input) {
  run::Run run(input.limits);
  return data::DistinctRows(columns, input.losses.targets, run);
}

}  // namespace

Subproblems::Subproblems(const data::PackedColumns& columns, const Input& input, std::uint64_t work_of_news)
    : model_(model_of_checked(input, columns.n_rows)),
      byte_limit_(input.limits.bytes),
      rows_(rows_of(columns, input)),
      search_({rows_, model_, input.leaf_cost, input.tree, input.bounds}, byte_limit_, work_of_news) {}

search::SubproblemOutcome Subproblems::solve(const search::Subproblem& subproblem, std::optional<double> seconds,
                                             const run::OnPoll& on_poll, run::Status& status) {
  return solve_subproblem(search_, subproblem, rows_.n_columns, {seconds, byte_limit_}, on_poll, status);
}

}  // namespace hornbeam::api
