#include "api/solve.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "api/checkpoints.hpp"
#include "api/checks.hpp"
#include "api/incumbent.hpp"
#include "leafsets/leaf_set_search.hpp"
#include "ordered/ordered_search.hpp"
#include "primal/companion.hpp"
#include "primal/near_optimal.hpp"
#include "search/search.hpp"
#include "search/triple_search.hpp"
#include "verify/score.hpp"

namespace hornbeam::api {

models::LeafModel model_of(const Input& input) {
  const auto& [targets, costs, n_predictions] = input.losses;
  const bool with_equivalent_points = input.bounds.equivalent_points, counts_rows = input.tree.rows_per_leaf > 1;
  if (input.losses.is_squared_error())
    return models::LeafModel::squared_error(n_predictions, with_equivalent_points, counts_rows);
  return {targets.n_targets, n_predictions, {costs.begin(), costs.end()}, with_equivalent_points, counts_rows};
}

namespace {

// What the heuristics get: an eighth of the time after some milliseconds, 2 % if that brings nothing, and a tenth or
// more after ten seconds. The work is in words that kernels count, or in entries that the ordered search reads.
constexpr primal::Share kShareOfWords{1u << 26, 32, 256, std::uint64_t{1} << 31, 16};
// Sums over columns solve a tree of few levels in less time than the heuristics take to find a good one.
constexpr primal::Share kShareWithSums{std::uint64_t{1} << 33, 32, 256};
constexpr primal::Share kShareOfEntries{1u << 22, 4, 64, 1u << 28, 1, true};

/// Of a search that was stopped before it had a root: every tree costs at least a leaf.
run::Outcome leaf_or_start(const Input& input, std::size_t n_rows, const models::LeafModel& model,
                           const std::optional<tree::ResultTree>& start, run::Run& run) {
  std::vector<std::int64_t> weight(model.n_targets(), 0);
  for (std::size_t row = 0; row < n_rows; ++row)
    input.losses.targets.for_each(row, [&](std::uint32_t target, std::int64_t more) { weight[target] += more; });
  const std::uint32_t prediction = model.best_prediction(weight.data());
  const Ticks cost = input.leaf_cost + model.loss_of(weight.data(), prediction);
  if (start && start->cost < cost) return run.finish(*start, {start->cost, input.leaf_cost, 0, 0, start->n_leaves()});
  return api::single_leaf(run, prediction, cost, input.leaf_cost);
}

/// A guessed bound may lie above the cost of a tree, and the heuristics' trees are no rule lists.
bool has_companion(const Input& input) {
  return input.bounds.primal && input.reference.empty() && !input.tree.is_rule_list;
}

/// Whether the search neither starts from earlier results nor saves its own.
bool is_of_one_search(const Input& input) {
  return input.start.column.empty() && input.checkpoint.path.empty() && !input.limits.cutoff &&
         !input.limits.known_lower;
}

run::Outcome search_columns(const data::PackedColumns& columns, const Input& input, const models::LeafModel& model,
                            run::Run& run, search::EarlierSearches* earlier,
                            Incumbent<data::PackedColumns>& incumbent) {
  std::vector<Ticks> reference_losses;
  reference_losses.reserve(input.reference.size());
  for (std::size_t row = 0; row < input.reference.size(); ++row)
    reference_losses.push_back(input.losses.of(row, input.reference[row]));
  const data::DistinctRows rows(columns, input.losses.targets, run, reference_losses);
  const rows::Problem problem{rows, model, input.leaf_cost, input.tree, input.bounds};
  if (earlier == nullptr && is_of_one_search(input) && search::suits_triples(problem, input.triples_above)) {
    if (const auto weights = search::weights_of_targets(input.losses.targets, columns.n_rows)) {
      std::optional<run::Outcome> found =
          search::search_triples(problem, *weights, run, [&](const tree::StartTree& tree) {
            return start_tree(tree, columns, input.losses, model, input.leaf_cost, input.tree);
          });
      if (found) return *std::move(found);
    }
  }
  const bool is_fast = search::is_fast_by_sums(problem);
  // Sums over columns end too soon for it, and earlier searches have left a tree.
  if (!is_fast && earlier == nullptr) incumbent.grow_first();
  const tree::ResultTree* const start = incumbent.adopted();
  const bool are_joint = input.losses.is_squared_error();
  const std::uint32_t n_weights = are_joint ? rows.n_targets : 1;
  const std::uint64_t pairs = std::uint64_t{rows.n_rows} * (rows.n_targets / n_weights);
  const std::uint64_t most_points =
      input.losses.targets.target.empty() ? pairs : std::min<std::uint64_t>(pairs, columns.n_rows);
  primal::Companion companion([&] { return primal::Points(rows, are_joint, &run); },
                              primal::PrimalSearch::most_bytes(most_points, rows.n_columns, n_weights), model,
                              input.leaf_cost, input.tree, run, is_fast ? kShareWithSums : kShareOfWords, start);
  return search::search(problem, run, has_companion(input) ? &companion : nullptr, earlier, start);
}

/// Whether the ordered search, which counts each row once in `min_samples_leaf`, is right.
bool counts_each_row_once(const Input& input) {
  const auto& counts = input.losses.targets.counts;
  return input.tree.rows_per_leaf <= 1 || std::all_of(counts.begin(), counts.end(), [](auto n) { return n == 1; });
}

bool has_classes(const Input& input) { return !input.losses.targets.target.empty(); }

/// Whether an exact search of the rows of points is right, however equal rows are merged.
bool fits_ordered_search(const data::OrderedColumns& columns, const Input& input) {
  if (!has_classes(input)) return columns.n_rows <= ordered::kMostOrderedRows && counts_each_row_once(input);
  const auto& counts = input.losses.targets.counts;
  const std::int64_t n_rows =
      counts.empty() ? columns.n_rows : std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  return input.tree.rows_per_leaf <= 1 || n_rows <= ordered::kMostOrderedRows;
}

/// The rows of points: each once or, if the minimum of rows per leaf counts them, as often as it appears. An exact
/// search gets the same rows whether equal ones were merged before or not.
class RowsOfPoints {
 public:
  RowsOfPoints(const primal::Points& points, const data::OrderedColumns& columns, bool counts_rows)
      : n_thresholds_(columns.n_thresholds) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t point = 0; point < points.size(); ++point) {
      const std::int64_t n = counts_rows ? points.row_count[point] : 1, each = points.weight[point] / n;
      rows.insert(rows.end(), static_cast<std::size_t>(n), points.first_row[point]);
      target_.insert(target_.end(), static_cast<std::size_t>(n), static_cast<std::int32_t>(points.target[point]));
      weights_.insert(weights_.end(), static_cast<std::size_t>(n), each);
      weights_.back() += points.weight[point] - n * each;
    }
    for (std::uint32_t v = 0; v < columns.n_variables(); ++v)
      for (const std::uint32_t row : rows) bins_.push_back(columns.bins_of(v)[row]);
  }

