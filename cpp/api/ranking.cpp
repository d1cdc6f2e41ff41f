#include "api/ranking.hpp"

#include <algorithm>
#include <vector>

#include "api/checks.hpp"
#include "api/start_tree.hpp"
#include "leafsets/auc_loss.hpp"
#include "leafsets/leaf_set_search.hpp"
#include "verify/score_ranking.hpp"

namespace hornbeam::api {

namespace {

constexpr std::int64_t kMostWeight = std::int64_t{1} << 26;

data::DistinctRows rows_by_share(const data::PackedColumns& columns, const RankingInput& input, run::Run& run) {
  const data::DistinctRows merged(columns, {input.class_codes, input.weights, 2}, run);
  run.require(2 * merged.bytes());
  return merged.of(leafsets::by_share_of_positives(merged), run);
}

/// Every other tree has two leaves.
run::Outcome single_leaf(std::uint32_t n_rows, const RankingInput& input, run::Run& run) {
  std::int64_t weight[2] = {0, 0};
  for (std::size_t row = 0; row < n_rows; ++row) weight[input.class_codes[row]] += input.weights[row];
  const std::uint32_t prediction = weight[1] > weight[0] ? 1 : 0;
  const std::vector<std::int32_t> nothing{-1}, predicted{static_cast<std::int32_t>(prediction)}, leaves(n_rows, 0);
  const Ticks cost =
      verify::score_ranking({nothing, nothing, nothing, predicted}, leaves, input.class_codes, input.weights,
                            input.half_pair_cost, input.max_false_positives, input.leaf_cost);
  return api::single_leaf(run, prediction, cost, 2 * input.leaf_cost);
}

}  // namespace

Ticks cost_of_pairs(std::span<const std::int32_t> classes, std::span<const std::int64_t> weights, Ticks half_pair_cost,
                    std::int64_t max_false_positives) {
  require(half_pair_cost > 0 && half_pair_cost < kLargestTotal, "half_pair_cost: must be in (0, 2^52)");
  std::int64_t weight[2] = {0, 0};
  for (std::size_t row = 0; row < classes.size(); ++row) {
    require(classes[row] == 0 || classes[row] == 1, "class_codes: must be 0 or 1");
    require(weights[row] > 0 && weights[row] < kMostWeight, "weights: must be in (0, 2^26)");
    weight[classes[row]] += weights[row];
    require(weight[0] + weight[1] < kMostWeight, "weights: their total must stay below 2^26");
  }
  require(weight[0] > 0 && weight[1] > 0, "class_codes: rows of both are needed");
  require(max_false_positives > 0 && max_false_positives <= weight[0] << leafsets::kFalsePositiveBits,
          "max_false_positives: must be in (0, 2^20 times the negatives]");
  const auto all = static_cast<unsigned __int128>(half_pair_cost) * 2 * static_cast<std::uint64_t>(weight[0]) *
                   static_cast<std::uint64_t>(weight[1]);
  require(all < static_cast<unsigned __int128>(kLargestTotal),
          "half_pair_cost: all pairs together must stay below 2^52 ticks");
  return static_cast<Ticks>(all);
}

run::Outcome solve_ranking(const data::PackedColumns& columns, const RankingInput& input,
                           const leafsets::LeafSetOptions& options, const run::OnPoll& on_poll) {
  check_sizes(columns.n_rows, input.class_codes.size(), input.weights.size());
  check_limits(input.tree, input.limits, input.leaf_cost);
  cost_of_pairs(input.class_codes, input.weights, input.half_pair_cost, input.max_false_positives);
  check_start_tree(options.start, columns.n_columns, 2, std::nullopt);
  run::Run run(input.limits, on_poll);
  const auto search = [&] {
    const data::DistinctRows rows = rows_by_share(columns, input, run);
    const models::LeafModel model(2, 2, {0, 1, 1, 0}, true, true);
    return leafsets::search_auc({rows, model, input.leaf_cost, input.tree},
                                {input.half_pair_cost, input.max_false_positives}, options, run);
  };
  run::Outcome outcome = search_or_leaf(run, search, [&] { return single_leaf(columns.n_rows, input, run); });
  tree::ResultTree& tree = outcome.tree;
  tree.leaf_of_row = verify::leaf_of_rows(flat(tree), columns, 2, input.tree);
  require_agreement(verify::score_ranking(flat(tree), tree.leaf_of_row, input.class_codes, input.weights,
                                          input.half_pair_cost, input.max_false_positives, input.leaf_cost),
                    tree.cost, outcome.lower);
  return outcome;
}

}  // namespace hornbeam::api
