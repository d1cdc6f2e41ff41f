#include "data/costs.hpp"

namespace hornbeam {

namespace {

/// Whether a right prediction is free and all wrong ones of a class cost the same.
bool is_separable(std::uint32_t n_classes, std::uint32_t n_predictions, const std::vector<Ticks>& cost) {
  if (n_classes != n_predictions || n_classes < 2) return false;
  for (std::uint32_t c = 0; c < n_classes; ++c) {
    const Ticks* row = &cost[std::size_t{c} * n_predictions];
    const Ticks wrong = row[c == 0 ? 1 : 0];
    for (std::uint32_t k = 0; k < n_predictions; ++k)
      if (row[k] != (k == c ? 0 : wrong)) return false;
  }
  return true;
}

}  // namespace

Costs::Costs(std::uint32_t n_classes, std::uint32_t n_predictions, std::vector<Ticks> cost, bool with_equivalent_points,
             bool counts_rows)
    : n_classes_(n_classes),
      n_predictions_(n_predictions),
      separable_(is_separable(n_classes, n_predictions, cost)),
      counts_rows_(counts_rows),
      cost_(std::move(cost)) {
  n_values_ = separable_ ? n_classes_ : n_predictions_ + 1;
  for (std::uint32_t c = 0; c < n_classes_; ++c) {
    const auto row = cost_.begin() + static_cast<std::ptrdiff_t>(c) * n_predictions_;
    largest_.push_back(*std::max_element(row, row + n_predictions_));
  }
  if (separable_) price_ = largest_;
  if (with_equivalent_points) {
    loss_price_ = cost_;
    std::sort(loss_price_.begin(), loss_price_.end());
    loss_price_.erase(std::unique(loss_price_.begin(), loss_price_.end()), loss_price_.end());
    std::erase(loss_price_, Ticks{0});
    for (const Ticks each : cost_) {
      const auto at = std::lower_bound(loss_price_.begin(), loss_price_.end(), each) - loss_price_.begin();
      price_index_.push_back(each == 0 ? kFree : static_cast<std::uint32_t>(at));
    }
    netted_ = separable_ && n_classes_ == 2 && price_[0] == price_[1] && price_[0] > 0;
  }
}

Costs Costs::counting(std::uint32_t n_classes, bool counts_rows) {
  std::vector<Ticks> cost(std::size_t{n_classes} * n_classes, 1);
  for (std::uint32_t c = 0; c < n_classes; ++c) cost[std::size_t{c} * (n_classes + 1)] = 0;
  return {n_classes, n_classes, std::move(cost), false, counts_rows};
}

Measures Costs::measures() const {
  return {separable_,      netted_,       counts_rows_, n_classes_,      n_predictions_,
          n_loss_prices(), price_.data(), cost_.data(), largest_.data(), loss_price_.data()};
}

Ticks Costs::loss_of(const std::int64_t* weight, std::uint32_t prediction) const {
  Ticks sum = 0;
  for (std::uint32_t c = 0; c < n_classes_; ++c) sum += weight[c] * of(c, prediction);
  return sum;
}

std::uint32_t Costs::best_prediction(const std::int64_t* weight) const {
  std::uint32_t best = 0;
  if (separable_) {
    for (std::uint32_t c = 1; c < n_classes_; ++c)
      if (weight[c] * price_[c] > weight[best] * price_[best]) best = c;
    return best;
  }
  Ticks least = loss_of(weight, 0);
  for (std::uint32_t k = 1; k < n_predictions_; ++k) {
    const Ticks here = loss_of(weight, k);
    if (here < least) {
      least = here;
      best = k;
    }
  }
  return best;
}

bool Costs::settle(std::int64_t* counts) const {
  if (loss_price_.empty()) return false;
  if (netted_) {
    const std::int64_t lost = std::min(counts[0], counts[1]);
    counts[0] -= lost;
    counts[1] -= lost;
    counts[2] += lost;
    return lost > 0;
  }
  const std::uint32_t prediction = best_prediction(counts);
  std::int64_t* lost = counts + n_classes_;
  const Ticks before = least_loss_of(counts);
  std::fill(lost, lost + n_loss_prices(), 0);
  for (std::uint32_t c = 0; c < n_classes_; ++c) {
    const std::uint32_t index = price_index_[std::size_t{c} * n_predictions_ + prediction];
    if (index != kFree) lost[index] += counts[c];
  }
  return least_loss_of(counts) > before;
}

Ticks Costs::least_loss_of(const std::int64_t* counts) const {
  Ticks sum = 0;
  for (std::uint32_t i = 0; i < n_loss_prices(); ++i) sum += counts[n_classes_ + i] * loss_price_[i];
  return sum;
}

void Costs::measures_of(const std::int64_t* counts, Ticks* measures) const {
  if (separable_) {
    for (std::uint32_t c = 0; c < n_classes_; ++c) measures[c] = counts[c] * price_[c];
  } else {
    for (std::uint32_t k = 0; k < n_predictions_; ++k) measures[k] = loss_of(counts, k);
    measures[n_predictions_] = 0;
    for (std::uint32_t c = 0; c < n_classes_; ++c) measures[n_predictions_] += counts[c] * largest_[c];
  }
  measures[n_values_] = least_loss_of(counts);
  if (counts_rows_) measures[n_values_ + 1] = counts[n_classes_ + n_loss_prices()];
}

}  // namespace hornbeam
