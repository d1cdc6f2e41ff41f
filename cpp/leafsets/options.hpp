// leafsets/options.hpp
//
// WHAT    What a leaf-set search may be asked for: the order of its queue, its bounds, where it starts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace hornbeam {

/// Which set of leaves is looked at next: that of the least ...
enum class Policy { curiosity, objective, lower_bound, entropy, gini, fifo };

constexpr const char* name_of(Policy policy) {
  switch (policy) {
    case Policy::curiosity: return "curiosity";
    case Policy::objective: return "objective";
    case Policy::lower_bound: return "lower_bound";
    case Policy::entropy: return "entropy";
    case Policy::gini: return "gini";
    case Policy::fifo: return "fifo";
  }
  return "";
}

/// A switch is off only to measure or to test; it never changes the optimum. One file in bounds/ for each.
struct LeafSetBounds {
  bool hierarchical_objective = true;
  bool lookahead = true;
  bool split_lookahead = true;
  bool equivalent_points = true;
  bool leaf_count = true;
  bool leaf_support = true;
  bool leaf_accuracy = true;
  bool incremental_progress = true;
  bool permutation = true;
  bool similar_support = false;  // on, it costs more than it saves [hu2019osdt, section 6]

  /// The switch of a name, or null.
  bool* find(std::string_view name) {
    const std::pair<std::string_view, bool*> all[] = {
        {"hierarchical_objective", &hierarchical_objective},
        {"lookahead", &lookahead},
        {"split_lookahead", &split_lookahead},
        {"equivalent_points", &equivalent_points},
        {"leaf_count", &leaf_count},
        {"leaf_support", &leaf_support},
        {"leaf_accuracy", &leaf_accuracy},
        {"incremental_progress", &incremental_progress},
        {"permutation", &permutation},
        {"similar_support", &similar_support},
    };
    for (const auto& [each, bound] : all)
      if (each == name) return bound;
    return nullptr;
  }
};

/// A tree without predictions, as flat arrays: column -1 at a leaf, children after their parents.
struct StartTree {
  std::span<const std::int32_t> column, left, right;
};

struct LeafSetOptions {
  Policy policy = Policy::curiosity;
  LeafSetBounds bounds;
  StartTree start;  // searched from, and the first incumbent; empty for a single leaf
  /// Count and order everything as the authors' program does, whose bound of the number of leaves is wrong
  /// (bounds/leaf_count.hpp): the tree found need not be the best, and the status says so.
  bool as_published = false;
};

}  // namespace hornbeam
