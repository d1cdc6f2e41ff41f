// bounds/packing_slack.hpp
//
// SAYS     Let u be a packing of pairs as in bounds/packing.hpp, and u(c) the total of the pairs that the column c
//          separates. A tree that splits on c costs at least what the packing proves, and L - u(c) more.
// SO       A packing that does not close a subproblem still closes those splits of its root whose columns it has not
//          used up, without a look at their sides. On sorted numbers, each threshold is a column.
// WHY      In the proof of bounds/packing.hpp, the tested column c pays L for pairs that take only u(c) of it.
//          (This is fixing variables by their reduced costs, in the linear program there.)
// NEEDS    as bounds/packing.hpp.
// KEEPS    as bounds/packing.hpp.
// SOURCE   reduced-cost fixing of integer programs; ours for trees.
// Switch   packing_slack
#pragma once

#include "base/types.hpp"

namespace hornbeam::bounds {

/// `unused` is what the packing has left of the column.
constexpr Ticks bound_with_column(Ticks packing_bound, Ticks unused) { return packing_bound + unused; }

}  // namespace hornbeam::bounds
