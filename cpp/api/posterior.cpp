#include "api/posterior.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/checkpoints.hpp"
#include "api/checks.hpp"
#include "verify/score_posterior.hpp"

namespace hornbeam::api {

namespace {

constexpr std::uint32_t kMostBits = 48;
constexpr std::int64_t kMostRows = std::int64_t{1} << 26;

void check(const PosteriorInput& input, std::uint32_t n_rows) {
  const posterior::PosteriorModel& model = input.model;
  check_sizes(n_rows, input.class_codes.size(), input.weights.size());
  require(model.rho.size() >= 2, "rho: there must be at least two classes");
  require(model.alpha > 0 && model.alpha < 1, "alpha: must be in (0, 1)");
  require(model.beta >= 0 && std::isfinite(model.beta), "beta: must be finite and at least 0");
  for (const double rho : model.rho) require(rho > 0 && std::isfinite(rho), "rho: must be finite and greater than 0");
  require(model.bits <= kMostBits, "bits: must be at most 48");
  for (const std::int32_t each : input.class_codes)
    require(each >= 0 && static_cast<std::size_t>(each) < model.rho.size(), "class_codes: must be in [0, n_classes)");
  std::int64_t n = 0;
  for (const std::int64_t each : input.weights) {
    require(each > 0 && each < kMostRows, "weights: must be in [1, 2^26)");
    require((n += each) < kMostRows, "weights: their total must stay below 2^26");
  }
  require(!input.limits.seconds || *input.limits.seconds >= 0, "time_limit: must be at least 0");
}

/// Every other tree splits the root and costs at least as much as each class by itself (bounds/perfect_split.hpp).
run::Outcome single_leaf(const data::PackedColumns& columns, const PosteriorInput& input, run::Run& run) {
  std::vector<std::int64_t> totals(input.model.rho.size(), 0);
  for (std::size_t row = 0; row < input.class_codes.size(); ++row)
    totals[static_cast<std::size_t>(input.class_codes[row])] += input.weights[row];
  const std::int64_t n_rows = std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
  posterior::PosteriorCosts costs(input.model, {totals, columns.n_columns, n_rows, 1}, input.limits.depth);
  bool has_splits = false;
  for (std::uint32_t column = 0; column < columns.n_columns && !has_splits; ++column)
    has_splits = !columns.is_constant(column);
  const posterior::DepthCosts& root = costs.at(0);
  const Ticks cost = costs.likelihood(totals.data()) + (has_splits ? root.leaf : 0);
  Ticks with_split = root.split;
  for (std::size_t k = 0; k < totals.size(); ++k)
    with_split += root.least_of_class[k][static_cast<std::size_t>(totals[k])];
  return api::single_leaf(run, costs.likeliest_class(totals.data()), cost, has_splits ? with_split : cost);
}

/// Of a search that was stopped before it had a root.
run::Outcome saved_or_leaf(const data::PackedColumns& columns, const PosteriorInput& input, run::Run& run) {
  run::Outcome leaf = single_leaf(columns, input, run);
  if (run.checkpoint() == nullptr || !run.checkpoint()->saved()) return leaf;
  tree::ResultTree saved = posterior::saved_tree(*run.checkpoint());
  if (saved.cost < leaf.tree.cost) leaf.tree = std::move(saved);
  return leaf;
}

/// Ticks as the second opinion has them; (C1) of posterior/posterior_costs.hpp, and the rounding of floating point.
void check_score(const run::Outcome& outcome, const data::PackedColumns& columns, const PosteriorInput& input) {
  const posterior::PosteriorModel& model = input.model;
  const verify::FlatTree tree = flat(outcome.tree);
  const double scored = verify::score_posterior(tree, columns, input.class_codes, input.weights, model.alpha,
                                                model.beta, model.rho, input.limits.depth);
  const auto to_nats = [&](double ticks) { return std::ldexp(ticks, -static_cast<int>(model.bits)); };
  const double found = to_nats(static_cast<double>(outcome.tree.cost));
  const std::int64_t n_rows = std::accumulate(input.weights.begin(), input.weights.end(), std::int64_t{0});
  const double rounding = to_nats(static_cast<double>(n_rows) + 2 * static_cast<double>(tree.column.size()));
  if (!(std::abs(found - scored) <= rounding + 1e-9 * (1 + std::abs(scored))) || outcome.lower > outcome.tree.cost)
    throw std::logic_error("the tree found has a log posterior of " + std::to_string(-scored) +
                           ", the search reported " + std::to_string(-found) + ": please report this bug in hornbeam");
}

}  // namespace

run::Outcome solve_posterior(const data::PackedColumns& columns, const PosteriorInput& input,
                             const run::OnPoll& on_poll) {
  check(input, columns.n_rows);
  const auto n_classes = static_cast<std::uint32_t>(input.model.rho.size());
  const posterior::PosteriorLimits& limits = input.limits;
  run::Run run({limits.seconds, limits.bytes, 0.0, 1, limits.interrupted}, on_poll);
  std::optional<run::Checkpoint> checkpoint;
  if (!input.checkpoint.path.empty()) {
    checkpoint.emplace(input.checkpoint, parts_of(columns, input));
    run.use(*checkpoint);
  }
  const auto search = [&] {
    const data::DistinctRows rows(columns, {input.class_codes, input.weights, n_classes}, run);
    return posterior::search_posterior(rows, input.model, limits, input.bounds, run);
  };
  run::Outcome outcome = search_or_leaf(run, search, [&] { return saved_or_leaf(columns, input, run); });
  if (checkpoint) apply_checkpoint(*checkpoint, outcome);
  check_score(outcome, columns, input);
  const TreeLimits only_depth{limits.depth, std::nullopt};
  outcome.tree.leaf_of_row = verify::leaf_of_rows(flat(outcome.tree), columns, n_classes, only_depth);
  return outcome;
}

}  // namespace hornbeam::api
