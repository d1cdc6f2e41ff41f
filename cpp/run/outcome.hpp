// run/outcome.hpp
//
// WHAT    The result of a search: the best tree, the bound proven for all trees, and why the search ended.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bounds.hpp"
#include "run/limits.hpp"
#include "run/progress.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam {

struct Outcome {
  ResultTree tree;
  Ticks lower = 0;
  Status status = Status::optimal;
  std::uint64_t n_subproblems = 0;
  std::uint64_t n_table_entries = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  Counters counters;
  std::vector<Progress> trace;  // one line for each change of the interval
};

}  // namespace hornbeam
