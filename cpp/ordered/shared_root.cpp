#include "ordered/shared_root.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

#include "bounds/reference.hpp"

namespace hornbeam::ordered {

namespace {

/// How long a thread without a threshold sleeps before it checks the clock and the stop signal.
constexpr std::chrono::milliseconds kLongestSleep{2};

Ticks cost_of_leaf(const OrderedProblem& problem) {
  const std::vector<std::int64_t>& weights = problem.rows.weights;
  std::vector<std::int64_t> gain(problem.rows.n_sums, 0);
  for (std::uint32_t row = 0; row < problem.rows.n_rows(); ++row) problem.rows.add(row, gain.data());
  return problem.costs.leaf_cost(
      problem.rows.loss(std::accumulate(weights.begin(), weights.end(), std::int64_t{0}), gain));
}

/// What costs beyond the cutoff begin with, at least 1.
Ticks first_beyond_cutoff(const OrderedProblem& problem, const run::Run& run) {
  const std::optional<Ticks>& cutoff = run.limits().cutoff;
  return cutoff ? std::max<Ticks>(1, *cutoff + 1 - problem.rows.floor) : kInfinity;
}

}  // namespace

SharedRoot::SharedRoot(const OrderedProblem& problem, OrderedState& state, std::uint32_t n_threads)
    : problem_(problem),
      state_(state),
      cost_(cost_of_leaf(problem)),
      best_(std::min(cost_, first_beyond_cutoff(problem, state.run))),
      asked_(best()),
      sure_lower_(std::min(best(), problem.costs.leaf)),
      lower_(sure_lower_),
      in_flight_(n_threads, kInfinity),
      tried_(n_threads) {}

bool SharedRoot::sort_rows(run::WorkMeter& meter) {
  const data::OrderedColumns& columns = problem_.columns;
  announce(sizeof(std::uint32_t) * std::uint64_t{columns.n_rows} * (columns.n_variables() + std::uint64_t{3}));
  const bool is_sorted = !meter.stopped() && rows_.sort(columns, problem_.rows, meter);
  announce(rows_.bytes());
  return is_sorted;
}

std::uint64_t SharedRoot::bytes() const {
  std::uint64_t bytes = rows_.bytes() + heap_.bytes();
  for (const std::vector<sorted::ThresholdBounds>& known : known_) bytes += sizeof(known[0]) * known.capacity();
  return bytes;
}

void SharedRoot::announce(std::uint64_t bytes) {
  state_.bytes.fetch_add(bytes - std::exchange(announced_bytes_, bytes), std::memory_order_relaxed);
  state_.check_memory();
}

SharedRoot::Interval SharedRoot::interval() const {
  const std::lock_guard lock(mutex_);
  return {lower_, cost_, count_leaves(preorder_)};
}

Counters SharedRoot::counters() const {
  Counters all;
  all.similarity = heap_.n_closed();
  all.helpers = n_by_helpers_;
  return all;
}

void SharedRoot::improve(OrderedResult& found) {
  if (found.cost >= cost_) return;
  cost_ = found.cost;
  best_.store(std::min(best(), cost_), std::memory_order_relaxed);
  ask();
  preorder_ = std::move(found.preorder);
}

void SharedRoot::ask() { asked_.store(std::min(best(), goal_), std::memory_order_relaxed); }

/// A bound of the trees up to some depth is one of all trees if deeper ones cannot cost less than the best.
void SharedRoot::raise_lower(Ticks bound, std::uint32_t depth) {
  if (!may_gain(depth + 1)) lower_ = std::max(lower_, std::min(bound, std::min(best(), goal_)));
}

void SharedRoot::learn(OrderedResult found, std::uint32_t depth) {
  depth_ = depth;
  improve(found);
  raise_lower(found.lower, depth);
}

void SharedRoot::adopt(const tree::ResultTree& tree) {
  const std::lock_guard lock(mutex_);
  OrderedResult found{0, tree.cost - problem_.rows.floor, preorder_of(tree, problem_.columns)};
  improve(found);
}

void SharedRoot::open(std::uint32_t depth, std::vector<std::vector<sorted::Threshold>>& thresholds) {
  lower_ = std::max(lower_, bound_of_deeper_trees(depth_, problem_.costs.leaf, best()));
  depth_ = depth;
  const bool has_root = preorder_.front().kind == PreorderNode::Kind::split;
  heap_.open(thresholds, rows_, has_root ? std::optional(preorder_.front().split) : std::nullopt, problem_.costs.leaf);
  heap_.close_short_sides(problem_.costs, rows_.n_rows());
  announce(bytes());
}

void SharedRoot::go_on(const Open& earlier) {
  const std::lock_guard lock(mutex_);
  is_left_ = false;
  goal_ = kInfinity;
  ask();
  depth_ = earlier.depth;
  heap_.replace(earlier.runs);
}

void SharedRoot::open_step(Ticks step) {
  const std::lock_guard lock(mutex_);
  is_left_ = false;
  goal_ = std::min(best(), lower_ + step);
  ask();
  depth_ = useful_depth();
  known_.resize(rows_.n_variables());
  heap_.reopen(known_, problem_.costs.leaf);
  heap_.close_short_sides(problem_.costs, rows_.n_rows());
  announce(bytes());
}

/// What is proven of a threshold holds for trees of any useful depth, so a later step begins with it.
void SharedRoot::keep(std::uint32_t variable, const sorted::ThresholdBounds& tried) {
  std::vector<sorted::ThresholdBounds>& known = known_[variable];
  const auto at =
      std::lower_bound(known.begin(), known.end(), tried.index,
                       [](const sorted::ThresholdBounds& one, std::int64_t index) { return one.index < index; });
  if (at != known.end() && at->index == tried.index)
    *at = tried;
  else
    known.insert(at, tried);
}

void SharedRoot::narrow(OrderedWorker& worker) {
  const sorted::ThreeLevelRoots::Incumbent incumbent{[this] { return best(); },
                                                     [&](const sorted::UpperSplits& splits) {
                                                       OrderedResult found = worker.complete(rows_, splits);
                                                       const std::lock_guard lock(mutex_);
                                                       improve(found);
                                                     }};
  const std::vector<sorted::OpenThresholds> runs = worker.narrow(rows_, heap_.thresholds(), incumbent);
  const std::lock_guard lock(mutex_);
  heap_.replace(runs);
  heap_.close_short_sides(problem_.costs, rows_.n_rows());
}

SharedRoot::Open SharedRoot::open_now() const {
  const std::lock_guard lock(mutex_);
  Open now{depth_, lower_, best(), heap_.open_runs()};
  for (const std::optional<sorted::OpenThresholds>& run : tried_)
    if (run) now.runs.push_back(*run);
  return now;
}

Ticks SharedRoot::bound_in_flight() const { return *std::min_element(in_flight_.begin(), in_flight_.end()); }

/// What the reference loses on all rows.
Ticks SharedRoot::reference_loss() const { return problem_.costs.error_cost * rows_.reference_loss(); }

/// Whether some tree is as good as the reference.
bool SharedRoot::is_guessed() const {
  return rows_.reference_loss() > 0 && best() <= bounds::guessed_bound(problem_.costs.leaf, reference_loss());
}

Ticks SharedRoot::lower_after_guesses(bool is_done) const {
  return is_done ? std::max(sure_lower_, bounds::bound_after_guesses(best(), reference_loss())) : sure_lower_;
}

/// The next threshold for a thread.
std::optional<ThresholdTrial> SharedRoot::take(std::uint32_t thread) {
  if (is_guessed()) return std::nullopt;
  std::optional<ThresholdTrial> trial = heap_.take(problem_, asked_.load(std::memory_order_relaxed));
  if (trial) {
    in_flight_[thread] = trial->run.bound();
    tried_[thread] = trial->run;
  }
  return trial;
}

void SharedRoot::work(OrderedWorker& worker, std::uint32_t thread, const std::function<void()>& between) {
  std::unique_lock lock(mutex_);
  while (true) {
    raise_lower(std::min(heap_.bound(), bound_in_flight()), depth_);
    lock.unlock();
    between();
    lock.lock();
    if (state_.run.stopped() || is_left()) return;
    const std::optional<ThresholdTrial> trial = take(thread);
    if (!trial) {
      // A threshold in progress may leave runs on both sides of it, so only when all threads are idle is the depth
      // done.
      if (bound_in_flight() == kInfinity) break;
      changed_.wait_for(lock, kLongestSleep);
      continue;
    }
    lock.unlock();
    OrderedResult found;
    const sorted::ThresholdBounds tried = worker.try_threshold(
        rows_, {depth_, problem_.size.leaves}, heap_.thresholds_of(trial->run.variable), *trial, asked_, found);
    lock.lock();
    in_flight_[thread] = state_.run.stopped() ? tried.true_side + tried.false_side : kInfinity;
    if (state_.run.stopped())
      tried_[thread]->first = tried_[thread]->last = trial->threshold;  // the others are put back
    else
      tried_[thread].reset();
    improve(found);
    if (thread != 0) ++n_by_helpers_;
    heap_.put_back(trial->run, tried);
    if (goal_ < kInfinity) keep(trial->run.variable, tried);
    announce(bytes());
    changed_.notify_all();
  }
  raise_lower(kInfinity, depth_);
}

}  // namespace hornbeam::ordered
