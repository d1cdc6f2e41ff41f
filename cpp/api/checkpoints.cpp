#include "api/checkpoints.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "base/digest.hpp"

namespace hornbeam::api {

namespace {

constexpr const char* kRows = "the rows or their conditions (X, binarizer)";
constexpr const char* kLabels = "the labels or weights (y, sample_weight, class_weight)";

std::uint64_t digest_of(const Bounds& bounds) {
  Digest switches;
#define BOUND(searches, name, by_default, page, counts) switches.add(bounds.name ? 1 : 0);
#define TECHNIQUE(searches, name, page, counts)
#include "base/bounds.def"
  return switches.value();
}

std::uint64_t digest_of(const data::PackedColumns& columns) {
  const std::size_t n_bytes = columns.bytes_per_column() * columns.n_columns;
  Digest digest;
  return digest.add(columns.n_rows).add(columns.n_columns).add_all(std::span(columns.bytes, n_bytes)).value();
}

std::vector<run::CheckpointPart> parts_with(std::uint64_t search, std::uint64_t columns, const Input& input) {
  const auto& [targets, costs, n_predictions] = input.losses;
  return {{"the search, which depends on the table and max_depth", search},
          {kRows, columns},
          {kLabels, Digest().add_all(targets.target).add_all(targets.weights).value()},
          {"the costs (objective, class_weight, omega, cost_matrix)",
           Digest().add(targets.n_targets).add(n_predictions).add_all(costs).value()},
          {"the leaf penalty (regularization)", Digest().add(static_cast<std::uint64_t>(input.leaf_cost)).value()},
          {"max_depth", Digest().add_limit(input.tree.depth).value()},
          {"max_leaves", Digest().add_limit(input.tree.leaves).value()},
          {"min_samples_leaf", Digest().add(input.tree.rows_per_leaf).add_all(targets.counts).value()},
          {"shape", Digest().add(input.tree.is_rule_list ? 1 : 0).value()},
          {"bounds", digest_of(input.bounds)},
          {"the reference", Digest().add_all(input.reference).value()}};
}

}  // namespace

std::vector<run::CheckpointPart> parts_of(const data::PackedColumns& columns, const Input& input) {
  return parts_with(1, digest_of(columns), input);
}

std::vector<run::CheckpointPart> parts_of(const data::OrderedColumns& columns, const Input& input) {
  Digest digest;
  digest.add(columns.n_rows).add_all(columns.n_thresholds);
  digest.add_all(std::span(columns.bins, std::size_t{columns.n_rows} * columns.n_variables()));
  return parts_with(2, digest.value(), input);
}

std::vector<run::CheckpointPart> parts_of(const data::PackedColumns& columns, const PosteriorInput& input) {
  const auto& [alpha, beta, rho, bits] = input.model;
  Digest prior;
  prior.add(std::bit_cast<std::uint64_t>(alpha)).add(std::bit_cast<std::uint64_t>(beta)).add(rho.size());
  for (const double each : rho) prior.add(std::bit_cast<std::uint64_t>(each));
  return {{kRows, digest_of(columns)},
          {kLabels, Digest().add_all(input.class_codes).add_all(input.weights).value()},
          {"the prior (alpha, beta, rho)", prior.add(bits).value()},
          {"max_depth", Digest().add_limit(input.limits.depth).value()},
          {"bounds", digest_of(input.bounds)}};
}

void apply_checkpoint(const run::Checkpoint& checkpoint, run::Outcome& outcome) {
  outcome.checkpoint = {checkpoint.saved() ? checkpoint.saved()->seconds : 0, checkpoint.n_failed(),
                        checkpoint.error()};
  if (!checkpoint.saved()) return;
  outcome.lower = std::max(outcome.lower, std::min(checkpoint.saved()->lower, outcome.tree.cost));
  if (outcome.lower == outcome.tree.cost) outcome.status = run::Status::optimal;
}

}  // namespace hornbeam::api
