#include "packing/near_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/fingerprint.hpp"

namespace hornbeam::packing {

namespace {

constexpr std::uint32_t kRowsOfCell = 32;
constexpr std::size_t kRowsForMedian = 64;
constexpr std::size_t kPairsPerRow = 4;      // in each round
constexpr std::size_t kMostPairsPerRow = 6;  // in the mean of all rows
constexpr std::uint32_t kMostRounds = 40, kMostIdleRounds = 10;
/// A round that packs less than so many parts of what is packed in addition is idle.
constexpr Ticks kLeastGain = 500;
constexpr double kFirstPrice = 0.025;
/// How fast prices rise with what is used.
constexpr double kRate = 30;
/// The distance of two rows in coordinates, and a price of 1 in them, at most.
constexpr double kMostDistance = 1u << 30, kMostScale = 1u << 24;

}  // namespace

NearPairs::NearPairs(ThresholdPacker packer, std::vector<RowLoss> losses, Ticks leaf_penalty, run::WorkMeter& meter)
    : packer_(std::move(packer)), leaf_penalty_(leaf_penalty), meter_(meter), losses_(std::move(losses)) {
  const std::uint32_t n_rows = packer_.n_rows();
  for (const RowLoss& loss : losses_) least_loss_ += loss.least;
  // At first, as many as the rows in its two bins: distances are differences of ranks.
  const std::size_t n_thresholds = packer_.first(packer_.n_variables());
  price_.assign(n_thresholds, 0);
  for (std::uint32_t v = 0; v < packer_.n_variables(); ++v) {
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      const std::uint32_t bin = packer_.bin(row, v);
      const std::size_t at = packer_.first(v) + bin;
      if (at < packer_.first(v + 1)) price_[at] += kFirstPrice / n_rows;
      if (bin > 0) price_[at - 1] += kFirstPrice / n_rows;
    }
  }
  row_price_.assign(n_rows, 0);
  used_.assign(n_thresholds, 0);
  row_used_.assign(n_rows, 0);
}

std::uint64_t PairSizes::bytes() const {
  return n_rows * (8 * n_variables + 64 + kMostPairsPerRow * 60) + n_thresholds * 32;
}

void NearPairs::work_up_to(std::uint64_t work) {
  while (!is_done() && meter_.spent() < work) improve();
}

bool NearPairs::is_done() const { return n_rounds_ >= kMostRounds || n_idle_ >= kMostIdleRounds; }

void NearPairs::improve() {
  ++n_rounds_;
  find_coordinates();
  find_pairs();
  sort_pairs();
  const Ticks packed = pack_all();
  n_idle_ = packed - most_packed_ > most_packed_ / kLeastGain ? 0 : n_idle_ + 1;
  if (packed > most_packed_) {
    keep_order();
    most_packed_ = packed;
  }
  raise_prices();
}

void NearPairs::find_coordinates() {
  const std::uint32_t n_variables = packer_.n_variables();
  coordinates_.resize(std::size_t{packer_.n_rows()} * n_variables);
  const double most_coordinate = kMostDistance / n_variables;
  double most = most_coordinate / kMostScale;  // of a variable
  for (std::uint32_t v = 0; v < n_variables; ++v)
    most = std::max(most, std::accumulate(price_.begin() + static_cast<std::ptrdiff_t>(packer_.first(v)),
                                          price_.begin() + static_cast<std::ptrdiff_t>(packer_.first(v + 1)), 0.0));
  scale_ = most_coordinate / most;
  std::vector<std::uint32_t> of_bin;
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    double sum = 0;
    of_bin.assign(1, 0);
    for (std::size_t t = packer_.first(v); t < packer_.first(v + 1); ++t) {
      sum += price_[t];
      of_bin.push_back(static_cast<std::uint32_t>(std::min(sum * scale_, most_coordinate)));
    }
    for (std::uint32_t row = 0; row < packer_.n_rows(); ++row)
      coordinates_[std::size_t{row} * n_variables + v] = of_bin[packer_.bin(row, v)];
    meter_.require(packer_.n_rows());
  }
}

void NearPairs::find_pairs() {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < packer_.n_rows(); ++row)
    if (losses_[row].weight > 0) rows.push_back(row);
  divide(rows.data(), rows.data() + rows.size());
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
}

/// Pairs up the rows of cells of few rows.
void NearPairs::divide(std::uint32_t* begin, std::uint32_t* end) {
  const bool has_pairs =
      std::any_of(begin, end, [&](std::uint32_t row) { return losses_[row].prediction != losses_[*begin].prediction; });
  if (!has_pairs) return;
  if (end - begin <= kRowsOfCell) return pair_up(begin, end);
  std::uint32_t* const middle = split(begin, end);
  divide(begin, middle);
  divide(middle, end);
}

