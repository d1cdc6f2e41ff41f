#include "ordered/ordered_worker.hpp"

#include <algorithm>

#include "bounds/packing_slack.hpp"
#include "bounds/reference.hpp"

namespace hornbeam::ordered {

OrderedWorker::OrderedWorker(const OrderedProblem& problem, OrderedState& state, std::function<void()> on_poll)
    : problem_(problem),
      state_(state),
      meter_(state.run, problem.work_between_polls,
             [this, on_poll = std::move(on_poll)] {
               publish();
               on_poll();
             }),
      two_levels_(problem.costs, kernels::kernels(), problem.closes_thresholds, problem.least_binned_rows, meter_),
      pair_bound_(problem) {}

Counters OrderedWorker::counters() const {
  Counters all;
  all.similarity = two_levels_.n_closed() + n_narrowed_;
  for (const Level& level : levels_) all.similarity += level.heap.n_closed();
  all.two_levels = n_two_levels_;
  all.known_rows = n_known_;
  all.reference = n_guessed_;
  all.packing = n_packed_;
  all.packing_slack = n_slack_;
  return all;
}

void OrderedWorker::publish() {
  state_.n_subproblems.fetch_add(std::exchange(n_subproblems_, 0), std::memory_order_relaxed);
  announce(bytes());
}

void OrderedWorker::retire() {
  publish();
  state_.bytes.fetch_sub(std::exchange(announced_bytes_, 0), std::memory_order_relaxed);
}

/// Stops the search if this many more bytes are too many; they then do not count, since they will not be used.
void OrderedWorker::reserve(std::uint64_t more) {
  if (!state_.run.limits().bytes) return;
  announce(bytes() + more);
  if (state_.run.stopped()) announce(bytes());
}

void OrderedWorker::announce(std::uint64_t bytes) {
  state_.bytes.fetch_add(bytes - std::exchange(announced_bytes_, bytes), std::memory_order_relaxed);
  state_.check_memory();
}

std::uint64_t OrderedWorker::bytes() const {
  std::uint64_t bytes = two_levels_.bytes() + pair_bound_.bytes() + sizeof(number_[0]) * number_.capacity();
  for (const Level& level : levels_) bytes += level.heap.bytes() + level.child.bytes();
  return bytes;
}

OrderedWorker::Level& OrderedWorker::level(std::size_t number) {
  while (levels_.size() <= number) levels_.emplace_back();
  return levels_[number];
}

OrderedResult OrderedWorker::solve(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level) {
  ++n_subproblems_;
  const sorted::LeafCosts& costs = problem_.costs;
  const bool was_cut = is_cut_;
  const Ticks leaf = costs.leaf_cost(rows.loss());
  const Ticks two_leaves = bounds::guessed_bound(costs.leaf, costs.error_cost * rows.reference_loss());
  OrderedResult result{leaf, kInfinity, {}, leaf, size.depth};
  if (leaf < bound) {
    result.cost = leaf;
    result.preorder = {{PreorderNode::Kind::leaf}};
  }
  if (rows.reference_loss() > 0 && leaf > 2 * costs.leaf) {
    ++n_guessed_;
    state_.has_guessed.store(true, std::memory_order_relaxed);
  }
  if (leaf <= two_leaves) return result;
  if (two_leaves >= std::min(bound, leaf)) {
    result.lower = result.relaxed = two_leaves;
    return result;
  }
  size.leaves = std::min(rows.n_rows(), size.leaves);
  const std::uint32_t possible = size.leaves - 1;
  if (possible == 0) return result;
  if (size.depth == 0) {
    is_cut_ = true;
    return result;
  }
  result.lower = result.relaxed = two_leaves;
  const std::uint32_t depth = costs.useful_depth(std::min(size.depth, possible), std::min(bound, leaf));
  if (depth > 1) reserve(two_levels_.growth_for(rows));
  if (state_.run.stopped()) return result;
  if (depth <= 2) {
    solve_two_levels(rows, size, depth, bound, result);
  } else {
    size.depth = std::min(size.depth, possible);
    solve_known(rows, size, bound, level, result);
  }
  if (rows.n_rows() / 2 < costs.rows_per_leaf) {  // only a leaf has enough rows: the others are bounds of larger rows
    result.lower = leaf;
    is_cut_ = was_cut;
  }
  return result;
}

/// Finds the best tree of so many levels, one or two.
void OrderedWorker::solve_two_levels(const sorted::SortedRows& rows, TreeSize size, std::uint32_t depth, Ticks bound,
                                     OrderedResult& result) {
  ++n_two_levels_;
  const sorted::LeafCosts& costs = problem_.costs;
  const Ticks best = std::min(bound, result.cost);
  const sorted::TwoLevelResult small =
      depth == 1 ? sorted::best_stump(rows, costs, best) : two_levels_.solve(rows, size.leaves, best);
  result.lower = std::min(best, small.lower);
  result.relaxed = std::min(best, small.relaxed);
  if (small.cost < best) {
    const PreorderTree no_split{{PreorderNode::Kind::leaf}}, stump{{PreorderNode::Kind::stump}};
    result.cost = small.cost;
    result.preorder = join(small.root, small.has_stump[1] ? stump : no_split, small.has_stump[0] ? stump : no_split);
  }
  is_cut_ |= costs.useful_depth(size.leaves - 1, result.lower) > size.depth;
}

/// Solves a subproblem as far as the table does not, and keeps the result there.
void OrderedWorker::solve_known(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level,
                                OrderedResult& result) {
  const table::SubproblemKey any_depth{rows.fingerprint(), table::kUnlimited, size.leaves},
      this_depth{any_depth.set, size.depth, size.leaves};
  bool is_cut = false;
  for (const table::SubproblemKey* key : {&any_depth, &this_depth}) {
    std::optional<OrderedResult> known = state_.table.find(*key);
    if (!known) continue;
    is_cut |= key == &this_depth;
    result.lower = std::max(result.lower, known->lower);
    if (known->relaxed_depth >= size.depth) result.relaxed = std::max(result.relaxed, known->relaxed);
    if (known->cost < std::min(bound, result.cost) && depth_of(known->preorder) <= size.depth) {
      result.cost = known->cost;
      result.preorder = std::move(known->preorder);
    }
  }
  const bool was_cut = std::exchange(is_cut_, is_cut);
  if (result.lower < std::min(bound, result.cost)) {
    solve_deeper(rows, size, bound, level, result);
    if (!state_.run.stopped())
      state_.table.keep(is_cut_ ? this_depth : any_depth, {std::min(result.lower, bound), result.cost, result.preorder,
                                                           std::min(result.relaxed, bound), size.depth});
  } else {
    ++n_known_;
  }
  is_cut_ |= was_cut;
}

void OrderedWorker::solve_deeper(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level,
                                 OrderedResult& result) {
  // The best tree of two levels costs little, lists the thresholds, and its root is a good first threshold to try.
  const bool was_cut = is_cut_;
  OrderedResult smaller = solve(rows, {2, size.leaves}, std::min(bound, result.cost));
  is_cut_ = was_cut;
  std::optional<sorted::ThresholdSplit> root;
  if (smaller.cost < result.cost && smaller.cost < bound) {
    result.cost = smaller.cost;
    result.preorder = std::move(smaller.preorder);
  }
  if (!result.preorder.empty() && result.preorder.front().kind == PreorderNode::Kind::split)
    root = result.preorder.front().split;
  if (state_.run.stopped()) return;
  const Ticks best = std::min(bound, result.cost);
  size.depth = problem_.costs.useful_depth(size.depth, best);
  if (size.depth <= 2) {
    result.lower = std::max(result.lower, smaller.lower);
    result.relaxed = std::max(result.relaxed, smaller.relaxed);
    return;
  }
  ThresholdHeap& heap = this->level(level).heap;
  heap.open(two_levels_.thresholds(), rows, root, problem_.costs.leaf);
  // What sides are asked for otherwise is more than slack reaches.
  if (asks_little_) close_by_slack(rows, best, heap);
  search_thresholds(rows, size, best, level, result);
}

OrderedResult OrderedWorker::search(const sorted::SortedRows& rows, TreeSize size, Ticks bound,
                                    const std::vector<sorted::OpenThresholds>& runs) {
  ++n_subproblems_;
  const sorted::LeafCosts& costs = problem_.costs;
  OrderedResult result;
  size.leaves = std::min(rows.n_rows(), size.leaves);
  size.depth = costs.useful_depth(std::min(size.depth, size.leaves - 1), bound);
  if (size.depth == 0) {
    result.lower = bound;
    return result;
  }
  ThresholdHeap& heap = level(0).heap;
  std::vector<std::vector<sorted::Threshold>> thresholds(rows.n_variables());
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) rows.list_thresholds(v, thresholds[v]);
  heap.open(thresholds, rows, std::nullopt, costs.leaf);
  heap.replace(runs);
  heap.close_short_sides(costs, rows.n_rows());
  search_thresholds(rows, size, bound, 0, result);
  return result;
}

