#include "api/rashomon.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/checks.hpp"
#include "api/ranking.hpp"
#include "leafsets/roc_curve.hpp"
#include "verify/score.hpp"
#include "verify/score_ranking.hpp"

namespace hornbeam::api {

namespace {

constexpr Ticks kLargestBound = Ticks{1} << (kSquaredErrorBits + 1);  // a loss and the cost of leaves

/// A side of a split made only of rows that lose nothing could not be told from an empty one by its losses. So every
/// class needs a positive cost, and so do the rows of squared error, which weigh something, if there are two
/// predictions. Rows with losses of their own are counted.
void check(const data::PackedColumns& columns, const Input& input, Ticks bound, const TreeRule& rule) {
  check_input(input, columns.n_rows);
  require(!input.tree.leaves && input.reference.empty(), "max_leaves, reference: not for sets of trees");
  require(rule.loss_bits >= 0 && rule.loss_bits < kCostBits, "loss_bits: must be in [0, 52)");
  const auto& [targets, costs, n_predictions] = input.losses;
  require(rule.leaf_rule != rashomon::LeafRule::any_differ || n_predictions == 2,
          "leaf_rule: any_differ needs two predictions");
  if (input.losses.is_squared_error()) {
    require(n_predictions > 1, "n_predictions: sets of trees need at least 2");
    require(rule.leaf_rule == rashomon::LeafRule::best, "leaf_rule: must be 'best' for squared error");
    return require(bound < kLargestBound, "bound: must be below 2^59");
  }
  require(bound < kLargestTotal, "bound: must be below 2^52");
  if (targets.target.empty()) return;
  for (std::uint32_t t = 0; t < targets.n_targets; ++t) {
    const auto row = costs.subspan(std::size_t{t} * n_predictions, n_predictions);
    require(*std::max_element(row.begin(), row.end()) > 0, "costs: every class must cost something");
  }
}

void check(const rashomon::PrefixRule& rule, const Input& input) {
  require(!input.losses.targets.target.empty(), "class_codes: lookahead needs rows of one class each");
  require(input.losses.targets.n_targets > 1, "costs: lookahead needs at least two classes");
  require(rule.lookahead_depth >= 1, "lookahead_depth: must be at least 1");
  require(rule.lookahead_depth <= rule.depth, "greedy_depth: must be at least lookahead_depth");
  require(input.tree.depth && *input.tree.depth <= rule.depth, "max_depth: must be at most greedy_depth");
}

models::LeafModel model_of_set(const Input& input) {
  const auto& [targets, costs, n_predictions] = input.losses;
  const bool is_squared_error = input.losses.is_squared_error();
  const bool counts_rows = input.tree.rows_per_leaf > 1 || (targets.target.empty() && !is_squared_error);
  if (is_squared_error) return models::LeafModel::squared_error(n_predictions, true, counts_rows);
  return {targets.n_targets, n_predictions, {costs.begin(), costs.end()}, true, counts_rows};
}

void check(std::span<const rashomon::PathStep> path, std::size_t n_columns) {
  for (const rashomon::PathStep& step : path) require(step.column < n_columns, "path: there is no such column");
}

}  // namespace

RashomonSet::RashomonSet(const data::PackedColumns& columns, const Input& input, Ticks optimum, Ticks bound,
                         const TreeRule& rule, const std::optional<rashomon::PrefixRule>& prefixes,
                         const run::OnPoll& on_poll)
    : bytes_(columns.bytes, columns.bytes + columns.n_columns * columns.bytes_per_column()),
      columns_{bytes_.data(), columns.n_columns, columns.n_rows},
      target_(input.losses.targets.target.begin(), input.losses.targets.target.end()),
      weights_(input.losses.targets.weights.begin(), input.losses.targets.weights.end()),
      costs_(input.losses.costs.begin(), input.losses.costs.end()),
      model_(model_of_set(input)),
      kind_{input.leaf_cost, input.tree.rows_per_leaf, rule.leaf_rule, rule.loss_bits},
      tree_limits_(input.tree) {
  check(columns, input, bound, rule);
  if (prefixes) check(*prefixes, input);
  run::Run run(input.limits, on_poll);
  rashomon::TreeSetProblem problem{rows_unless_stopped(run), model_, kind_,
                                   input.tree.depth.value_or(table::kUnlimited)};
  const Ticks least = std::min(optimum, bound);
  trees_ = prefixes ? rashomon::find_trees_by_prefixes(std::move(problem), *prefixes, least, bound, run)
                    : rashomon::find_trees(std::move(problem), least, bound, run);
  status_ = run.status(trees_->complete_up_to() >= bound);
  seconds_ = run.seconds();
}

/// After a stop the set stays empty; the rows are then made without columns, which takes no time.
data::DistinctRows RashomonSet::rows_unless_stopped(run::Run& run) const {
  std::optional<data::DistinctRows> rows;
  run.guard([&] { rows.emplace(columns_, targets(), run); });
  run::Run unlimited;
  if (!rows) rows.emplace(data::PackedColumns{columns_.bytes, 0, columns_.n_rows}, targets(), unlimited);
  return std::move(*rows);
}

template <class Measure>
auto RashomonSet::of_each_group(const ColumnGroups& groups, const run::OnPoll& on_poll, Measure measure) {
  const auto& [group_of, shares] = groups;
  require(!target_.empty(), "class_codes: reliance needs rows of one class each");
  require(group_of.size() == columns_.n_columns, "groups: there must be one for each column");
  require(shares.size() == columns_.n_rows, "shares: there must be one for each row");
  std::int64_t total = 0;
  for (const std::int64_t share : shares) {
    require(share >= 0 && share < kLargestTotal - total, "shares: must be at least 0, and their total below 2^52");
    total += share;
  }
  require(std::all_of(group_of.begin(), group_of.end(), [](std::int32_t group) { return group >= 0; }),
          "groups: must be at least 0");
  const std::scoped_lock lock(in_use_);
  run::Run run({}, on_poll);
  std::vector<decltype(measure(rashomon::RelianceProblem(), run))> found;
  const bool is_done = run.finishes([&] {
    const data::DistinctRows rows(columns_, {target_, shares, model_.n_targets()}, run);  // numbered as in the set
    rashomon::RelianceProblem problem;
    for (std::uint32_t row = 0; row < rows.n_rows; ++row)
      problem.shares.push_back(std::accumulate(rows.weight(row), rows.weight(row) + rows.n_targets, std::int64_t{0}));
    const std::int32_t n_groups = group_of.empty() ? 0 : *std::max_element(group_of.begin(), group_of.end()) + 1;
    for (std::int32_t group = 0; group < n_groups; ++group) {
      run.report({});
      run.require();
      problem.is_in_group.assign(group_of.size(), false);
      for (std::size_t column = 0; column < group_of.size(); ++column)
        problem.is_in_group[column] = group_of[column] == group;
      found.push_back(measure(problem, run));
    }
  });
  return is_done ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::vector<rashomon::RelianceRange>> RashomonSet::reliance(const ColumnGroups& groups,
                                                                          const run::OnPoll& on_poll) {
  require(trees_->complete_up_to() >= 0, "trees: the set is empty");
  return of_each_group(groups, on_poll, [&](const rashomon::RelianceProblem& group, run::Run& run) {
    return trees_->reliance(group, run);
  });
}

BestRanking RashomonSet::best_ranking(const AucObjective& objective, Ticks below,
                                      std::optional<std::uint32_t> most_leaves, const run::SearchLimits& limits,
                                      const run::OnPoll& on_poll) {
  const auto& [half_pair_cost, max_false_positives, leaf_cost] = objective;
  check_limits(tree_limits_, limits, leaf_cost);
  require(!target_.empty(), "class_codes: a ranking needs rows of one class each");
  const Ticks all = cost_of_pairs(target_, weights_, half_pair_cost, max_false_positives);
  run::Run run(limits, on_poll);
  const auto cost = [&, half_pair_cost = half_pair_cost, max_false_positives = max_false_positives,
                     leaf_cost = leaf_cost](std::span<const rashomon::LeafWeight> leaves) {
    if (most_leaves && leaves.size() > *most_leaves) return kInfinity;
    leafsets::RocCurve curve(0, max_false_positives);
    for (const rashomon::LeafWeight& leaf : leaves) curve.add({leaf.weight[1], leaf.weight[0]});
    return all - curve.area(half_pair_cost) + leaf_cost * static_cast<Ticks>(leaves.size());
  };
  const std::scoped_lock lock(in_use_);
  rashomon::BestOfSet found = trees_->least_by_leaves(cost, below, run);
  BestRanking best{std::move(found), run.status(!run.stopped())};
  if (std::optional<tree::ResultTree>& tree = best.found.tree) {
    tree->leaf_of_row = verify::leaf_of_rows(flat(*tree), columns_, model_.n_predictions(), tree_limits_);
    const Ticks scored = verify::score_ranking(flat(*tree), tree->leaf_of_row, target_, weights_, half_pair_cost,
                                               max_false_positives, leaf_cost);
    require_agreement(scored, tree->cost, 0);
  }
  return best;
}

std::optional<rashomon::NodeView> RashomonSet::view(std::span<const rashomon::PathStep> path, Ticks budget,
                                                    bool with_splits) {
  require(trees_->complete_up_to() >= 0, "trees: the set is empty");
  check(path, columns_.n_columns);
  const std::scoped_lock lock(in_use_);
  return trees_->view(path, budget, with_splits);
}

std::unique_ptr<FilteredSet> RashomonSet::filtered(rashomon::TreeFilter filter, const run::SearchLimits& limits,
                                                   const run::OnPoll& on_poll) {
  require(trees_->complete_up_to() >= 0, "trees: the set is empty");
  require(filter.is_allowed.size() == columns_.n_columns, "is_allowed: there must be one for each column");
  require(limits.threads >= 1 && limits.threads <= run::kMostThreads, "n_threads: must be in [1, 1024]");
  const std::scoped_lock lock(in_use_);
  run::Run run(limits, on_poll);
  std::unique_ptr<rashomon::FilteredTrees> trees;
  const bool is_done = run.finishes([&] {
    run.report({});
    run.require();
    trees = trees_->filtered(filter, run);
  });
  if (run.reason() == run::Status::memory_limit) throw MemoryLimitReached();
  return is_done ? std::make_unique<FilteredSet>(std::move(trees), *this) : nullptr;
}

std::optional<rashomon::NodeView> FilteredSet::view(std::span<const rashomon::PathStep> path, Ticks budget,
                                                    bool with_splits) {
  check(path, set_.columns_.n_columns);
  const std::scoped_lock lock(set_.in_use_);
  return trees_->view(path, budget, with_splits);
}

template <class Tally>
auto FilteredSet::over_rows(const data::PackedColumns& rows, const rashomon::TreeLimit& limit,
                            const run::OnPoll& on_poll, Tally tally) {
  require(rows.n_columns == set_.columns_.n_columns, "rows: must have the columns of the set");
  require(limit.most < kLargestBound, "budget: must be below 2^59");
  const std::scoped_lock lock(set_.in_use_);
  run::Run run({}, on_poll);
  std::optional<decltype(tally(rashomon::RowMasks(rows), run))> found;
  run.finishes([&] {
    run.report({});
    run.require();
    found = tally(rashomon::RowMasks(rows), run);
  });
  return found;
}

std::optional<rashomon::VoteCounts> FilteredSet::votes(const data::PackedColumns& rows,
                                                       const rashomon::TreeLimit& limit, const run::OnPoll& on_poll) {
  return over_rows(rows, limit, on_poll,
                   [&](const rashomon::RowMasks& masks, run::Run& run) { return trees_->votes(masks, limit, run); });
}

std::optional<rashomon::PredictionSpread> FilteredSet::spread(const data::PackedColumns& rows,
                                                              const rashomon::TreeLimit& limit,
                                                              const run::OnPoll& on_poll) {
  return over_rows(rows, limit, on_poll,
                   [&](const rashomon::RowMasks& masks, run::Run& run) { return trees_->spread(masks, limit, run); });
}

std::optional<std::vector<rashomon::RelianceSum>> FilteredSet::sums_of_reliance(const ColumnGroups& groups,
                                                                                const rashomon::TreeLimit& limit,
                                                                                const run::OnPoll& on_poll) {
  require(limit.most < kLargestBound, "budget: must be below 2^59");
  return set_.of_each_group(groups, on_poll, [&](const rashomon::RelianceProblem& group, run::Run& run) {
    return trees_->sum_of_reliance(group, limit, run);
  });
}

tree::ResultTree RashomonSet::tree(Ticks cost, const rashomon::Limbs& rank) {
  const std::scoped_lock lock(in_use_);
  tree::ResultTree found = trees_->tree(cost, rank);
  found.leaf_of_row = verify::leaf_of_rows(flat(found), columns_, model_.n_predictions(), tree_limits_);
  const Ticks scored =
      verify::score(flat(found), found.leaf_of_row, {targets(), costs_, model_.n_predictions()}, kind_.leaf_cost);
  const Ticks most_rounded = found.n_leaves() * ((Ticks{1} << kind_.loss_bits) - 1);
  if (scored > cost || scored < cost - most_rounded)
    throw std::logic_error("a tree of the set costs " + std::to_string(scored) + " ticks, not " + std::to_string(cost) +
                           ": please report this bug in hornbeam");
  return found;
}

}  // namespace hornbeam::api
