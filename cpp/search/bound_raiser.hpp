// search/bound_raiser.hpp
//
// WHAT    Five ways to raise a lower bound without opening a frame: the prices of its rows; the best clusters of its
//         targets; a packing of pairs of rows, for a frame that its pair stage leaves open; the best tree of two or
//         three levels of a side; a probe of a side (probe.cpp).
// HOLDS   What is proven of a side is in the table when a call returns, unless the search is stopped.
// CHOICE  The last two are tried on a side before its frame is made: most sides never need one.
#pragma once

#include <cstdint>
#include <optional>

#include "packing/packing_credit.hpp"
#include "search/candidate_list.hpp"
#include "search/clustering.hpp"
#include "search/known_pairs.hpp"
#include "search/packing.hpp"
#include "search/parts.hpp"
#include "shallow/cell_solver.hpp"
#include "shallow/sum_solver.hpp"
#include "shallow/two_levels.hpp"

namespace hornbeam::search {

class BoundRaiser {
 public:
  BoundRaiser(SearchThread& thread, ChildMaker& children, CandidateList& candidates);

  /// Bounds a frame by bounds/clusters.hpp, once.
  void raise_by_clusters(Frame& frame);

  /// Bounds a frame by bounds/row_prices.hpp, once for each set of prices.
  void raise_by_row_prices(Frame& frame, Ticks budget);

  /// Bounds a frame by bounds/packing.hpp, once.
  void raise_by_packing(Frame& frame, Ticks budget);

  /// The number of levels up to which the best tree of a side is to be found directly; 0 if it is to be searched.
  std::uint32_t needed_levels(const Frame& frame, const Candidate& candidate, int x) const;
  /// Closes the side `x` by its best tree of this many levels.
  void solve_shallow(Frame& frame, Candidate& candidate, int x, std::uint32_t levels);

  /// Whether trees of few levels are found from sums over the rows of the data.
  bool has_sums() const { return sum_solver_.has_value(); }
  /// The number of levels up to which the best tree of the whole problem is to be found without a frame; 0 if it needs
  /// one, as for stumps, which a frame finds as soon. `known` is what the table has.
  std::uint32_t levels_of_whole(const NodeLimits& limits, const table::Interval& known, Ticks least_loss) const;
  /// Closes the whole problem by its best tree of this many levels.
  void solve_whole(const Part& all, const NodeLimits& limits, const table::Interval& known, std::uint32_t levels);

  /// Raises the side `x` of a candidate to `goal` by a probe. If that fails and the other side has no frame either
  /// (`may_probe_other`), tries to prove the remaining amount on the other side, so that neither needs a frame. Returns
  /// whether either worked.
  bool raise_by_probes(Frame& frame, Candidate& candidate, int x, Ticks goal, Ticks budget, bool may_probe_other);

 private:
  struct Probe {
    bool has_reached;
    Ticks most;  // the bound that a probe can prove at most
  };

  void raise_by_known_pairs(Frame& frame, Ticks budget);
  template <class Unused>
  void raise_by_slack(Frame& frame, Ticks packing_bound, Ticks budget, Unused unused);
  bool may_pack_blocks() const;
  bool may_probe(const Frame& frame);
  Probe probe(Frame& frame, Candidate& candidate, int x, Ticks goal);
  Probe pair_filtered(Frame& frame, Candidate& candidate, int x, Ticks goal);
  std::uint32_t needed_levels_by_sums(const NodeLimits& limits, Ticks upper, Ticks least_loss,
                                      std::uint32_t n_columns) const;
  std::optional<table::KnownTree> find_shallow(const Frame& frame, const Candidate& candidate, int x,
                                               std::uint32_t levels);
  void record_below(const Frame& frame, const Candidate& candidate, int x);
  void record_sides(const Part& all, const NodeLimits& limits, std::uint32_t split);
  std::uint32_t levels_by_cells(const NodeLimits& limits, Ticks upper, Ticks least_loss) const;
  void solve_by_cells(const Part& all, std::span<const std::uint32_t> columns, const NodeLimits& limits,
                      const table::Interval& known, std::uint32_t levels);
  table::KnownTree record_cell(const shallow::CellSolver& solver, const Part& part, const NodeLimits& limits,
                               const shallow::Cell& cell, std::uint32_t levels);

  SearchThread& thread_;
  ChildMaker& children_;
  CandidateList& candidates_;
  shallow::TwoLevelSolver two_levels_;
  std::optional<shallow::SumSolver> sum_solver_;  // of models that have two sums
  GroupClustering clustering_;
  PairPacker packer_;
  KnownPairs known_pairs_;
  packing::PackingCredit packing_credit_{16, 4}, known_credit_{16, 1};
  std::uint64_t lost_on_blocks_ = 0;  // words of packings within blocks, less refunds
  int probe_credit_ = 1;
  std::uint32_t n_probes_left_out_ = 0;
};

}  // namespace hornbeam::search
