// rashomon/reliance.hpp
//
// WHAT    How much trees rely on a group of columns: what they would lose more if the rows had each other's values of
//         the group.
// SOURCE  [fisher2019reliance], section 3: model reliance, as a difference, over all pairs of rows, a row with itself
//         included; in shares of the rows it is the mean over all permutations of the group's values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace hornbeam {

/// A product of ticks and a share; both are below 2^52.
using TicksTimesShare = __int128;

/// One group of columns that are one variable, and how much each distinct row weighs where its values are given away.
struct RelianceProblem {
  std::vector<bool> is_in_group;     // by column of the data
  std::vector<std::int64_t> shares;  // by distinct row
};

/// Over all trees of a set: the mean additional loss in ticks, times the total of the shares.
struct RelianceRange {
  TicksTimesShare least, largest;
  std::vector<std::uint64_t> n_avoiding;  // how many trees ask no column of the group; limbs, the lowest first
};

}  // namespace hornbeam
