#include "search/and_or_search.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bounds/equivalent_points.hpp"
#include "bounds/support_condition.hpp"

namespace hornbeam::search {

AndOrSearch::AndOrSearch(const rows::Problem& problem, SharedState& shared, const kernels::Kernels& kernels,
                         std::uint32_t number, std::function<void()> poll)
    : thread_(problem, shared, kernels, number, std::move(poll)),
      children_(thread_),
      candidates_(thread_, children_),
      raiser_(thread_, children_, candidates_) {}

std::optional<Whole> AndOrSearch::whole() {
  const rows::Problem& problem = thread_.problem;
  if (!raiser_.has_sums() || problem.has_reference()) return std::nullopt;
  thread_.shared.run.require(thread_.shared.bytes() + thread_.shared.coded_rows->bytes_to_solve(problem.rows.n_rows));
  Whole whole{part_of(problem, data::all_rows(problem.rows), true), {}};
  const Ticks loss = problem.model.least_loss_of_leaf(whole.part.weight.data()), leaf = problem.leaf_cost + loss;
  whole.limits =
      ChildMaker::limits_of_root(problem.tree).without_idle_limits(problem.leaf_cost, loss, whole.part.base_loss);
  const Ticks larger_trees = bounds::cost_of_two_leaves_or_more(problem.leaf_cost, whole.part.base_loss);
  thread_.shared.table.tighten(whole.key(),
                               {std::min(leaf, larger_trees), {leaf, table::kNoSplit, table::kUnlimited, {1, 0}}},
                               {table::SubproblemTable::kNeverForgotten, 0});
  return whole;
}

bool AndOrSearch::solve_whole(const Whole& whole, const std::function<void()>& report) {
  const table::Interval known = *thread_.shared.table.find(whole.key());
  const std::uint32_t levels = raiser_.levels_of_whole(whole.limits, known, whole.part.base_loss);
  if (levels == 0) return false;
  report();
  raiser_.solve_whole(whole.part, whole.limits, known, levels);
  return true;
}

void AndOrSearch::open_root(Frame& root) {
  children_.make_root(root);
  expand(root);
}

void AndOrSearch::keep_splits(Frame& root, const std::vector<SplitName>& splits) {
  root.has_all_splits = false;
  if (root.is_closed()) return;
  const auto& columns = root.rows.columns;
  const kernels::SplitScan& scan = thread_.maker.scan_splits(root.rows);
  root.candidates.clear();
  root.candidate_of.clear();
  for (const auto& [name, least, most] : splits) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) throw std::invalid_argument("splits: there is no such candidate");
    root.candidates.push_back(
        candidates_.make(root, scan, static_cast<std::uint32_t>(found - columns.begin()), least, most));
  }
  children_.count_bytes(root);
}

std::vector<OpenSplit> AndOrSearch::open_splits(Frame& root) {
  std::vector<OpenSplit> open;
  if (root.is_closed()) return open;
  for (Candidate& candidate : root.candidates) {
    if (candidate.lower >= root.upper()) continue;
    OpenSplit& split = open.emplace_back();
    split.name = {root.rows.columns[candidate.column], 1, 1};
    if (root.limits.leaves != table::kUnlimited) {
      split.name.least_of_true_side = root.limits.leaves - candidate.side[0].limits.leaves;
      split.name.most_of_true_side = candidate.side[1].limits.leaves;
    }
    split.lower = candidate.lower;
    split.has_sides = !candidate.is_range && !candidate.is_of_list;
    if (!split.has_sides) continue;
    if (!candidate.has_keys) children_.find_keys(root, candidate);
    for (int x = 0; x < 2; ++x) split.side[x] = {candidate.key[x], candidate.side[x].lower, candidate.side[x].upper};
  }
  return open;
}

