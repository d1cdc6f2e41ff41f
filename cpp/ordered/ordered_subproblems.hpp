// ordered/ordered_subproblems.hpp
//
// WHAT    Searches subproblems of one problem one by one, where another process says which: the rows at the end of a
//         path of conditions, with limits and a bound, or some runs of their thresholds.
// FLOW    api/ordered_subproblems -> here -> ordered/ordered_worker.
// HOLDS   (S1) Thresholds are numbered among those of the rows at the end of the path, so that every process gives
//         them the same numbers.
//         (S2) A stop loses nothing but the trees of two levels that were being searched: the outcome has the
//         thresholds that each level of the recursion has left, from which others go on.
//         (S3) All subproblems share one table. `solve` may be called by several threads at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bounds.hpp"
#include "ordered/ordered_worker.hpp"

namespace hornbeam::ordered {

struct Condition {
  std::uint32_t column;
  bool holds;
};

struct OrderedSubproblem {
  std::vector<Condition> path;  // each condition separates the rows that the ones before leave
  TreeSize size;
  Ticks bound;                                              // to prove that no tree costs less, or to find the best one
  std::optional<std::vector<sorted::OpenThresholds>> runs;  // the roots to try; none: the leaf and all thresholds
};

/// A subproblem, and what is known of it.
struct KnownSubproblem {
  TreeSize size;
  Ticks lower = 0, cost = kInfinity;  // of all trees that cost less than the bound; of `tree`
  tree::ResultTree tree;              // empty if none costs less than the bound
};

/// The threshold that a stop has left half-way, and its two sides.
struct StoppedThreshold {
  sorted::OpenThresholds run;  // this threshold alone
  bool has_sides;              // whether they are subproblems of their own, without a limit on leaves to share
  std::uint32_t column;
  KnownSubproblem side[2];  // 0: the column fails, 1: it holds
  bool last_side;           // the one that was being solved
};

/// What is left of a subproblem.
struct OpenLevel {
  Ticks bound;  // all other thresholds cost no less than this, or than the best tree
  std::vector<sorted::OpenThresholds> runs;
  std::optional<StoppedThreshold> stopped;
};

struct OrderedOutcome {
  KnownSubproblem found;
  /// The subproblem, then the last side of each stopped threshold; none: stopped before the thresholds were listed.
  std::vector<OpenLevel> levels;
  bool is_cut = false;  // whether a deeper tree might cost less in some subproblem
  std::uint64_t n_subproblems = 0;
  Counters counters;
};

class OrderedSubproblems {
 public:
  /// Whoever calls keeps what `problem` refers to. The table takes at most half of the bytes, so that there is room
  /// for rows. Throws Stopped if the limit leaves no room for them.
  OrderedSubproblems(const OrderedProblem& problem, std::optional<std::uint64_t> byte_limit);

  /// Throws std::invalid_argument if no row satisfies the path, and for runs that its rows do not have.
  OrderedOutcome solve(const OrderedSubproblem& subproblem, run::Run& run);

  std::uint64_t bytes() { return table_.bytes().load(std::memory_order_relaxed); }

 private:
  sorted::SortedRows rows_at(const std::vector<Condition>& path, run::WorkMeter& meter) const;

  const OrderedProblem problem_;
  OrderedTable table_;
  sorted::SortedRows rows_;
};

}  // namespace hornbeam::ordered
