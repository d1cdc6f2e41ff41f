// pricing/schedule.hpp
//
// WHAT    How much of the work of a search goes into prices of rows (pricing/root_pricing).
#pragma once

#include <cstdint>

namespace hornbeam::pricing {

/// In units of pricing; tests choose more.
struct Schedule {
  std::uint64_t units_before = std::uint64_t{1} << 24;  // of the search, before pricing begins
  // For 16 units of the search: until it has taken long; then; and if other bounds are higher and likely to stay so.
  std::uint64_t units_at_first = 1, units_later = 48, units_if_behind = 1;
};

}  // namespace hornbeam::pricing
