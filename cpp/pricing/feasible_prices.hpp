// pricing/feasible_prices.hpp
//
// WHAT    Prices of all rows that are proven for bounds/row_prices.hpp, and where the threads of a search find them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::pricing {

using Units = std::int32_t;

struct FeasiblePrices {
  std::vector<Units> of_row;
  Ticks total = 0;
  int shift = 0;  // a tick is 2^shift units
};

/// The best prices so far, for all threads.
class SharedPrices {
 public:
  std::shared_ptr<const FeasiblePrices> get() const {
    if (!has_any_.load(std::memory_order_acquire)) return nullptr;
    const std::lock_guard lock(mutex_);
    return prices_;
  }
  void set(std::shared_ptr<const FeasiblePrices> prices) {
    const std::lock_guard lock(mutex_);
    prices_ = std::move(prices);
    has_any_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> has_any_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<const FeasiblePrices> prices_;
};

}  // namespace hornbeam::pricing
