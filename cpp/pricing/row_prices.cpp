#include "pricing/row_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hornbeam::pricing {

namespace {

constexpr double kFirstSmoothing = 0.3, kLeastSmoothing = 0.02, kSmoothingStep = 0.7;
constexpr int kPasses = 60, kStarts = 100, kIdleChecksToSettle = 4;
constexpr Ticks kLeastRise = 1024;  // of the total that counts as one: one part in so many
/// Of the multiplicative change of a price, below which passes over the pool have converged.
constexpr double kConverged = 0.002;
constexpr double kFirstShare = 0.2, kLargestStep = 2, kLargestExponentOfWork = 12;
constexpr double kMargin = 1.3;                                // of the work that a check is expected to take
constexpr std::uint64_t kLeastCheck = std::uint64_t{1} << 16;  // units of work
constexpr std::size_t kMostInPool = std::size_t{1} << 24;      // rows of all leaves
constexpr double kLargestExponent = 50, kLeastTotal = 1e-9;

}  // namespace

RowPrices::RowPrices(const PricedRows& rows, run::WorkMeter& meter)
    : rows_(rows),
      kernels_(kernels::kernels()),
      meter_(meter),
      begin_(meter.spent()),
      check_(rows, meter,
             [this](std::span<const std::uint32_t> positive, std::span<const std::uint32_t> others) {
               std::vector<std::uint32_t> leaf(positive.begin(), positive.end());
               leaf.insert(leaf.end(), others.begin(), others.end());
               add_leaf(std::move(leaf));
             }),
      price_(rows.n_rows, 0),
      smoothing_(kFirstSmoothing),
      share_(kFirstShare),
      work_exponent_(4),
      work_of_round_(std::uint64_t{rows.n_rows} * rows.n_columns * (kPasses / 8)) {
  add_single_conditions();
}

void RowPrices::add_leaf(std::vector<std::uint32_t> rows) {
  Ticks least = kInfinity;
  for (std::uint32_t prediction = 0; prediction < rows_.n_predictions; ++prediction) {
    Ticks loss = 0;
    for (const std::uint32_t row : rows) loss += rows_.losses(prediction)[row];
    least = std::min(least, loss);
  }
  n_in_pool_ += rows.size();
  pool_.push_back({std::move(rows), static_cast<double>(rows_.leaf_penalty + least), 0});
}

/// The whole problem, and all conjunctions of one condition.
void RowPrices::add_single_conditions() {
  std::vector<std::uint32_t> all(rows_.n_rows);
  std::iota(all.begin(), all.end(), 0u);
  add_leaf(all);
  for (std::uint32_t c = 0; c < rows_.n_columns; ++c)
    for (const bool value : {false, true}) {
      std::vector<std::uint32_t> leaf;
      for (const std::uint32_t row : all)
        if (rows_.holds(row, c) == value) leaf.push_back(row);
      if (!leaf.empty() && leaf.size() < all.size()) add_leaf(std::move(leaf));
    }
}

void RowPrices::work_up_to(std::uint64_t work) {
  while (!is_settled_ && improve(work)) {
  }
}

/// A round of leaves for the pool, or a check. False if it would take more than the work allows.
bool RowPrices::improve(std::uint64_t work) {
  const std::uint64_t before = meter_.spent(), left = work - std::min(work, before), done = before - begin_;
  // Until all is checked, a check may take as much as all work before it. Rounds then get a third of that.
  const bool checks_all = has_checked_all();
  const std::uint64_t rounds = (checks_all ? work_of_check_ : done_after_check_) / 3;
  if (smoothing_ < kFirstSmoothing && (done >= done_after_check_ + rounds || is_complete_)) {
    if (left < (checks_all ? work_of_check_ : std::max(kLeastCheck, done))) return false;
    check(std::max(kLeastCheck, checks_all ? 2 * work_of_check_ : done));
    done_after_check_ = meter_.spent() - begin_;
    return true;
  }
  if (left < work_of_round_) return false;
  maximize_over_pool(kPasses);
  is_complete_ = find_leaves(kStarts) == 0;
  tidy_pool();
  smoothing_ = std::max(kLeastSmoothing, smoothing_ * kSmoothingStep);
  work_of_round_ = meter_.spent() - before;
  return true;
}

/// Prices that maximize their total less the entropy. Multipliers are kept from round to round.
void RowPrices::maximize_over_pool(int n_passes) {
  // The price of a row that a leaf covers once is the mean price of all.
  const double mean = pool_.front().cost / rows_.n_rows;
  std::vector<double> covered(rows_.n_rows, 0);
  for (const Leaf& leaf : pool_)
    if (leaf.multiplier > 0)
      for (const std::uint32_t row : leaf.rows) covered[row] += leaf.multiplier;
  for (std::uint32_t row = 0; row < rows_.n_rows; ++row)
    price_[row] = mean * std::exp(std::min(kLargestExponent, (1 - covered[row]) / smoothing_));
  double change = 1;
  for (int pass = 0; pass < n_passes && change > kConverged; ++pass) {
    change = 0;
    meter_.require(1 + n_in_pool_ / 8);
    for (Leaf& leaf : pool_) {
      double total = 0;
      for (const std::uint32_t row : leaf.rows) total += price_[row];
      // A price never grows by more at once than its first value was above the mean.
      const double room = std::min(std::log(leaf.cost / std::max(total, kLeastTotal)), kLargestExponent);
      if (room >= 0 && leaf.multiplier <= 0) continue;
      const double step = std::max(-smoothing_ * room, -leaf.multiplier), factor = std::exp(-step / smoothing_);
      leaf.multiplier += step;
      change = std::max(change, std::abs(step / smoothing_));
      for (const std::uint32_t row : leaf.rows) price_[row] *= factor;
    }
  }
}

