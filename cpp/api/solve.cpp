#include "api/solve.hpp"

#include <stdexcept>
#include <string>

#include "data/costs.hpp"
#include "verify/score.hpp"

namespace hornbeam {

namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

/// Checks ranges, and that no sum of costs can leave the exact range.
void check(const Input& input) {
  require(input.columns.n_rows > 0, "columns: there must be at least one row");
  require(input.n_classes > 0 && input.n_predictions > 0, "costs: there must be at least one class and prediction");
  require(input.classes.size() == input.columns.n_rows, "classes: one for each row is needed");
  require(input.weights.size() == input.columns.n_rows, "weights: one for each row is needed");
  require(input.leaf_cost >= 0 && input.leaf_cost < kLargestTotal, "leaf_cost: must be in [0, 2^52)");
  require(input.tree.rows_per_leaf >= 1, "min_samples_leaf: must be at least 1");
  require(!input.tree.leaves || *input.tree.leaves >= 1, "max_leaves: must be at least 1");
  require(!input.limits.seconds || *input.limits.seconds >= 0, "time_limit: must be at least 0");
  require(input.limits.gap >= 0, "gap_limit: must be at least 0");
  require(input.limits.threads >= 1, "n_threads: must be at least 1");
  std::vector<Ticks> largest(input.n_classes, 0);
  for (std::uint32_t c = 0; c < input.n_classes; ++c) {
    for (std::uint32_t k = 0; k < input.n_predictions; ++k) {
      const Ticks cost = input.costs[std::size_t{c} * input.n_predictions + k];
      require(cost >= 0, "costs: must be at least 0");
      largest[c] = std::max(largest[c], cost);
    }
  }
  unsigned __int128 total = 0, weight = 0;
  for (std::size_t row = 0; row < input.classes.size(); ++row) {
    require(input.classes[row] >= 0 && static_cast<std::uint32_t>(input.classes[row]) < input.n_classes,
            "classes: must be in [0, n_classes)");
    require(input.weights[row] > 0, "weights: must be greater than 0");
    weight += static_cast<std::uint64_t>(input.weights[row]);
    total += static_cast<unsigned __int128>(input.weights[row]) *
             static_cast<std::uint64_t>(largest[static_cast<std::size_t>(input.classes[row])]);
  }
  require(weight < static_cast<unsigned __int128>(kLargestTotal), "weights: their total must stay below 2^52");
  require(total < static_cast<unsigned __int128>(kLargestTotal), "costs: their total must stay below 2^52 ticks");
}

/// The single leaf, for a search that was stopped before it had rows to search. Every tree costs a leaf at least.
Outcome single_leaf(const Input& input, const Costs& costs, const StopSignal& stop) {
  std::vector<std::int64_t> weight(input.n_classes, 0);
  for (std::size_t row = 0; row < input.classes.size(); ++row)
    weight[static_cast<std::size_t>(input.classes[row])] += input.weights[row];
  const std::uint32_t prediction = costs.best_prediction(weight.data());
  Outcome outcome;
  outcome.tree = {{-1},
                  {-1},
                  {-1},
                  {static_cast<std::int32_t>(prediction)},
                  input.leaf_cost + costs.loss_of(weight.data(), prediction)};
  outcome.lower = input.leaf_cost;
  outcome.status = outcome.lower == outcome.tree.cost ? Status::optimal : stop.reason().value_or(Status::interrupted);
  outcome.seconds = stop.elapsed();
  outcome.trace = {{outcome.seconds, outcome.tree.cost, outcome.lower, 0, 0}};
  return outcome;
}

Outcome search_rows(const Input& input, const Costs& costs, const std::function<bool(const Progress&)>& on_poll) {
  StopSignal stop(input.limits.seconds);
  try {
    const DistinctRows rows(input.columns, input.classes, input.weights, input.n_classes, stop);
    const Problem problem{rows, costs, input.leaf_cost, input.tree, input.switches};
    return search(problem, input.limits, stop, on_poll);
  } catch (const StoppedBeforeSearch&) {
    return single_leaf(input, costs, stop);
  }
}

}  // namespace

Outcome solve(const Input& input, const std::function<bool(const Progress&)>& on_poll) {
  check(input);
  const Costs costs(input.n_classes, input.n_predictions, {input.costs.begin(), input.costs.end()},
                    input.switches.equivalent_points, input.tree.rows_per_leaf > 1);
  Outcome outcome = search_rows(input, costs, on_poll);
  const FlatTree tree{outcome.tree.column, outcome.tree.left, outcome.tree.right, outcome.tree.prediction};
  const Ticks scored = score(tree, input.columns, input.classes, input.weights, costs, input.leaf_cost, input.tree);
  if (scored != outcome.tree.cost || outcome.lower > scored)
    throw std::logic_error("the tree found costs " + std::to_string(scored) + " ticks, the search says " +
                           std::to_string(outcome.tree.cost) + " with lower bound " + std::to_string(outcome.lower) +
                           ": please report this fault of hornbeam");
  return outcome;
}

}  // namespace hornbeam