/// Splits rows at the median of one of the variables in which they are farthest apart; anywhere if they are equal.
std::uint32_t* NearPairs::split(std::uint32_t* begin, std::uint32_t* end) {
  const std::uint32_t n_variables = packer_.n_variables();
  const auto n = static_cast<std::size_t>(end - begin), step = std::max<std::size_t>(1, n / kRowsForMedian);
  double best = 0;
  std::uint32_t variable = 0;
  std::uint32_t cut = 0;
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    sample_.clear();
    for (std::size_t i = 0; i < n; i += step) sample_.push_back(coordinates(begin[i])[v]);
    const auto [least, most] = std::minmax_element(sample_.begin(), sample_.end());
    if (*least == *most) continue;
    const auto middle = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
    std::nth_element(sample_.begin(), middle, sample_.end());
    const std::uint32_t median = *middle;
    std::uint64_t spread = 0;
    std::uint32_t above = ~std::uint32_t{0};
    bool has_below = false;
    for (const std::uint32_t each : sample_) {
      spread += each < median ? median - each : each - median;
      has_below |= each < median;
      if (each > median) above = std::min(above, each);
    }
    // Other cells each time.
    random_ = mix(random_ + 1);
    const double score = static_cast<double>(spread) * (1 + static_cast<double>(random_ >> 11) * 0x1p-53);
    if (score <= best) continue;
    best = score;
    variable = v;
    cut = has_below ? median : above;
  }
  meter_.require(n_variables * kRowsForMedian / 2 + n);
  std::uint32_t* middle = begin;
  if (best > 0)
    middle = std::partition(begin, end, [&](std::uint32_t row) { return coordinates(row)[variable] < cut; });
  return middle != begin && middle != end ? middle : begin + n / 2;
}

std::uint32_t NearPairs::distance(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t *const x = coordinates(a), *const y = coordinates(b);
  std::uint32_t distance = 0;
  for (std::uint32_t v = 0; v < packer_.n_variables(); ++v) distance += x[v] < y[v] ? y[v] - x[v] : x[v] - y[v];
  return distance;
}

/// Each row with the nearest rows of another prediction.
void NearPairs::pair_up(const std::uint32_t* begin, const std::uint32_t* end) {
  for (const std::uint32_t* row = begin; row != end; ++row) {
    nearest_.clear();
    for (const std::uint32_t* other = begin; other != end; ++other) {
      if (losses_[*row].prediction == losses_[*other].prediction) continue;
      // A pair of a higher price costs more than its rows.
      if (const std::uint32_t apart = distance(*row, *other); apart < scale_) nearest_.emplace_back(apart, *other);
    }
    const std::size_t n_kept = std::min(kPairsPerRow, nearest_.size());
    std::partial_sort(nearest_.begin(), nearest_.begin() + static_cast<std::ptrdiff_t>(n_kept), nearest_.end());
    for (std::size_t k = 0; k < n_kept; ++k) pairs_.push_back(std::minmax(*row, nearest_[k].second));
  }
  const auto n = static_cast<std::uint64_t>(end - begin);
  meter_.require(n * n * packer_.n_variables() / 16);
}

/// By their price. Forgets those of the highest price if they are many.
void NearPairs::sort_pairs() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // price and number
  order.reserve(pairs_.size());
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    const auto [a, b] = pairs_[i];
    order.emplace_back(distance(a, b) + static_cast<std::uint32_t>((row_price_[a] + row_price_[b]) * scale_), i);
  }
  std::sort(order.begin(), order.end());
  const std::size_t most = kMostPairsPerRow * packer_.n_rows();
  if (order.size() > most) order.resize(most / 2);
  std::vector<RowPair> sorted;
  sorted.reserve(order.size());
  for (const auto& [price, i] : order) sorted.push_back(pairs_[i]);
  meter_.require(pairs_.size() * (packer_.n_variables() / 8 + 16));
  pairs_ = std::move(sorted);
}

Ticks NearPairs::pack_all() {
  packer_.open(leaf_penalty_);
  for (std::uint32_t row = 0; row < packer_.n_rows(); ++row) packer_.left(row) = losses_[row].weight;
  Ticks packed = 0;
  std::uint64_t work = 0;
  for (const auto& [a, b] : pairs_) {
    packed += packer_.pack(a, b);
    meter_.require(packer_.work() - std::exchange(work, packer_.work()));
  }
  return packed;
}

void NearPairs::raise_prices() {
  const double share = 1.0 / n_rounds_, leaf = static_cast<double>(leaf_penalty_);
  double unit = 0;
  for (const RowLoss& loss : losses_) unit = std::max(unit, static_cast<double>(loss.weight));
  for (std::size_t t = 0; t < price_.size(); ++t) {
    used_[t] += share * (1 - static_cast<double>(packer_.capacity(t)) / leaf - used_[t]);
    price_[t] = std::exp(kRate * (used_[t] - 1)) * unit / leaf;
  }
  for (std::uint32_t row = 0; row < packer_.n_rows(); ++row) {
    if (losses_[row].weight == 0) continue;
    row_used_[row] += share * (1 - static_cast<double>(packer_.left(row)) / static_cast<double>(losses_[row].weight) -
                               row_used_[row]);
    row_price_[row] = std::exp(kRate * (row_used_[row] - 1));
  }
}

void NearPairs::keep_order() {
  auto order = std::make_shared<PairOrder>();
  order->pairs = pairs_;
  order->losses = losses_;
  order->begin.assign(packer_.n_rows() + 1, 0);
  for (const RowPair& pair : pairs_) ++order->begin[pair.first + 1];
  std::partial_sum(order->begin.begin(), order->begin.end(), order->begin.begin());
  order->number.resize(pairs_.size());
  std::vector<std::uint32_t> next = order->begin;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) order->number[next[pairs_[i].first]++] = i;
  order_ = std::move(order);
}

}  // namespace hornbeam::packing