void AndOrSearch::solve(Frame& frame, Ticks budget) {
  if (!frame.is_expanded) expand(frame);
  const std::uint64_t spent_before = thread_.meter.spent();
  thread_.enter(frame, budget);
  for (bool is_first_round = true; !thread_.stopped(); is_first_round = false) {
    // Another thread, or this one below a different split, may have raised the same subproblem meanwhile.
    thread_.check_finished_elsewhere();
    thread_.meter.add(16 * frame.candidates.size());  // each round reads all of them several times
    if (const auto known = thread_.shared.table.find(frame.key)) frame.update(*known);
    if (frame.has_reached(budget)) break;
    // As soon as there are pairs or prices; from then on, its sides have numbers, too.
    if (frame.is_root && frame.rows.numbers.empty() &&
        (thread_.shared.has_pairs() || thread_.shared.row_prices() != nullptr))
      thread_.maker.number_root(frame.rows);

    // Bounds in the order of their cost: prices of rows; clusters of targets; pairs of columns, which close most
    // frames; what the table knows of the sides, which needs a key for each candidate that is still open; then a
    // packing of rows.
    raiser_.raise_by_row_prices(frame, budget);
    if (frame.has_reached(budget)) break;
    raiser_.raise_by_clusters(frame);
    if (frame.has_reached(budget)) break;
    candidates_.pair_open(frame, budget);
    if (thread_.stopped()) break;
    if (is_first_round) candidates_.refresh_open(frame, budget);
    // Every tree is a leaf or has one of the candidates as its root split; all other splits are no better than `upper`.
    frame.raise(std::min(frame.upper(), CandidateList::lowest(frame)));
    if (!frame.has_reached(budget)) raiser_.raise_by_packing(frame, budget);
    record(frame);
    if (frame.is_root) thread_.meter.poll();  // the interval that users see has changed
    if (frame.has_reached(budget)) break;

    const std::size_t chosen = candidates_.choose(frame, budget);
    if (frame.candidates[chosen].is_range) {
      candidates_.split_range(frame, chosen);
      continue;
    }
    raise(frame, frame.candidates[chosen], budget);
    // What this split has cost to prove may be most of the proof of others with nearly the same sides.
    if (similarity_holds(thread_.problem, frame)) spread_to_similar(thread_, frame, frame.candidates[chosen], budget);
  }
  frame.work += thread_.meter.spent() - spent_before;
  record(frame);
  thread_.leave(frame);
}

/// Closes the frame as a leaf if a bound proves it; otherwise lists the candidate splits.
void AndOrSearch::expand(Frame& frame) {
  frame.is_expanded = true;
  const rows::Problem& problem = thread_.problem;
  const Ticks leaf = problem.leaf_cost + frame.loss;
  if (const auto known = thread_.shared.table.find(frame.key)) frame.update(*known);
  frame.update_tree({leaf, table::kNoSplit, table::kUnlimited, {1, 0}});
  const Ticks larger_trees = bounds::cost_of_two_leaves_or_more(problem.leaf_cost, frame.least_loss);
  frame.raise(std::min(leaf, larger_trees));
  if (frame.least_loss > 0) ++thread_.counters.equivalent_points;
  const bool too_light = bounds::too_light_to_split(frame.largest_loss, frame.least_loss, problem.threshold());
  if (leaf <= larger_trees || too_light || frame.limits.only_leaf()) {
    if (leaf > larger_trees && too_light && problem.bounds.support_condition) ++thread_.counters.support_condition;
    frame.lower = frame.upper();
    return record(frame);
  }
  candidates_.list(frame);
  children_.count_bytes(frame);
  if (frame.candidates.empty())
    frame.lower = frame.upper();
  else if (problem.has_reference())
    raise_to_guess(thread_, frame.rows.support.reference_loss, frame.upper(), frame.lower);
  record(frame);
}

