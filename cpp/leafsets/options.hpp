// leafsets/options.hpp
//
// WHAT    Options of a leaf-set search: the order of its queue, its bounds, its first tree.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bounds.hpp"
#include "tree/start_tree.hpp"

namespace hornbeam::leafsets {

/// The set of leaves that is expanded next is that of the least ...
enum class Policy { curiosity, objective, lower_bound, entropy, gini, fifo, random };

inline constexpr Policy kPolicies[] = {Policy::curiosity, Policy::objective, Policy::lower_bound, Policy::entropy,
                                       Policy::gini,      Policy::fifo,      Policy::random};

constexpr const char* name_of(Policy policy) {
  switch (policy) {
    case Policy::curiosity: return "curiosity";
    case Policy::objective: return "objective";
    case Policy::lower_bound: return "lower_bound";
    case Policy::entropy: return "entropy";
    case Policy::gini: return "gini";
    case Policy::fifo: return "fifo";
    case Policy::random: return "random";
  }
  return "";
}

struct LeafSetOptions {
  Policy policy = Policy::curiosity;
  Bounds bounds;
  tree::StartTree start;                        // the first incumbent; empty for a single leaf
  std::optional<std::uint64_t> max_expansions;  // sets that may leave the queue
  std::uint64_t seed = 0;                       // of the random policy
};

}  // namespace hornbeam::leafsets
