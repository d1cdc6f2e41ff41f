// api/ranking.hpp
//
// WHAT    The entry point of OSDT's search for the AUC: checks the input, searches, and scores the tree again.
// FLOW    bindings -> here -> data (merge rows, order them) -> leafsets/leaf_set_search -> verify (score again).
#pragma once

#include <span>

#include "base/options.hpp"
#include "data/distinct_rows.hpp"
#include "leafsets/options.hpp"
#include "leafsets/roc_curve.hpp"
#include "run/run.hpp"

namespace hornbeam::api {

struct RankingInput {
  std::span<const std::int32_t> class_codes;  // (n_rows), 0 or 1; 1 is positive
  std::span<const std::int64_t> weights;      // (n_rows), > 0
  Ticks half_pair_cost;                       // of half a pair of a positive and a negative in the wrong order
  std::int64_t max_false_positives;           // the part of the curve that counts, in 2^-20 of a negative of weight 1
  Ticks leaf_cost;
  TreeLimits tree;
  run::SearchLimits limits;
};

/// Twice the cost of all pairs of a positive and a negative: the cost of the loss 1. Throws std::invalid_argument for
/// input out of range.
Ticks cost_of_pairs(std::span<const std::int32_t> classes, std::span<const std::int64_t> weights, Ticks half_pair_cost,
                    std::int64_t max_false_positives);

/// A tree whose leaves, ordered by their share of positives, lose least of the curve up to `max_false_positives`; it
/// predicts the heavier class of each leaf. Throws std::invalid_argument for input out of range, std::logic_error if
/// the tree found does not cost what the search reports (a bug in hornbeam).
run::Outcome solve_ranking(const data::PackedColumns& columns, const RankingInput& input,
                           const leafsets::LeafSetOptions& options, const run::OnPoll& on_poll);

}  // namespace hornbeam::api
