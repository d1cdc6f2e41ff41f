#include "api/checkpoints.hpp"

#include <span>

#include "base/digest.hpp"

namespace hornbeam::api {

namespace {

std::vector<run::CheckpointPart> parts_with(Digest search, Digest columns, const Input& input) {
  const auto& [targets, costs, n_predictions] = input.losses;
  Digest switches;
#define BOUND(searches, name, by_default, page, counts) switches.add(input.bounds.name ? 1 : 0);
#define TECHNIQUE(searches, name, page, counts)
#include "base/bounds.def"
  return {{"the search, which depends on the table and max_depth", search.value()},
          {"the rows or their conditions (X, binarizer)", columns.value()},
          {"the labels or weights (y, sample_weight, class_weight)",
           Digest().add_all(targets.target).add_all(targets.weights).value()},
          {"the costs (objective, class_weight, omega, cost_matrix)",
           Digest().add(targets.n_targets).add(n_predictions).add_all(costs).value()},
          {"the leaf penalty (regularization)", Digest().add(static_cast<std::uint64_t>(input.leaf_cost)).value()},
          {"max_depth", Digest().add_limit(input.tree.depth).value()},
          {"max_leaves", Digest().add_limit(input.tree.leaves).value()},
          {"min_samples_leaf", Digest().add(input.tree.rows_per_leaf).add_all(targets.counts).value()},
          {"shape", Digest().add(input.tree.is_rule_list ? 1 : 0).value()},
          {"bounds", switches.value()},
          {"the reference", Digest().add_all(input.reference).value()}};
}

}  // namespace

std::vector<run::CheckpointPart> parts_of(const data::PackedColumns& columns, const Input& input) {
  Digest digest;
  digest.add(columns.n_rows).add(columns.n_columns);
  const std::size_t n_bytes = columns.bytes_per_column() * columns.n_columns;
  digest.add_all(std::span(columns.bytes, n_bytes));
  return parts_with(Digest().add(1), digest, input);
}

std::vector<run::CheckpointPart> parts_of(const data::OrderedColumns& columns, const Input& input) {
  Digest digest;
  digest.add(columns.n_rows).add_all(columns.n_thresholds);
  digest.add_all(std::span(columns.bins, std::size_t{columns.n_rows} * columns.n_variables()));
  return parts_with(Digest().add(2), digest, input);
}

}  // namespace hornbeam::api