/// Tries thresholds as roots of deeper trees until none is open.
void OrderedWorker::search_thresholds(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level,
                                      OrderedResult& result) {
  Level& here = this->level(level);
  ThresholdHeap& heap = here.heap;
  here.size = size;
  here.bound = bound;
  here.tried.reset();
  std::atomic<Ticks> best = bound;
  Ticks abandoned = kInfinity;  // bound of the threshold that a stop left half-way
  Ticks relaxed = kInfinity;    // bound of those that were tried
  while (!state_.run.stopped() && result.lower < best.load(std::memory_order_relaxed)) {
    const std::optional<ThresholdTrial> trial = heap.take(problem_, best.load(std::memory_order_relaxed));
    if (!trial) break;
    const sorted::ThresholdBounds tried =
        try_threshold(rows, size, heap.thresholds_of(trial->run.variable), *trial, best, result, level);
    best.store(std::min(best.load(std::memory_order_relaxed), result.cost), std::memory_order_relaxed);
    relaxed = std::min(relaxed, tried.true_side + tried.false_side);
    if (state_.run.stopped()) abandoned = tried.true_side + tried.false_side;
    heap.put_back(trial->run, tried);
  }
  here.is_stopped = state_.run.stopped();
  const Ticks lower = std::min({best.load(std::memory_order_relaxed), abandoned, heap.bound()});
  result.lower = std::max(result.lower, lower);
  result.relaxed = std::max(result.relaxed, std::min(lower, relaxed));
}

