#include "search/candidate_list.hpp"

#include <algorithm>
#include <utility>

#include "bounds/equivalent_points.hpp"
#include "bounds/subset.hpp"
#include "search/similar_splits.hpp"

namespace hornbeam::search {

void CandidateList::list(Frame& frame) {
  const kernels::SplitScan& scan = thread_.maker.scan_splits(frame.rows);
  const Ticks *bound = scan.bound, *stump_loss = scan.stump_loss;
  const std::uint32_t n_columns = frame.rows.n_columns;
  const std::uint32_t most = frame.limits.leaves == table::kUnlimited ? 1 : frame.limits.leaves - 1;
  // The best stump first: it lowers the upper bound that every column is compared with.
  const auto best_stump = static_cast<std::uint32_t>(std::min_element(stump_loss, stump_loss + n_columns) - stump_loss);
  if (best_stump < n_columns && stump_loss[best_stump] < kInfinity)
    update_tree(frame, make(frame, scan, best_stump, 1, most));
  // Sorted before they are made: candidates are large, and most columns make none.
  order_.clear();
  for (std::uint32_t c = 0; c < n_columns; ++c)
    if (bound[c] < frame.upper()) order_.emplace_back(bound[c], c);
  std::sort(order_.begin(), order_.end());
  frame.candidates.reserve(order_.size());
  for (const auto& [unused, column] : order_) {
    const Candidate candidate = make(frame, scan, column, 1, most);
    if (candidate.lower < frame.upper()) frame.candidates.push_back(candidate);
  }
}

Candidate CandidateList::make(const Frame& frame, const kernels::SplitScan& scan, std::uint32_t column,
                              std::uint32_t least_of_true_side, std::uint32_t most_of_true_side) const {
  const Ticks leaf_cost = thread_.problem.leaf_cost;
  Candidate candidate;
  candidate.column = column;
  candidate.is_range = least_of_true_side != most_of_true_side;
  candidate.is_of_list = thread_.problem.tree.is_rule_list;
  for (int x = 0; x < 2; ++x) {
    Side& side = candidate.side[x];
    side.largest_loss = scan.largest_loss[x][column];
    side.loss = scan.loss[x][column];
    side.least_loss = scan.least_loss[x][column];
    side.base_loss = 0;
    side.limits.depth = frame.limits.depth_of_side();
    if (frame.limits.leaves != table::kUnlimited)
      side.limits.leaves = x == 1 ? most_of_true_side : frame.limits.leaves - least_of_true_side;
    side.leaf = side.upper = leaf_cost + side.loss;
    side.shape = {1, 0};
    side.larger_trees_lower =
        side.limits.only_leaf() ? kInfinity : bounds::cost_of_two_leaves_or_more(leaf_cost, side.least_loss);
    side.lower = std::min(side.upper, side.larger_trees_lower);
  }
  candidate.raise();
  return candidate;
}

void CandidateList::update_tree(Frame& frame, const Candidate& candidate) const {
  if (candidate.is_range) return update_tree_of_range(frame, candidate);
  if (candidate.is_of_list) return update_list(frame, candidate);
  frame.update_tree(
      {candidate.upper(), frame.rows.columns[candidate.column], candidate.side[1].limits.leaves, candidate.shape()});
}

/// The true side of a list has one leaf, or any number.
void CandidateList::update_list(Frame& frame, const Candidate& candidate) {
  const std::uint32_t column = frame.rows.columns[candidate.column];
  for (int x = 0; x < 2; ++x) {
    const Side &leaf = candidate.side[x], &rest = candidate.side[1 - x];
    frame.update_tree({leaf.leaf + rest.upper,
                       column,
                       x == 1 ? 1 : table::kUnlimited,
                       {1 + rest.shape.leaves, 1 + rest.shape.depth}});
  }
}

/// Of a range only leaves and stumps on the sides are known to fit together.
void CandidateList::update_tree_of_range(Frame& frame, const Candidate& range) const {
  const std::uint32_t leaves = frame.limits.leaves;
  for (int small = 0; small < 2; ++small) {  // the side that is a leaf if the two trees do not fit
    Ticks cost = 0;
    table::TreeShape shape[2];
    for (int x = 0; x < 2; ++x) {
      const Side& side = range.side[x];
      const bool as_leaf = side.shape.leaves > 2 || (x == small && leaves < 4);
      cost += as_leaf ? thread_.problem.leaf_cost + side.loss : side.upper;
      shape[x] = as_leaf ? table::TreeShape{1, 0} : side.shape;
    }
    const std::uint32_t of_true = std::clamp(leaves / 2, shape[1].leaves, leaves - shape[0].leaves);
    frame.update_tree({cost,
                       frame.rows.columns[range.column],
                       of_true,
                       {shape[0].leaves + shape[1].leaves, std::max(shape[0].depth, shape[1].depth) + 1}});
  }
}

void CandidateList::pair_open(Frame& frame, Ticks budget) {
  for (std::size_t i = 0; i < frame.candidates.size(); ++i) {
    if (frame.candidates[i].is_paired || frame.candidates[i].lower >= frame.target(budget)) continue;
    if (thread_.stopped()) return;
    pair(frame, frame.candidates[i]);
    // Thresholds of one variable: what was proven may save the neighbors their own pairs.
    if (similarity_holds(thread_.problem, frame)) spread_to_nested(thread_, frame, frame.candidates[i]);
  }
}

void CandidateList::pair(Frame& frame, Candidate& candidate) {
  candidate.is_paired = true;
  if (!thread_.problem.bounds.pair_stage) return;
  const Ticks leaf_cost = thread_.problem.leaf_cost;
  const kernels::SlotTile slots = frame.rows.slot_tile();
  kernels::PairSide found[2];
  thread_.maker.pair_stage(frame.rows, candidate.column, found);
  thread_.meter.add(std::uint64_t{slots.tile.stride} * (slots.tile.n_words + 8));
  for (int x = 0; x < 2; ++x) {
    Side& side = candidate.side[x];
    const kernels::PairSide& pairs = found[1 - x];  // the kernel lists the true side first
    if (side.limits.only_leaf()) continue;
    // Leaves and stumps are now exact; only trees of three leaves or more still need a bound.
    if (pairs.stump_loss < kInfinity) side.update_tree(2 * leaf_cost + pairs.stump_loss, {2, 1});
    side.larger_trees_lower = kInfinity;
    if (!side.limits.only_stump()) {
      if (pairs.three_leaf_loss < kInfinity) side.larger_trees_lower = 3 * leaf_cost + pairs.three_leaf_loss;
      if (pairs.four_leaves)
        side.larger_trees_lower = std::min(side.larger_trees_lower, 4 * leaf_cost + side.least_loss);
    }
    side.lower = std::max(side.lower, std::min(side.upper, side.larger_trees_lower));
  }
  candidate.raise();
  update_tree(frame, candidate);
  if (candidate.lower >= frame.upper()) ++thread_.counters.pair_stage;
}

void CandidateList::refresh_open(Frame& frame, Ticks budget) {
  children_.prepare_keys(frame, budget);
  const auto is_open = [&](const Candidate& candidate) {
    return !candidate.is_range && candidate.lower < frame.target(budget);
  };
  // Look-ups in the table miss the caches. All are prefetched before the first is used, so that the misses overlap.
  for (Candidate& candidate : frame.candidates) {
    if (!is_open(candidate)) continue;
    if (!candidate.has_keys) children_.find_keys(frame, candidate);
    for (int x = 0; x < 2; ++x)
      if (!candidate.side[x].is_closed()) thread_.shared.table.prefetch(candidate.key[x]);
  }
  for (Candidate& candidate : frame.candidates)
    if (is_open(candidate)) refresh(frame, candidate);
}

void CandidateList::refresh(Frame& frame, Candidate& candidate) {
  if (!candidate.has_keys) children_.find_keys(frame, candidate);
  for (int x = 0; x < 2; ++x) {
    const Side &side = candidate.side[x], &other = candidate.side[1 - x];
    table::Interval known;
    if (!side.is_closed())
      if (const auto entry = thread_.shared.table.find(candidate.key[x])) known = *entry;
    if (!side.is_closed() && known.lower == 0) adopt_earlier(candidate, x);
    // best(this side) + best(other side) >= lower(set), unless that is a guess; in a list, the other side is a leaf.
    const Ticks most_of_other = candidate.is_of_list ? other.leaf : other.upper;
    if (!thread_.problem.has_reference()) known.lower = std::max(known.lower, frame.lower - most_of_other);
    update_side(frame, candidate, x, known);
  }
}

/// The upper bound counts leaves, and stumps once the candidate is paired; what is larger has one leaf more.
void CandidateList::adopt_earlier(Candidate& candidate, int x) const {
  const EarlierSearches* earlier = thread_.shared.earlier;
  if (earlier == nullptr) return;
  Side& side = candidate.side[x];
  const Ticks least_leaves = candidate.is_paired && thread_.problem.bounds.pair_stage ? 3 : 2;
  const Ticks bound = earlier->bound(candidate.key[x], thread_.problem.leaf_cost, side.least_loss, least_leaves);
  if (bound <= side.larger_trees_lower) return;
  ++thread_.counters.leaf_penalty;
  side.larger_trees_lower = bound;
  side.lower = std::max(side.lower, std::min(side.upper, bound));
  candidate.raise();
}

void CandidateList::update_side(Frame& frame, Candidate& candidate, int x, const table::Interval& known) const {
  Side& side = candidate.side[x];
  side.update_tree(known.tree.cost, known.tree.shape);
  side.lower = std::min(std::max(side.lower, known.lower), side.upper);
  candidate.raise();
  update_tree(frame, candidate);
  // A tree of the whole set, restricted to one side, is a tree of that side: so a side bounds the set.
  if (!subset_bound_holds(thread_.problem, frame)) return;
  const Ticks bound = bounds::subset_bound(side.lower, candidate.side[1 - x].least_loss);
  if (bound <= frame.lower) return;
  ++thread_.counters.subset;
  frame.raise(bound);
}

/// Chooses the open candidate whose smaller side is largest: balanced splits make small subproblems, which are shared
/// most. At a root that the subset bound cannot raise, it is the one of the lowest bound, so that the bound that users
/// see rises all the time. Candidates that other threads are working on come last.
std::size_t CandidateList::choose(const Frame& frame, Ticks budget) const {
  std::size_t chosen = frame.candidates.size();
  Ticks highest = -1, highest_of_all = -1;
  int most_free = 0;
  const bool lowest_first = frame.is_root && !subset_bound_holds(thread_.problem, frame);
  for (std::size_t i = 0; i < frame.candidates.size(); ++i) {
    const Candidate& candidate = frame.candidates[i];
    if (candidate.lower >= frame.target(budget)) continue;
    const Ticks smaller = std::min(candidate.side[0].largest_loss, candidate.side[1].largest_loss);
    const Ticks priority = lowest_first ? kInfinity - candidate.lower : smaller;
    highest_of_all = std::max(highest_of_all, priority);
    const int n_free = (is_taken(candidate, 0) ? 0 : 1) + (is_taken(candidate, 1) ? 0 : 1);
    if (n_free != most_free ? n_free > most_free : priority > highest) {
      highest = priority;
      most_free = n_free;
      chosen = i;
    }
  }
  if (highest < highest_of_all) ++thread_.counters.claims;
  return chosen;
}

bool CandidateList::is_taken(const Candidate& candidate, int x) const {
  return candidate.has_keys && !candidate.side[x].is_closed() && thread_.shared.claims.is_taken(candidate.key[x]);
}

Ticks CandidateList::lowest(const Frame& frame) {
  Ticks lowest = kInfinity;
  for (const Candidate& candidate : frame.candidates) lowest = std::min(lowest, candidate.lower);
  return lowest;
}

void CandidateList::split_range(Frame& frame, std::size_t index) {
  const Candidate range = frame.candidates[index];
  const std::uint32_t least = frame.limits.leaves - range.side[0].limits.leaves, most = range.side[1].limits.leaves;
  const std::uint32_t middle = std::clamp(range.fair_share(frame.limits.leaves), least, most - 1);
  frame.candidates[index] = narrowed(frame, range, least, middle);
  frame.candidates.push_back(narrowed(frame, range, middle + 1, most));
  for (const Candidate& half : {frame.candidates[index], frame.candidates.back()}) update_tree(frame, half);
  children_.count_bytes(frame);
}

/// The candidate with a smaller range of leaves for its true side.
Candidate CandidateList::narrowed(const Frame& frame, Candidate candidate, std::uint32_t least_of_true_side,
                                  std::uint32_t most_of_true_side) const {
  candidate.is_range = least_of_true_side != most_of_true_side;
  candidate.side[1].limits.leaves = most_of_true_side;
  candidate.side[0].limits.leaves = frame.limits.leaves - least_of_true_side;
  for (Side& side : candidate.side) {
    if (side.limits.only_leaf()) {
      side.upper = thread_.problem.leaf_cost + side.loss;
      side.shape = {1, 0};
    }
    if (side.limits.only_leaf() || (side.limits.only_stump() && thread_.problem.bounds.pair_stage))
      side.larger_trees_lower = kInfinity;
    side.lower = std::max(side.lower, std::min(side.upper, side.larger_trees_lower));
  }
  candidate.raise();
  return candidate;
}

}  // namespace hornbeam::search
