// ordered/ordered_worker.hpp
//
// WHAT    One thread of the ordered search: solves subproblems by recursion.
// FLOW    ordered/ordered_search, ordered/shared_root -> here -> sorted/two_level_thresholds at the lowest two levels.
// HOLDS   (W1) `lower` of a result never exceeds the cost of any tree of the allowed depth that costs less than
//         `bound`, even after a stop.
//         (W2) What the table says of a subproblem holds for every bound, so a lower bound proven below `bound` is kept
//         as at most `bound`.
//         (W3) With a reference, (W1) holds for trees that lose on each row at least as much as the reference, which
//         is what bounds/reference.hpp promises: a threshold's sides are added up, and its neighbors bound them by
//         subsets and by rows that count in full. No bound of one side comes from that of both.
//         (W4) `relaxed` of a result is as `lower`, but of trees whose leaves may have any number of rows. It alone
//         bounds the neighbors of a threshold (sorted/open_thresholds.hpp), so a threshold with too few rows on a side
//         is tried, too, unless it is at the root.
//         (W5) The memory that all threads use and have reserved stays within the limit, or the search stops.
// COST    A subproblem costs its rows x variables for each threshold tried, whatever the number of thresholds.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <utility>

#include "base/bounds.hpp"
#include "ordered/ordered_problem.hpp"
#include "ordered/ordered_table.hpp"
#include "ordered/pair_bound.hpp"
#include "ordered/preorder_tree.hpp"
#include "ordered/threshold_heap.hpp"
#include "packing/near_pairs.hpp"
#include "packing/packing_credit.hpp"
#include "run/latest.hpp"
#include "run/run.hpp"
#include "sorted/three_level_roots.hpp"
#include "sorted/two_level_thresholds.hpp"

namespace hornbeam::ordered {

/// The state shared by the threads of one search, except for the root, which is in ordered/shared_root.hpp.
struct OrderedState {
  OrderedState(run::Run& of_search, OrderedTable& of_problem)
      : run(of_search), table(of_problem), bytes(of_problem.bytes()) {}

  run::Run& run;
  OrderedTable& table;
  std::atomic<std::uint64_t>& bytes;  // used or reserved
  std::atomic<std::uint64_t> n_subproblems{0};
  const run::Latest<packing::PairOrder>* pairs = nullptr;  // of all rows, if they get packed
  std::atomic<bool> has_guessed{false};                    // whether the reference has replaced a bound

  void check_memory() { run.check(bytes.load(std::memory_order_relaxed)); }
};

class OrderedWorker {
 public:
  /// `on_poll` is called whenever much work was done.
  OrderedWorker(const OrderedProblem& problem, OrderedState& state, std::function<void()> on_poll);

  /// The best tree of at most this size among those that cost less than `bound`, below so many splits.
  OrderedResult solve(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level = 0);

  /// Solves the sides of a threshold as far as it takes to know whether a tree of this size with the threshold as its
  /// root costs less than `best`, which another thread may lower meanwhile.
  sorted::ThresholdBounds try_threshold(const sorted::SortedRows& rows, TreeSize size,
                                        const std::vector<sorted::Threshold>& thresholds, const ThresholdTrial& trial,
                                        const std::atomic<Ticks>& best, OrderedResult& result, std::size_t level = 0);

  /// Whether `narrow` is worth its time, and has the memory.
  bool can_narrow(const sorted::SortedRows& rows) const;
  /// The runs of thresholds that may be roots of better trees of three levels.
  std::vector<sorted::OpenThresholds> narrow(const sorted::SortedRows& rows,
                                             const std::vector<std::vector<sorted::Threshold>>& thresholds,
                                             const sorted::ThreeLevelRoots::Incumbent& incumbent);
  /// The best tree with these splits and any ones below them.
  OrderedResult complete(const sorted::SortedRows& rows, const sorted::UpperSplits& splits);

