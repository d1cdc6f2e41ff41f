// models/measures.hpp
//
// WHAT    From the counts of some rows to their measures: sums that say what a leaf of these rows costs.
// FLOW    leaf_model makes one for a problem -> kernels count and measure every column; leaf_model reads the measures.
// HOLDS   Counts and measures are additive: those of two disjoint sets of rows add up to those of both.
#pragma once

#include "base/types.hpp"

namespace hornbeam::models {

/// The table of models/convex_costs.hpp, by bucket.
struct ConvexBuckets {
  Ticks first = 0, last = 0;   // the leading bits of the first bucket, and how many buckets follow it
  Ticks shift = 0;             // the number of other bits
  const Ticks* tie = nullptr;  // bits of the ratio up to which the first of two predictions is the better one
  const Ticks* gain[2] = {};   // by target, then two of each bucket: how much less than the largest cost they cost
};

/// How counts become the measures of a row set.
///
/// Counts: the weight of each target (a class, or whatever else the losses of rows are sums over), then of each
/// distinct unit of the equivalent-points loss, then (if `counts_rows`) the number of rows. Measures: the values that
/// the formula of the model makes of the counts, the equivalent-points loss, the number of rows.
struct Measures {
  /// The models; models/formulas.hpp has the formula of each.
  enum class Model : std::uint8_t { separable_costs, any_costs, convex_costs, squared_error };

  Model model;
  bool cancelled;  // see SeparableCosts
  bool counts_rows;
  std::uint32_t n_targets;
  std::uint32_t n_predictions;
  std::uint32_t n_loss_units;
  const Ticks* cost;                  // (n_targets, n_predictions); null without a cost matrix, like the next one
  const Ticks* largest_cost;          // (n_targets); of separable costs that of every error
  const Ticks* loss_unit;             // (n_loss_units), the distinct costs above 0
  const std::uint32_t* unit_of_cost;  // of each cost its place there, kNoUnit for a cost of 0
  ConvexBuckets buckets{};            // of convex costs

  static constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};
  bool is_separable() const { return model == Model::separable_costs; }
  bool is_convex() const { return model == Model::convex_costs; }
  bool is_squared_error() const { return model == Model::squared_error; }
  /// Whether two sums say what a leaf explains (models/formulas.hpp); otherwise one for each prediction does.
  bool has_two_sums() const { return is_convex() || is_squared_error(); }
  Ticks largest_prediction() const { return static_cast<Ticks>(n_predictions) - 1; }
  std::uint32_t n_counts() const { return n_targets + n_loss_units + (counts_rows ? 1 : 0); }
  std::uint32_t n_values() const { return model == Model::any_costs ? n_predictions + 1 : n_targets; }
  std::uint32_t loss_index() const { return n_values(); }
  std::uint32_t rows_index() const { return n_values() + 1; }
  std::uint32_t size() const { return n_values() + (counts_rows ? 2 : 1); }
};

/// What the bounds know of some rows. Number is Ticks, or a vector of them.
template <class Number>
struct Cell {
  Number largest_loss;  // n: of any tree's leaves on these rows, at most
  Number loss;          // err: of the best leaf
  Number least_loss;    // q: of any tree, because equal rows get one prediction
};

}  // namespace hornbeam::models
