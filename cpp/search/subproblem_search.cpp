#include "search/subproblem_search.hpp"

#include <stdexcept>
#include <utility>

#include "data/row_list.hpp"
#include "kernels/kernels.hpp"
#include "search/and_or_search.hpp"
#include "search/bounded_memory.hpp"

namespace hornbeam::search {

namespace {

std::optional<std::uint32_t> as_limit(std::uint32_t limit) {
  return limit == table::kUnlimited ? std::nullopt : std::optional(limit);
}

}  // namespace

SubproblemSearch::SubproblemSearch(const rows::Problem& problem, std::optional<std::uint64_t> byte_limit,
                                   std::uint64_t work_of_news)
    : problem_(problem), table_(true, byte_limit) {
  table_.watch(effort_of(work_of_news));
}

std::vector<std::uint32_t> SubproblemSearch::rows_at(const std::vector<Condition>& path) const {
  data::RowList rows = data::all_rows(problem_.rows);
  for (const auto& [column, holds] : path)
    std::erase_if(rows, [&](std::uint32_t row) { return problem_.rows.test(column, row) != holds; });
  if (rows.empty()) throw std::invalid_argument("path: no row satisfies it");
  return rows;
}

SubproblemOutcome SubproblemSearch::solve(const Subproblem& subproblem, run::Run& run) {
  SubproblemOutcome outcome;
  run.guard([&] {
    std::optional<data::DistinctRows> some;
    if (!subproblem.path.empty()) some = problem_.rows.of(rows_at(subproblem.path), run);
    const TreeLimits tree{as_limit(subproblem.limits.depth), as_limit(subproblem.limits.leaves),
                          problem_.tree.rows_per_leaf, problem_.tree.is_rule_list};
    const rows::Problem part{some ? *some : problem_.rows, problem_.model, problem_.leaf_cost, tree, problem_.bounds};
    const std::uint64_t bytes = problem_.rows.bytes() + (some ? some->bytes() : 0);
    SharedState shared{table_, nullptr, run, 0, bytes, Claims(false), false, {}, {}};
    BoundedMemory memory(part, shared);
    Frame root;
    AndOrSearch thread(part, shared, kernels::kernels(), 0, [&] {
      memory.make_room(root, root.limits);
      run.report({root.upper(), std::min(root.lower, root.upper()), shared.n_subproblems, shared.bytes(), 0});
    });
    // What sums prove of the whole problem is in the table, where the root finds it.
    if (const auto whole = subproblem.splits ? std::nullopt : thread.whole()) thread.solve_whole(*whole, [] {});
    for (const Condition& one : subproblem.path) root.path_columns |= table::Proof::group_of(one.column);
    thread.open_root(root);
    if (subproblem.splits)
      thread.keep_splits(root, *subproblem.splits);
    else if (!root.is_closed())
      thread.find_incumbent(root);
    outcome.is_open = true;
    run.guard([&] { thread.solve(root, subproblem.budget); });
    if (root.upper() < memory.tree().cost) memory.keep_tree(root.limits);
    outcome.tree = memory.tree();
    outcome.open = thread.open_splits(root);
    outcome.lower = std::min(root.lower, outcome.tree.cost);
    outcome.n_subproblems = shared.n_subproblems;
    outcome.counters = thread.counters();
    outcome.upper = root.upper();
  });
  return outcome;
}

}  // namespace hornbeam::search
