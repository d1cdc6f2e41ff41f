#include "models/leaf_model.hpp"

namespace hornbeam::models {

namespace {

/// Whether a right prediction is free and all errors on a target cost the same.
bool is_separable(std::uint32_t n_targets, std::uint32_t n_predictions, const std::vector<Ticks>& cost) {
  if (n_targets != n_predictions || n_targets < 2) return false;
  for (std::uint32_t t = 0; t < n_targets; ++t) {
    const Ticks* row = &cost[std::size_t{t} * n_predictions];
    const Ticks error = row[t == 0 ? 1 : 0];
    for (std::uint32_t k = 0; k < n_predictions; ++k)
      if (row[k] != (k == t ? 0 : error)) return false;
  }
  return true;
}

}  // namespace

LeafModel::LeafModel(std::uint32_t n_targets, std::uint32_t n_predictions, std::vector<Ticks> cost,
                     bool with_equivalent_points, bool counts_rows)
    : arrays_(std::make_unique<Arrays>()) {
  auto& [costs, largest_cost, loss_unit, unit_of_cost, convex] = *arrays_;
  costs = std::move(cost);
  for (std::uint32_t t = 0; t < n_targets; ++t) {
    const auto row = costs.begin() + static_cast<std::ptrdiff_t>(t) * n_predictions;
    largest_cost.push_back(*std::max_element(row, row + n_predictions));
  }
  if (n_targets == 2) convex = convex_table(costs);
  if (with_equivalent_points && convex) loss_unit.push_back(1);
  if (with_equivalent_points && !convex) number_units(*arrays_);
  const bool separable = is_separable(n_targets, n_predictions, costs);
  using Model = Measures::Model;
  measures_ = {
      .model = convex      ? Model::convex_costs
               : separable ? Model::separable_costs
                           : Model::any_costs,
      .cancelled = separable && n_targets == 2 && largest_cost[0] == largest_cost[1] && !loss_unit.empty(),
      .counts_rows = counts_rows,
      .n_targets = n_targets,
      .n_predictions = n_predictions,
      .n_loss_units = static_cast<std::uint32_t>(loss_unit.size()),
      .cost = costs.data(),
      .largest_cost = largest_cost.data(),
      .loss_unit = loss_unit.data(),
      .unit_of_cost = unit_of_cost.data(),
      .buckets = convex ? convex->buckets() : ConvexBuckets{},
  };
}

void LeafModel::number_units(Arrays& arrays) {
  std::vector<Ticks>& units = arrays.loss_unit;
  units = arrays.cost;
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  std::erase(units, Ticks{0});
  for (const Ticks each : arrays.cost) {
    const auto at = std::lower_bound(units.begin(), units.end(), each) - units.begin();
    arrays.unit_of_cost.push_back(each == 0 ? Measures::kNoUnit : static_cast<std::uint32_t>(at));
  }
}

LeafModel LeafModel::squared_error(std::uint32_t n_predictions, bool with_equivalent_points, bool counts_rows) {
  LeafModel model;
  if (with_equivalent_points) model.arrays_->loss_unit.push_back(1);
  model.measures_ = {
      .model = Measures::Model::squared_error,
      .cancelled = false,
      .counts_rows = counts_rows,
      .n_targets = SquaredError<0>::kSums,
      .n_predictions = n_predictions,
      .n_loss_units = with_equivalent_points ? 1u : 0u,
      .cost = nullptr,
      .largest_cost = nullptr,
      .loss_unit = model.arrays_->loss_unit.data(),
      .unit_of_cost = nullptr,
  };
  return model;
}

LeafModel LeafModel::counting(std::uint32_t n_targets, bool counts_rows) {
  std::vector<Ticks> cost(std::size_t{n_targets} * n_targets, 1);
  for (std::uint32_t t = 0; t < n_targets; ++t) cost[std::size_t{t} * (n_targets + 1)] = 0;
  return {n_targets, n_targets, std::move(cost), false, counts_rows};
}

std::uint32_t LeafModel::best_prediction(const std::int64_t* weight) const {
  return with_formula(measures_, [&](auto formula) { return formula.best_prediction(measures_, weight); });
}

Ticks LeafModel::loss_of(const std::int64_t* weight, std::uint32_t prediction) const {
  return with_formula(measures_, [&](auto formula) { return formula.loss_of(measures_, weight, prediction); });
}

Ticks LeafModel::largest_loss_of(const std::int64_t* weight) const {
  Ticks sum = 0;
  for (std::uint32_t t = 0; t < n_targets(); ++t) sum += weight[t] * largest_cost(t);
  return sum;
}

bool LeafModel::merge(std::int64_t* counts) const {
  if (!has_equivalent_points()) return false;
  const Ticks before = least_loss_of(counts);
  with_formula(measures_, [&](auto formula) { formula.find_lost(measures_, counts); });
  return least_loss_of(counts) > before;
}

Ticks LeafModel::least_loss_of(const std::int64_t* counts) const {
  Ticks sum = 0;
  for (std::uint32_t i = 0; i < measures_.n_loss_units; ++i) sum += counts[n_targets() + i] * measures_.loss_unit[i];
  return sum;
}

void LeafModel::measures_of(const std::int64_t* counts, Ticks* measures) const {
  with_formula(measures_, [&](auto formula) { measure_counts<decltype(formula)>(measures_, counts, measures); });
}

std::uint32_t LeafModel::best_prediction_of(const Ticks* measures) const {
  if (measures_.is_squared_error()) return best_prediction(measures);  // of the same sums, and one of very many
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < n_predictions(); ++k)
    if (loss_if(measures, k) < loss_if(measures, best)) best = k;
  return best;
}

}  // namespace hornbeam::models
