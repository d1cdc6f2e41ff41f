// posterior/closest_rows.hpp
//
// WHAT    How many columns tell the two closest rows of different classes apart, for bounds/second_split.hpp.
// COST    Distinct rows squared times the words of a row; 1, which is always true, is said where that is more than
// 2^32.
#pragma once

#include "data/distinct_rows.hpp"
#include "run/run.hpp"

namespace hornbeam {

/// At least 1 and, where there are columns, at most their number. Throws Stopped.
std::uint32_t least_distance(const DistinctRows& rows, Run& run);

}  // namespace hornbeam
