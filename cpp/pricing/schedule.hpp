// pricing/schedule.hpp
//
// WHAT    How much of the work of a search goes into prices of rows (pricing/root_pricing).
#pragma once

#include <cstdint>

namespace hornbeam::pricing {

/// In units of pricing; tests choose more.
struct Schedule {
  /// Of the search, before pricing begins: some ten seconds, after which a search is not likely to end soon.
  std::uint64_t units_before = std::uint64_t{1} << 28;
  /// Of trees of fewer levels, prices for leaves of any depth say too little.
  std::uint32_t least_depth = 8;
  /// For 16 units of the search after those: where prices are likely to prove the most, and where other bounds are.
  std::uint64_t units = 16, units_if_behind = 2;
};

}  // namespace hornbeam::pricing
