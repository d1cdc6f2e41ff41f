#include "search/worker.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bounds/equivalent_points.hpp"
#include "bounds/pair_stage.hpp"
#include "bounds/similarity.hpp"
#include "bounds/subset.hpp"
#include "bounds/support_condition.hpp"

namespace hornbeam {

namespace {

/// Words of kernel work between two looks at the clock: well under a millisecond.
constexpr std::uint64_t kWorkBetweenPolls = 1 << 19;

}  // namespace

Worker::Worker(const Problem& problem, SharedState& shared, const Kernels& kernels, std::uint32_t number,
               std::function<void()> poll)
    : problem_(problem),
      shared_(shared),
      kernels_(kernels),
      number_(number),
      poll_(std::move(poll)),
      measures_(problem.costs.measures()),
      cell_(measures_.size()),
      maker_(problem.rows, problem.costs, kernels, problem.tree.rows_per_leaf, problem.threshold()) {}

bool Worker::stopped() {
  if (work_ >= kWorkBetweenPolls) {
    work_ = 0;
    shared_.stop.check_clock();
    shared_.check_memory();
    if (number_ == 0) poll_();
  }
  if (shared_.table.is_full()) shared_.stop.stop(Status::memory_limit);
  return shared_.stop.stopped();
}

void Worker::open_root(Frame& root) {
  root.is_root = true;
  maker_.make_root(root.rows, shared_.stop);
  Room room;
  const auto bounded = [](std::optional<std::uint32_t> limit) {
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(limit.value_or(kUnlimited), kUnlimited));
  };
  room.depth = bounded(problem_.tree.depth);
  room.leaves = bounded(problem_.tree.leaves);
  open(root, room);
  expand(root);
}

/// Reads the measures of a new frame and names it.
void Worker::open(Frame& frame, const Room& room) {
  const Ticks* total = frame.rows.total.data();
  frame.largest_loss = problem_.costs.largest_loss(total);
  frame.loss = problem_.costs.loss(total);
  frame.least_loss = problem_.costs.least_loss(total);
  frame.room = room.without_idle_limits(problem_.leaf_cost, frame.loss, frame.rows.whole_base_loss);
  frame.key = {frame.rows.whole, frame.room.depth, frame.room.leaves};
  frame.lower = 0;
  frame.tree = {};
  frame.is_expanded = false;
  frame.candidates.clear();
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
  for (std::uint32_t c = 0; c < frame.rows.n_columns; ++c) add_candidate(frame, c, kUnlimited, frame.room.leaves);
  std::stable_sort(frame.candidates.begin(), frame.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rest < b.rest; });
  count_bytes(frame);
  if (frame.candidates.empty()) frame.lower = frame.upper();
  record(frame);
}

/// Adds the split on `column` unless its bound from one look shows that it cannot win. Where leaves are limited,
/// the candidate stands for all ways to share them until `allot_leaves`.
void Worker::add_candidate(Frame& frame, std::uint32_t column, std::uint16_t leaves_of_true_side,
                           std::uint16_t leaves) {
  const RowSet& rows = frame.rows;
  const std::size_t stride = rows.stride;
  const Costs& costs = problem_.costs;
  Candidate candidate;
  candidate.column = column;
  for (std::uint32_t m = 0; m < measures_.size(); ++m) cell_[m] = rows.total[m] - rows.sums[m * stride + column];
  for (int x = 0; x < 2; ++x) {
    const Ticks* measures = x == 1 ? &rows.sums[column] : cell_.data();
    const std::size_t step = x == 1 ? stride : 1;
    Side& side = candidate.side[x];
    side.largest_loss = costs.largest_loss(measures, step);
    side.loss = costs.loss(measures, step);
    side.least_loss = costs.least_loss(measures, step);
    side.base_loss = 0;
    if (side.largest_loss - side.least_loss < problem_.threshold()) return;
    if (problem_.limits_rows() && costs.rows(measures, step) < static_cast<Ticks>(problem_.tree.rows_per_leaf)) return;
    side.room.depth = frame.room.depth_of_side();
    side.room.leaves = leaves == kUnlimited ? kUnlimited : static_cast<std::uint16_t>(leaves - 1);
    if (leaves_of_true_side != kUnlimited)
      side.room.leaves = static_cast<std::uint16_t>(x == 1 ? leaves_of_true_side : leaves - leaves_of_true_side);
    side.upper = problem_.leaf_cost + side.loss;
    side.shape = {1, 0};
    side.large = side.room.only_leaf() ? kInfinity : cost_of_two_leaves_or_more(problem_.leaf_cost, side.least_loss);
    side.lower = std::min(side.upper, side.large);
  }
  candidate.rest = 0;
  candidate.raise_rest();
  take_tree(frame, candidate);
  if (candidate.rest < frame.upper()) frame.candidates.push_back(std::move(candidate));
}

