#include "pricing/row_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hornbeam::pricing {

namespace {

constexpr double kFirstSmoothing = 0.3, kLeastSmoothing = 0.02, kSmoothingStep = 0.7;
constexpr int kPasses = 60, kStarts = 100, kIdleChecksToSettle = 4;
constexpr Ticks kLeastRise = 1024;  // of the total that counts as one: one part in so many
constexpr double kFirstShare = 0.2, kLargestStep = 2, kLargestExponentOfWork = 12;
constexpr double kMargin = 1.3;                                // of the work that a check is expected to take
constexpr std::uint64_t kLeastCheck = std::uint64_t{1} << 16;  // units of work

}  // namespace

RowPrices::RowPrices(const PricedRows& rows, run::WorkMeter& meter)
    : rows_(rows),
      meter_(meter),
      begin_(meter.spent()),
      pool_(rows, meter),
      check_(rows, meter,
             [this](std::span<const std::uint32_t> positive, std::span<const std::uint32_t> others) {
               std::vector<std::uint32_t> leaf(positive.begin(), positive.end());
               leaf.insert(leaf.end(), others.begin(), others.end());
               pool_.add(std::move(leaf));
             }),
      smoothing_(kFirstSmoothing),
      share_(kFirstShare),
      work_exponent_(4),
      work_of_round_(std::uint64_t{rows.n_rows} * rows.n_columns * (kPasses / 8)) {}

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
  pool_.maximize(smoothing_, kPasses);
  is_complete_ = pool_.find_leaves(kStarts) == 0;
  smoothing_ = std::max(kLeastSmoothing, smoothing_ * kSmoothingStep);
  work_of_round_ = meter_.spent() - before;
  return true;
}

/// Makes as large a share of the prices feasible as the work allows.
void RowPrices::check(std::uint64_t allowed) {
  const std::uint64_t before = meter_.spent();
  const double times = static_cast<double>(allowed) / static_cast<double>(std::max<std::uint64_t>(work_of_check_, 1));
  const double share =
      best_ == nullptr ? share_
                       : std::min({1.0, share_ * kLargestStep, share_ * std::pow(times / kMargin, 1 / work_exponent_)});
  std::vector<Units> prices = pool_.prices(share);
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

}  // namespace hornbeam::pricing
