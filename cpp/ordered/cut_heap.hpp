// ordered/cut_heap.hpp
//
// WHAT    The cuts of one subproblem that remain to be tried as roots: runs of them, the lowest bound first.
// HOLDS   No tree whose root is a cut of a run costs less than `bound`.
// COST    A cut that is tried replaces its run by at most two.
#pragma once

#include <optional>
#include <vector>

#include "ordered/open_cuts.hpp"
#include "ordered/ordered_problem.hpp"

namespace hornbeam {

/// Bytes of lists of cuts.
std::uint64_t bytes_of(const std::vector<std::vector<Cut>>& cuts);

/// A cut to try, and the run it divides.
struct CutTrial {
  OpenCuts run;
  std::int64_t cut;
};

class CutHeap {
 public:
  /// Opens all cuts of each variable, which are moved out of `cuts`; that of `first` is tried before all others.
  void open(std::vector<std::vector<Cut>>& cuts, const OrderedRows& rows, const std::optional<RankSplit>& first,
            Ticks leaf_cost);

  /// Closes the cuts that cannot cost less than `best`, then returns the first cut, or the middle of the run of lowest
  /// bound. None if none is left.
  std::optional<CutTrial> take(const OrderedProblem& problem, Ticks best);

  /// Opens the rest of a run again after its cut was tried.
  void put_back(const OpenCuts& run, const CutBounds& tried);

  Ticks bound() const { return open_.empty() ? kInfinity : open_.front().bound(); }
  std::vector<std::vector<Cut>>& cuts() { return cuts_; }
  const std::vector<Cut>& cuts_of(std::uint32_t variable) const { return cuts_[variable]; }
  /// Cuts that were closed without being tried.
  std::uint64_t n_closed() const { return n_closed_; }
  std::uint64_t bytes() const { return bytes_of(cuts_) + open_.capacity() * sizeof(OpenCuts); }

 private:
  void push(const OpenCuts& run);

  std::vector<std::vector<Cut>> cuts_;  // of each variable
  std::vector<OpenCuts> open_;          // a heap
  std::optional<std::int64_t> first_;   // cut of the run in front
  std::uint64_t n_closed_ = 0;
};

}  // namespace hornbeam