/// Bounds the sides of a threshold by pairs of rows before any of them is solved: less is to be solved then, or
/// nothing.
void OrderedWorker::pack_sides(const sorted::SortedRows& rows, const ThresholdTrial& trial, std::uint32_t n_true,
                               int smaller, const std::atomic<Ticks>& best, Level& here, Ticks (&lower)[2]) {
  const auto is_closed = [&] { return lower[0] + lower[1] >= best.load(std::memory_order_relaxed); };
  if (state_.pairs == nullptr || is_closed()) return;
  const std::shared_ptr<const packing::PairOrder> order = state_.pairs->get();
  if (order == nullptr) return;
  if (here.packing_credit.leaves_out()) return;
  for (const int x : {smaller, 1 - smaller}) {
    if (is_closed() || !make_child(rows, trial.run.variable, n_true, x == 1, here.child)) break;
    lower[x] = std::max(lower[x], pair_bound_.of(here.child, *order));
  }
  if (is_closed()) ++n_packed_;
  here.packing_credit.count(is_closed());
}

/// Packs all rows, and closes the thresholds that are not used up.
void OrderedWorker::close_by_slack(const sorted::SortedRows& rows, Ticks best, ThresholdHeap& heap) {
  if (!problem_.uses_slack || state_.pairs == nullptr) return;
  const std::shared_ptr<const packing::PairOrder> order = state_.pairs->get();
  if (order == nullptr) return;
  reserve(heap.growth_by_closing());
  if (state_.run.stopped()) return;
  const Ticks bound = pair_bound_.of(rows, *order);
  n_slack_ += heap.close_if([&](std::uint32_t variable, std::int64_t threshold) {
    return bounds::bound_with_column(bound, pair_bound_.unused(variable, threshold)) >= best;
  });
}

