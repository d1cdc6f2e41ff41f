#include "search/bounded_memory.hpp"

#include <algorithm>
#include <utility>

#include "search/search.hpp"

namespace hornbeam::search {

bool BoundedMemory::make_room(const table::Interval& root, const NodeLimits& limits) {
  if (!shared_.run.limits().bytes || shared_.run.stopped()) return false;
  const std::uint64_t bytes = room();
  // The table would use up nearly all of the room that others leave it.
  if (!shared_.table.is_full() && shared_.table.bytes() <= bytes - bytes / 16) return false;
  if (root.upper() < tree_.cost) keep_tree(limits);
  // The rest is for row sets, which come and go, and for solving parts of the tree again.
  if (!shared_.table.forget(bytes - bytes / 8) && shared_.table.is_full()) shared_.run.stop(run::Status::memory_limit);
  return true;
}

std::uint64_t BoundedMemory::room() const {
  const std::uint64_t others = shared_.bytes() - shared_.table.bytes();
  return *shared_.run.limits().bytes - std::min(*shared_.run.limits().bytes, others);
}

void BoundedMemory::on_poll(const table::Interval& root, const NodeLimits& limits) {
  if (!shared_.run.limits().bytes || shared_.run.stopped()) return;
  const bool must = make_room(root, limits);
  if (!has_forgotten() || root.upper() == kInfinity) return;  // before the root is open, there is no tree
  if (root.upper() < (must ? tree_.cost : std::min(tried_, tree_.cost))) solve_tree(root, limits);
  const auto& cutoff = shared_.run.limits().cutoff;
  if (!root.has_reached(cutoff ? *cutoff + 1 : kInfinity)) return;
  // Nothing but the tree is left to find: most of the memory may go to that.
  if (root.upper() < tree_.cost && shared_.table.forget(room() / 4)) solve_tree(root, limits);
  shared_.run.stop(tree_.cost <= root.upper() ? run::Status::optimal : run::Status::memory_limit);
}

void BoundedMemory::solve_tree(const table::Interval& root, const NodeLimits& limits) {
  tried_ = root.upper();
  keep_tree(limits, [&](const data::RowList& rows, const NodeLimits& of_rows) { return solve(rows, of_rows); });
}

void BoundedMemory::keep_tree(const NodeLimits& limits, const SolveAgain& solve_again) {
  tree::ResultTree tree = read_tree(problem_, shared_, limits, solve_again);
  if (tree.cost < tree_.cost) tree_ = std::move(tree);
}

/// Solves some rows as a problem of their own, in the memory and the time that are left.
tree::ResultTree BoundedMemory::solve(const data::RowList& rows, const NodeLimits& limits) {
  run::Run& run = shared_.run;
  run::SearchLimits left = run.limits();
  left.gap = 0;
  left.cutoff = left.known_lower = std::nullopt;
  left.threads = 1;
  if (left.seconds) left.seconds = std::max(0.0, *left.seconds - run.seconds());
  const std::uint64_t bytes = shared_.bytes();
  left.bytes = *left.bytes - std::min(*left.bytes, bytes);
  run::Run part_run(left, [&](const run::Progress&) {  // this search does not report meanwhile, but must end in time
    try {
      run.require(bytes);
      return false;
    } catch (const run::Stopped&) {
      return true;
    }
  });
  try {
    data::DistinctRows part_rows = problem_.rows.of(rows, part_run);
    part_rows.reference_loss.clear();  // a guess might rule out the tree that is known
    TreeLimits tree = problem_.tree;
    tree.depth = limits.depth == table::kUnlimited ? std::nullopt : std::optional(limits.depth);
    tree.leaves = limits.leaves == table::kUnlimited ? std::nullopt : std::optional(limits.leaves);
    const rows::Problem part{part_rows, problem_.model, problem_.leaf_cost, tree, problem_.bounds};
    run::Outcome outcome = search(part, part_run);
    shared_.n_subproblems += outcome.n_subproblems;
    return std::move(outcome.tree);
  } catch (const run::Stopped&) {
    return {};
  }
}

}  // namespace hornbeam::search
