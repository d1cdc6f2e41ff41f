// ordered/shared_root.hpp
//
// WHAT    What is known of the whole problem, its best tree and its bound, and the thresholds of its rows, which all
//         threads try as roots of trees of one depth.
// FLOW    ordered/ordered_search opens a depth -> every thread calls `work` -> ordered/ordered_worker for each
//         threshold.
// HOLDS   (R1) `lower` never exceeds the cost of any tree of the problem's depth, `upper` is that of `preorder`: a
//         threshold in progress contributes the bound it had when the thread took it.
//         (R2) One mutex guards all that changes, except for the best cost, which may be read at any time. No thread
//         holds the mutex while it tries a threshold or calls back.
// COST    The mutex is locked a few times per threshold, which takes from a tenth of a millisecond to seconds. The last
//         thresholds of a depth leave threads idle: a depth has about ten to a thousand thresholds, so little is lost
//         with two threads.
// SOURCE  Ours.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "ordered/ordered_worker.hpp"
#include "ordered/preorder_tree.hpp"
#include "ordered/threshold_heap.hpp"

namespace hornbeam::ordered {

class SharedRoot {
 public:
  struct Interval {
    Ticks lower, upper;
    std::uint32_t n_leaves;  // of the tree that costs `upper`
  };

  SharedRoot(const OrderedProblem& problem, OrderedState& state, std::uint32_t n_threads);

  // Down to `may_gain`: for the calling thread, while no other one works.
  /// False if stopped before the rows are in order.
  bool sort_rows(run::WorkMeter& meter);
  const sorted::SortedRows& rows() const { return rows_; }
  /// Adopts a result on trees of at most this depth.
  void learn(OrderedResult found, std::uint32_t depth);
  /// Adopts a tree that was found elsewhere, at any time.
  void adopt(const tree::ResultTree& tree);
  /// Opens all thresholds as roots of trees of this depth, once those of the depth below are known.
  void open(std::uint32_t depth, std::vector<std::vector<sorted::Threshold>>& thresholds);
  std::vector<std::vector<sorted::Threshold>>& thresholds() { return heap_.thresholds(); }
  /// Closes the thresholds that sums of pairs of bins rule out as roots of three levels.
  void narrow(OrderedWorker& worker);
  const PreorderTree& preorder() const { return preorder_; }
  /// Whether trees of this depth may cost less than the best one.
  bool may_gain(std::uint32_t depth) const { return depth <= useful_depth(); }
  /// The largest depth of a tree that may.
  std::uint32_t useful_depth() const { return is_guessed() ? 0 : problem_.useful_depth(best()); }
  /// No tree costs less than it has to.
  void close() { lower_ = best(); }

  /// Opens all thresholds as roots of trees of any useful depth that cost less than the bound and `step` more. What
  /// such steps prove of thresholds is kept for the next one. `leave` ends the search of one depth for it.
  void open_step(Ticks step);
  void leave() { is_left_.store(true, std::memory_order_relaxed); }
  bool is_left() const { return is_left_.load(std::memory_order_relaxed); }

  /// Tries thresholds until none is left, the search is left or it is stopped. `between` is called between two
  /// thresholds, and repeatedly while there is none to try but other threads may still return some.
  void work(OrderedWorker& worker, std::uint32_t thread, const std::function<void()>& between);

  /// What a later search needs to go on with the thresholds of this depth; at any time.
  struct Open {
    std::uint32_t depth = 0;
    Ticks lower = 0, best = 0;
    std::vector<sorted::OpenThresholds> runs;
  };
  Open open_now() const;
  PreorderTree best_preorder() const {
    const std::lock_guard lock(mutex_);
    return preorder_;
  }
  /// Adopts a bound that was proven elsewhere, at any time.
  void adopt_lower(Ticks lower) {
    const std::lock_guard lock(mutex_);
    lower_ = std::max(lower_, std::min(lower, best()));
  }
  bool is_closed() const {
    const std::lock_guard lock(mutex_);
    return lower_ >= best();
  }
  /// Goes on with these runs in place of those that are open.
  void go_on(const Open& earlier);

  Interval interval() const;
  /// What a tree has to cost less than: the best one, and the first cost beyond the cutoff.
  Ticks best() const { return best_.load(std::memory_order_relaxed); }
  /// Once the reference has replaced a bound, `lower` is not proven, but this is.
  Ticks lower_after_guesses(bool is_done) const;
  /// Once no thread works.
  Counters counters() const;

 private:
  Ticks reference_loss() const;
  bool is_guessed() const;
  void improve(OrderedResult& found);
  void ask();
  void keep(std::uint32_t variable, const sorted::ThresholdBounds& tried);
  void raise_lower(Ticks bound, std::uint32_t depth);
  std::optional<ThresholdTrial> take(std::uint32_t thread);
  Ticks bound_in_flight() const;
  std::uint64_t bytes() const;
  void announce(std::uint64_t bytes);

  const OrderedProblem& problem_;
  OrderedState& state_;
  sorted::SortedRows rows_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Ticks cost_;                // of `preorder_`
  std::atomic<Ticks> best_;   // that or, if it is less, the first cost beyond the cutoff
  Ticks goal_ = kInfinity;    // of a step
  std::atomic<Ticks> asked_;  // the least of both
  const Ticks sure_lower_;    // whatever is guessed
  Ticks lower_;
  PreorderTree preorder_{{PreorderNode::Kind::leaf}};
  ThresholdHeap heap_;
  std::uint32_t depth_ = 0;       // of the trees whose roots are in `heap_`
  std::vector<Ticks> in_flight_;  // bound of the threshold that each thread is trying, or that a stop left unfinished
  std::vector<std::optional<sorted::OpenThresholds>> tried_;  // the runs that these thresholds are from
  // What steps have proven of thresholds, by variable and in their order.
  std::vector<std::vector<sorted::ThresholdBounds>> known_;
  std::atomic<bool> is_left_ = false;
  std::uint64_t announced_bytes_ = 0, n_by_helpers_ = 0;
};

}  // namespace hornbeam::ordered
