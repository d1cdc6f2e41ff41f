// api/checks.hpp
//
// WHAT    What every door of the core checks of its input, and of the tree that it gives back.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/options.hpp"
#include "run/run.hpp"
#include "tree/result_tree.hpp"
#include "verify/routing.hpp"

namespace hornbeam {

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

/// What all searches for a tree of least cost ask for; throws std::invalid_argument.
void check_sizes(std::size_t n_rows, std::size_t n_targets, std::size_t n_weights);
void check_limits(const TreeLimits& tree, const SearchLimits& limits, Ticks leaf_cost);

/// What `search()` finds, or `leaf()`, the outcome of the single leaf, where it is stopped before it has a root.
template <class Search, class Leaf>
Outcome search_or_leaf(Run& run, Search search, Leaf leaf) {
  std::optional<Outcome> outcome;
  run.guard([&] { outcome = search(); });
  return outcome ? std::move(*outcome) : leaf();
}
Outcome single_leaf(Run& run, std::uint32_t prediction, Ticks cost, Ticks lower);

inline FlatTree flat(const ResultTree& tree) { return {tree.column, tree.left, tree.right, tree.prediction}; }

/// Throws std::logic_error unless a tree costs what the search says, and no less than its lower bound.
void require_agreement(Ticks scored, Ticks found, Ticks lower);

}  // namespace hornbeam
