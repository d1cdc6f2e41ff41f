#include "api/solve.hpp"

#include "api/checks.hpp"
#include "data/costs.hpp"
#include "leafsets/leaf_set_search.hpp"
#include "ordered/ordered_search.hpp"
#include "search/search.hpp"
#include "verify/score.hpp"

namespace hornbeam {

namespace {

/// Every tree costs at least a leaf.
Outcome single_leaf(const Input& input, const Costs& costs, Run& run) {
  std::vector<std::int64_t> weight(input.n_classes, 0);
  for (std::size_t row = 0; row < input.class_codes.size(); ++row)
    weight[static_cast<std::size_t>(input.class_codes[row])] += input.weights[row];
  const std::uint32_t prediction = costs.best_prediction(weight.data());
  return single_leaf(run, prediction, input.leaf_cost + costs.loss_of(weight.data(), prediction), input.leaf_cost);
}

Outcome search_columns(const PackedColumns& columns, const Input& input, const Costs& costs, Run& run) {
  std::vector<Ticks> reference_losses;
  reference_losses.reserve(input.reference.size());
  for (std::size_t row = 0; row < input.reference.size(); ++row)
    reference_losses.push_back(input.weights[row] * costs.of(static_cast<std::uint32_t>(input.class_codes[row]),
                                                             static_cast<std::uint32_t>(input.reference[row])));
  const DistinctRows rows(columns, input.class_codes, input.weights, input.n_classes, run, reference_losses);
  const Problem problem{rows, costs, input.leaf_cost, input.tree, input.bounds};
  return search(problem, run);
}

Outcome search_columns(const RankedColumns& columns, const Input& input, const Costs& costs, Run& run) {
  const OrderedProblem problem{columns,
                               input.class_codes,
                               input.weights,
                               input.n_classes,
                               {costs.largest(0), input.leaf_cost},
                               input.tree.depth.value_or(kMostOrderedDepth),
                               input.bounds.similarity};
  return search_ordered(problem, run);
}

/// The requirements of the ordered search in addition to `check_input`.
void check_ranked(const RankedColumns& columns, const Input& input) {
  require(input.reference.empty(), "reference: not for ranks");
  require(input.tree.depth && *input.tree.depth <= kMostOrderedDepth, "max_depth: ranks need a limit of at most 16");
  require(!input.tree.leaves && input.tree.rows_per_leaf == 1, "max_leaves, min_samples_leaf: not for ranks");
  require(columns.n_rows <= kMostOrderedRows, "ranks: there may be at most 2^24 rows");
  require(input.n_classes == input.n_predictions && input.n_classes <= kMostOrderedClasses,
          "costs: ranks need one prediction a class, and at most 128");
  for (std::uint32_t c = 0; c < input.n_classes; ++c)
    for (std::uint32_t k = 0; k < input.n_predictions; ++k)
      require(input.costs[std::size_t{c} * input.n_predictions + k] == (c == k ? 0 : input.costs[1]),
              "costs: ranks need one price for all wrong predictions");
  require(input.n_classes > 1 && input.costs[1] > 0, "costs: ranks need a price above 0");
  std::int64_t weight = 0;
  for (const std::int64_t each : input.weights) weight += each;
  require(weight < kMostOrderedWeight, "weights: their total must stay below 2^28 for ranks");
  for (std::uint32_t v = 0; v < columns.n_variables(); ++v)
    for (std::uint32_t row = 0; row < columns.n_rows; ++row)
      require(columns.ranks_of(v)[row] <= columns.n_thresholds[v], "ranks: must be at most n_thresholds");
}

/// `search_in(costs, run)` is the search; its tree is scored again.
template <class Columns, class SearchIn>
Outcome solve_columns(const Columns& columns, const Input& input, const OnPoll& on_poll, SearchIn search_in) {
  const Costs costs(input.n_classes, input.n_predictions, {input.costs.begin(), input.costs.end()},
                    input.bounds.equivalent_points, input.tree.rows_per_leaf > 1);
  Run run(input.limits, on_poll);
  Outcome outcome =
      search_or_leaf(run, [&] { return search_in(costs, run); }, [&] { return single_leaf(input, costs, run); });
  ResultTree& tree = outcome.tree;
  tree.leaf_of_row = leaf_of_rows(flat(tree), columns, input.n_predictions, input.tree);
  require_agreement(score(flat(tree), tree.leaf_of_row, input.class_codes, input.weights, costs, input.leaf_cost),
                    tree.cost, outcome.lower);
  return outcome;
}

}  // namespace

void check_input(const Input& input, std::uint32_t n_rows) {
  check_sizes(n_rows, input.class_codes, input.weights);
  check_limits(input.tree, input.limits, input.leaf_cost);
  require(input.n_classes > 0 && input.n_predictions > 0, "costs: there must be at least one class and prediction");
  require(input.limits.threads >= 1, "n_threads: must be at least 1");
  std::vector<Ticks> largest(input.n_classes, 0);
  for (std::uint32_t c = 0; c < input.n_classes; ++c) {
    for (std::uint32_t k = 0; k < input.n_predictions; ++k) {
      const Ticks cost = input.costs[std::size_t{c} * input.n_predictions + k];
      require(cost >= 0, "costs: must be at least 0");
      largest[c] = std::max(largest[c], cost);
    }
  }
  require(input.reference.empty() || input.reference.size() == n_rows, "reference: one for each row is needed");
  for (const std::int32_t prediction : input.reference)
    require(prediction >= 0 && static_cast<std::uint32_t>(prediction) < input.n_predictions,
            "reference: must be in [0, n_predictions)");
  std::vector<unsigned __int128> weight_of(input.n_classes, 0);
  for (std::size_t row = 0; row < input.class_codes.size(); ++row) {
    require(input.class_codes[row] >= 0 && static_cast<std::uint32_t>(input.class_codes[row]) < input.n_classes,
            "class_codes: must be in [0, n_classes)");
    require(input.weights[row] > 0, "weights: must be greater than 0");
    weight_of[static_cast<std::size_t>(input.class_codes[row])] += static_cast<std::uint64_t>(input.weights[row]);
  }
  unsigned __int128 total = 0, weight = 0;
  for (std::uint32_t c = 0; c < input.n_classes; ++c) {
    weight += weight_of[c];
    require(weight < static_cast<unsigned __int128>(kLargestTotal), "weights: their total must stay below 2^52");
    total += weight_of[c] * static_cast<std::uint64_t>(largest[c]);
  }
  require(total < static_cast<unsigned __int128>(kLargestTotal), "costs: their total must stay below 2^52 ticks");
}

Outcome solve(const PackedColumns& columns, const Input& input, const OnPoll& on_poll) {
  check_input(input, columns.n_rows);
  return solve_columns(columns, input, on_poll,
                       [&](const Costs& costs, Run& run) { return search_columns(columns, input, costs, run); });
}

Outcome solve(const RankedColumns& columns, const Input& input, const OnPoll& on_poll) {
  require(columns.n_rows > 0, "ranks: there must be at least one row");
  check_input(input, columns.n_rows);
  check_ranked(columns, input);
  return solve_columns(columns, input, on_poll,
                       [&](const Costs& costs, Run& run) { return search_columns(columns, input, costs, run); });
}

Outcome look_ahead(const PackedColumns& columns, const Input& input, const Lookahead& lookahead,
                   const OnPoll& on_poll) {
  require(input.n_classes > 1, "costs: lookahead needs at least two classes");
  require(input.tree.depth && !input.tree.leaves, "max_depth, max_leaves: lookahead needs the one and not the other");
  require(lookahead.depth >= 1, "lookahead_depth: must be at least 1");
  check_input(input, columns.n_rows);
  return solve_columns(columns, input, on_poll, [&](const Costs& costs, Run& run) {
    const DistinctRows rows(columns, input.class_codes, input.weights, input.n_classes, run);
    const Problem problem{rows, costs, input.leaf_cost, input.tree, input.bounds};
    return search_lookahead(problem, lookahead, run, search);
  });
}

Outcome solve_leaf_sets(const PackedColumns& columns, const Input& input, const LeafSetOptions& options,
                        const OnPoll& on_poll) {
  check_input(input, columns.n_rows);
  const StartTree& start = options.start;
  if (!start.column.empty())
    check_tree({start.column, start.left, start.right, std::vector<std::int32_t>(start.column.size(), 0)},
               columns.n_columns, input.n_predictions, std::nullopt);
  return solve_columns(columns, input, on_poll, [&](const Costs& costs, Run& run) {
    const DistinctRows rows(columns, input.class_codes, input.weights, input.n_classes, run);
    return search_leaf_sets({rows, costs, input.leaf_cost, input.tree}, options, run);
  });
}

}  // namespace hornbeam