/// From rows that meet a few random conditions of a random row. Returns how many leaves are new.
std::size_t RowPrices::find_leaves(int n_starts) {
  const std::size_t n_before = pool_.size();
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
  return pool_.size() - n_before;
}

/// Adds the condition that gains the most as long as one gains, and then the leaf if its rows exceed its cost.
void RowPrices::climb(std::uint32_t prediction, std::vector<std::uint32_t> leaf) {
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
      if (static_cast<double>(total) > 1.001 * rows_.leaf_penalty) add_leaf(std::move(leaf));
      return;
    }
    next.clear();
    for (const std::uint32_t row : leaf)
      if (rows_.holds(row, best) == value) next.push_back(row);
    leaf.swap(next);
  }
}

/// A share of the prices in units.
std::vector<Units> RowPrices::rounded(double share) const {
  double total = 0;
  for (const double price : price_) total += price;
  share *= std::min(1.0, std::min(double{1 << 29}, pool_.front().cost) / total);
  std::vector<Units> prices;
  prices.reserve(price_.size());
  for (const double price : price_) prices.push_back(static_cast<Units>(share * price));
  return prices;
}

/// Makes as large a share of the prices feasible as the work allows.
void RowPrices::check(std::uint64_t allowed) {
  const std::uint64_t before = meter_.spent();
  const double times = static_cast<double>(allowed) / static_cast<double>(std::max<std::uint64_t>(work_of_check_, 1));
  const double share =
      best_ == nullptr ? share_
                       : std::min({1.0, share_ * kLargestStep, share_ * std::pow(times / kMargin, 1 / work_exponent_)});
  std::vector<Units> prices = rounded(share);
  // Once all is checked, only halfway from the best prices, which exceeds fewer leaves (in-out separation).
  const bool is_halfway = has_checked_all();
  if (is_halfway)
    for (std::size_t row = 0; row < prices.size(); ++row)
      prices[row] = static_cast<Units>((Ticks{prices[row]} + best_->of_row[row]) / 2);
  const std::size_t n_before = pool_.size();
  is_complete_ = false;
  const bool is_feasible = check_.make_feasible(prices, allowed);
  const std::uint64_t work = meter_.spent() - before;
  if (!is_feasible) {
    if (best_ == nullptr)
      share_ /= 2;
    else if (is_halfway)
      work_of_check_ *= 2;
    else
      work_exponent_ = std::min(kLargestExponentOfWork, work_exponent_ * 1.5);
    return;
  }
  if (best_ != nullptr && share > share_) {
    const double growth = std::log(static_cast<double>(work) / static_cast<double>(work_of_check_));
    work_exponent_ = std::clamp(growth / std::log(share / share_), 1.0, kLargestExponentOfWork);
  }
  share_ = share;
  work_of_check_ = work;
  const Ticks total = std::accumulate(prices.begin(), prices.end(), Ticks{0});
  const Ticks known = best_ == nullptr ? 0 : best_->total;
  if (best_ == nullptr || total > known)
    best_ = std::make_shared<const FeasiblePrices>(std::move(prices), total, rows_.shift);
  const bool is_last = share >= 1 && smoothing_ <= kLeastSmoothing;
  n_idle_ = !is_last || total - known > known / kLeastRise ? 0 : n_idle_ + 1;
  is_settled_ = is_last && ((pool_.size() == n_before && !is_halfway) || n_idle_ == kIdleChecksToSettle);
}

bool RowPrices::can_reach(Ticks total, std::uint64_t work) const {
  if (best_ == nullptr) return false;
  const double times = static_cast<double>(total) / static_cast<double>(std::max<Ticks>(best_->total, 1));
  return share_ * times <= 1 &&
         static_cast<double>(work_of_check_) * std::pow(times, work_exponent_) <= static_cast<double>(work);
}

/// Drops leaves without a multiplier once there are many.
void RowPrices::tidy_pool() {
  if (n_in_pool_ <= kMostInPool) return;
  std::erase_if(pool_, [&](const Leaf& leaf) { return &leaf != &pool_.front() && leaf.multiplier <= 0; });
  n_in_pool_ = 0;
  for (const Leaf& leaf : pool_) n_in_pool_ += leaf.rows.size();
}

/// Xorshift: the same numbers on every machine.
std::uint64_t RowPrices::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_ >> 11;
}

}  // namespace hornbeam::pricing