/// The tree of the candidate's two known trees becomes the frame's if it is better.
void Worker::take_tree(Frame& frame, const Candidate& candidate) {
  const KnownTree tree{candidate.upper(), frame.rows.columns[candidate.column],
                       frame.room.leaves == kUnlimited ? kUnlimited : candidate.side[1].room.leaves, candidate.shape()};
  if (tree.better_than(frame.tree)) frame.tree = tree;
}

/// Runs the pair stage for every candidate that the budget admits.
void Worker::pair_candidates(Frame& frame, Ticks budget) {
  for (std::size_t i = 0; i < frame.candidates.size(); ++i) {
    if (frame.candidates[i].is_paired || frame.candidates[i].rest >= frame.cut(budget)) continue;
    if (stopped()) return;
    pair(frame, frame.candidates[i]);
    if (frame.room.leaves != kUnlimited) allot_leaves(frame, i);
  }
}

void Worker::pair(Frame& frame, Candidate& candidate) {
  candidate.is_paired = true;
  if (!problem_.switches.pair_stage) return;
  const Ticks leaf_cost = problem_.leaf_cost;
  const SlotTile slots = frame.rows.slot_tile();
  PairSide found[2];
  const PairInput input{frame.rows.sums.data(), frame.rows.total.data(), leaf_cost, problem_.threshold(),
                        static_cast<Ticks>(problem_.tree.rows_per_leaf)};
  kernels_.pair_stage(slots, measures_, input, candidate.column, found, maker_.scratch_for(frame.rows));
  work_ += std::uint64_t{slots.tile.stride} * (slots.tile.n_words + 8);
  for (int x = 0; x < 2; ++x) {
    Side& side = candidate.side[x];
    const PairSide& pairs = found[1 - x];  // the kernel lists the true side first
    if (side.room.only_leaf()) continue;
    if (pairs.stump_loss < kInfinity) side.know_tree(2 * leaf_cost + pairs.stump_loss, {2, 1});
    side.large = kInfinity;
    if (!side.room.only_stump()) {
      if (pairs.three_leaf_loss < kInfinity) side.large = 3 * leaf_cost + pairs.three_leaf_loss;
      if (pairs.four_leaves) side.large = std::min(side.large, 4 * leaf_cost + side.least_loss);
    }
    side.lower = std::max(side.lower, std::min(side.upper, side.large));
  }
  candidate.raise_rest();
  if (frame.room.leaves == kUnlimited) take_tree(frame, candidate);
}

/// Replaces a candidate by one for each way to share the leaves between its sides.
void Worker::allot_leaves(Frame& frame, std::size_t index) {
  const Candidate whole = frame.candidates[index];
  const std::uint16_t leaves = frame.room.leaves;
  for (std::uint16_t of_true = 1; of_true < leaves; ++of_true) {
    Candidate part = whole;
    part.rest = 0;
    for (int x = 0; x < 2; ++x) {
      Side& side = part.side[x];
      side.room.leaves = static_cast<std::uint16_t>(x == 1 ? of_true : leaves - of_true);
      if (side.room.leaves == 1) {
        side.upper = problem_.leaf_cost + side.loss;
        side.shape = {1, 0};
        side.large = kInfinity;
      } else if (side.room.leaves == 2 && problem_.switches.pair_stage) {
        side.large = kInfinity;
      }
      side.lower = std::min(side.upper, side.large);
    }
    part.raise_rest();
    take_tree(frame, part);
    if (of_true == 1)
      frame.candidates[index] = std::move(part);
    else if (part.rest < frame.upper())
      frame.candidates.push_back(std::move(part));
  }
  count_bytes(frame);
}

