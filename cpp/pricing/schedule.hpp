// pricing/schedule.hpp
//
// WHAT    How much of the work of a search goes into prices of rows (pricing/root_pricing).
#pragma once

#include <cstdint>

namespace hornbeam::pricing {

/// In units of pricing; tests choose more.
struct Schedule {
  /// Of the search, before pricing begins: some two seconds, after which a search is not likely to end soon.
  std::uint64_t units_before = std::uint64_t{1} << 26;
  /// Of trees of fewer levels, prices for leaves of any depth say too little.
  std::uint32_t least_depth = 8;
  /// For 16 units of the search after those: while prices rise and prove the most, or are likely to; and otherwise.
  std::uint64_t units_if_ahead = 32, units = 16, units_if_behind = 1;
};

}  // namespace hornbeam::pricing
