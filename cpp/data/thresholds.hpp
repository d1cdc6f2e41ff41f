// data/thresholds.hpp
//
// WHAT    Thresholds between numbers, with as few digits as a fair margin to both sides allows.
#pragma once

#include <span>
#include <vector>

namespace hornbeam {

/// For each two neighbors a < b a threshold a <= t < b: the decimal number with the fewest places that is at least a
/// quarter of the gap away from both, of several the one nearest to the midpoint. Where there is none that a double
/// holds, as between neighboring doubles, the midpoint or a itself.
///
/// PRE     The numbers are finite and strictly rising.
std::vector<double> thresholds_between(std::span<const double> numbers);

}  // namespace hornbeam
