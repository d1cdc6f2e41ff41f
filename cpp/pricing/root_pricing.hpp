// pricing/root_pricing.hpp
//
// WHAT    Prices of all rows next to the search of a whole problem, of whose work they get a share.
// FLOW    A search calls `raise` from the poll of its first thread, and adopts what is proven -> pricing/row_prices.
// HOLDS   A problem that is solved in a few milliseconds does without. How much is priced follows from the work of the
//         search, not from the clock.
#pragma once

#include <functional>
#include <optional>

#include "pricing/feasible_prices.hpp"
#include "pricing/row_prices.hpp"
#include "pricing/schedule.hpp"
#include "run/latest.hpp"

namespace hornbeam::pricing {

class RootPricing {
 public:
  /// `make` is called when pricing begins. `work_of_unit` is what the search does in the time of a unit of pricing.
  RootPricing(std::uint64_t bytes, std::function<PricedRows()> make, const Schedule& schedule,
              std::uint64_t work_of_unit, run::Run& run, std::function<void()> poll);

  /// `searched` is the work of the search so far, `bytes` what it uses, `lower` what it has proven of the whole
  /// problem. True if there are better prices.
  bool raise(std::uint64_t searched, std::uint64_t bytes, Ticks lower);

  /// No tree of the whole problem costs less.
  Ticks bound() const;
  const run::Latest<FeasiblePrices>& prices() const { return prices_; }
  std::uint64_t bytes() const { return row_prices_ ? bytes_ : 0; }
  /// As much as the search does in the time of pricing so far.
  std::uint64_t work() const { return meter_.spent() * work_of_unit_; }

 private:
  std::uint64_t share_of_work(Ticks lower) const;

  const std::uint64_t bytes_;
  const std::function<PricedRows()> make_;
  const Schedule schedule_;
  const std::uint64_t work_of_unit_;
  run::Run& run_;
  run::WorkMeter meter_;
  bool has_no_room_ = false, is_working_ = false;
  std::uint64_t searched_ = 0, due_ = 0;  // units of the search so far; sixteenths of units of pricing
  Ticks risen_to_ = 0;                    // by the last notable rise of the bound
  std::uint64_t work_of_rise_ = 0;        // up to then
  PricedRows rows_;
  std::optional<RowPrices> row_prices_;
  run::Latest<FeasiblePrices> prices_;
};

}  // namespace hornbeam::pricing
