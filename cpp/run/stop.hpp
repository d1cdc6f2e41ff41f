// run/stop.hpp
//
// WHAT    Why and when a search ends before its proof: clock, memory, interrupt, or another thread's proof.
// FLOW    Every thread asks `stopped()`; only the calling thread reads the clock and calls back, in `poll`. Where no
//         search polls yet, the calling thread asks `goes_on()`, or `require_running()` where there is no root.
// HOLDS   A stop leaves every interval valid; it only leaves intervals open.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "run/limits.hpp"

namespace hornbeam {

/// Thrown where a stop comes before there is a root to hold a tree.
struct StoppedBeforeSearch {};

class StopSignal {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StopSignal(std::optional<double> seconds) : start_(Clock::now()), limit_(seconds) {}
  explicit StopSignal(const SearchLimits& limits)
      : start_(Clock::now()), limit_(limits.seconds), most_bytes_(limits.bytes), interrupted_(limits.interrupted) {}

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool stopped() const { return state_.load(std::memory_order_relaxed) != kRunning; }
  void check_clock() {
    if (limit_ && elapsed() >= *limit_) stop(Status::time_limit);
  }
  void check_bytes(std::uint64_t used, const std::optional<std::uint64_t>& limit) {
    if (limit && used > *limit) stop(Status::memory_limit);
  }
  /// Of the calling thread: looks at the clock and, now and then, for an interrupt.
  bool goes_on() {
    check_clock();
    if (interrupted_ && !stopped() && elapsed() - asked_ >= kSecondsBetweenQuestions) {
      asked_ = elapsed();
      if (interrupted_()) stop(Status::interrupted);
    }
    return !stopped();
  }
  void require_running() {
    if (!goes_on()) throw StoppedBeforeSearch{};
  }
  /// Asked before so many bytes are held in all.
  bool has_room(std::uint64_t bytes) {
    check_bytes(bytes, most_bytes_);
    return !stopped();
  }
  void require_room(std::uint64_t bytes) {
    if (!has_room(bytes)) throw StoppedBeforeSearch{};
  }
  /// The first reason wins.
  void stop(Status why) {
    int running = kRunning;
    state_.compare_exchange_strong(running, static_cast<int>(why), std::memory_order_relaxed);
  }
  std::optional<Status> reason() const {
    const int state = state_.load(std::memory_order_relaxed);
    return state == kRunning ? std::nullopt : std::optional(static_cast<Status>(state));
  }

 private:
  static constexpr int kRunning = -1;
  static constexpr double kSecondsBetweenQuestions = 0.05;
  Clock::time_point start_;
  std::optional<double> limit_;
  std::optional<std::uint64_t> most_bytes_;
  std::function<bool()> interrupted_;
  double asked_ = 0;
  std::atomic<int> state_{kRunning};
};

}  // namespace hornbeam
