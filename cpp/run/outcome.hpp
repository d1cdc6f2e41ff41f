// run/outcome.hpp
//
// WHAT    The progress of a search, and its result: the best tree, the bound proven for all trees, and why the search
//         ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bounds.hpp"
#include "run/limits.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::run {

/// Costs in ticks.
struct Progress {
  Ticks upper;
  Ticks lower;
  std::uint64_t n_subproblems;
  std::uint64_t bytes;
  std::uint32_t n_leaves;  // of the best tree; 0 where the caller has it
  double seconds = 0;      // filled in by Run::report
};

/// What became of the checkpoint of a search.
struct CheckpointReport {
  double seconds_before = 0;   // of earlier runs, if it was read
  std::uint64_t n_failed = 0;  // how often it could not be written
  std::string error;           // why it could not be written the last time; empty if it was
};

struct Outcome {
  Counters counters;
  tree::ResultTree tree;
  Ticks lower = 0;
  Status status = Status::optimal;
  std::uint64_t n_subproblems = 0;
  std::uint64_t n_table_entries = 0;
  std::uint64_t bytes = 0;  // the largest number reported
  double seconds = 0;
  std::vector<Progress> trace;                 // one line for each change of the interval
  std::optional<CheckpointReport> checkpoint;  // none if the search saves nothing
};

}  // namespace hornbeam::run
