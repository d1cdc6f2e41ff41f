#include "pricing/leaf_pool.hpp"

#include <algorithm>
#include <cmath>

namespace hornbeam::pricing {

namespace {

/// Of the multiplicative change of a price, below which passes over the pool have converged.
constexpr double kConverged = 0.002;
constexpr std::size_t kMostInPool = std::size_t{1} << 24;  // rows of all leaves
constexpr int kUses = 6;                                   // pools that keep a leaf after it was tight
constexpr double kLargestExponent = 50, kLeastTotal = 1e-9;

}  // namespace

LeafPool::LeafPool(const PricedRows& rows, run::WorkMeter& meter, std::vector<Conjunction> leaves,
                   std::mt19937_64& random)
    : rows_(rows), kernels_(kernels::kernels()), meter_(meter), price_(rows.n_rows, 0), random_(random) {
  if (leaves.empty()) {
    leaves.emplace_back();
    for (std::uint32_t c = 0; c < rows.n_columns; ++c)
      for (const bool value : {false, true}) leaves.push_back({.conditions = {{c, value}}});
  }
  for (Conjunction& conjunction : leaves) {
    meter.require(1 + rows.n_rows / 8);
    std::vector<std::uint32_t> members = rows.meeting(conjunction.conditions);
    add(std::move(conjunction), std::move(members));
  }
}

void LeafPool::add(Conjunction conjunction, std::vector<std::uint32_t> rows) {
  Ticks least = kInfinity;
  for (std::uint32_t prediction = 0; prediction < rows_.n_predictions; ++prediction) {
    Ticks loss = 0;
    for (const std::uint32_t row : rows) loss += rows_.losses(prediction)[row];
    least = std::min(least, loss);
  }
  n_rows_of_all_ += rows.size();
  leaves_.push_back({std::move(conjunction), std::move(rows), static_cast<double>(rows_.leaf_penalty + least)});
}

std::vector<Conjunction> LeafPool::take_leaves(bool all) {
  std::vector<Conjunction> taken;
  for (Leaf& leaf : leaves_) {
    Conjunction& conjunction = leaf.conjunction;
    if (conjunction.multiplier > 0) conjunction.n_uses = kUses;
    if (all || conjunction.n_uses-- > 0 || conjunction.conditions.empty()) taken.push_back(std::move(conjunction));
  }
  leaves_.clear();
  return taken;
}

/// Prices that maximize their total less the entropy. Multipliers are kept from round to round.
void LeafPool::maximize(double smoothing, int n_passes) {
  // The price of a row that a leaf covers once is the mean price of all.
  const double mean = leaves_.front().cost / rows_.n_rows;
  std::vector<double> covered(rows_.n_rows, 0);
  for (const Leaf& leaf : leaves_)
    if (const double multiplier = leaf.conjunction.multiplier; multiplier > 0)
      for (const std::uint32_t row : leaf.rows) covered[row] += multiplier;
  for (std::uint32_t row = 0; row < rows_.n_rows; ++row)
    price_[row] = mean * std::exp(std::min(kLargestExponent, (1 - covered[row]) / smoothing));
  double change = 1;
  for (int pass = 0; pass < n_passes && change > kConverged; ++pass) {
    change = 0;
    meter_.require(1 + n_rows_of_all_ / 8);
    for (Leaf& leaf : leaves_) {
      double& multiplier = leaf.conjunction.multiplier;
      double total = 0;
      for (const std::uint32_t row : leaf.rows) total += price_[row];
      // A price never grows by more at once than its first value was above the mean.
      const double room = std::min(std::log(leaf.cost / std::max(total, kLeastTotal)), kLargestExponent);
      if (room >= 0 && multiplier <= 0) continue;
      const double step = std::max(-smoothing * room, -multiplier), factor = std::exp(-step / smoothing);
      multiplier += step;
      change = std::max(change, std::abs(step / smoothing));
      for (const std::uint32_t row : leaf.rows) price_[row] *= factor;
    }
  }
}

/// From rows that meet a few random conditions of a random row, with the best prediction for that row.
std::size_t LeafPool::find_leaves(int n_starts) {
  const std::size_t n_before = leaves_.size();
  for (int i = 0; i < n_starts; ++i) {
    const auto first = static_cast<std::uint32_t>(random_() % rows_.n_rows);
    std::vector<Condition> conditions;
    for (std::uint64_t n = 1 + random_() % 3; n > 0; --n) {
      const auto c = static_cast<std::uint32_t>(random_() % rows_.n_columns);
      conditions.push_back({c, rows_.holds(first, c)});
    }
    std::uint32_t prediction = 0;
    for (std::uint32_t k = 1; k < rows_.n_predictions; ++k)
      if (rows_.losses(k)[first] < rows_.losses(prediction)[first]) prediction = k;
    std::vector<std::uint32_t> rows = rows_.meeting(conditions);
    climb(prediction, std::move(conditions), std::move(rows));
  }
  const std::size_t n_new = leaves_.size() - n_before;
  tidy();
  return n_new;
}

/// Adds the condition that gains the most as long as one gains, and then the leaf if its rows exceed its cost.
void LeafPool::climb(std::uint32_t prediction, std::vector<Condition> conditions, std::vector<std::uint32_t> rows) {
  const Units* const loss = rows_.losses(prediction);
  std::vector<Units> gains, sums(rows_.stride());
  std::vector<std::uint32_t> next;
  for (;;) {
    meter_.require(1 + rows.size() * rows_.stride() / PricedRows::kColumnsOfLine / 4);
    gains.clear();
    Ticks total = 0;
    for (const std::uint32_t row : rows)
      total += gains.emplace_back(static_cast<Units>(std::min(price_[row], double{1 << 30})) - loss[row]);
    std::fill(sums.begin(), sums.end(), 0);
    kernels_.add_masked(rows_.masks.data(), rows_.stride(), rows.data(), gains.data(), rows.size(), sums.data());
    Ticks most = total;
    Condition best{};
    for (std::uint32_t c = 0; c < rows_.n_columns; ++c)
      for (const bool value : {false, true})
        if (const Ticks kept = value ? sums[c] : total - sums[c]; kept > most) {
          most = kept;
          best = {c, value};
        }
    if (most == total) {
      if (static_cast<double>(total) > 1.001 * rows_.leaf_penalty)
        add({.conditions = std::move(conditions)}, std::move(rows));
      return;
    }
    conditions.push_back(best);
    rows_.keep(rows, best, next);
    rows.swap(next);
  }
}

std::vector<Units> LeafPool::prices() const {
  double total = 0;
  for (const double price : price_) total += price;
  // No more than the whole problem costs as a leaf.
  const double share = std::min(1.0, std::min(double{1 << 29}, leaves_.front().cost) / total);
  std::vector<Units> prices;
  prices.reserve(price_.size());
  for (const double price : price_) prices.push_back(static_cast<Units>(share * price));
  return prices;
}

/// Drops leaves without a multiplier once there are many.
void LeafPool::tidy() {
  if (n_rows_of_all_ <= kMostInPool) return;
  std::erase_if(leaves_,
                [&](const Leaf& leaf) { return &leaf != &leaves_.front() && leaf.conjunction.multiplier <= 0; });
  n_rows_of_all_ = 0;
  for (const Leaf& leaf : leaves_) n_rows_of_all_ += leaf.rows.size();
}

}  // namespace hornbeam::pricing
