// rashomon/reliance.hpp
//
// WHAT    Model reliance of trees on a group of columns: the increase in loss if the values of the group are shuffled
//         among the rows.
// SOURCE  [fisher2019reliance], section 3: model reliance, as a difference, over all pairs of rows, including a row
//         with itself; in shares of the rows it is the mean over all permutations of the group's values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::rashomon {

/// A product of ticks and a share; both are below 2^52.
using TicksTimesShare = __int128;

/// One group of columns that belong to one variable, and the weight of each distinct row as a source of values.
struct RelianceProblem {
  std::vector<bool> is_in_group;     // by column of the data
  std::vector<std::int64_t> shares;  // by distinct row
};

/// Over all trees of a set: the mean additional loss in ticks, times the total of the shares.
struct RelianceRange {
  TicksTimesShare least, largest;
  std::vector<std::uint64_t> n_avoiding;  // number of trees that test no column of the group; limbs, the lowest first
};

/// The sum over trees of the mean additional loss in ticks, times the total of the shares: `more` - `less`, both of any
/// size; limbs, the lowest first.
struct RelianceSum {
  std::vector<std::uint64_t> more, less;
};

}  // namespace hornbeam::rashomon