sorted::ThresholdBounds OrderedWorker::try_threshold(const sorted::SortedRows& rows, TreeSize size,
                                                     const std::vector<sorted::Threshold>& thresholds,
                                                     const ThresholdTrial& trial, const std::atomic<Ticks>& best,
                                                     OrderedResult& result, std::size_t level) {
  const sorted::OpenThresholds& run = trial.run;
  const sorted::LeafCosts& costs = problem_.costs;
  Level& here = this->level(level);
  here.tried = {run.variable, run.low, run.high, trial.threshold, trial.threshold};
  here.bounds = {trial.threshold, costs.leaf, costs.leaf};
  OrderedResult(&side)[2] = here.side;
  side[0] = side[1] = {};
  sorted::ThresholdBounds& tried = here.bounds;
  // What the neighbors prove of this threshold may leave only one side to solve, or none.
  if (problem_.closes_thresholds) {
    tried.true_side = run.true_bound(thresholds, costs.error_cost, trial.threshold);
    tried.false_side = run.false_bound(thresholds, costs.error_cost, trial.threshold);
  }
  const std::uint32_t n_true = thresholds[static_cast<std::size_t>(trial.threshold)].n_rows;
  const bool has_leaves = costs.has_leaves(n_true, rows.n_rows());
  Ticks lower[2] = {tried.false_side, tried.true_side};
  // The smaller side first: it is cheaper, and whatever it costs lowers the bound of the larger one.
  const int smaller = 2 * n_true <= rows.n_rows() ? 1 : 0;
  pack_sides(rows, trial, n_true, smaller, best, here, lower);
  tried.false_side = lower[0];
  tried.true_side = lower[1];
  for (const int x : {smaller, 1 - smaller}) {
    const Ticks best_now = best.load(std::memory_order_relaxed);
    if (lower[0] + lower[1] >= best_now || !make_child(rows, run.variable, n_true, x == 1, here.child)) break;
    here.last_side = x == 1;
    // A larger bound than this threshold needs: what is proven beyond the best tree closes neighboring thresholds.
    const Ticks more = asks_little_ ? 0 : best_now;
    side[x] = solve(here.child, {size.depth - 1, size.leaves - 1}, best_now + more - lower[1 - x], level + 1);
    Ticks& relaxed = x == 1 ? tried.true_side : tried.false_side;
    relaxed = std::max(relaxed, side[x].relaxed);
    lower[x] = std::max(lower[x], has_leaves ? side[x].lower : relaxed);
  }
  if (!has_leaves || side[0].cost + side[1].cost >= best.load(std::memory_order_relaxed)) return tried;
  if (count_leaves(side[0].preorder) + count_leaves(side[1].preorder) > size.leaves) {
    share_leaves(rows, size, run.variable, n_true, side, best, result, level);
  } else {
    result.cost = side[0].cost + side[1].cost;
    result.preorder = join(rows.split_behind(run.variable, n_true), side[1].preorder, side[0].preorder);
  }
  return tried;
}

