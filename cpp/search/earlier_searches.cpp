#include "search/earlier_searches.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/digest.hpp"
#include "bounds/leaf_penalty.hpp"

namespace hornbeam::search {

namespace {

std::uint64_t hash_of(const rows::Problem& problem, const Fingerprint& root) {
  Digest digest;
  digest.add(root.hash()).add_limit(problem.tree.depth).add(problem.tree.rows_per_leaf);
  digest.add(problem.tree.is_rule_list ? 1 : 0).add(problem.rows.n_columns);
  digest.add_each(problem.rows.bits).add_each(problem.rows.target_weight);
  digest.add(problem.model.n_predictions()).add_each(problem.model.costs());
  return digest.value();
}

}  // namespace

void EarlierSearches::require_same(const rows::Problem& problem, const Fingerprint& root) {
  const std::uint64_t hash = hash_of(problem, root);
  if (problem_.value_or(hash) != hash)
    throw std::invalid_argument("earlier: the searches were of other rows, costs or limits");
  problem_ = hash;
}

std::unique_ptr<table::SubproblemTable> EarlierSearches::take(Ticks leaf_cost) {
  const auto found =
      std::find_if(tables_.begin(), tables_.end(), [&](const Table& one) { return one.leaf_cost == leaf_cost; });
  if (found == tables_.end()) return nullptr;
  std::unique_ptr<table::SubproblemTable> entries = std::move(found->entries);
  tables_.erase(found);
  bytes_ -= entries->bytes();
  return entries;
}

void EarlierSearches::add(Ticks leaf_cost, std::unique_ptr<table::SubproblemTable> table,
                          const tree::ResultTree& tree) {
  bytes_ += table->bytes();
  const auto place =
      std::find_if(tables_.begin(), tables_.end(), [&](const Table& one) { return one.leaf_cost > leaf_cost; });
  tables_.insert(place, {leaf_cost, std::move(table)});
  trees_.push_back({leaf_cost, tree});
}

Ticks EarlierSearches::bound(const table::SubproblemKey& key, Ticks leaf_cost, Ticks least_loss,
                             Ticks least_leaves) const {
  // A limit on leaves never makes the best tree cheaper.
  const table::SubproblemKey any_leaves{key.set, key.depth, table::kUnlimited};
  const auto known_to = [&](const table::SubproblemTable& entries) {
    Ticks lower = 0;
    if (const auto known = entries.find(key)) lower = known->lower;
    if (key.leaves != table::kUnlimited)
      if (const auto known = entries.find(any_leaves)) lower = std::max(lower, known->lower);
    return lower;
  };
  // Without a leaf penalty, the trees of a set cost at least what equal rows force on them.
  Ticks best = 0, below = least_loss, penalty_below = 0;
  for (const auto& [penalty, entries] : tables_) {
    const Ticks lower = known_to(*entries);
    if (lower == 0) continue;
    if (penalty <= leaf_cost) {
      below = lower;
      penalty_below = penalty;
      best = std::max(best, bounds::bound_at_larger_penalty(lower, leaf_cost - penalty, least_leaves));
      continue;
    }
    best =
        std::max(best, bounds::bound_between_penalties(below, leaf_cost - penalty_below, lower, penalty - leaf_cost));
    if (key.leaves != table::kUnlimited)
      best = std::max(best, bounds::bound_at_smaller_penalty(lower, penalty - leaf_cost, key.leaves));
  }
  return best;
}

const tree::ResultTree* EarlierSearches::best_tree(const rows::Problem& problem) const {
  const tree::ResultTree* best = nullptr;
  Ticks least = kInfinity;
  for (const auto& [penalty, tree] : trees_) {
    const std::uint32_t leaves = tree.n_leaves();
    const Ticks cost = tree.cost + (problem.leaf_cost - penalty) * static_cast<Ticks>(leaves);
    if (cost >= least || (problem.tree.leaves && leaves > *problem.tree.leaves)) continue;
    least = cost;
    best = &tree;
  }
  return best;
}

}  // namespace hornbeam::search
