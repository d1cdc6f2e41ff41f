#include "run/run.hpp"

#include <algorithm>

namespace hornbeam::run {

namespace {

constexpr double kSecondsBetweenQuestions = 0.05;

}  // namespace

Run::Run(SearchLimits limits, OnPoll on_poll) : limits_(std::move(limits)), on_poll_(std::move(on_poll)) {}

std::optional<Status> Run::reason() const {
  const int state = state_.load(std::memory_order_relaxed);
  return state == kRunning ? std::nullopt : std::optional(static_cast<Status>(state));
}

bool Run::check(std::uint64_t bytes) {
  if (limits_.seconds && seconds() >= *limits_.seconds) stop(Status::time_limit);
  if (limits_.bytes && bytes > *limits_.bytes) stop(Status::memory_limit);
  return !stopped();
}

void Run::require(std::uint64_t bytes) {
  if (check(bytes) && limits_.interrupted && seconds() - interrupt_checked_ >= kSecondsBetweenQuestions) {
    interrupt_checked_ = seconds();
    if (limits_.interrupted()) stop(Status::interrupted);
  }
  if (stopped()) throw Stopped{};
}

void Run::report(Progress now) {
  check(now.bytes);
  count_bytes(now.bytes);
  now.seconds = seconds();
  const Ticks proven = std::exchange(now.lower, lower_with_known(now.lower, now.upper));
  if (proven < now.upper && now.lower == now.upper) stop(Status::known_bound);
  if (trace_.empty() || trace_.back().upper != now.upper || trace_.back().lower != now.lower) trace_.push_back(now);
  const auto gap = static_cast<double>(now.upper - now.lower);
  if (now.lower < now.upper && limits_.gap > 0 && gap <= limits_.gap * static_cast<double>(now.upper))
    stop(Status::gap_limit);
  if (!stopped() && on_poll_ && on_poll_(now)) stop(Status::interrupted);
}

void Run::add_line(Progress now) {
  now.seconds = seconds();
  trace_.push_back(now);
}

Status Run::status(bool is_proven, std::optional<Status> finished) const {
  if (is_proven) return Status::optimal;
  return finished ? *finished : reason().value_or(Status::interrupted);
}

Outcome Run::finish(tree::ResultTree tree, const Progress& last, const Counters& counters,
                    std::uint64_t n_table_entries, std::optional<Status> finished) {
  report(last);
  const Ticks lower = std::min(last.lower, tree.cost);
  const Status ended = status(lower == tree.cost, finished);
  return {counters,  std::move(tree),   lower, ended, last.n_subproblems, n_table_entries, most_bytes_,
          seconds(), std::move(trace_), {}};
}

}  // namespace hornbeam::run
