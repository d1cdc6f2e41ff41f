// data/thresholds.hpp
//
// WHAT    Thresholds between numbers, with as few digits as possible at a sufficient distance from both.
#pragma once

#include <span>
#include <vector>

namespace hornbeam::data {

/// For each two neighbors a < b a threshold a <= t < b: the decimal number with the fewest digits that is at least a
/// quarter of the gap away from both; if there are several, the one nearest to the midpoint. If no double is such a
/// number, as between neighboring doubles, it is the midpoint or a itself.
///
/// PRE     The numbers are finite and strictly ascending.
std::vector<double> thresholds_between(std::span<const double> numbers);

}  // namespace hornbeam::data
