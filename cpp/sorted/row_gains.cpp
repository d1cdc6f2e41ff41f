#include "sorted/row_gains.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::sorted {

namespace {

/// What a row loses by each prediction, less the least of these losses, which is returned.
Ticks lose(const data::RowLosses& losses, std::size_t row, std::vector<Ticks>& loss) {
  for (std::uint32_t k = 0; k < losses.n_predictions; ++k) loss[k] = losses.of(row, static_cast<std::int32_t>(k));
  const Ticks least = *std::min_element(loss.begin(), loss.end());
  for (Ticks& each : loss) each -= least;
  return least;
}

}  // namespace

RowGains gains_of_rows(const data::RowLosses& losses, std::size_t n_rows, std::span<const std::int32_t> reference) {
  RowGains rows;
  rows.n_predictions = losses.n_predictions;
  std::vector<Ticks> loss(losses.n_predictions);
  Ticks unit = 0;
  bool has_classes = losses.n_predictions <= kMostSortedClasses;
  for (std::size_t row = 0; row < n_rows; ++row) {
    rows.floor += lose(losses, row, loss);
    const Ticks most = *std::max_element(loss.begin(), loss.end());
    for (const Ticks each : loss) unit = std::gcd(unit, each);
    has_classes &= std::count(loss.begin(), loss.end(), most) + 1 >= std::ssize(loss);
    rows.weights.push_back(most);
    rows.classes.push_back(static_cast<std::int32_t>(std::find(loss.begin(), loss.end(), 0) - loss.begin()));
    if (!reference.empty()) rows.reference.push_back(loss[static_cast<std::size_t>(reference[row])]);
  }
  rows.unit = std::max<Ticks>(unit, 1);  // 0 where no row can lose anything
  for (std::int64_t& weight : rows.weights) weight /= rows.unit;
  for (std::int64_t& each : rows.reference) each /= rows.unit;
  if (has_classes) return rows;
  rows.classes.clear();
  rows.gains.reserve(n_rows * losses.n_predictions);
  for (std::size_t row = 0; row < n_rows; ++row) {
    lose(losses, row, loss);
    for (const Ticks each : loss) rows.gains.push_back(rows.weights[row] - each / rows.unit);
  }
  return rows;
}

}  // namespace hornbeam::sorted