/// Names both sides: one pass over the groups of the smaller one.
void Worker::find_keys(const Frame& frame, Candidate& candidate) {
  candidate.has_keys = true;
  const RowSet& rows = frame.rows;
  std::uint32_t n_true = 0;
  for (std::uint32_t w = 0; w < rows.n_words(); ++w)
    n_true += static_cast<std::uint32_t>(std::popcount(rows.bits[std::size_t{w} * rows.stride + candidate.column]));
  const int smaller = 2 * n_true <= rows.n_groups ? 1 : 0;
  Fingerprint set;
  Ticks base_loss = 0;
  for (std::uint32_t w = 0; w < rows.n_words(); ++w) {
    Word word = rows.bits[std::size_t{w} * rows.stride + candidate.column];
    if (smaller == 0) word = ~word & (w + 1 == rows.n_words() ? rows.last_mask() : ~Word{0});
    for (; word != 0; word &= word - 1) {
      const std::uint32_t group = w * kWordBits + static_cast<std::uint32_t>(std::countr_zero(word));
      set ^= rows.identity[group];
      base_loss += rows.base_loss[group];
    }
  }
  candidate.key[smaller].set = set;
  candidate.side[smaller].base_loss = base_loss;
  set ^= rows.whole;
  candidate.key[1 - smaller].set = set;
  candidate.side[1 - smaller].base_loss = rows.whole_base_loss - base_loss;
  for (int x = 0; x < 2; ++x) {
    const Side& side = candidate.side[x];
    const Room room = side.room.without_idle_limits(problem_.leaf_cost, side.loss, side.base_loss);
    candidate.key[x].depth = room.depth;
    candidate.key[x].leaves = room.leaves;
  }
}

/// Takes over what the table knows of both sides.
void Worker::refresh(Frame& frame, Candidate& candidate) {
  if (!candidate.has_keys) find_keys(frame, candidate);
  for (int x = 0; x < 2; ++x) {
    const Side &side = candidate.side[x], &other = candidate.side[1 - x];
    Interval known;
    if (!side.is_closed())
      if (const auto entry = shared_.table.find(candidate.key[x])) known = *entry;
    // best(this side) + best(other side) >= lower(set).
    known.lower = std::max(known.lower, frame.lower - other.upper);
    learn_side(frame, candidate, x, known);
  }
}

void Worker::learn_side(Frame& frame, Candidate& candidate, int x, const Interval& known) {
  Side& side = candidate.side[x];
  side.know_tree(known.tree.cost, known.tree.shape);
  side.lower = std::min(std::max(side.lower, known.lower), side.upper);
  candidate.raise_rest();
  take_tree(frame, candidate);
  const bool unlimited = frame.room.depth == kUnlimited && frame.room.leaves == kUnlimited && !problem_.limits_rows();
  if (problem_.switches.subset && unlimited)
    frame.lower = std::max(frame.lower, subset_bound(side.lower, candidate.side[1 - x].least_loss));
}

Ticks Worker::lowest_rest(const Frame& frame) const {
  Ticks lowest = kInfinity;
  for (const Candidate& candidate : frame.candidates) lowest = std::min(lowest, candidate.rest);
  return lowest;
}

/// The open candidate whose smaller side is largest: balanced splits make small subproblems and are shared most.
std::size_t Worker::choose(const Frame& frame, Ticks budget) const {
  std::size_t chosen = frame.candidates.size(), n_open = 0;
  Ticks best = -1;
  for (std::size_t i = 0; i < frame.candidates.size(); ++i) {
    const Candidate& candidate = frame.candidates[i];
    if (candidate.rest >= frame.cut(budget)) continue;
    const Ticks smaller = std::min(candidate.side[0].largest_loss, candidate.side[1].largest_loss);
    if (smaller > best) {
      best = smaller;
      chosen = i;
    }
    ++n_open;
  }
  if (number_ == 0 || n_open < 2) return chosen;
  // Other threads start elsewhere; what they find comes back through the table.
  std::size_t skip = number_ % n_open;
  for (std::size_t i = 0; i < frame.candidates.size(); ++i)
    if (frame.candidates[i].rest < frame.cut(budget) && skip-- == 0) return i;
  return chosen;
}

void Worker::solve(Frame& frame, Ticks budget) {
  if (!frame.is_expanded) expand(frame);
  bool is_refreshed = false;
  while (!stopped()) {
    if (const auto known = shared_.table.find(frame.key)) {
      frame.lower = std::max(frame.lower, known->lower);
      if (known->tree.better_than(frame.tree)) frame.tree = known->tree;
    }
    if (frame.lower >= frame.cut(budget)) break;
    pair_candidates(frame, budget);
    if (stopped()) break;
    if (!is_refreshed || shared_.n_workers > 1) {
      for (Candidate& candidate : frame.candidates)
        if (candidate.rest < frame.cut(budget)) refresh(frame, candidate);
      is_refreshed = true;
    }
    frame.lower = std::max(frame.lower, std::min(frame.upper(), lowest_rest(frame)));
    record(frame);
    if (frame.is_root) poll_();
    if (frame.lower >= frame.cut(budget)) break;
    Candidate& candidate = frame.candidates[choose(frame, budget)];
    raise(frame, candidate, budget);
    if (problem_.switches.similarity) spread_similarity(frame, candidate, budget);
  }
  record(frame);
}

