#include "search/worker.hpp"

#include <algorithm>
#include <utility>

#include "bounds/equivalent_points.hpp"
#include "bounds/packing.hpp"
#include "bounds/support_condition.hpp"

namespace hornbeam {

namespace {

/// Words of kernel work between two looks at the clock: well under a millisecond.
constexpr std::uint64_t kWorkBetweenPolls = 1 << 19;

/// Below so many open candidates, or so little depth, searching a frame costs less than packing its rows.
constexpr std::ptrdiff_t kLeastOpenToPack = 8;
constexpr std::uint32_t kLeastDepthToPack = 4;

}  // namespace

Worker::Worker(const Problem& problem, SharedState& shared, const Kernels& kernels, std::function<void()> poll)
    : problem_(problem),
      shared_(shared),
      kernels_(kernels),
      poll_(std::move(poll)),
      budget_(shared.run, kWorkBetweenPolls, poll_),
      measures_(problem.costs.measures()),
      cell_(measures_.size()),
      maker_(problem.rows, problem.costs, kernels, problem.leaf_cost, problem.tree.rows_per_leaf, problem.threshold()),
      two_levels_(problem, kernels, budget_),
      packer_(problem, kernels) {}

bool Worker::stopped() {
  if (shared_.table.is_full()) shared_.run.stop(Status::memory_limit);
  return !budget_.spend(0) || overtaken_ != nullptr;
}

/// A frame that another thread has raised to its goal or closed need not be searched on.
void Worker::look_for_overtaken() {
  if (!shared_.claims.are_shared()) return;
  for (const Goal& goal : path_) {
    if (!shared_.claims.is_joined(goal.frame->key)) continue;
    const Interval known = shared_.table.find(goal.frame->key).value_or(Interval{});
    if (known.lower < std::min(goal.budget, known.tree.cost)) continue;
    overtaken_ = goal.frame;
    return;
  }
}

void Worker::open_root(Frame& root) {
  root.is_root = true;
  maker_.make_root(root.rows, shared_.run);
  Room room;
  room.depth = problem_.tree.depth.value_or(kUnlimited);
  room.leaves = problem_.tree.leaves.value_or(kUnlimited);
  open(root, room);
  expand(root);
}

/// Reads the measures of a new frame and names it.
void Worker::open(Frame& frame, const Room& room) {
  const Ticks* total = frame.rows.total.data();
  frame.largest_loss = problem_.costs.largest_loss(total);
  frame.loss = problem_.costs.loss(total);
  frame.least_loss = problem_.costs.least_loss(total);
  frame.room = room.without_idle_limits(problem_.leaf_cost, frame.loss, frame.rows.whole.base_loss);
  frame.key = {frame.rows.whole.identity, frame.room.depth, frame.room.leaves};
  frame.lower = 0;
  frame.tree = {};
  frame.is_expanded = false;
  frame.is_packed = false;
  frame.candidates.clear();
  frame.candidate_of.clear();
  count_bytes(frame);
  shared_.n_subproblems.fetch_add(1, std::memory_order_relaxed);
}

void Worker::count_bytes(Frame& frame) {
  const std::uint64_t bytes = frame.rows.bytes() + frame.candidates.capacity() * sizeof(Candidate);
  shared_.frame_bytes.fetch_add(bytes - frame.counted_bytes, std::memory_order_relaxed);
  frame.counted_bytes = bytes;
}

/// Closes the frame as a leaf where a bound says so, else lists the candidates by one look at each column.
void Worker::expand(Frame& frame) {
  frame.is_expanded = true;
  const Ticks leaf_cost = problem_.leaf_cost;
  const Ticks leaf = leaf_cost + frame.loss;
  if (const auto known = shared_.table.find(frame.key)) {
    frame.lower = std::max(frame.lower, known->lower);
    frame.tree = known->tree;
  }
  if (const KnownTree single{leaf, kNoSplit, kUnlimited, {1, 0}}; single.better_than(frame.tree)) frame.tree = single;
  const Ticks larger_trees = cost_of_two_leaves_or_more(leaf_cost, frame.least_loss);
  frame.lower = std::max(frame.lower, std::min(leaf, larger_trees));
  const bool too_light = too_light_to_split(frame.largest_loss, frame.least_loss, problem_.threshold());
  if (leaf <= larger_trees || too_light || frame.room.only_leaf()) {
    frame.lower = frame.upper();
    return record(frame);
  }
  list_candidates(frame);
  count_bytes(frame);
  if (frame.candidates.empty())
    frame.lower = frame.upper();
  else if (problem_.has_reference())
    guess(frame.rows.whole.reference_loss, frame.upper(), frame.lower);
  record(frame);
}

/// Bounds a frame that its pair stage leaves open by bounds/packing.hpp, once.
void Worker::pack_pairs(Frame& frame, Ticks budget) {
  if (frame.is_packed || !packer_.is_usable() || frame.room.depth < kLeastDepthToPack) return;
  const auto is_open = [&](const Candidate& candidate) { return candidate.rest < frame.cut(budget); };
  if (std::count_if(frame.candidates.begin(), frame.candidates.end(), is_open) < kLeastOpenToPack) return;
  frame.is_packed = true;
  // Where it has closed few frames of late, it is tried on few.
  if (packing_credit_ < 0) {
    ++packing_credit_;
    return;
  }
  maker_.make_slot_rows(frame.rows);
  const Ticks without = packing_bound(problem_.leaf_cost, frame.least_loss, 0);
  const Ticks packed = packer_.pack(frame.rows, frame.cut(budget) - without, frame.upper() - without);
  budget_.add(packer_.work());
  frame.lower = std::max(frame.lower, std::min(frame.upper(), without + packed));
  packing_credit_ = frame.lower >= frame.cut(budget) ? std::min(packing_credit_ + 4, 64) : packing_credit_ - 1;
  if (packing_credit_ < 0) packing_credit_ = -64;
}

Ticks Worker::lowest_rest(const Frame& frame) const {
  Ticks lowest = kInfinity;
  for (const Candidate& candidate : frame.candidates) lowest = std::min(lowest, candidate.rest);
  return lowest;
}

/// The open candidate whose smaller side is largest: balanced splits make small subproblems and are shared most. At a
/// root that the subset bound cannot raise, the one of the lowest bound, so that the bound a user sees rises all the
/// time. Those that other threads have taken come last.
std::size_t Worker::choose(const Frame& frame, Ticks budget) const {
  std::size_t chosen = frame.candidates.size();
  Ticks best = -1;
  int most_free = 0;
  const bool lowest_first = frame.is_root && !subset_holds(frame);
  for (std::size_t i = 0; i < frame.candidates.size(); ++i) {
    const Candidate& candidate = frame.candidates[i];
    if (candidate.rest >= frame.cut(budget)) continue;
    const Ticks smaller = std::min(candidate.side[0].largest_loss, candidate.side[1].largest_loss);
    const Ticks merit = lowest_first ? kInfinity - candidate.rest : smaller;
    const int n_free = (is_taken(candidate, 0) ? 0 : 1) + (is_taken(candidate, 1) ? 0 : 1);
    if (n_free != most_free ? n_free > most_free : merit > best) {
      best = merit;
      most_free = n_free;
      chosen = i;
    }
  }
  return chosen;
}

/// Whether a side is open and another thread is in it.
bool Worker::is_taken(const Candidate& candidate, int x) const {
  return candidate.has_keys && !candidate.side[x].is_closed() && shared_.claims.is_taken(candidate.key[x]);
}

void Worker::solve(Frame& frame, Ticks budget) {
  if (!frame.is_expanded) expand(frame);
  path_.push_back({&frame, budget});
  bool is_refreshed = false;
  while (!stopped()) {
    look_for_overtaken();
    budget_.add(16 * frame.candidates.size());  // they are looked at several times below
    if (const auto known = shared_.table.find(frame.key)) {
      frame.lower = std::max(frame.lower, known->lower);
      if (known->tree.better_than(frame.tree)) frame.tree = known->tree;
    }
    if (frame.lower >= frame.cut(budget)) break;
    pair_candidates(frame, budget);
    if (stopped()) break;
    if (!is_refreshed) {
      expect_names(frame, budget);
      for (Candidate& candidate : frame.candidates)
        if (!candidate.is_range && candidate.rest < frame.cut(budget)) expect(frame, candidate);
      for (Candidate& candidate : frame.candidates)
        if (!candidate.is_range && candidate.rest < frame.cut(budget)) refresh(frame, candidate);
      is_refreshed = true;
    }
    frame.lower = std::max(frame.lower, std::min(frame.upper(), lowest_rest(frame)));
    if (frame.lower < frame.cut(budget)) pack_pairs(frame, budget);
    record(frame);
    if (frame.is_root) poll_();
    if (frame.lower >= frame.cut(budget)) break;
    const std::size_t chosen = choose(frame, budget);
    if (frame.candidates[chosen].is_range) {
      divide(frame, chosen);
      continue;
    }
    raise(frame, frame.candidates[chosen], budget);
    if (similarity_holds(frame)) spread_similarity(frame, frame.candidates[chosen], budget);
  }
  record(frame);
  path_.pop_back();
  if (overtaken_ == &frame) overtaken_ = nullptr;
}

/// Raises the two sides in turn, the one raised less so far first, until the candidate reaches the cut or is closed. A
/// side that another thread is in is left to it for one step, where the candidate would be open after that step.
void Worker::raise(Frame& frame, Candidate& candidate, Ticks budget) {
  refresh(frame, candidate);
  maker_.make_slot_rows(frame.rows);
  std::unique_ptr<Frame> child[2];
  const Ticks first_step = std::max<Ticks>(2 * problem_.leaf_cost, 1);
  Ticks step[2] = {first_step, first_step};
  const Ticks start[2] = {candidate.side[0].lower, candidate.side[1].lower};
  while (candidate.rest < frame.cut(budget) && !stopped()) {
    Side* side = candidate.side;
    const Ticks raised[2] = {side[0].lower - start[0], side[1].lower - start[1]};
    int x = raised[1] <= raised[0] ? 1 : 0;
    Ticks awaited = 0;  // what another thread is about to raise the other side by
    if (side[x].is_closed()) {
      x = 1 - x;
    } else if (is_taken(candidate, x) && !is_taken(candidate, 1 - x) && !side[1 - x].is_closed() &&
               raised[1 - x] <= raised[x] + step[x] && side[0].lower + side[1].lower + step[x] < frame.cut(budget)) {
      awaited = step[x];
      x = 1 - x;
    }
    if (const std::uint32_t levels = needed_levels(candidate, x)) {
      const Claims::Claim claim(shared_.claims, candidate.key[x]);
      solve_shallow(frame, candidate, x, levels);
      continue;
    }
    const Ticks needed = frame.cut(budget) - side[1 - x].lower - awaited;
    const Ticks goal = std::min(side[x].lower + step[x], std::max(needed, side[x].lower + 1));
    if (child[x] == nullptr) {
      if (raise_by_probes(frame, candidate, x, goal, budget, child[1 - x] == nullptr)) {
        step[x] += step[x] / 2 + 1;
        continue;
      }
      if (stopped()) break;
      child[x] = make_child(frame, candidate, x);
    }
    child[x]->lower = std::max(child[x]->lower, side[x].lower);
    {
      const Claims::Claim claim(shared_.claims, candidate.key[x]);
      solve(*child[x], goal);
    }
    step[x] += step[x] / 2 + 1;
    learn_side(frame, candidate, x, {child[x]->lower, child[x]->tree});
    if (shared_.claims.are_shared()) refresh(frame, candidate);  // the other side may have been raised elsewhere
  }
  for (auto& used : child)
    if (used != nullptr) release(std::move(used));
}

/// Levels of which the best tree of a side is to be found directly: two where no more are allowed or can pay (a tree of
/// more has four leaves or more), three of few columns where no more are allowed; 0 if that is not the way.
std::uint32_t Worker::needed_levels(const Candidate& candidate, int x) const {
  const Side& side = candidate.side[x];
  if (!two_levels_.is_usable()) return 0;
  if (side.room.depth <= 2 || side.upper <= 4 * problem_.leaf_cost + side.least_loss) return 2;
  return candidate.key[x].depth == 3 && problem_.has_few_columns() ? 3 : 0;
}

/// The two sides below the root of a tree of three levels get entries of their own, so that it can be read off.
void Worker::record_below(const Frame& frame, const Candidate& candidate, int x) {
  SlotName name = maker_.name_of(frame.rows, candidate.column, x == 1, two_levels_.best_root());
  for (const bool holds : {true, false}) {
    const TwoLevelSolver::Below below = two_levels_.below_root(frame.rows, holds);
    const Room room = Room{2, kUnlimited}.without_idle_limits(problem_.leaf_cost, below.loss, name.base_loss);
    if (below.tree.shape.depth == 2)
      shared_.table.tighten({name.identity, room.depth, room.leaves}, {below.tree.cost, below.tree});
    name.identity ^= candidate.key[x].set;
    name.base_loss = candidate.side[x].base_loss - name.base_loss;
  }
}

void Worker::solve_shallow(Frame& frame, Candidate& candidate, int x, std::uint32_t levels) {
  shared_.n_subproblems.fetch_add(1, std::memory_order_relaxed);
  const Side& side = candidate.side[x];
  const auto found = levels == 2 ? two_levels_.solve(frame.rows, candidate.column, x == 1, side.upper)
                                 : two_levels_.solve_three_levels(frame.rows, candidate.column, x == 1, side.upper);
  if (found && found->shape.depth == 3) record_below(frame, candidate, x);
  if (stopped()) return;  // for want of room for these entries, perhaps
  if (!found) return;
  KnownTree best = *found;
  if (const KnownTree leaf{problem_.leaf_cost + side.loss, kNoSplit, kUnlimited, {1, 0}}; leaf.better_than(best))
    best = leaf;
  learn_side(frame, candidate, x, shared_.table.tighten(candidate.key[x], {std::min(side.upper, best.cost), best}));
}

std::unique_ptr<Frame> Worker::make_child(const Frame& frame, const Candidate& candidate, int x) {
  std::unique_ptr<Frame> child;
  if (spare_.empty()) {
    child = std::make_unique<Frame>();
  } else {
    child = std::move(spare_.back());
    spare_.pop_back();
  }
  maker_.make_child(frame.rows, candidate.column, x == 1,
                    {candidate.key[x].set, candidate.side[x].base_loss, candidate.side[x].reference_loss}, child->rows);
  budget_.add(std::uint64_t{frame.rows.stride} * frame.rows.slot_tile().tile.n_words);
  open(*child, candidate.side[x].room);
  return child;
}

void Worker::release(std::unique_ptr<Frame> frame) { spare_.push_back(std::move(frame)); }

void Worker::record(Frame& frame) {
  const Interval merged = shared_.table.tighten(frame.key, {std::min(frame.lower, frame.upper()), frame.tree});
  frame.lower = merged.lower;
  frame.tree = merged.tree;
}

void Worker::find_incumbent(Frame& frame) {
  if (!frame.is_expanded) expand(frame);
  pair_candidates(frame, kInfinity);
  record(frame);
  if (stopped() || frame.is_closed() || frame.tree.split == kNoSplit) return;
  const auto is_root_split = [&](const Candidate& candidate) {
    return frame.rows.columns[candidate.column] == frame.tree.split;
  };
  auto found = std::find_if(frame.candidates.begin(), frame.candidates.end(), is_root_split);
  if (found == frame.candidates.end()) return;
  if (found->is_range) {
    const std::uint32_t of_true = std::clamp(found->fair_share(frame.room.leaves), 1u, frame.room.leaves - 1);
    const Candidate whole = candidate_of(frame, maker_.look(frame.rows), found->column, of_true, of_true);
    take_tree(frame, whole);
    if (whole.rest >= frame.upper()) return;
    frame.candidates.push_back(whole);
    found = frame.candidates.end() - 1;
  }
  if (!found->has_keys) find_keys(frame, *found);
  maker_.make_slot_rows(frame.rows);
  for (int x = 0; x < 2; ++x) {
    if (found->side[x].is_closed() || stopped()) continue;
    std::unique_ptr<Frame> child = make_child(frame, *found, x);
    find_incumbent(*child);
    learn_side(frame, *found, x, {child->lower, child->tree});
    release(std::move(child));
  }
  record(frame);
}

}  // namespace hornbeam
