// pricing/feasible_prices.hpp
//
// WHAT    Prices of all rows that are proven for bounds/row_prices.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::pricing {

using Units = std::int32_t;

struct FeasiblePrices {
  std::vector<Units> of_row;
  Ticks total = 0;
  int shift = 0;  // a tick is 2^shift units
};

}  // namespace hornbeam::pricing
