#include "pricing/root_pricing.hpp"

#include <utility>

#include "bounds/row_prices.hpp"

namespace hornbeam::pricing {

namespace {

constexpr std::uint64_t kUnitsBetweenPolls = std::uint64_t{1} << 18;
/// The bound rises as long as the work triples at most before it is higher by a sixteenth.
constexpr std::uint64_t kMostWorkOfRise = 3;
constexpr Ticks kNotableRise = 16;

}  // namespace

RootPricing::RootPricing(std::uint64_t bytes, std::function<PricedRows()> make, const Schedule& schedule,
                         std::uint64_t work_of_unit, run::Run& run, std::function<void()> poll)
    : bytes_(bytes),
      make_(std::move(make)),
      schedule_(schedule),
      work_of_unit_(work_of_unit),
      run_(run),
      meter_(run, kUnitsBetweenPolls, std::move(poll)) {}

Ticks RootPricing::bound() const {
  const auto best = row_prices_ ? row_prices_->best() : nullptr;
  return best == nullptr ? 0 : bounds::bound_by_prices(best->total, best->shift);
}

bool RootPricing::raise(std::uint64_t searched, std::uint64_t bytes, Ticks lower) {
  const std::uint64_t units = searched / work_of_unit_;
  // Pricing polls, too.
  if (units < schedule_.units_before || has_no_room_ || is_working_ || run_.stopped()) return false;
  if (!row_prices_) {
    const std::optional<std::uint64_t>& limit = run_.limits().bytes;
    has_no_room_ = limit && bytes + bytes_ > *limit;
    if (has_no_room_) return false;
    rows_ = make_();
    row_prices_.emplace(rows_, meter_);
    searched_ = units;
  }
  due_ += (units - searched_) * share_of_work(lower);
  searched_ = units;
  const auto before = row_prices_->best();
  is_working_ = true;
  run_.finishes([&] { row_prices_->work_up_to(due_ / 16); });
  is_working_ = false;
  if (row_prices_->best() == before) return false;
  if (bound() > risen_to_ + risen_to_ / kNotableRise) {
    risen_to_ = bound();
    work_of_rise_ = meter_.spent();
  }
  prices_.set(row_prices_->best());
  return true;
}

std::uint64_t RootPricing::share_of_work(Ticks lower) const {
  if (meter_.spent() > kMostWorkOfRise * work_of_rise_) return schedule_.units_if_behind;
  if (bound() >= lower) return schedule_.units_if_ahead;
  return row_prices_->expected() >= rows_.total_units(lower) ? schedule_.units : schedule_.units_if_behind;
}

}  // namespace hornbeam::pricing
