// run/watch.hpp
//
// WHAT    What every search tells while it runs: a line of the trace for each change of the root's interval, and where
//         it stands, to a caller that may stop it.
// FLOW    The calling thread of a search -> `look`, several hundred times a second.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "run/progress.hpp"
#include "run/stop.hpp"

namespace hornbeam {

class Watch {
 public:
  /// `gap` is that of SearchLimits.
  Watch(StopSignal& stop, const std::function<bool(const Progress&)>& on_poll, double gap = 0)
      : stop_(stop), on_poll_(on_poll), gap_(gap) {}

  void look(const Progress& now) {
    if (trace_.empty() || trace_.back().upper != now.upper || trace_.back().lower != now.lower) add_line(now);
    const auto gap = static_cast<double>(now.upper - now.lower);
    if (now.lower < now.upper && gap_ > 0 && gap <= gap_ * static_cast<double>(now.upper))
      stop_.stop(Status::gap_limit);
    if (!stop_.stopped() && on_poll_(now)) stop_.stop(Status::interrupted);
  }
  /// Adds a line to the trace, changed or not.
  void add_line(const Progress& now) { trace_.push_back(now); }
  std::vector<Progress> take_trace() { return std::move(trace_); }

 private:
  StopSignal& stop_;
  const std::function<bool(const Progress&)>& on_poll_;
  const double gap_;
  std::vector<Progress> trace_;
};

}  // namespace hornbeam
