// posterior/closest_rows.hpp
//
// WHAT    The number of columns that separate the two closest rows of different classes, for bounds/second_split.hpp.
// COST    Distinct rows squared times the words of a row; if that is more than 2^32, the result is 1, which is always a
//         valid bound.
#pragma once

#include "data/distinct_rows.hpp"
#include "run/run.hpp"

namespace hornbeam::posterior {

/// At least 1 and, if there are columns, at most their number. Throws Stopped.
std::uint32_t least_distance(const data::DistinctRows& rows, run::Run& run);

}  // namespace hornbeam::posterior