  /// That it takes to make them.
  static std::uint64_t bytes(const primal::Points& points, std::size_t n_variables, bool counts_rows) {
    const auto n_rows = counts_rows ? std::reduce(points.row_count.begin(), points.row_count.end(), std::uint64_t{0})
                                    : std::uint64_t{points.size()};
    return n_rows * ((n_variables + 1) * sizeof(std::uint32_t) + sizeof(std::int32_t) + sizeof(std::int64_t));
  }

  data::OrderedColumns columns() const {
    return {bins_.data(), n_thresholds_, static_cast<std::uint32_t>(target_.size())};
  }
  data::RowTargets targets(std::uint32_t n_targets) const { return {target_, weights_, n_targets}; }

 private:
  std::span<const std::uint32_t> n_thresholds_;
  std::vector<std::uint32_t> bins_;
  std::vector<std::int32_t> target_;
  std::vector<std::int64_t> weights_;
};

/// Calls `search` on the problem of ordered columns.
template <class Search>
run::Outcome with_ordered_problem(const data::OrderedColumns& columns, const Input& input, Search search) {
  const sorted::RowGains rows = sorted::gains_of_rows(input.losses, columns.n_rows, input.reference);
  return search(ordered_problem(columns, rows, input));
}

run::Outcome search_columns(const data::OrderedColumns& columns, const Input& input, const models::LeafModel& model,
                            run::Run& run, Incumbent<data::OrderedColumns>& incumbent) {
  incumbent.grow_first();
  const tree::ResultTree* const start = incumbent.adopted();
  const data::RowTargets& targets = input.losses.targets;
  const bool are_joint = input.losses.is_squared_error();
  const std::uint32_t n_weights = are_joint ? targets.n_targets : 1;
  const std::uint64_t most_points =
      std::uint64_t{columns.n_rows} * (targets.target.empty() ? targets.n_targets / n_weights : 1);
  primal::Companion companion([&] { return primal::Points(columns, targets, are_joint, &run); },
                              primal::PrimalSearch::most_bytes(most_points, columns.n_variables(), n_weights), model,
                              input.leaf_cost, input.tree, run, kShareOfEntries, start);
  return with_ordered_problem(columns, input, [&](const ordered::OrderedProblem& problem) {
    return ordered::search_ordered(problem, run, has_companion(input) ? &companion : nullptr, start);
  });
}

