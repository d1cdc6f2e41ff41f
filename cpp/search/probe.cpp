// search/probe.cpp: the part of Worker that tries to raise a side without building its row set.
//
// WHAT    Most sides are built only for the pair stage of their own candidates: after it their bound has reached the
//         budget asked for. A probe runs that pair stage on the parent's slots, with the rows of the side as a filter,
//         and stops at the first candidate that stays below the budget, nearly always the one of the lowest bound.
// HOLDS   The side is the same set of rows and columns, but groups of rows that became equal are not merged: q is at
//         most what it would be, so the bounds are weaker and hold (bounds/pair_stage.hpp, bounds/equivalent_points.hpp
//         with groups equal on the parent's columns), and columns dropped for a light side stay.
// COST    Two passes over the parent's tile if it fails. What it proves is in the table like any other bound.
#include <algorithm>
#include <bit>

#include "search/worker.hpp"

namespace hornbeam {

/// Raises the side `x` of a candidate to `goal` by a probe. If that fails and the other side is not built either, tries
/// whether the other side can be raised by what this one leaves over, so that none of them need be built.
bool Worker::raise_by_probes(Frame& frame, Candidate& candidate, int x, Ticks goal, Ticks budget,
                             bool may_probe_other) {
  if (!may_probe(frame)) return false;
  const Probed found = probe(frame, candidate, x, goal);
  if (found.is_raised) return true;
  const Side &side = candidate.side[x], &other = candidate.side[1 - x];
  const Ticks left = frame.cut(budget) - found.reach;
  if (!may_probe_other || other.is_closed() || needed_levels(candidate, 1 - x) > 0) return false;
  if (found.reach <= side.lower || left <= other.lower) return false;
  if (!probe(frame, candidate, 1 - x, left).is_raised) return false;
  const Ticks needed = frame.cut(budget) - other.lower;
  return needed <= side.lower || probe(frame, candidate, x, needed).is_raised;
}

/// Where probes have failed too often of late, only one in sixteen is made, to see whether that has changed.
bool Worker::may_probe(const Frame& frame) {
  constexpr std::uint32_t kLeftOut = 16;
  if (!problem_.switches.pair_stage || frame.room.leaves != kUnlimited) return false;
  return probe_credit_ > 0 || ++n_probes_left_out_ % kLeftOut == 0;
}

/// A success spares about three times what a failure costs.
Worker::Probed Worker::probe(Frame& frame, Candidate& candidate, int x, Ticks goal) {
  constexpr int kMostCredit = 60, kSpared = 3;
  const Probed found = pair_counted(frame, candidate, x, goal);
  probe_credit_ = found.is_raised ? std::min(probe_credit_ + kSpared, kMostCredit) : std::max(probe_credit_ - 1, 0);
  return found;
}

/// Counts the side `x` of a candidate, with its leaf as the first tree.
void Worker::open_counted(const Frame& frame, const Candidate& candidate, int x) {
  const Side& side = candidate.side[x];
  maker_.count_child(frame.rows, candidate.column, x == 1, counted_.rows);
  budget_.add(std::uint64_t{frame.rows.stride} * frame.rows.n_slot_words / kLanes);
  counted_.room = side.room.without_idle_limits(problem_.leaf_cost, side.loss, side.base_loss);
  counted_.lower = side.lower;
  counted_.tree = {problem_.leaf_cost + side.loss, kNoSplit, kUnlimited, {1, 0}};
  counted_.candidates.clear();
  counted_.candidate_of.clear();
}

/// Pairs the candidates of the side, the one of the lowest bound first, until one stays below the goal.
Worker::Probed Worker::pair_counted(Frame& frame, Candidate& candidate, int x, Ticks goal) {
  open_counted(frame, candidate, x);
  const Side& side = candidate.side[x];
  const std::uint32_t n_columns = counted_.rows.n_columns;
  const Looks& looks = maker_.look(counted_.rows);
  const auto bounded = [&](std::size_t column) {
    return candidate_of(counted_, looks, static_cast<std::uint32_t>(column), 1, 1);
  };
  const auto cut = [&] { return std::min({side.upper, counted_.tree.cost, goal}); };
  const auto best_stump =
      static_cast<std::size_t>(std::min_element(looks.stump_loss, looks.stump_loss + n_columns) - looks.stump_loss);
  if (looks.stump_loss[best_stump] < kInfinity) take_tree(counted_, bounded(best_stump));
  const auto first = static_cast<std::size_t>(std::min_element(looks.bound, looks.bound + n_columns) - looks.bound);
  Ticks rest = looks.bound[first];
  if (rest < cut()) {
    Candidate lowest = bounded(first);
    pair(counted_, lowest);
    rest = lowest.rest;
    if (rest < cut() || is_cheaper_built(looks, cut())) return {false, rest};
  }
  const Ticks most = cut();
  for (std::size_t c = 0; c < n_columns; ++c) {
    if (looks.bound[c] < most && c != first) counted_.candidates.push_back(bounded(c));
    if (looks.bound[c] >= most) rest = std::min(rest, looks.bound[c]);
  }
  for (Candidate& g : counted_.candidates) {
    if (g.rest < cut()) {
      pair(counted_, g);
      if (g.rest < cut() || stopped()) return {false, std::min(rest, g.rest)};
      if (similarity_holds(counted_)) spread_to_neighbours(counted_, g);
    }
    rest = std::min(rest, g.rest);
  }
  const Ticks proven = std::min({rest, side.upper, counted_.tree.cost});
  learn_side(frame, candidate, x, shared_.table.tighten(candidate.key[x], {proven, counted_.tree}));
  return {true, proven};
}

/// Whether the candidates below `cut` are so many that pairing them on the parent's words instead of the side's costs
/// more than gathering and merging the side's slots.
bool Worker::is_cheaper_built(const Looks& looks, Ticks cut) const {
  constexpr std::uint64_t kStepsToBuildSlot = 16;
  const RowSet& rows = counted_.rows;
  std::uint64_t n_slots = 0, n_words = 0;  // of the side
  for (const Segment& segment : rows.source->segments) {
    std::uint32_t here = 0;
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      here += static_cast<std::uint32_t>(std::popcount(rows.filter[w]));
    n_slots += here;
    n_words += words_for(here);
  }
  const auto n_pairs = static_cast<std::uint64_t>(
      std::count_if(looks.bound, looks.bound + rows.n_columns, [cut](Ticks bound) { return bound < cut; }));
  return n_pairs * (rows.filter.size() - n_words) * (rows.stride / kLanes) > kStepsToBuildSlot * n_slots;
}

}  // namespace hornbeam