/// Raises the two sides in turn, the one raised less so far first, until the candidate reaches the budget or is closed.
/// A side that another thread is in is left to it for one step, where the candidate would be open after that step.
void AndOrSearch::raise(Frame& frame, Candidate& candidate, Ticks budget) {
  candidates_.refresh(frame, candidate);
  thread_.maker.make_slot_rows(frame.rows);
  Claims& claims = thread_.shared.claims;
  std::unique_ptr<Frame> child[2];
  // Small steps first, since the other side may close the split sooner; larger ones later, since every step searches
  // part of the last one again.
  const Ticks first_step = std::max<Ticks>(2 * thread_.problem.leaf_cost, 1);
  Ticks step[2] = {first_step, first_step};
  const Ticks start[2] = {candidate.side[0].lower, candidate.side[1].lower};
  while (candidate.lower < frame.target(budget) && !thread_.stopped()) {
    const Side* side = candidate.side;
    const Ticks raised[2] = {side[0].lower - start[0], side[1].lower - start[1]};
    int x = raised[1] <= raised[0] ? 1 : 0;
    Ticks awaited = 0;  // what another thread is about to raise the other side by
    if (!candidate.needs(x, frame.target(budget))) {
      x = 1 - x;
    } else if (candidates_.is_taken(candidate, x) && !candidates_.is_taken(candidate, 1 - x) &&
               candidate.needs(1 - x, frame.target(budget)) && raised[1 - x] <= raised[x] + step[x] &&
               side[x].lower + candidate.least_of_other(x) + step[x] < frame.target(budget)) {
      if (!candidate.is_of_list) awaited = step[x];
      x = 1 - x;
      ++thread_.counters.claims;
    }
    // Two ways to do without a frame: the best tree of few levels directly, or a probe.
    if (const std::uint32_t levels = raiser_.needed_levels(frame, candidate, x)) {
      const Claims::Claim claim(claims, candidate.key[x]);
      raiser_.solve_shallow(frame, candidate, x, levels);
      continue;
    }
    const Ticks needed = frame.target(budget) - candidate.least_of_other(x) - awaited;
    // No more than this candidate needs, but at least one tick, or the loop would not advance.
    const Ticks goal = std::min(side[x].lower + step[x], std::max(needed, side[x].lower + 1));
    if (child[x] == nullptr) {
      const bool may_probe_other = child[1 - x] == nullptr && !candidate.is_of_list;
      if (raiser_.raise_by_probes(frame, candidate, x, goal, budget, may_probe_other)) {
        step[x] += step[x] / 2 + 1;
        continue;
      }
      if (thread_.stopped()) break;
      child[x] = children_.make(frame, candidate, x);
    } else {
      ++thread_.counters.budgets;
    }
    child[x]->raise(side[x].lower);
    {
      const Claims::Claim claim(claims, candidate.key[x]);
      if (!child[x]->is_expanded) expand_child(frame, candidate, x, *child[x]);
      solve(*child[x], goal);
    }
    step[x] += step[x] / 2 + 1;
    candidates_.update_side(frame, candidate, x, *child[x]);
    if (claims.are_shared()) candidates_.refresh(frame, candidate);  // the other side may have been raised elsewhere
  }
  for (auto& used : child)
    if (used != nullptr) children_.release(std::move(used));
}

/// Expands the child, and raises its candidates by what is proven of those of its parent.
void AndOrSearch::expand_child(Frame& frame, const Candidate& candidate, int x, Frame& child) {
  expand(child);
  if (child.candidates.empty() || !similarity_holds(thread_.problem, frame)) return;
  inherit(thread_, frame, children_.filter(frame, candidate, x).rows, child);
}

/// Writes what the frame has proven to the table, and reads what others have proven since.
void AndOrSearch::record(Frame& frame) {
  frame.lower = std::min(frame.lower, frame.upper());
  const table::Proof proof{frame.is_root ? table::SubproblemTable::kNeverForgotten : effort_of(frame.work),
                           frame.path_columns};
  if (!frame.has_all_splits) return frame.update(thread_.shared.table.tighten(frame.key, {0, frame.tree}, proof));
  static_cast<table::Interval&>(frame) = thread_.shared.table.tighten(frame.key, frame, proof);
}

void AndOrSearch::find_incumbent(Frame& frame) {
  if (!frame.is_expanded) expand(frame);
  // The pair stage finds the best two stumps below each split: the split of the best of these trees becomes the root,
  // and the same again on its sides.
  candidates_.pair_open(frame, kInfinity);
  record(frame);
  if (thread_.stopped() || frame.is_closed() || frame.tree.split == table::kNoSplit) return;
  const auto is_root_split = [&](const Candidate& candidate) {
    return frame.rows.columns[candidate.column] == frame.tree.split;
  };
  auto found = std::find_if(frame.candidates.begin(), frame.candidates.end(), is_root_split);
  if (found == frame.candidates.end()) return;
  if (found->is_range) {
    const std::uint32_t leaves = frame.limits.leaves;
    const std::uint32_t of_true = std::clamp(found->fair_share(leaves), 1u, leaves - 1);
    const Candidate shared =
        candidates_.make(frame, thread_.maker.scan_splits(frame.rows), found->column, of_true, of_true);
    candidates_.update_tree(frame, shared);
    if (shared.lower >= frame.upper()) return;
    frame.candidates.push_back(shared);
    found = frame.candidates.end() - 1;
  }
  if (!found->has_keys) children_.find_keys(frame, *found);
  thread_.maker.make_slot_rows(frame.rows);
  ++thread_.counters.first_tree;
  const int leaf = !found->is_of_list ? -1 : frame.tree.leaves_of_true_side == 1 ? 1 : 0;
  for (int x = 0; x < 2; ++x) {
    if (x == leaf || found->side[x].is_closed() || thread_.stopped()) continue;
    std::unique_ptr<Frame> child = children_.make(frame, *found, x);
    find_incumbent(*child);
    candidates_.update_side(frame, *found, x, *child);
    children_.release(std::move(child));
  }
  record(frame);
}

}  // namespace hornbeam::search
