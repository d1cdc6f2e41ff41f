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

/// Every target needs a positive cost; otherwise a side made only of rows that cost nothing could not be told from an
/// empty one.
void check(const data::PackedColumns& columns, const Input& input, Ticks bound) {
  require(!input.losses.is_squared_error(), "costs: sets of trees do not support squared error");
  check_input(input, columns.n_rows);
  require(!input.tree.leaves && input.reference.empty(), "max_leaves, reference: not for sets of trees");
  require(bound < kLargestTotal, "bound: must be below 2^52");
  const auto& [targets, costs, n_predictions] = input.losses;
  for (std::uint32_t t = 0; t < targets.n_targets; ++t) {
    const auto row = costs.subspan(std::size_t{t} * n_predictions, n_predictions);
    require(*std::max_element(row.begin(), row.end()) > 0, "costs: every class must cost something");
  }
}

void check(const rashomon::PrefixRule& rule, const Input& input) {
  require(input.losses.targets.n_targets > 1, "costs: lookahead needs at least two classes");
  require(rule.lookahead_depth >= 1, "lookahead_depth: must be at least 1");
  require(rule.lookahead_depth <= rule.depth, "greedy_depth: must be at least lookahead_depth");
  require(input.tree.depth && *input.tree.depth <= rule.depth, "max_depth: must be at most greedy_depth");
}

void check(std::span<const rashomon::PathStep> path, std::size_t n_columns) {
  for (const rashomon::PathStep& step : path) require(step.column < n_columns, "path: there is no such column");
}

}  // namespace

RashomonSet::RashomonSet(const data::PackedColumns& columns, const Input& input, Ticks optimum, Ticks bound,
                         rashomon::LeafRule leaf_rule, const std::optional<rashomon::PrefixRule>& rule,
                         const run::OnPoll& on_poll)
    : bytes_(columns.bytes, columns.bytes + columns.n_columns * columns.bytes_per_column()),
      columns_{bytes_.data(), columns.n_columns, columns.n_rows},
      target_(input.losses.targets.target.begin(), input.losses.targets.target.end()),
      weights_(input.losses.targets.weights.begin(), input.losses.targets.weights.end()),
      costs_(input.losses.costs.begin(), input.losses.costs.end()),
      model_(input.losses.targets.n_targets, input.losses.n_predictions, costs_, true, input.tree.rows_per_leaf > 1),
      leaf_cost_(input.leaf_cost),
      tree_limits_(input.tree) {
  check(columns, input, bound);
  require(leaf_rule != rashomon::LeafRule::any_differ || input.losses.n_predictions == 2,
          "leaf_rule: any_differ needs two predictions");
  if (rule) check(*rule, input);
  run::Run run(input.limits, on_poll);
  rashomon::TreeSetProblem problem{rows_unless_stopped(run),
                                   model_,
                                   {leaf_cost_, input.tree.rows_per_leaf, leaf_rule},
                                   input.tree.depth.value_or(table::kUnlimited)};
  const Ticks least = std::min(optimum, bound);
  trees_ = rule ? rashomon::find_trees_by_prefixes(std::move(problem), *rule, least, bound, run)
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

std::optional<std::vector<rashomon::RelianceRange>> RashomonSet::reliance(std::span<const std::int32_t> groups,
                                                                          std::span<const std::int64_t> shares,
                                                                          const run::OnPoll& on_poll) {
  require(trees_->complete_up_to() >= 0, "trees: the set is empty");
  require(!target_.empty(), "class_codes: reliance needs rows of one class each");
  require(groups.size() == columns_.n_columns, "groups: there must be one for each column");
  require(shares.size() == columns_.n_rows, "shares: there must be one for each row");
  std::int64_t total = 0;
  for (const std::int64_t share : shares) {
    require(share >= 0 && share < kLargestTotal - total, "shares: must be at least 0, and their total below 2^52");
    total += share;
  }
  require(std::all_of(groups.begin(), groups.end(), [](std::int32_t group) { return group >= 0; }),
          "groups: must be at least 0");
  const std::scoped_lock lock(in_use_);
  run::Run run({}, on_poll);
  std::vector<rashomon::RelianceRange> found;
  if (!run.finishes([&] { found = reliance_of(groups, shares, run); })) return std::nullopt;
  return found;
}

std::vector<rashomon::RelianceRange> RashomonSet::reliance_of(std::span<const std::int32_t> groups,
                                                              std::span<const std::int64_t> shares, run::Run& run) {
  const data::DistinctRows rows(columns_, {target_, shares, model_.n_targets()}, run);  // numbered as those of the set
  rashomon::RelianceProblem problem;
  for (std::uint32_t row = 0; row < rows.n_rows; ++row)
    problem.shares.push_back(std::accumulate(rows.weight(row), rows.weight(row) + rows.n_targets, std::int64_t{0}));
  std::vector<rashomon::RelianceRange> found;
  const std::int32_t n_groups = groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()) + 1;
  for (std::int32_t group = 0; group < n_groups; ++group) {
    run.report({});
    run.require();
    problem.is_in_group.assign(groups.size(), false);
    for (std::size_t column = 0; column < groups.size(); ++column)
      problem.is_in_group[column] = groups[column] == group;
    found.push_back(trees_->reliance(problem, run));
  }
  return found;
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

std::unique_ptr<FilteredSet> RashomonSet::filtered(rashomon::TreeFilter filter, const run::OnPoll& on_poll) {
  require(trees_->complete_up_to() >= 0, "trees: the set is empty");
  require(filter.is_allowed.size() == columns_.n_columns, "is_allowed: there must be one for each column");
  const std::scoped_lock lock(in_use_);
  run::Run run({}, on_poll);
  std::unique_ptr<rashomon::FilteredTrees> trees;
  const bool is_done = run.finishes([&] {
    run.report({});
    run.require();
    trees = trees_->filtered(filter, run);
  });
  return is_done ? std::make_unique<FilteredSet>(std::move(trees), columns_.n_columns, in_use_) : nullptr;
}

std::optional<rashomon::NodeView> FilteredSet::view(std::span<const rashomon::PathStep> path, Ticks budget,
                                                    bool with_splits) {
  check(path, n_columns_);
  const std::scoped_lock lock(in_use_);
  return trees_->view(path, budget, with_splits);
}

std::optional<rashomon::VoteCounts> FilteredSet::votes(const data::PackedColumns& rows,
                                                       const rashomon::TreeLimit& limit, const run::OnPoll& on_poll) {
  require(rows.n_columns == n_columns_, "rows: must have the columns of the set");
  require(limit.most < kLargestTotal, "budget: must be below 2^52");
  const std::scoped_lock lock(in_use_);
  run::Run run({}, on_poll);
  std::optional<rashomon::VoteCounts> counts;
  run.finishes([&] {
    run.report({});
    run.require();
    counts = trees_->votes(rashomon::RowMasks(rows), limit, run);
  });
  return counts;
}

tree::ResultTree RashomonSet::tree(Ticks cost, const rashomon::Limbs& rank) {
  const std::scoped_lock lock(in_use_);
  tree::ResultTree found = trees_->tree(cost, rank);
  found.leaf_of_row = verify::leaf_of_rows(flat(found), columns_, model_.n_predictions(), tree_limits_);
  const Ticks scored =
      verify::score(flat(found), found.leaf_of_row, {targets(), costs_, model_.n_predictions()}, leaf_cost_);
  if (scored != cost)
    throw std::logic_error("a tree of the set costs " + std::to_string(scored) + " ticks, not " + std::to_string(cost) +
                           ": please report this bug in hornbeam");
  return found;
}

}  // namespace hornbeam::api
