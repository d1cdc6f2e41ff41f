#include "api/posterior.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "api/checks.hpp"
#include "verify/score_posterior.hpp"

namespace hornbeam {

namespace {

constexpr std::uint32_t kMostBits = 48;
constexpr std::int64_t kMostRows = std::int64_t{1} << 26;

void check(const PosteriorInput& input, std::uint32_t n_rows) {
  const PosteriorModel& model = input.model;
  check_sizes(n_rows, input.classes, input.weights);
  require(model.rho.size() >= 2, "rho: there must be at least two classes");
  require(model.alpha > 0 && model.alpha < 1, "alpha: must be in (0, 1)");
  require(model.beta >= 0 && std::isfinite(model.beta), "beta: must be finite and at least 0");
  for (const double rho : model.rho) require(rho > 0 && std::isfinite(rho), "rho: must be finite and greater than 0");
  require(model.bits <= kMostBits, "bits: must be at most 48");
  for (const std::int32_t each : input.classes)
    require(each >= 0 && static_cast<std::size_t>(each) < model.rho.size(), "classes: must be in [0, n_classes)");
  std::int64_t n = 0;
  for (const std::int64_t each : input.weights) {
    require(each > 0 && each < kMostRows, "weights: must be in [1, 2^26)");
    require((n += each) < kMostRows, "weights: their total must stay below 2^26");
  }
  require(!input.limits.seconds || *input.limits.seconds >= 0, "time_limit: must be at least 0");
}

/// Ticks as the second opinion has them; (C1) of posterior/posterior_costs.hpp, and the rounding of floating point.
void check_score(const Outcome& outcome, const PackedColumns& columns, const PosteriorInput& input) {
  const PosteriorModel& model = input.model;
  const FlatTree tree = flat(outcome.tree);
  const ColumnTest test{columns.n_columns,
                        [&](std::uint32_t column, std::uint32_t row) { return columns.test(column, row); }};
  const double scored =
      score_posterior(tree, test, input.classes, input.weights, model.alpha, model.beta, model.rho, input.limits.depth);
  const auto to_nats = [&](double ticks) { return std::ldexp(ticks, -static_cast<int>(model.bits)); };
  const double found = to_nats(static_cast<double>(outcome.tree.cost));
  const std::int64_t n_rows = std::accumulate(input.weights.begin(), input.weights.end(), std::int64_t{0});
  const double rounding = to_nats(static_cast<double>(n_rows) + 2 * static_cast<double>(tree.column.size()));
  if (!(std::abs(found - scored) <= rounding + 1e-9 * (1 + std::abs(scored))) || outcome.lower > outcome.tree.cost)
    throw std::logic_error("the tree found has a log posterior of " + std::to_string(-scored) + ", the search says " +
                           std::to_string(-found) + ": please report this fault of hornbeam");
}

}  // namespace

Outcome solve_posterior(const PackedColumns& columns, const PosteriorInput& input,
                        const std::function<bool(const Progress&)>& on_poll) {
  check(input, columns.n_rows);
  StopSignal never(std::nullopt);  // merging rows is short, and a tree is owed
  StopSignal stop(input.limits.seconds);
  const DistinctRows rows(columns, input.classes, input.weights, static_cast<std::uint32_t>(input.model.rho.size()),
                          never);
  Outcome outcome = search_posterior(rows, input.model, input.limits, input.switches, stop, on_poll);
  check_score(outcome, columns, input);
  const TreeLimits only_depth{input.limits.depth, std::nullopt};
  outcome.tree.leaf_of_row = leaf_of_rows(flat(outcome.tree), columns, rows.n_classes, only_depth);
  return outcome;
}

}  // namespace hornbeam
