// sorted/row_gains.hpp
//
// WHAT    What rows lose, for any cost matrix, and for rows that weigh for every target: a row of weight w loses w - g
//         if a prediction is made that gains g on it, 0 <= g <= w. For squared error and convex costs (survival),
//         predictions are too many to list: a row has three sums in their place (sorted/leaf_formula.hpp).
// HOLDS   The least loss of each row is 0, and the most is its weight. What a row loses whatever is predicted is in
//         `floor` instead: each tree makes one prediction for a row, so each tree loses that much, and trees keep their
//         order without it. The bounds of the search need both. The best cost rises with the set of rows since no loss
//         is below 0, and a row adds at most its weight since no loss is above it (sorted/open_thresholds.hpp). A tree
//         costs at least the penalties of its leaves since no loss is below 0 (`useful_depth`, and two leaves as the
//         least cost of a split). Of a root whose sides have three leaves together, one side is a leaf, whatever the
//         costs (sorted/two_level_thresholds).
//         A leaf loses the weight of its rows less the largest sum of their gains.
//         The weight of a row with sums is what it loses at most by a prediction between the least and the largest of
//         the best predictions of each row of the subproblem; for squared error its target, rounded down and up. No
//         leaf on some of these rows predicts anything else, and neither does a tree for some of them on the others:
//         the loss of a row falls up to its best prediction, and rises behind it. So a weight is less in a smaller
//         subproblem. The bounds above compare trees for rows of one subproblem only.
// CHOICE  Not the model of models/cost_matrix.hpp, which sums over targets: there the least loss of a target stays in
//         all sums, and rows that weigh for every target may lose more than any one prediction costs them.
//         A row on which one prediction gains all of its weight, and no other anything, needs only a class. All rows
//         are like that for every cost matrix of errors and for two predictions, so kernels count classes then.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/row_targets.hpp"
#include "models/convex_table.hpp"
#include "sorted/leaf_formula.hpp"

namespace hornbeam::sorted {

/// More predictions than entries have room for need `gains`.
inline constexpr std::uint32_t kMostSortedClasses = 128;

struct RowGains {
  std::uint32_t n_sums = 0;             // a sum for each prediction, or three
  std::vector<std::int64_t> weights;    // (n_rows) the most that each row can lose, in `unit`
  std::vector<std::int32_t> classes;    // (n_rows) the only prediction that gains; empty if there may be several
  std::vector<std::int64_t> gains;      // without classes (n_rows, n_sums), what each row adds to the sums
  std::vector<std::int64_t> reference;  // (n_rows) what a reference loses (bounds/reference.hpp), or empty
  Ticks unit = 1;                       // ticks of a weight of 1
  Ticks floor = 0;                      // ticks
  bool is_squared_error = false;
  // So that initializers may leave them out. NOLINTBEGIN(readability-redundant-member-init)
  std::optional<models::ConvexTable> convex = {};  // of convex costs
  std::span<const Ticks> costs = {};               // the same
  // NOLINTEND(readability-redundant-member-init)

  /// Whether rows have three sums.
  bool has_sums() const { return is_squared_error || convex; }
  ConvexSums convex_sums() const { return {convex->buckets(), costs}; }
  /// `use(formula)` with the formula of these rows.
  template <class Use>
  decltype(auto) with_formula(Use use) const {
    if (is_squared_error) return use(SquaredSums{});
    if (convex) return use(convex_sums());
    return use(LargestGain{});
  }
  /// The weight of each row with sums among the rows of these sums, in `weights_of_rows`, and their total.
  std::int64_t weigh(const std::vector<std::int64_t>& sums, std::vector<std::int64_t>& weights_of_rows) const;

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(weights.size()); }
  std::uint64_t bytes_of_gains() const { return gains.size() * sizeof(gains[0]); }

  /// 0 where several predictions may gain.
  std::uint32_t class_of(std::uint32_t row) const {
    return classes.empty() ? 0 : static_cast<std::uint32_t>(classes[row]);
  }
  /// Adds a row to the sums.
  void add(std::uint32_t row, std::int64_t* sums) const {
    if (!classes.empty()) {
      sums[classes[row]] += weights[row];
      return;
    }
    for (std::uint32_t k = 0; k < n_sums; ++k) sums[k] += gains[std::size_t{row} * n_sums + k];
  }
  /// Of rows of this weight and these sums in one leaf.
  std::int64_t loss(std::int64_t weight, const std::vector<std::int64_t>& sums) const {
    return with_formula(
        [&](const auto& formula) { return formula.loss(weight, sums.size(), [&](std::size_t k) { return sums[k]; }); });
  }
  std::uint32_t prediction(const std::vector<std::int64_t>& sums) const {
    return with_formula(
        [&](const auto& formula) { return formula.prediction(sums.size(), [&](std::size_t k) { return sums[k]; }); });
  }
};

/// `reference` has a prediction for each row, or is empty; for squared error it is empty. The costs are kept.
RowGains gains_of_rows(const data::RowLosses& losses, std::size_t n_rows, std::span<const std::int32_t> reference);

}  // namespace hornbeam::sorted
