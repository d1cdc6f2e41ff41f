// run/run.hpp
//
// WHAT    One run of a search: its clock, its limits, the stop signal that its threads share, the trace, the outcome.
// FLOW    api makes a Run -> every search spends work from its WorkMeter (one per thread) and reports its progress.
// HOLDS   (R1) A search is stopped in one way: some thread calls `stop`, the first reason counts, and every thread
//         notices by `WorkMeter::spend` or is unwound by `Stopped`. (R2) A stop leaves every interval valid, though not
//         closed. (R3) Only the calling thread reports, and so calls the callback.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "run/limits.hpp"
#include "run/outcome.hpp"

namespace hornbeam::run {

class Checkpoint;  // run/checkpoint.hpp

/// Unwinds a stopped search to the last place that has a result.
struct Stopped {};

/// Called with the progress several hundred times a second; returns true to stop the search.
using OnPoll = std::function<bool(const Progress&)>;

class Run {
 public:
  /// Starts the clock.
  explicit Run(SearchLimits limits = {}, OnPoll on_poll = {});

  const SearchLimits& limits() const { return limits_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Null if the search saves nothing.
  Checkpoint* checkpoint() const { return checkpoint_; }
  void use(Checkpoint& checkpoint) { checkpoint_ = &checkpoint; }

  // For any thread:
  bool stopped() const { return state_.load(std::memory_order_relaxed) != kRunning; }
  void stop(Status why) {
    int running = kRunning;
    state_.compare_exchange_strong(running, static_cast<int>(why), std::memory_order_relaxed);
  }
  std::optional<Status> reason() const;
  /// Checks the clock, and the bytes in use or about to be used against the limit. False if stopped.
  bool check(std::uint64_t bytes = 0);

  // For the calling thread:
  /// Before there is progress to report: also checks for an interrupt periodically. Throws Stopped if stopped.
  void require(std::uint64_t bytes = 0);
  /// The lower bound `proven`, or the one that the caller knows; a tree that costs `upper` may refute that.
  Ticks lower_with_known(Ticks proven, Ticks upper) const {
    return limits_.known_lower && *limits_.known_lower <= upper ? std::max(proven, *limits_.known_lower) : proven;
  }
  /// The one poll: clock, memory, trace, known bound, gap and callback.
  void report(Progress now);
  /// Adds a line to the trace, even if nothing has changed.
  void add_line(Progress now);
  /// Counts bytes that were in use between two reports.
  void count_bytes(std::uint64_t bytes) { most_bytes_ = std::max(most_bytes_, bytes); }
  /// Why the search ended: with a proof; on its own without one, with the status `finished`; or by a stop.
  Status status(bool is_proven, std::optional<Status> finished = std::nullopt) const;
  /// Reports for the last time. The tree has its cost; the bound is what the search has proven.
  Outcome finish(tree::ResultTree tree, const Progress& last, const Counters& counters = {},
                 std::uint64_t n_table_entries = 0, std::optional<Status> finished = std::nullopt);

  /// Works until done or stopped; running out of memory is a limit like any other.
  template <class Work>
  void guard(Work work) {
    try {
      work();
    } catch (const Stopped&) {
    } catch (const std::bad_alloc&) {
      stop(Status::memory_limit);
      int proven = static_cast<int>(Status::optimal);  // but the tree is lost
      state_.compare_exchange_strong(proven, static_cast<int>(Status::memory_limit), std::memory_order_relaxed);
    }
  }

  /// Works until done, or stopped: then it returns false. Running out of memory is an error, since nothing is left.
  template <class Work>
  bool finishes(Work work) {
    try {
      work();
      return true;
    } catch (const Stopped&) {
      return false;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kRunning = -1;

  const SearchLimits limits_;
  const OnPoll on_poll_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<int> state_{kRunning};
  Checkpoint* checkpoint_ = nullptr;
  double interrupt_checked_ = 0;  // when `limits_.interrupted` was called
  std::uint64_t most_bytes_ = 0;
  std::vector<Progress> trace_;
};

/// Counts the work of one thread, which polls after every so much of it.
class WorkMeter {
 public:
  explicit WorkMeter(Run& run, std::uint64_t work_between_polls = ~std::uint64_t{0}, std::function<void()> poll = {})
      : run_(run), work_between_polls_(work_between_polls), poll_(std::move(poll)) {}

  /// False if the search has to stop.
  bool spend(std::uint64_t work) {
    spent_ += work;
    if (spent_ - polled_ >= work_between_polls_) poll();
    return !run_.stopped();
  }
  /// The same by an exception.
  void require(std::uint64_t work) {
    if (!spend(work)) throw Stopped{};
  }
  /// Adds work without a poll, which comes with the next `spend`.
  void add(std::uint64_t work) { spent_ += work; }
  void poll() {
    polled_ = spent_;
    poll_();
  }
  std::uint64_t spent() const { return spent_; }
  bool stopped() const { return run_.stopped(); }

 private:
  Run& run_;
  const std::uint64_t work_between_polls_;
  const std::function<void()> poll_;
  std::uint64_t spent_ = 0, polled_ = 0;
};

}  // namespace hornbeam::run