void check_bins(const data::OrderedColumns& columns) {
  for (std::uint32_t v = 0; v < columns.n_variables(); ++v)
    for (std::uint32_t row = 0; row < columns.n_rows; ++row)
      require(columns.bins_of(v)[row] <= columns.n_thresholds[v], "bins: must be at most n_thresholds");
}

/// The search may have been stopped before it had a tree as good, or guessed that there is none.
void return_start(tree::ResultTree start, run::Outcome& outcome) {
  if (start.cost >= outcome.tree.cost) return;
  outcome.trace.push_back(
      {start.cost, outcome.lower, outcome.n_subproblems, outcome.bytes, start.n_leaves(), outcome.seconds});
  outcome.tree = std::move(start);
  if (outcome.lower == outcome.tree.cost) outcome.status = run::Status::optimal;
}

/// Whether a search has ended before it found and proved all that it was to.
bool was_stopped(run::Status status) {
  return status == run::Status::time_limit || status == run::Status::memory_limit || status == run::Status::interrupted;
}

/// Trusts the bound that the caller knows, where no tree refutes it.
void apply_known_bound(const run::Run& run, run::Outcome& outcome) {
  outcome.lower = run.lower_with_known(outcome.lower, outcome.tree.cost);
  const bool is_proven = outcome.status == run::Status::optimal;
  if (outcome.lower == outcome.tree.cost && !is_proven) outcome.status = run::Status::known_bound;
}

/// `search_in(model, run, incumbent)` is the search; its tree is scored again.
template <class Columns, class SearchIn>
run::Outcome solve_columns(const Columns& columns, const Input& input, const run::OnPoll& on_poll, SearchIn search_in) {
  const auto& [targets, costs, n_predictions] = input.losses;
  const models::LeafModel model = model_of(input);
  run::Run run(input.limits, on_poll);
  std::optional<run::Checkpoint> checkpoint;
  if (!input.checkpoint.path.empty()) {
    checkpoint.emplace(input.checkpoint, parts_of(columns, input));
    run.use(*checkpoint);
  }
  Incumbent<Columns> incumbent(columns, input, model, run.checkpoint());
  run::Outcome outcome = search_or_leaf(
      run, [&] { return search_in(model, run, incumbent); },
      [&] { return leaf_or_start(input, columns.n_rows, model, incumbent.best(), run); });
  if (was_stopped(outcome.status)) incumbent.grow_late(outcome);
  if (incumbent.best()) return_start(*std::move(incumbent.best()), outcome);
  if (checkpoint) apply_checkpoint(*checkpoint, outcome);
  apply_known_bound(run, outcome);
  tree::ResultTree& tree = outcome.tree;
  tree.leaf_of_row = verify::leaf_of_rows(flat(tree), columns, n_predictions, input.tree, targets.counts);
  require_agreement(verify::score(flat(tree), tree.leaf_of_row, input.losses, input.leaf_cost), tree.cost,
                    outcome.lower, outcome.status == run::Status::optimal);
  return outcome;
}

using Total = unsigned __int128;

/// A total of costs that `largest` gives for each target, and the total weight, must stay exact.
void check_totals(const data::RowTargets& targets, std::uint32_t n_rows, const std::vector<Ticks>& largest) {
  Total total = 0, all = 0;
  for (std::size_t row = 0; row < n_rows; ++row) {
    targets.for_each(row, [&](std::uint32_t target, std::int64_t weight) {
      all += static_cast<std::uint64_t>(weight);
      total += static_cast<Total>(weight) * static_cast<std::uint64_t>(largest[target]);
    });
    require(all < static_cast<Total>(kLargestTotal), "weights: their total must stay below 2^52");
  }
  require(all > 0, "weights: at least one must be greater than 0");
  require(total < static_cast<Total>(kLargestTotal), "costs: their total must stay below 2^52 ticks");
}

void check_costs(const data::RowLosses& losses, std::uint32_t n_rows) {
  const auto& [targets, costs, n_predictions] = losses;
  std::vector<Ticks> largest(targets.n_targets, 0);
  for (std::uint32_t t = 0; t < targets.n_targets; ++t) {
    for (std::uint32_t k = 0; k < n_predictions; ++k) {
      const Ticks cost = costs[std::size_t{t} * n_predictions + k];
      require(cost >= 0, "costs: must be at least 0");
      largest[t] = std::max(largest[t], cost);
    }
  }
  check_totals(targets, n_rows, largest);
}

