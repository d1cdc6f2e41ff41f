#include "ordered/ordered_search.hpp"

#include <algorithm>
#include <deque>

#include "ordered/ordered_worker.hpp"
#include "ordered/preorder_tree.hpp"
#include "ordered/shared_root.hpp"
#include "run/threads.hpp"

namespace hornbeam::ordered {

namespace {

/// Up to this, every depth is solved; then only depths that double, since few subproblems are that deep.
constexpr std::uint32_t kMostSmallDepth = 4;

class OrderedSearch {
 public:
  OrderedSearch(const OrderedProblem& problem, run::Run& run, primal::Companion* companion,
                const tree::ResultTree* start)
      : problem_(problem), run_(run), companion_(companion), state_{run}, root_(problem, state_, run.limits().threads) {
    state_.bytes = problem_.rows.bytes_of_gains();
    if (companion_ != nullptr) companion_->on_poll([this] { report(); });
    if (start != nullptr) root_.adopt(*start);
    workers_.emplace_back(problem_, state_, [this] {
      report();
      find_better_tree();
    });
  }

  run::Outcome run() {
    report();
    const bool is_sorted = root_.sort_rows(workers_.front().meter());
    if (is_sorted) {
      report();
      find_better_tree();
      run_.guard([this] {
        solve_every_depth();
        is_done_ = !run_.stopped();
      });
    } else if (companion_ == nullptr || companion_->n_found() == 0) {
      throw run::Stopped{};
    }
    Counters counters = root_.counters();
    for (OrderedWorker& worker : workers_) {
      worker.publish();
      counters += worker.counters();
    }
    if (companion_ != nullptr) counters.primal = companion_->n_found();
    workers_.clear();
    tree::ResultTree tree = is_sorted
                                ? read_preorder_tree(root_.rows(), root_.preorder(), problem_.columns, problem_.costs)
                                : companion_->tree();
    const run::Progress last = progress();
    if (is_sorted) tree.cost = last.upper;
    const run::Status unless_proven = run_.limits().cutoff ? run::Status::cutoff : run::Status::guessed;
    return run_.finish(std::move(tree), last, counters, state_.table.size(),
                       is_done_ ? std::optional(unless_proven) : std::nullopt);
  }

 private:
  /// Smaller depths are solved first, so that there is a good tree when a limit stops the search. The last depth is the
  /// one that no better tree exceeds, or that no subproblem reached.
  void solve_every_depth() {
    OrderedWorker& worker = workers_.front();
    // Depth two is solved as a whole, not threshold by threshold; it also lists the thresholds for the next depth.
    std::uint32_t depth = std::min(2u, problem_.size.depth);
    root_.learn(worker.solve(root_.rows(), {depth, problem_.size.leaves}, root_.best()), depth);
    worker.was_cut_by_depth();
    while (!run_.stopped() && root_.may_gain(++depth)) {
      if (depth > kMostSmallDepth) depth = std::min(root_.useful_depth(), 2 * (depth - 1));
      root_.open(depth, depth == 3 ? worker.two_level_thresholds() : root_.thresholds());
      const std::uint32_t n_threads = run_.limits().threads;
      while (workers_.size() < n_threads) workers_.emplace_back(problem_, state_, [] {});
      run::on_threads(run_, n_threads, [this](std::uint32_t i) {
        root_.work(workers_[i], i, [this, i] {
          if (i == 0) report();
        });
      });
      bool is_cut = run_.stopped();
      for (OrderedWorker& each : workers_) is_cut |= each.was_cut_by_depth();
      if (!is_cut) return root_.close();
    }
  }

  run::Progress progress() const {
    const auto [lower, upper, n_leaves] = root_.interval();
    // What the search proves excludes what every tree loses.
    const Ticks floor = problem_.rows.floor;
    const bool has_guessed = state_.has_guessed.load(std::memory_order_relaxed);
    return {upper + floor, (has_guessed ? root_.lower_after_guesses(is_done_) : lower) + floor,
            state_.n_subproblems.load(std::memory_order_relaxed), state_.bytes.load(std::memory_order_relaxed),
            n_leaves};
  }

  void find_better_tree() {
    if (companion_ == nullptr) return;
    const std::uint64_t bytes_before = companion_->bytes();
    const bool is_better =
        companion_->improve(workers_.front().meter().spent(), state_.bytes.load(std::memory_order_relaxed));
    state_.bytes.fetch_add(companion_->bytes() - bytes_before, std::memory_order_relaxed);
    if (is_better) root_.adopt(companion_->tree());
  }

  void report() { run_.report(progress()); }

  const OrderedProblem& problem_;
  run::Run& run_;
  primal::Companion* const companion_;
  OrderedState state_;
  SharedRoot root_;
  std::deque<OrderedWorker> workers_;  // they stay where they are
  bool is_done_ = false;
};

}  // namespace

run::Outcome search_ordered(const OrderedProblem& problem, run::Run& run, primal::Companion* companion,
                            const tree::ResultTree* start) {
  return OrderedSearch(problem, run, companion, start).run();
}

}  // namespace hornbeam::ordered
