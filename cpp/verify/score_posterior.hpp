// verify/score_posterior.hpp
//
// WHAT    A second opinion: minus the logarithm of the posterior of a tree, from the caller's rows, in floating point.
// HOLDS   Shares no code with the search, its tables or its bounds; kept plain, never optimized.
#pragma once

#include <optional>
#include <span>

#include "data/packed_columns.hpp"
#include "verify/routing.hpp"

namespace hornbeam::verify {

/// -log P(tree | columns) - log P(classes | columns, tree) in nats, without the constant P(classes | columns).
/// Throws std::logic_error if the arrays are not a tree, the tree is too deep, or a node has no rows.
double score_posterior(const FlatTree& tree, const data::PackedColumns& columns, std::span<const std::int32_t> classes,
                       std::span<const std::int64_t> weights, double alpha, double beta, std::span<const double> rho,
                       std::optional<std::uint32_t> max_depth);

}  // namespace hornbeam::verify
