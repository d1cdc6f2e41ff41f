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

/// Where probes have failed too often of late, only one in sixteen is made, to see whether that has changed.
bool Worker::may_probe(const Frame& frame) {
  if (!problem_.switches.pair_stage || frame.room.leaves != kUnlimited) return false;
  return probe_credit_ > 0 || ++n_probes_left_out_ % 16 == 0;
}

/// Raises the side to `budget` or closes it, if its candidates' pair stages are enough for that. A success spares about
/// three times what a failure costs.
bool Worker::probe(Frame& frame, Candidate& candidate, int x, Ticks budget) {
  constexpr int kMostCredit = 60, kSpared = 3;
  const bool is_raised = raise_by_probe(frame, candidate, x, budget);
  probe_credit_ = is_raised ? std::min(probe_credit_ + kSpared, kMostCredit) : std::max(probe_credit_ - 1, 0);
  return is_raised;
}

/// Counts the side `x` of a candidate, with its leaf as the first tree.
void Worker::open_counted(const Frame& frame, const Candidate& candidate, int x) {
  const Side& side = candidate.side[x];
  maker_.count_child(frame.rows, candidate.column, x == 1, counted_.rows);
  work_ += std::uint64_t{frame.rows.stride} * frame.rows.n_slot_words / kLanes;
  counted_.room = side.room.without_idle_limits(problem_.leaf_cost, side.loss, side.base_loss);
  counted_.lower = side.lower;
  counted_.tree = {problem_.leaf_cost + side.loss, kNoSplit, kUnlimited, {1, 0}};
  counted_.candidates.clear();
  counted_.candidate_of.clear();
}

bool Worker::raise_by_probe(Frame& frame, Candidate& candidate, int x, Ticks budget) {
  open_counted(frame, candidate, x);
  const Side& side = candidate.side[x];
  const std::uint32_t n_columns = counted_.rows.n_columns;
  const Looks& looks = maker_.look(counted_.rows);
  const auto bounded = [&](std::size_t column) {
    return candidate_of(counted_, looks, static_cast<std::uint32_t>(column), 1, 1);
  };
  const auto cut = [&] { return std::min({side.upper, counted_.tree.cost, budget}); };
  const Ticks* const stump = std::min_element(looks.stump_loss, looks.stump_loss + n_columns);
  if (*stump < kInfinity) take_tree(counted_, bounded(stump - looks.stump_loss));
  const Ticks* const first = std::min_element(looks.bound, looks.bound + n_columns);
  Ticks rest = *first;
  if (rest < cut()) {
    Candidate lowest = bounded(first - looks.bound);
    pair(counted_, lowest);
    if (lowest.rest < cut() || is_cheaper_built(looks, cut())) return false;
    rest = lowest.rest;
  }
  const Ticks most = cut();
  for (std::uint32_t c = 0; c < n_columns; ++c) {
    if (looks.bound[c] < most && c != first - looks.bound) counted_.candidates.push_back(bounded(c));
    if (looks.bound[c] >= most) rest = std::min(rest, looks.bound[c]);
  }
  for (Candidate& g : counted_.candidates) {
    if (g.rest < cut()) {
      pair(counted_, g);
      if (g.rest < cut()) return false;
      if (similarity_holds(counted_)) spread_to_neighbours(counted_, g);
    }
    rest = std::min(rest, g.rest);
  }
  const Ticks proven = std::min({rest, side.upper, counted_.tree.cost});
  learn_side(frame, candidate, x, shared_.table.tighten(candidate.key[x], {proven, counted_.tree}));
  return true;
}

/// Whether the candidates below `cut` are so many that pairing them on the parent's words instead of the side's costs
/// more than gathering and merging the side's slots.
bool Worker::is_cheaper_built(const Looks& looks, Ticks cut) const {
  constexpr std::uint64_t kStepsToBuildSlot = 16;
  const RowSet& rows = counted_.rows;
  std::uint64_t n_slots = 0;
  for (const Word word : rows.filter) n_slots += static_cast<std::uint64_t>(std::popcount(word));
  const auto n_pairs = static_cast<std::uint64_t>(
      std::count_if(looks.bound, looks.bound + rows.n_columns, [cut](Ticks bound) { return bound < cut; }));
  const std::uint64_t spared_words = rows.filter.size() - n_slots / kWordBits;
  return n_pairs * spared_words * (rows.stride / kLanes) > kStepsToBuildSlot * n_slots;
}

}  // namespace hornbeam
