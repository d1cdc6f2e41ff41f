#include "search/child_maker.hpp"

#include <algorithm>
#include <utility>

#include "bounds/reference.hpp"

namespace hornbeam::search {

void ChildMaker::make_root(Frame& root) {
  root.is_root = true;
  thread_.maker.make_root(root.rows, thread_.shared.run);
  open(root, limits_of_root(thread_.problem.tree));
}

NodeLimits ChildMaker::limits_of_root(const TreeLimits& limits) {
  const NodeLimits of_root{limits.depth.value_or(table::kUnlimited), limits.leaves.value_or(table::kUnlimited)};
  // A rule list has one leaf more than levels of splits.
  if (limits.is_rule_list && limits.leaves) return {std::min(of_root.depth, *limits.leaves - 1), table::kUnlimited};
  return of_root;
}

/// Reads the measures of a new frame and finds its key.
void ChildMaker::open(Frame& frame, const NodeLimits& limits) {
  const rows::Problem& problem = thread_.problem;
  const Ticks* total = frame.rows.total.data();
  frame.largest_loss = problem.model.largest_loss(total);
  frame.loss = problem.model.loss(total);
  frame.least_loss = problem.model.least_loss(total);
  frame.limits = limits.without_idle_limits(problem.leaf_cost, frame.loss, frame.rows.support.base_loss);
  frame.key = {frame.rows.support.fingerprint, frame.limits.depth, frame.limits.leaves};
  frame.lower = 0;
  frame.tree = {};
  frame.is_expanded = false;
  frame.is_packed = frame.is_clustered = frame.has_known_pairs = false;
  frame.priced_by = 0;
  frame.work = 0;
  frame.candidates.clear();
  frame.candidate_of.clear();
  count_bytes(frame);
  thread_.count_subproblem();
}

void ChildMaker::count_bytes(Frame& frame) {
  const std::uint64_t bytes = frame.rows.bytes() + frame.candidates.capacity() * sizeof(Candidate);
  thread_.shared.frame_bytes.fetch_add(bytes - frame.counted_bytes, std::memory_order_relaxed);
  frame.counted_bytes = bytes;
}

std::unique_ptr<Frame> ChildMaker::make(const Frame& frame, const Candidate& candidate, int x) {
  std::unique_ptr<Frame> child;
  if (spare_.empty()) {  // otherwise a used frame, with the memory of its row set
    child = std::make_unique<Frame>();
  } else {
    child = std::move(spare_.back());
    spare_.pop_back();
  }
  const Side& side = candidate.side[x];
  thread_.maker.make_child(frame.rows, candidate.column, x == 1,
                           {candidate.key[x].set, side.base_loss, side.reference_loss}, child->rows);
  thread_.meter.add(std::uint64_t{frame.rows.stride} * frame.rows.slot_tile().tile.n_words);
  child->path_columns = path_columns(frame, candidate);
  open(*child, side.limits);
  return child;
}

Frame& ChildMaker::filter(Frame& frame, const Candidate& candidate, int x) {
  const Side& side = candidate.side[x];
  const Ticks leaf_cost = thread_.problem.leaf_cost;
  thread_.maker.count_child(frame.rows, candidate.column, x == 1, filtered_.rows);
  thread_.meter.add(std::uint64_t{frame.rows.stride} * frame.rows.n_slot_words / kLanes);
  filtered_.limits = side.limits.without_idle_limits(leaf_cost, side.loss, side.base_loss);
  filtered_.lower = side.lower;
  filtered_.tree = {leaf_cost + side.loss, table::kNoSplit, table::kUnlimited, {1, 0}};
  filtered_.candidates.clear();
  filtered_.candidate_of.clear();
  return filtered_;
}

/// Only if base losses are not needed (NodeLimits::without_idle_limits), which bit planes cannot sum. One by one, a key
/// reads a slot in four, in four steps; with bit planes of all fingerprints, it takes 16 steps per word and some more.
void ChildMaker::prepare_keys(Frame& frame, Ticks budget) {
  constexpr std::int64_t kStepsOfWord = 16, kStepsOfKey = 60, kStepsToMakeWord = 300;
  const rows::Problem& problem = thread_.problem;
  const bool is_limited = frame.limits.depth != table::kUnlimited || frame.limits.leaves != table::kUnlimited;
  if (problem.has_reference() || (is_limited && problem.leaf_cost > 0)) return;
  const std::int64_t n_words = frame.rows.n_slot_words;
  std::int64_t n_slots = 0;
  for (const kernels::Segment& segment : frame.rows.segments) n_slots += segment.n_slots;
  const std::int64_t saved = n_slots - kStepsOfWord * n_words - kStepsOfKey;
  if (saved <= 0) return;
  const auto needs_keys = [&](const Candidate& candidate) {
    return !candidate.has_keys && candidate.lower < frame.target(budget);
  };
  if (std::count_if(frame.candidates.begin(), frame.candidates.end(), needs_keys) * saved > kStepsToMakeWord * n_words)
    thread_.maker.make_fingerprint_planes(frame.rows);
}

void ChildMaker::find_keys(const Frame& frame, Candidate& candidate) {
  candidate.has_keys = true;
  const rows::RowSet& rows = frame.rows;
  // Fingerprints are XORs of those of the rows: the larger side's follows from the smaller one's and the whole's.
  const int smaller = candidate.side[1].largest_loss <= candidate.side[0].largest_loss ? 1 : 0;
  const rows::SupportSet support = thread_.maker.support_of(rows, candidate.column, smaller == 1);
  candidate.key[smaller].set = candidate.key[1 - smaller].set = support.fingerprint;
  candidate.key[1 - smaller].set ^= rows.support.fingerprint;
  candidate.side[smaller].base_loss = support.base_loss;
  candidate.side[1 - smaller].base_loss = rows.support.base_loss - support.base_loss;
  candidate.side[smaller].reference_loss = support.reference_loss;
  candidate.side[1 - smaller].reference_loss = rows.support.reference_loss - support.reference_loss;
  for (int x = 0; x < 2; ++x) {
    const Side& side = candidate.side[x];
    const NodeLimits limits = side.limits.without_idle_limits(thread_.problem.leaf_cost, side.loss, side.base_loss);
    candidate.key[x].depth = limits.depth;
    candidate.key[x].leaves = limits.leaves;
  }
  if (!thread_.problem.has_reference()) return;
  for (Side& side : candidate.side)
    if (!side.limits.only_leaf()) raise_to_guess(thread_, side.reference_loss, side.upper, side.lower);
  candidate.raise();
}

void raise_to_guess(SearchThread& thread, Ticks reference_loss, Ticks upper, Ticks& lower) {
  const Ticks guessed = std::min(upper, bounds::guessed_bound(thread.problem.leaf_cost, reference_loss));
  if (guessed <= lower) return;
  ++thread.counters.reference;
  lower = guessed;
  thread.shared.has_guessed.store(true, std::memory_order_relaxed);
}

}  // namespace hornbeam::search
