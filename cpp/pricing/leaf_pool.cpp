#include "pricing/leaf_pool.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hornbeam::pricing {

namespace {

/// Of the multiplicative change of a price, below which passes over the pool have converged.
constexpr double kConverged = 0.002;
constexpr std::size_t kMostInPool = std::size_t{1} << 24;  // rows of all leaves
constexpr double kLargestExponent = 50, kLeastTotal = 1e-9;

}  // namespace

LeafPool::LeafPool(const PricedRows& rows, run::WorkMeter& meter)
    : rows_(rows), kernels_(kernels::kernels()), meter_(meter), price_(rows.n_rows, 0) {
  add_single_conditions();
}

void LeafPool::add(std::vector<std::uint32_t> rows) {
  Ticks least = kInfinity;
  for (std::uint32_t prediction = 0; prediction < rows_.n_predictions; ++prediction) {
    Ticks loss = 0;
    for (const std::uint32_t row : rows) loss += rows_.losses(prediction)[row];
    least = std::min(least, loss);
  }
  n_rows_of_all_ += rows.size();
  leaves_.push_back({std::move(rows), static_cast<double>(rows_.leaf_penalty + least), 0});
}

/// The whole problem, and all conjunctions of one condition.
void LeafPool::add_single_conditions() {
  std::vector<std::uint32_t> all(rows_.n_rows);
  std::iota(all.begin(), all.end(), 0u);
  add(all);
  for (std::uint32_t c = 0; c < rows_.n_columns; ++c)
    for (const bool value : {false, true}) {
      std::vector<std::uint32_t> leaf;
      for (const std::uint32_t row : all)
        if (rows_.holds(row, c) == value) leaf.push_back(row);
      if (!leaf.empty() && leaf.size() < all.size()) add(std::move(leaf));
    }
}

/// Prices that maximize their total less the entropy. Multipliers are kept from round to round.
void LeafPool::maximize(double smoothing, int n_passes) {
  // The price of a row that a leaf covers once is the mean price of all.
  const double mean = leaves_.front().cost / rows_.n_rows;
  std::vector<double> covered(rows_.n_rows, 0);
  for (const Leaf& leaf : leaves_)
    if (leaf.multiplier > 0)
      for (const std::uint32_t row : leaf.rows) covered[row] += leaf.multiplier;
  for (std::uint32_t row = 0; row < rows_.n_rows; ++row)
    price_[row] = mean * std::exp(std::min(kLargestExponent, (1 - covered[row]) / smoothing));
  double change = 1;
  for (int pass = 0; pass < n_passes && change > kConverged; ++pass) {
    change = 0;
    meter_.require(1 + n_rows_of_all_ / 8);
    for (Leaf& leaf : leaves_) {
      double total = 0;
      for (const std::uint32_t row : leaf.rows) total += price_[row];
      // A price never grows by more at once than its first value was above the mean.
      const double room = std::min(std::log(leaf.cost / std::max(total, kLeastTotal)), kLargestExponent);
      if (room >= 0 && leaf.multiplier <= 0) continue;
      const double step = std::max(-smoothing * room, -leaf.multiplier), factor = std::exp(-step / smoothing);
      leaf.multiplier += step;
      change = std::max(change, std::abs(step / smoothing));
      for (const std::uint32_t row : leaf.rows) price_[row] *= factor;
    }
  }
}

/// From rows that meet a few random conditions of a random row.
std::size_t LeafPool::find_leaves(int n_starts) {
  const std::size_t n_before = leaves_.size();
  for (int i = 0; i < n_starts; ++i) {
    std::vector<std::uint32_t> leaf(rows_.n_rows), next;
    std::iota(leaf.begin(), leaf.end(), 0u);
    const auto seed = static_cast<std::uint32_t>(random() % rows_.n_rows);
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
      const auto c = static_cast<std::uint32_t>(random() % rows_.n_columns);
      next.clear();
      for (const std::uint32_t row : leaf)
        if (rows_.holds(row, c) == rows_.holds(seed, c)) next.push_back(row);
      leaf.swap(next);
    }
    climb(static_cast<std::uint32_t>(random() % rows_.n_predictions), std::move(leaf));
  }
  const std::size_t n_new = leaves_.size() - n_before;
  tidy();
  return n_new;
}

/// Adds the condition that gains the most as long as one gains, and then the leaf if its rows exceed its cost.
void LeafPool::climb(std::uint32_t prediction, std::vector<std::uint32_t> leaf) {
  const Units* const loss = rows_.losses(prediction);
  std::vector<Units> gains, sums(rows_.stride());
  std::vector<std::uint32_t> next;
  for (;;) {
    meter_.require(1 + leaf.size() * rows_.stride() / PricedRows::kColumnsOfLine / 4);
    gains.clear();
    Ticks total = 0;
    for (const std::uint32_t row : leaf)
      total += gains.emplace_back(static_cast<Units>(std::min(price_[row], double{1 << 30})) - loss[row]);
    std::fill(sums.begin(), sums.end(), 0);
    kernels_.add_masked(rows_.masks.data(), rows_.stride(), leaf.data(), gains.data(), leaf.size(), sums.data());
    Ticks most = total;
    std::uint32_t best = 0;
    bool value = false;
    for (std::uint32_t c = 0; c < rows_.n_columns; ++c)
      for (const bool v : {false, true})
        if (const Ticks kept = v ? sums[c] : total - sums[c]; kept > most) {
          most = kept;
          best = c;
          value = v;
        }
    if (most == total) {
      if (static_cast<double>(total) > 1.001 * rows_.leaf_penalty) add(std::move(leaf));
      return;
    }
    next.clear();
    for (const std::uint32_t row : leaf)
      if (rows_.holds(row, best) == value) next.push_back(row);
    leaf.swap(next);
  }
}

/// A share of the prices in units.
std::vector<Units> LeafPool::prices(double share) const {
  double total = 0;
  for (const double price : price_) total += price;
  share *= std::min(1.0, std::min(double{1 << 29}, leaves_.front().cost) / total);
  std::vector<Units> prices;
  prices.reserve(price_.size());
  for (const double price : price_) prices.push_back(static_cast<Units>(share * price));
  return prices;
}

/// Drops leaves without a multiplier once there are many.
void LeafPool::tidy() {
  if (n_rows_of_all_ <= kMostInPool) return;
  std::erase_if(leaves_, [&](const Leaf& leaf) { return &leaf != &leaves_.front() && leaf.multiplier <= 0; });
  n_rows_of_all_ = 0;
  for (const Leaf& leaf : leaves_) n_rows_of_all_ += leaf.rows.size();
}

/// Xorshift: the same numbers on every machine.
std::uint64_t LeafPool::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_ >> 11;
}

}  // namespace hornbeam::pricing
