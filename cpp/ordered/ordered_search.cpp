#include "ordered/ordered_search.hpp"

#include <deque>
#include <exception>
#include <new>
#include <thread>

#include "ordered/ordered_worker.hpp"
#include "ordered/plan.hpp"
#include "ordered/shared_root.hpp"
#include "run/watch.hpp"

namespace hornbeam {

namespace {

class OrderedSearch {
 public:
  OrderedSearch(const OrderedProblem& problem, const SearchLimits& limits, StopSignal& stop,
                const std::function<bool(const Progress&)>& on_poll)
      : problem_(problem),
        limits_(limits),
        stop_(stop),
        watch_(stop, on_poll, limits.gap),
        state_{stop, limits.bytes},
        root_(problem, state_, limits.threads) {
    workers_.emplace_back(problem_, state_, [this] { poll(); });
  }

  Outcome run() {
    sort_rows();
    try {
      solve_every_depth();
    } catch (const std::bad_alloc&) {
      stop_.stop(Status::memory_limit);
    }
    Outcome outcome;
    outcome.counters = root_.counters();
    for (OrderedWorker& worker : workers_) {
      worker.publish();
      outcome.counters += worker.counters();
    }
    workers_.clear();
    poll();
    const Progress last = progress();
    outcome.tree = read_plan(root_.rows(), root_.plan(), problem_.columns, problem_.costs);
    outcome.tree.cost = last.upper;
    outcome.lower = last.lower;
    const bool proven = last.lower >= last.upper;
    outcome.status = proven ? Status::optimal : stop_.reason().value_or(Status::interrupted);
    outcome.n_subproblems = last.n_subproblems;
    outcome.bytes = last.bytes;  // the largest number, since all is kept for reuse
    outcome.seconds = stop_.elapsed();
    outcome.trace = watch_.take_trace();
    return outcome;
  }

 private:
  void sort_rows() {
    OrderedWorker& worker = workers_.front();
    try {
      poll();
      if (!root_.sort_rows([&worker](std::uint64_t work) { return worker.goes_on(work); })) throw StoppedBeforeSearch{};
      poll();
    } catch (const std::bad_alloc&) {
      stop_.stop(Status::memory_limit);
      throw StoppedBeforeSearch{};
    }
  }

  /// The whole problem is solved for every smaller depth before, so that a stop finds a good tree.
  void solve_every_depth() {
    OrderedWorker& worker = workers_.front();
    std::uint32_t depth = std::min(2u, problem_.depth);
    root_.learn(worker.solve(root_.rows(), depth, root_.interval().upper), depth);
    while (!stop_.stopped() && root_.may_gain(++depth)) {
      root_.open(depth, depth == 3 ? worker.two_level_cuts() : root_.cuts());
      try_cuts_on_all_threads();
    }
  }

  void try_cuts_on_all_threads() {
    while (workers_.size() < limits_.threads) workers_.emplace_back(problem_, state_, [] {});
    std::vector<std::exception_ptr> failures(limits_.threads);
    std::vector<std::thread> others;
    others.reserve(limits_.threads);
    for (std::uint32_t i = 1; i < limits_.threads; ++i) {
      try {
        others.emplace_back([this, i, &failures] { try_cuts(i, [] {}, failures[i]); });
      } catch (const std::exception&) {
        break;  // the machine has no more threads: those that are there do the work
      }
    }
    try_cuts(0, [this] { poll(); }, failures[0]);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

  /// Running out of memory is a limit like any other, anything else a fault to report.
  void try_cuts(std::uint32_t thread, const std::function<void()>& on_step, std::exception_ptr& failure) {
    try {
      root_.work(workers_[thread], thread, on_step);
    } catch (const std::bad_alloc&) {
      stop_.stop(Status::memory_limit);
    } catch (...) {
      failure = std::current_exception();
      stop_.stop(Status::interrupted);
    }
  }

  Progress progress() const {
    const auto [lower, upper, n_leaves] = root_.interval();
    return {stop_.elapsed(),
            upper,
            lower,
            state_.n_subproblems.load(std::memory_order_relaxed),
            state_.bytes.load(std::memory_order_relaxed),
            n_leaves};
  }

  /// Looks at the clock and tells the caller.
  void poll() {
    stop_.check_clock();
    watch_.look(progress());
  }

  const OrderedProblem& problem_;
  const SearchLimits& limits_;
  StopSignal& stop_;
  Watch watch_;
  OrderedState state_;
  SharedRoot root_;
  std::deque<OrderedWorker> workers_;  // they stay where they are
};

}  // namespace

Outcome search_ordered(const OrderedProblem& problem, const SearchLimits& limits, StopSignal& stop,
                       const std::function<bool(const Progress&)>& on_poll) {
  return OrderedSearch(problem, limits, stop, on_poll).run();
}

}  // namespace hornbeam
