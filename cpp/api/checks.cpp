#include "api/checks.hpp"

namespace hornbeam::api {

void check_sizes(std::size_t n_rows, std::size_t n_targets, std::size_t n_weights) {
  require(n_rows > 0, "columns: there must be at least one row");
  require(n_targets == n_rows, "class_codes: one for each row is needed");
  require(n_weights == n_rows, "weights: one for each row is needed");
}

void check_limits(const TreeLimits& tree, const run::SearchLimits& limits, Ticks leaf_cost, int cost_bits) {
  const Ticks largest = (Ticks{1} << cost_bits) - 1;
  const std::string bits = std::to_string(cost_bits);
  require(leaf_cost >= 0 && leaf_cost <= largest, ("leaf_cost: must be in [0, 2^" + bits + ")").c_str());
  require(tree.rows_per_leaf >= 1, "min_samples_leaf: must be at least 1");
  require(!tree.leaves || *tree.leaves >= 1, "max_leaves: must be at least 1");
  require(!limits.seconds || *limits.seconds >= 0, "time_limit: must be at least 0");
  require(limits.gap >= 0, "gap_limit: must be at least 0");
  require(!limits.cutoff || (*limits.cutoff >= -1 && *limits.cutoff <= largest),
          ("cutoff: must be in [-1, 2^" + bits + ")").c_str());
  require(!limits.known_lower || *limits.known_lower >= 0, "known_lower: must be at least 0");
}

run::Outcome single_leaf(run::Run& run, std::uint32_t prediction, Ticks cost, Ticks lower) {
  tree::ResultTree tree;
  tree.add_leaf(prediction);
  tree.cost = cost;
  return run.finish(std::move(tree), {cost, lower, 0, 0, 1});
}

void require_agreement(Ticks scored, Ticks found, Ticks lower, bool is_optimal) {
  if (scored == found && lower <= scored && (!is_optimal || lower == scored)) return;
  throw std::logic_error("the tree found costs " + std::to_string(scored) + " ticks, the search reported " +
                         std::to_string(found) + " with lower bound " + std::to_string(lower) +
                         ": please report this bug in hornbeam");
}

}  // namespace hornbeam::api