/// The best trees of the two sides of a threshold have too many leaves together: finds the best way to share them.
void OrderedWorker::share_leaves(const sorted::SortedRows& rows, TreeSize size, std::uint32_t variable,
                                 std::uint32_t n_true, const OrderedResult (&side)[2], const std::atomic<Ticks>& best,
                                 OrderedResult& result, std::size_t level) {
  sorted::SortedRows& child = this->level(level).child;
  const std::uint32_t n_leaves[2] = {count_leaves(side[0].preorder), count_leaves(side[1].preorder)};
  const auto best_now = [&] { return std::min(best.load(std::memory_order_relaxed), result.cost); };
  // More leaves gain a side nothing, and fewer are of no use to the other side.
  const std::uint32_t least = size.leaves - n_leaves[0], most = n_leaves[1];
  std::vector<OrderedResult> true_side;
  if (!make_child(rows, variable, n_true, true, child)) return;
  for (std::uint32_t n = least; n < most; ++n)
    true_side.push_back(solve(child, {size.depth - 1, n}, best_now() - side[0].lower, level + 1));
  true_side.push_back(side[1]);
  if (!make_child(rows, variable, n_true, false, child)) return;
  for (std::uint32_t n = least; n <= most; ++n) {
    const OrderedResult& here = true_side[n - least];
    if (here.cost + side[0].lower >= best_now()) continue;
    const OrderedResult other =
        n == least ? side[0] : solve(child, {size.depth - 1, size.leaves - n}, best_now() - here.cost, level + 1);
    if (here.cost + other.cost >= best_now()) continue;
    result.cost = here.cost + other.cost;
    result.preorder = join(rows.split_behind(variable, n_true), here.preorder, other.preorder);
  }
}

bool OrderedWorker::can_narrow(const sorted::SortedRows& rows) const {
  if (!problem_.closes_thresholds || rows.n_rows() < kLeastNarrowedRows) return false;
  if (!sorted::ThreeLevelRoots::suits(rows, problem_.size.leaves)) return false;
  const auto& limit = state_.run.limits().bytes;
  return !limit || state_.bytes.load(std::memory_order_relaxed) + sorted::ThreeLevelRoots::bytes_for(rows) < *limit;
}

std::vector<sorted::OpenThresholds> OrderedWorker::narrow(const sorted::SortedRows& rows,
                                                          const std::vector<std::vector<sorted::Threshold>>& thresholds,
                                                          const sorted::ThreeLevelRoots::Incumbent& incumbent) {
  reserve(sorted::ThreeLevelRoots::bytes_for(rows));
  sorted::ThreeLevelRoots roots(problem_.costs, kernels::kernels(), meter_);
  std::vector<sorted::OpenThresholds> runs = roots.narrow(rows, thresholds, incumbent);
  n_narrowed_ += roots.n_closed();
  return runs;
}

OrderedResult OrderedWorker::complete(const sorted::SortedRows& rows, const sorted::UpperSplits& splits) {
  const bool was_cut = is_cut_;
  // The root's side and one of its own are held at a time.
  sorted::SortedRows side_rows;
  OrderedResult side[2];
  for (int x = 0; x < 2; ++x) {
    if (!make_child(rows, splits.root.variable, rows.n_true_by(splits.root), x == 1, side_rows)) return {};
    if (!splits.below[x]) {
      side[x] = solve(side_rows, {1, 2}, kInfinity);
      continue;
    }
    sorted::SortedRows rows_below;
    OrderedResult below[2];
    for (int y = 0; y < 2; ++y) {
      if (!make_child(side_rows, splits.below[x]->variable, side_rows.n_true_by(*splits.below[x]), y == 1, rows_below))
        return {};
      below[y] = solve(rows_below, {1, 2}, kInfinity);
    }
    side[x].cost = below[0].cost + below[1].cost;
    side[x].preorder = join(*splits.below[x], below[1].preorder, below[0].preorder);
  }
  is_cut_ = was_cut;
  return {0, side[0].cost + side[1].cost, join(splits.root, side[1].preorder, side[0].preorder)};
}

/// False if stopped, possibly because there is not enough memory.
bool OrderedWorker::make_child(const sorted::SortedRows& rows, std::uint32_t variable, std::uint32_t n_true, bool side,
                               sorted::SortedRows& child) {
  const std::uint64_t needed = rows.bytes_of(side ? n_true : rows.n_rows() - n_true);
  if (needed > child.bytes()) reserve(needed - child.bytes());
  return !state_.run.stopped() && rows.make_child(variable, n_true, side, child, number_, meter_);
}

}  // namespace hornbeam::ordered