/// Raises the two sides in turn, the one raised less so far first, until the candidate reaches the cut or is closed.
void Worker::raise(Frame& frame, Candidate& candidate, Ticks budget) {
  refresh(frame, candidate);
  std::unique_ptr<Frame> child[2];
  const Ticks first_step = std::max<Ticks>(2 * problem_.leaf_cost, 1);
  Ticks step[2] = {first_step, first_step};
  const Ticks start[2] = {candidate.side[0].lower, candidate.side[1].lower};
  while (candidate.rest < frame.cut(budget) && !stopped()) {
    Side* side = candidate.side;
    int x = side[1].lower - start[1] <= side[0].lower - start[0] ? 1 : 0;
    if (side[x].is_closed()) x = 1 - x;
    if (child[x] == nullptr) child[x] = make_child(frame, candidate, x);
    child[x]->lower = std::max(child[x]->lower, side[x].lower);
    const Ticks needed = frame.cut(budget) - side[1 - x].lower;
    solve(*child[x], std::min(side[x].lower + step[x], std::max(needed, side[x].lower + 1)));
    step[x] += step[x] / 2 + 1;
    learn_side(frame, candidate, x, {child[x]->lower, child[x]->tree});
  }
  for (auto& used : child)
    if (used != nullptr) release(std::move(used));
}

std::unique_ptr<Frame> Worker::make_child(const Frame& frame, const Candidate& candidate, int x) {
  std::unique_ptr<Frame> child;
  if (spare_.empty()) {
    child = std::make_unique<Frame>();
  } else {
    child = std::move(spare_.back());
    spare_.pop_back();
  }
  maker_.make_child(frame.rows, candidate.column, x == 1, child->rows);
  work_ += std::uint64_t{frame.rows.stride} * frame.rows.slot_tile().tile.n_words;
  open(*child, candidate.side[x].room);
  return child;
}

void Worker::release(std::unique_ptr<Frame> frame) { spare_.push_back(std::move(frame)); }

/// bounds/similarity.hpp from the split just raised to every open candidate.
void Worker::spread_similarity(Frame& frame, const Candidate& from, Ticks budget) {
  if (frame.room.leaves != kUnlimited || problem_.limits_rows()) return;
  const auto is_open = [&](const Candidate& g) { return &g != &from && g.rest < frame.cut(budget); };
  if (std::none_of(frame.candidates.begin(), frame.candidates.end(), is_open)) return;
  const RowSet& rows = frame.rows;
  const std::size_t stride = rows.stride;
  const Ticks* both = maker_.pair_measures(rows, from.column);
  work_ += std::uint64_t{rows.stride} * rows.slot_tile().tile.n_words;
  for (Candidate& g : frame.candidates) {
    if (!is_open(g)) continue;
    Ticks distance[2][2];  // [side of f][side of g]: del of the rows on both sides
    for (int f = 0; f < 2; ++f) {
      for (int y = 0; y < 2; ++y) {
        for (std::uint32_t m = 0; m < measures_.size(); ++m) {
          const Ticks f1 = rows.sums[m * stride + from.column], g1 = rows.sums[m * stride + g.column];
          const Ticks f1g1 = both[m * stride + g.column];
          const Ticks in_g1 = f == 1 ? f1g1 : g1 - f1g1;
          cell_[m] = y == 1 ? in_g1 : (f == 1 ? f1 : rows.total[m] - f1) - in_g1;
        }
        distance[f][y] =
            similarity_distance(problem_.costs.largest_loss(cell_.data()), problem_.costs.loss(cell_.data()),
                                problem_.leaf_cost, frame.room.depth != kUnlimited);
      }
    }
    for (int y = 0; y < 2; ++y) {
      const Ticks bound = std::max(from.side[1].lower - distance[1][1 - y], from.side[0].lower - distance[0][1 - y]);
      if (bound > g.side[y].lower) g.side[y].lower = std::min(bound, g.side[y].upper);
    }
    g.raise_rest();
  }
}

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
    return frame.rows.columns[candidate.column] == frame.tree.split &&
           (frame.room.leaves == kUnlimited || candidate.side[1].room.leaves == frame.tree.leaves_of_true_side);
  };
  const auto found = std::find_if(frame.candidates.begin(), frame.candidates.end(), is_root_split);
  if (found == frame.candidates.end()) return;
  if (!found->has_keys) find_keys(frame, *found);
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
