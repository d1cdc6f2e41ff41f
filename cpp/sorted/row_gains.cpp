#include "sorted/row_gains.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace hornbeam::sorted {

namespace {

/// What a row loses by each prediction, less the least of these losses, which is returned.
Ticks lose(const data::RowLosses& losses, std::size_t row, std::vector<Ticks>& loss) {
  losses.of_all(row, loss.data());
  const Ticks least = *std::min_element(loss.begin(), loss.end());
  for (Ticks& each : loss) each -= least;
  return least;
}

RowGains squares_of_rows(const data::RowLosses& losses, std::size_t n_rows) {
  constexpr std::uint32_t kSums = SquaredSums::kSums;
  RowGains rows;
  rows.n_sums = kSums;
  rows.is_squared_error = true;
  rows.gains.assign(losses.targets.weights.begin(), losses.targets.weights.end());
  for (std::size_t row = 0; row < n_rows; ++row) {
    std::int64_t* const sums = &rows.gains[kSums * row];
    const Ticks least = sums[2] - models::squares_explained<Ticks>(sums[1], sums[0]);
    sums[2] -= least;
    rows.floor += least;
  }
  rows.weigh(rows.gains, rows.weights);
  return rows;
}

RowGains convex_gains_of_rows(const data::RowLosses& losses, std::size_t n_rows, models::ConvexTable table) {
  RowGains rows;
  rows.n_sums = ConvexSums::kSums;
  rows.convex = std::move(table);
  rows.costs = losses.costs;
  const ConvexSums formula = rows.convex_sums();
  const Ticks largest[2] = {losses.costs[formula.n_predictions() - 1], losses.costs[formula.n_predictions()]};
  rows.gains.assign(ConvexSums::kSums * n_rows, 0);
  for (std::size_t row = 0; row < n_rows; ++row) {
    std::int64_t* const sums = &rows.gains[ConvexSums::kSums * row];
    losses.targets.for_each(row, [&](std::uint32_t target, std::int64_t weight) { sums[target] = weight; });
    sums[2] = models::convex_explained<Ticks>(formula.buckets, sums[0], sums[1]);
    rows.floor += sums[0] * largest[0] + sums[1] * largest[1] - sums[2];
  }
  rows.weigh(rows.gains, rows.weights);
  return rows;
}

/// The table of convex costs, if they are.
std::optional<models::ConvexTable> table_of(const data::RowLosses& losses) {
  if (losses.targets.n_targets != 2) return std::nullopt;
  return models::convex_table({losses.costs.begin(), losses.costs.end()});
}

/// For squared error.
std::int64_t weigh_squares(const std::vector<std::int64_t>& sums, std::vector<std::int64_t>& weights) {
  constexpr std::size_t kSums = SquaredSums::kSums;
  std::int64_t low = kInfinity, high = 0, total = 0;
  for (std::size_t i = 0; i < sums.size(); i += kSums) {
    const std::int64_t weight = sums[i], sum = sums[i + 1];
    if (weight == 0) continue;  // a row that only counts as one
    low = std::min(low, weight == 1 ? sum : sum / weight);
    high = std::max(high, weight == 1 ? sum : (sum + weight - 1) / weight);
  }
  weights.resize(sums.size() / kSums);
  for (std::size_t i = 0; i < sums.size(); i += kSums) {
    const auto loss = [&](std::int64_t k) { return sums[i + 2] - k * (2 * sums[i + 1] - k * sums[i]); };
    weights[i / kSums] = std::max(loss(low), loss(high));
    total += weights[i / kSums];
  }
  return total;
}

/// The ratios of the weights order the best predictions of the rows.
std::int64_t weigh_convex(const ConvexSums& formula, const std::vector<std::int64_t>& sums,
                          std::vector<std::int64_t>& weights) {
  constexpr std::size_t kSums = ConvexSums::kSums;
  std::size_t low = 0, high = 0;  // places of the rows of least and of largest ratio
  double least = std::numeric_limits<double>::infinity(), most = -1;
  for (std::size_t i = 0; i < sums.size(); i += kSums) {
    if (sums[i] == 0 && sums[i + 1] == 0) continue;  // it loses nothing by any prediction
    const double ratio = static_cast<double>(sums[i + 1]) / static_cast<double>(sums[i]);
    if (ratio <= least) low = i;
    if (ratio >= most) high = i;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  weights.resize(sums.size() / kSums);
  const std::uint32_t n = formula.n_predictions();
  const std::uint32_t predictions[2] = {formula.first_best(sums[low], sums[low + 1]),
                                        formula.first_best(sums[high], sums[high + 1])};
  std::int64_t total = 0;
  for (std::size_t i = 0; i < sums.size(); i += kSums) {
    Ticks explained = sums[i + 2];  // at least, by each of the predictions
    for (const std::uint32_t k : predictions)
      explained = std::min(explained, sums[i] * (formula.costs[n - 1] - formula.costs[k]) +
                                          sums[i + 1] * (formula.costs[n] - formula.costs[n + k]));
    total += weights[i / kSums] = sums[i + 2] - explained;
  }
  return total;
}

}  // namespace

std::int64_t RowGains::weigh(const std::vector<std::int64_t>& sums, std::vector<std::int64_t>& weights_of_rows) const {
  return convex ? weigh_convex(convex_sums(), sums, weights_of_rows) : weigh_squares(sums, weights_of_rows);
}

RowGains gains_of_rows(const data::RowLosses& losses, std::size_t n_rows, std::span<const std::int32_t> reference) {
  if (losses.is_squared_error()) return squares_of_rows(losses, n_rows);
  if (reference.empty())
    if (std::optional<models::ConvexTable> table = table_of(losses))
      return convex_gains_of_rows(losses, n_rows, *std::move(table));
  RowGains rows;
  rows.n_sums = losses.n_predictions;
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