/// That each row has sums of targets between 0 and the largest prediction, and that no sum leaves its range.
void check_squared_error(const data::RowLosses& losses, std::uint32_t n_rows) {
  require(losses.n_predictions <= std::uint32_t{1} << 31, "n_predictions: must be at most 2^31");
  const auto largest = static_cast<Total>(losses.n_predictions - 1);
  Total weights = 0;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const std::int64_t* const sums = &losses.targets.weights[3 * row];
    const auto weight = static_cast<Total>(sums[0]), sum = static_cast<Total>(sums[1]),
               square = static_cast<Total>(sums[2]);
    require(sum <= weight * largest && square <= sum * largest && sum * sum <= weight * square,
            "weights: must be sums of w, w y and w y^2 with targets y from 0 to n_predictions - 1");
    weights += weight;
    require(weights * std::max<Total>(1, largest) < static_cast<Total>(kLargestTotal),
            "weights: the sum of w, times the largest prediction, must stay below 2^52");
  }
  require(weights > 0, "weights: at least one must be greater than 0");
  require(weights * largest * largest < Total{1} << kSquaredErrorBits,
          "weights: the sum of w, times the square of the largest prediction, must stay below 2^58");
}

}  // namespace

void check_input(const Input& input, std::uint32_t n_rows) {
  const auto& [targets, costs, n_predictions] = input.losses;
  const std::uint32_t n_targets = targets.n_targets;
  const bool has_target = !targets.target.empty();
  require(n_targets > 0 && n_predictions > 0, "costs: there must be at least one target and prediction");
  check_sizes(n_rows, has_target ? targets.target.size() : n_rows,
              has_target ? targets.weights.size() : targets.weights.size() / n_targets);
  check_limits(input.tree, input.limits, input.leaf_cost,
               input.losses.is_squared_error() ? kSquaredErrorBits : kCostBits);
  require(input.limits.threads >= 1, "n_threads: must be at least 1");
  require(input.reference.empty() || input.reference.size() == n_rows, "reference: one for each row is needed");
  require(!input.limits.cutoff || input.reference.empty(), "cutoff: not with a reference, whose guesses prove nothing");
  for (const std::int32_t prediction : input.reference)
    require(prediction >= 0 && static_cast<std::uint32_t>(prediction) < n_predictions,
            "reference: must be in [0, n_predictions)");
  for (const std::int32_t target : targets.target)
    require(target >= 0 && static_cast<std::uint32_t>(target) < n_targets, "class_codes: must be in [0, n_classes)");
  for (const std::int64_t weight : targets.weights)
    require(has_target ? weight > 0 : weight >= 0, "weights: must be greater than 0, or at least 0 for each target");
  require(targets.counts.empty() || targets.counts.size() == n_rows, "row_counts: one for each row is needed");
  Total n_counted = 0;
  for (const std::int64_t count : targets.counts) {
    require(count > 0, "row_counts: must be greater than 0");
    n_counted += static_cast<std::uint64_t>(count);
  }
  require(n_counted < static_cast<Total>(kLargestTotal), "row_counts: their total must stay below 2^52");
  if (input.losses.is_squared_error())
    check_squared_error(input.losses, n_rows);
  else
    check_costs(input.losses, n_rows);
}

void check_ordered_input(const data::OrderedColumns& columns, const Input& input) {
  require(columns.n_rows > 0, "bins: there must be at least one row");
  check_input(input, columns.n_rows);
  require(counts_each_row_once(input),
          "row_counts: must be 1 where ordered columns are searched with min_samples_leaf");
  require(columns.n_rows <= ordered::kMostOrderedRows, "bins: there may be at most 2^24 rows");
  check_bins(columns);
}

ordered::OrderedProblem ordered_problem(const data::OrderedColumns& columns, const sorted::RowGains& rows,
                                        const Input& input, std::uint64_t work_between_polls) {
  const sorted::LeafCosts costs{
      rows.unit, input.leaf_cost,
      static_cast<std::uint32_t>(std::min<std::uint64_t>(input.tree.rows_per_leaf, columns.n_rows))};
  return {columns,
          rows,
          costs,
          {std::min(input.tree.depth.value_or(ordered::kAnyDepth), ordered::kAnyDepth),
           costs.possible_leaves(columns.n_rows, input.tree.leaves.value_or(ordered::kAnyLeaves))},
          input.bounds.similarity,
          work_between_polls,
          ordered::kLeastBinnedRows,
          input.bounds.packing,
          input.bounds.packing_slack};
}

