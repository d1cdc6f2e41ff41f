// data/thresholds.hpp
//
// WHAT    Thresholds between numbers, with as few digits as possible at a sufficient distance from both; and between
//         which of them numbers lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hornbeam::data {

/// For each two neighbors a < b a threshold a <= t < b: the decimal number with the fewest digits that is at least a
/// quarter of the gap away from both; if there are several, the one nearest to the midpoint. If no double is such a
/// number, as between neighboring doubles, it is the midpoint or a itself.
///
/// PRE     The numbers are finite and strictly ascending.
std::vector<double> thresholds_between(std::span<const double> numbers);

/// For each number the place of the first threshold that it does not exceed; NaN exceeds all.
///
/// PRE     `order` sorts the numbers, NaN last; the thresholds are ascending.
std::vector<std::uint32_t> bins_of(std::span<const double> numbers, std::span<const std::int64_t> order,
                                   std::span<const double> thresholds);

}  // namespace hornbeam::data
