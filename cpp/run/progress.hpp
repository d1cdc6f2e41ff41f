// run/progress.hpp
//
// WHAT    Where a search stands while it runs.
#pragma once

#include <cstdint>
#include <functional>

#include "base/types.hpp"

namespace hornbeam {

/// Costs in ticks.
struct Progress {
  double seconds;
  Ticks upper;
  Ticks lower;
  std::uint64_t n_subproblems;
  std::uint64_t bytes;
  std::uint32_t n_leaves;  // of the best tree; 0 where the caller has it
};

}  // namespace hornbeam