namespace {

/// The other searches read a matrix.
void require_costs(const Input& input) {
  require(!input.losses.is_squared_error(), "costs: this search does not support squared error");
}

}  // namespace

run::Outcome solve(const data::PackedColumns& columns, const Input& input, const run::OnPoll& on_poll,
                   search::EarlierSearches* earlier) {
  check_input(input, columns.n_rows);
  require(earlier == nullptr || input.reference.empty(), "reference: not with earlier searches, which prove no guess");
  return solve_columns(columns, input, on_poll, [&](const models::LeafModel& model, run::Run& run, auto& incumbent) {
    return search_columns(columns, input, model, run, earlier, incumbent);
  });
}

run::Outcome solve(const data::OrderedColumns& columns, const Input& input, const run::OnPoll& on_poll) {
  check_ordered_input(columns, input);
  return solve_columns(columns, input, on_poll, [&](const models::LeafModel& model, run::Run& run, auto& incumbent) {
    return search_columns(columns, input, model, run, incumbent);
  });
}

run::Outcome near_optimal(const data::OrderedColumns& columns, const Input& input, std::uint64_t work,
                          std::uint64_t idle_rounds, bool is_exact_if_small, const run::OnPoll& on_poll) {
  require(columns.n_rows > 0, "bins: there must be at least one row");
  check_input(input, columns.n_rows);
  check_bins(columns);
  primal::ExactSearch exact;
  if (is_exact_if_small && fits_ordered_search(columns, input)) {
    const bool counts_rows = input.tree.rows_per_leaf > 1, are_given = counts_rows && counts_each_row_once(input);
    exact.reads_points = has_classes(input) && !counts_rows;
    exact.search = [&, counts_rows, are_given](const primal::Points& points, const tree::ResultTree& start,
                                               run::Run& run) {
      // What packings find depends on the order of the rows, which differs where equal ones were merged before.
      const auto search = [&](ordered::OrderedProblem problem) {
        problem.packs_pairs = false;
        return ordered::search_ordered(problem, run, nullptr, &start);
      };
      if (!has_classes(input) || are_given) return with_ordered_problem(columns, input, search);
      run.require(RowsOfPoints::bytes(points, columns.n_variables(), counts_rows));
      const RowsOfPoints rows(points, columns, counts_rows);
      Input of_points = input;
      of_points.losses.targets = rows.targets(input.losses.targets.n_targets);
      return with_ordered_problem(rows.columns(), of_points, search);
    };
  }
  return solve_columns(columns, input, on_poll, [&](const models::LeafModel& model, run::Run& run, auto&) {
    return primal::search_near_optimal(primal::Points(columns, input.losses.targets, input.losses.is_squared_error()),
                                       model, input.leaf_cost, input.tree, work, idle_rounds, exact, run);
  });
}

run::Outcome solve_lookahead(const data::PackedColumns& columns, const Input& input,
                             const lookahead::Lookahead& lookahead, const run::OnPoll& on_poll) {
  require(input.losses.targets.n_targets > 1, "costs: lookahead needs at least two classes");
  require(input.tree.depth && !input.tree.leaves, "max_depth, max_leaves: lookahead needs the one and not the other");
  require(lookahead.depth >= 1, "lookahead_depth: must be at least 1");
  check_input(input, columns.n_rows);
  return solve_columns(columns, input, on_poll, [&](const models::LeafModel& model, run::Run& run, auto&) {
    const data::DistinctRows rows(columns, input.losses.targets, run);
    const rows::Problem problem{rows, model, input.leaf_cost, input.tree, input.bounds};
    return lookahead::search_lookahead(problem, lookahead, run, [](const rows::Problem& part, run::Run& part_run) {
      return search::search(part, part_run);
    });
  });
}

run::Outcome solve_leaf_sets(const data::PackedColumns& columns, const Input& input,
                             const leafsets::LeafSetOptions& options, const run::OnPoll& on_poll) {
  require_costs(input);
  check_input(input, columns.n_rows);
  check_start_tree(options.start, columns.n_columns, input.losses.n_predictions, std::nullopt);
  return solve_columns(columns, input, on_poll, [&](const models::LeafModel& model, run::Run& run, auto&) {
    const data::DistinctRows rows(columns, input.losses.targets, run);
    return leafsets::search_leaf_sets({rows, model, input.leaf_cost, input.tree}, options, run);
  });
}

}  // namespace hornbeam::api
