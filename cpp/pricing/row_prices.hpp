// pricing/row_prices.hpp
//
// WHAT    Prices of rows for bounds/row_prices.hpp that are as high as possible, improved round by round.
// FLOW    pricing/root_pricing gives it work -> pricing/leaf_check makes its prices feasible.
// CHOICE  The linear program has a column for each conjunction. Prices for those in a pool (pricing/leaf_pool) exceed
//         the costs of others, which a check finds and adds. Of prices that are too high to be checked within the work
//         that is due, a share is checked.
#pragma once

#include <memory>
#include <vector>

#include "pricing/feasible_prices.hpp"
#include "pricing/leaf_check.hpp"
#include "pricing/leaf_pool.hpp"
#include "pricing/priced_rows.hpp"

namespace hornbeam::pricing {

class RowPrices {
 public:
  /// `meter` counts the work, each unit some thirty nanoseconds; it and the rows live as long as the prices.
  RowPrices(const PricedRows& rows, run::WorkMeter& meter);

  /// Improves the prices until the meter has so much work, or more is unlikely to help. Throws Stopped.
  void work_up_to(std::uint64_t work);
  /// Whether prices with this total are likely to be found with so much more work.
  bool can_reach(Ticks total, std::uint64_t work) const;
  /// Whether more rounds are unlikely to help.
  bool is_settled() const { return is_settled_; }
  /// The best prices so far; null before.
  const std::shared_ptr<const FeasiblePrices>& best() const { return best_; }

 private:
  bool has_checked_all() const { return best_ != nullptr && share_ >= 1; }
  bool improve(std::uint64_t work);
  void check(std::uint64_t allowed);

  const PricedRows& rows_;
  run::WorkMeter& meter_;
  const std::uint64_t begin_;  // of the work
  LeafPool pool_;
  LeafCheck check_;
  double smoothing_;      // the weight of the entropy, as a share of what a leaf costs
  double share_;          // of the prices, that has been made feasible
  double work_exponent_;  // the work of a check grows with the share to this power
  std::uint64_t work_of_round_;
  std::uint64_t work_of_check_ = 0;     // of the last one that came to its end
  std::uint64_t done_after_check_ = 0;  // all work up to the end of the last one
  std::shared_ptr<const FeasiblePrices> best_;
  int n_idle_ = 0;  // checks since the total has risen
  bool is_settled_ = false;
  bool is_complete_ = false;  // whether the last search for leaves has found none
};

}  // namespace hornbeam::pricing