  run::WorkMeter& meter() { return meter_; }
  Counters counters() const;
  /// Whether to prove of the sides of a threshold only what the threshold needs, rather than what closes its neighbors,
  /// too.
  void ask_little(bool asks_little) { asks_little_ = asks_little; }
  /// Whether a deeper tree might cost less than asked for in some subproblem since the last call.
  bool was_cut_by_depth() { return std::exchange(is_cut_, false); }
  /// Tells the others what this thread holds and has done.
  void publish();
  /// The same, once it is not used any more and what it holds is about to be freed.
  void retire();

  /// What one level of the recursion works with, kept from one subproblem to the next. A stop leaves it as it is, so
  /// that another search can go on there.
  struct Level {
    ThresholdHeap heap;
    sorted::SortedRows child;  // the rows of the side that is or was solved last
    TreeSize size;
    Ticks bound = 0;
    std::optional<sorted::OpenThresholds> tried;  // the threshold that is tried, alone
    sorted::ThresholdBounds bounds{};             // what is proven of it
    OrderedResult side[2];                        // of its sides, as far as they are solved
    bool last_side = false;                       // the side that is or was solved last
    packing::PackingCredit packing_credit{8, 4};
    bool is_stopped = false;  // while its thresholds were searched
  };
  /// The root, then the side that was being solved last at each level, down to where `is_stopped` does not hold.
  const std::deque<Level>& levels() const { return levels_; }

  /// Goes on with the thresholds of the rows that are left, for trees below the root that cost less than `bound`.
  OrderedResult search(const sorted::SortedRows& rows, TreeSize size, Ticks bound,
                       const std::vector<sorted::OpenThresholds>& runs);
  /// All thresholds of each variable of the rows that `solve` was last called with, if it tried trees of two levels.
  std::vector<std::vector<sorted::Threshold>>& two_level_thresholds() { return two_levels_.thresholds(); }

 private:
  Level& level(std::size_t number);
  void pack_sides(const sorted::SortedRows& rows, const ThresholdTrial& trial, std::uint32_t n_true, int smaller,
                  const std::atomic<Ticks>& best, Level& here, Ticks (&lower)[2]);
  void close_by_slack(const sorted::SortedRows& rows, Ticks best, ThresholdHeap& heap);
  void solve_two_levels(const sorted::SortedRows& rows, TreeSize size, std::uint32_t depth, Ticks bound,
                        OrderedResult& result);
  void solve_known(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level,
                   OrderedResult& result);
  void solve_deeper(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level,
                    OrderedResult& result);
  void search_thresholds(const sorted::SortedRows& rows, TreeSize size, Ticks bound, std::size_t level,
                         OrderedResult& result);
  void share_leaves(const sorted::SortedRows& rows, TreeSize size, std::uint32_t variable, std::uint32_t n_true,
                    const OrderedResult (&side)[2], const std::atomic<Ticks>& best, OrderedResult& result,
                    std::size_t level);
  bool make_child(const sorted::SortedRows& rows, std::uint32_t variable, std::uint32_t n_true, bool side,
                  sorted::SortedRows& child);
  void reserve(std::uint64_t more);
  void announce(std::uint64_t bytes);
  std::uint64_t bytes() const;

  const OrderedProblem& problem_;
  OrderedState& state_;
  run::WorkMeter meter_;
  sorted::TwoLevelThresholds two_levels_;
  std::deque<Level> levels_;  // by splits above; they stay where they are
  std::vector<std::uint32_t> number_;
  PairBound pair_bound_;
  std::uint64_t n_subproblems_ = 0;  // since the last `publish`
  std::uint64_t n_two_levels_ = 0, n_known_ = 0, n_packed_ = 0, n_slack_ = 0, n_guessed_ = 0, n_narrowed_ = 0;
  std::uint64_t announced_bytes_ = 0;
  bool is_cut_ = false, asks_little_ = false;
};

}  // namespace hornbeam::ordered
