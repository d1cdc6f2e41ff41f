// api/checks.hpp
//
// WHAT    The checks that all entry points of the core make of their input, and of the tree that they return.
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

namespace hornbeam::api {

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

/// Checks that all searches for a tree of least cost make; throws std::invalid_argument.
void check_sizes(std::size_t n_rows, std::size_t n_targets, std::size_t n_weights);
void check_limits(const TreeLimits& tree, const run::SearchLimits& limits, Ticks leaf_cost, int cost_bits = kCostBits);

/// The outcome of `search()`, or `leaf()`, that of the single leaf, if it is stopped before it has a root.
template <class Search, class Leaf>
run::Outcome search_or_leaf(run::Run& run, Search search, Leaf leaf) {
  std::optional<run::Outcome> outcome;
  run.guard([&] { outcome = search(); });
  return outcome ? std::move(*outcome) : leaf();
}
run::Outcome single_leaf(run::Run& run, std::uint32_t prediction, Ticks cost, Ticks lower);

/// The outcome of a subproblem for at most so many seconds and bytes; `status` tells why it ended. Throws
/// std::invalid_argument for columns that the data lack.
template <class Search, class Subproblem>
auto solve_subproblem(Search& search, const Subproblem& subproblem, std::uint32_t n_columns,
                      const run::SearchLimits& limits, const run::OnPoll& on_poll, run::Status& status) {
  for (const auto& condition : subproblem.path) require(condition.column < n_columns, "path: there is no such column");
  run::Run run(limits, on_poll);
  auto outcome = search.solve(subproblem, run);
  status = run.reason().value_or(run::Status::optimal);
  return outcome;
}

inline verify::FlatTree flat(const tree::ResultTree& tree) {
  return {tree.column, tree.left, tree.right, tree.prediction};
}

/// Throws std::logic_error unless a tree costs what the search reports, and no less than its lower bound; no more than
/// that, either, if it `is_optimal`.
void require_agreement(Ticks scored, Ticks found, Ticks lower, bool is_optimal = false);

}  // namespace hornbeam::api
