// search/open_split.hpp
//
// WHAT    A candidate split of a subproblem by a name that other processes understand, and what is known of its sides.
// HOLDS   Equal data make equal names and keys, in any process.
#pragma once

#include <cstdint>

#include "table/subproblem_table.hpp"

namespace hornbeam::search {

/// The column of the data, and the least and the most leaves of the true side; 1 and 1 if leaves are not limited.
struct SplitName {
  std::uint32_t column, least_of_true_side, most_of_true_side;
};

struct OpenSplit {
  struct Side {
    table::SubproblemKey key;
    Ticks lower, upper;
  };
  SplitName name;
  Ticks lower;
  /// Whether the sides are subproblems of their own: not in a rule list, nor while the leaves may be shared in several
  /// ways.
  bool has_sides;
  Side side[2];  // 0: the column fails, 1: it holds
};

}  // namespace hornbeam::search
