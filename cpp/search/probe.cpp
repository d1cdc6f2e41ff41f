// search/probe.cpp: the part of BoundRaiser that raises the bound of a side without building its row set.
//
// WHAT    Most sides are built only for the pair stage of their own candidates: after it their bound has reached the
//         budget. A probe runs that pair stage on the parent's slots, with the rows of the side as a filter, and stops
//         at the first candidate that stays below the budget, nearly always the one of the lowest bound.
// HOLDS   The side is the same set of rows and columns, but groups of rows that became equal are not merged: q is at
//         most what it would be, so the bounds are weaker and hold (bounds/pair_stage.hpp, bounds/equivalent_points.hpp
//         with groups equal on the parent's columns), and columns dropped for a light side stay.
// COST    Two passes over the parent's tile if it fails. What it proves is in the table like any other bound.
#include <algorithm>
#include <bit>
#include <optional>

#include "search/bound_raiser.hpp"
#include "search/similar_splits.hpp"

namespace hornbeam::search {

namespace {

/// Whether the candidates below `target` are so many that pairing them on the parent's words instead of the side's
/// costs more than gathering and merging the side's slots.
bool is_cheaper_built(const rows::RowSet& rows, const kernels::SplitScan& scan, Ticks target) {
  constexpr std::uint64_t kStepsToBuildSlot = 16;
  std::uint64_t n_slots = 0, n_words = 0;  // of the side
  for (const kernels::Segment& segment : rows.source->segments) {
    std::uint32_t here = 0;
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      here += static_cast<std::uint32_t>(std::popcount(rows.filter[w]));
    n_slots += here;
    n_words += words_for(here);
  }
  const auto n_pairs = static_cast<std::uint64_t>(
      std::count_if(scan.bound, scan.bound + rows.n_columns, [target](Ticks bound) { return bound < target; }));
  return n_pairs * (rows.filter.size() - n_words) * (rows.stride / kLanes) > kStepsToBuildSlot * n_slots;
}

}  // namespace

bool BoundRaiser::raise_by_probes(Frame& frame, Candidate& candidate, int x, Ticks goal, Ticks budget,
                                  bool may_probe_other) {
  if (!may_probe(frame)) return false;
  const Probe found = probe(frame, candidate, x, goal);
  if (found.has_reached) return true;
  // The failure shows how far this side gets without a frame. If a probe proves the rest on the other side, neither is
  // built.
  const Side &side = candidate.side[x], &other = candidate.side[1 - x];
  const Ticks left = frame.target(budget) - found.most;
  if (!may_probe_other || other.is_closed() || needed_levels(frame, candidate, 1 - x) > 0) return false;
  if (found.most <= side.lower || left <= other.lower) return false;
  if (!probe(frame, candidate, 1 - x, left).has_reached) return false;
  const Ticks needed = frame.target(budget) - other.lower;
  return needed <= side.lower || probe(frame, candidate, x, needed).has_reached;
}

/// After repeated failures only every sixteenth probe runs, to notice when probing pays again.
bool BoundRaiser::may_probe(const Frame& frame) {
  constexpr std::uint32_t kLeftOut = 16;
  if (!thread_.problem.bounds.pair_stage || frame.limits.leaves != table::kUnlimited) return false;
  return probe_credit_ > 0 || ++n_probes_left_out_ % kLeftOut == 0;
}

/// A success saves about three times what a failure costs.
BoundRaiser::Probe BoundRaiser::probe(Frame& frame, Candidate& candidate, int x, Ticks goal) {
  constexpr int kMostCredit = 60, kSaved = 3;
  const Probe found = pair_filtered(frame, candidate, x, goal);
  if (found.has_reached) ++thread_.counters.probes;
  probe_credit_ = found.has_reached ? std::min(probe_credit_ + kSaved, kMostCredit) : std::max(probe_credit_ - 1, 0);
  return found;
}

/// Pairs the candidates of the side, the one of the lowest bound first, until one stays below the goal.
BoundRaiser::Probe BoundRaiser::pair_filtered(Frame& frame, Candidate& candidate, int x, Ticks goal) {
  const std::uint64_t spent_before = thread_.meter.spent();
  Frame& child = children_.filter(frame, candidate, x);
  const Side& side = candidate.side[x];
  const std::uint32_t n_columns = child.rows.n_columns;
  const kernels::SplitScan& scan = thread_.maker.scan_splits(child.rows);
  std::optional<InheritedBounds> inherited;
  if (similarity_holds(thread_.problem, frame)) inherited.emplace(thread_, frame, child.rows);
  const auto bounded = [&](std::size_t at) {
    const auto column = static_cast<std::uint32_t>(at);
    Candidate g = candidates_.make(child, scan, column, 1, 1);
    if (inherited) inherited->raise(column, g);
    return g;
  };
  const auto target = [&] { return std::min({side.upper, child.tree.cost, goal}); };
  const auto best_stump =
      static_cast<std::size_t>(std::min_element(scan.stump_loss, scan.stump_loss + n_columns) - scan.stump_loss);
  if (scan.stump_loss[best_stump] < kInfinity) candidates_.update_tree(child, bounded(best_stump));
  const auto first = static_cast<std::size_t>(std::min_element(scan.bound, scan.bound + n_columns) - scan.bound);
  Ticks lowest = scan.bound[first];
  // A probe that fails nearly always fails here, so no other candidate is made before.
  if (lowest < target()) {
    Candidate weakest = bounded(first);
    candidates_.pair(child, weakest);
    lowest = weakest.lower;
    if (lowest < target() || is_cheaper_built(child.rows, scan, target())) return {false, lowest};
  }
  // Columns at or above the target need no pairs, but their bounds hold the side's down: they count as they are.
  const Ticks unpaired_from = target();
  for (std::size_t c = 0; c < n_columns; ++c) {
    if (scan.bound[c] < unpaired_from && c != first) child.candidates.push_back(bounded(c));
    if (scan.bound[c] >= unpaired_from) lowest = std::min(lowest, scan.bound[c]);
  }
  for (Candidate& g : child.candidates) {
    if (g.lower < target()) {
      candidates_.pair(child, g);
      if (g.lower < target() || thread_.stopped()) return {false, std::min(lowest, g.lower)};
      if (similarity_holds(thread_.problem, child)) spread_to_nested(thread_, child, g);
    }
    lowest = std::min(lowest, g.lower);
  }
  const Ticks proven = std::min({lowest, side.upper, child.tree.cost});
  const table::Interval known = thread_.shared.table.tighten(
      candidate.key[x], {proven, child.tree}, proof_of(frame, candidate, thread_.meter.spent() - spent_before));
  candidates_.update_side(frame, candidate, x, known);
  return {true, proven};
}

}  // namespace hornbeam::search
