// api/solve.hpp
//
// WHAT    The entry points for a tree of least cost: they check the input, search, and score the tree again.
//         Squared error (models/squared_error.hpp) is for `solve` with packed columns.
// FLOW    bindings -> here -> data (merge rows) -> search -> verify (score again).
#pragma once

#include <span>

#include "base/bounds.hpp"
#include "base/options.hpp"
#include "data/distinct_rows.hpp"
#include "data/ordered_columns.hpp"
#include "leafsets/options.hpp"
#include "lookahead/lookahead_search.hpp"
#include "models/leaf_model.hpp"
#include "ordered/ordered_problem.hpp"
#include "run/checkpoint.hpp"
#include "run/run.hpp"
#include "search/earlier_searches.hpp"
#include "tree/start_tree.hpp"

namespace hornbeam::api {

/// No loss of squared error reaches 2^58 ticks, a quarter of `kInfinity`.
inline constexpr int kSquaredErrorBits = 58;

/// What both kinds of columns need to be solved.
struct Input {
  data::RowLosses
      losses;  // weights above 0, or with a weight for every target at least 0; counts above 0; costs at least 0
  Ticks leaf_cost;
  TreeLimits tree;
  run::SearchLimits limits;
  Bounds bounds;
  std::span<const std::int32_t> reference;  // (n_rows) predictions of a reference for bounds/reference.hpp, or none
  tree::StartTree start = {};               // within the limits, or none: no tree that is worse is returned
  run::CheckpointOptions checkpoint = {};   // for `solve`
  /// Triples of columns are counted if more rows than this are distinct (search/triple_search.hpp); none: never.
  std::optional<std::uint64_t> triples_above = std::nullopt;
};

/// Checks ranges, and that no sum of costs can leave the exact range; throws std::invalid_argument.
void check_input(const Input& input, std::uint32_t n_rows);

/// The same, and the range of the bins.
void check_ordered_input(const data::OrderedColumns& columns, const Input& input);

/// The problem of the ordered search; `rows` are those of the input and stay where they are.
ordered::OrderedProblem ordered_problem(const data::OrderedColumns& columns, const sorted::RowGains& rows,
                                        const Input& input,
                                        std::uint64_t work_between_polls = ordered::kWorkBetweenPolls);

/// What leaves cost: the cost matrix, or squared error.
models::LeafModel model_of(const Input& input);

/// Throws std::invalid_argument for input that violates the ranges of Input, std::logic_error if the tree found does
/// not cost what the search reports (a bug in hornbeam).
/// `earlier` may be null, or hold searches of the same input with other leaf costs and limits on leaves.
run::Outcome solve(const data::PackedColumns& columns, const Input& input, const run::OnPoll& on_poll,
                   search::EarlierSearches* earlier = nullptr);

/// The same for columns that are thresholds of ordered variables.
run::Outcome solve(const data::OrderedColumns& columns, const Input& input, const run::OnPoll& on_poll);

/// A tree of the primal heuristics, see primal/primal_search.hpp on `work`. It is proven optimal if the problem is so
/// small that an exact search takes about a tenth of a second, and `is_exact_if_small`.
run::Outcome near_optimal(const data::OrderedColumns& columns, const Input& input, std::uint64_t work,
                          std::uint64_t idle_rounds, bool is_exact_if_small, const run::OnPoll& on_poll);

/// A tree of lookahead search, which is not proven optimal; it needs a depth limit and supports no limit on leaves.
run::Outcome solve_lookahead(const data::PackedColumns& columns, const Input& input,
                             const lookahead::Lookahead& lookahead, const run::OnPoll& on_poll);

/// The same as `solve` by a search over sets of leaves, in one thread; see leafsets/leaf_set_search.hpp.
run::Outcome solve_leaf_sets(const data::PackedColumns& columns, const Input& input,
                             const leafsets::LeafSetOptions& options, const run::OnPoll& on_poll);

}  // namespace hornbeam::api
