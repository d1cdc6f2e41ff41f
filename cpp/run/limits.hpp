// run/limits.hpp
//
// WHAT    The limits of a search, and the reasons why one ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/types.hpp"

namespace hornbeam::run {

inline constexpr std::uint32_t kMostThreads = 1024;

/// The limits of one search. `gap` is relative: (upper - lower) / upper.
struct SearchLimits {
  std::optional<double> seconds = std::nullopt;
  std::optional<std::uint64_t> bytes = std::nullopt;
  double gap = 0.0;
  std::uint32_t threads = 1;
  /// Called by the calling thread before there is a search to report; may be empty.
  std::function<bool()> interrupted = nullptr;
  /// Only trees that cost at most this are searched for.
  std::optional<Ticks> cutoff = std::nullopt;
  /// What the caller says that no tree costs less than. It is trusted until a tree is found that does.
  std::optional<Ticks> known_lower = std::nullopt;
};

enum class Status {
  optimal,
  guessed,
  known_bound,  // the tree costs `known_lower`
  cutoff,       // no tree costs at most `cutoff`
  heuristic,
  time_limit,
  memory_limit,
  gap_limit,
  interrupted,
  expansion_limit
};

constexpr const char* name_of(Status status) {
  switch (status) {
    case Status::optimal: return "optimal";
    case Status::guessed: return "guessed";
    case Status::known_bound: return "known_bound";
    case Status::cutoff: return "cutoff";
    case Status::heuristic: return "heuristic";
    case Status::time_limit: return "time_limit";
    case Status::memory_limit: return "memory_limit";
    case Status::gap_limit: return "gap_limit";
    case Status::interrupted: return "interrupted";
    case Status::expansion_limit: return "expansion_limit";
  }
  return "";
}

}  // namespace hornbeam::run
