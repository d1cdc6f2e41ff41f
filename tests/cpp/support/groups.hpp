// support/groups.hpp
//
// WHAT    Groups of equal rows and what they cost under a cost matrix, counted group by group: the plain twin of
//         counts, slots and measures.
#pragma once

#include <cstdint>
#include <vector>

#include "models/leaf_model.hpp"
#include "support/random.hpp"

namespace hornbeam::testing {

/// A group of equal rows.
struct Group {
  std::vector<std::int64_t> weight;  // of each class
  std::int64_t n_rows = 1;
};
using Groups = std::vector<Group>;

/// A cost matrix and what is to be measured.
struct CostMatrix {
  std::uint32_t n_classes, n_predictions;
  std::vector<Ticks> cost;  // (n_classes, n_predictions)
  bool with_equivalent_points = true;
  bool counts_rows = false;
  bool is_convex = false;  // models/convex_costs.hpp

  models::LeafModel costs() const { return {n_classes, n_predictions, cost, with_equivalent_points, counts_rows}; }
  Ticks of(std::uint32_t true_class, std::uint32_t prediction) const {
    return cost[true_class * n_predictions + prediction];
  }
  Ticks dearest(std::uint32_t true_class) const;
  bool is_separable() const;
  bool is_cancelled() const;

  Ticks loss_of(const Groups& groups, std::uint32_t prediction) const;
  Ticks largest_loss(const Groups& groups) const;  // n
  Ticks loss(const Groups& groups) const;          // err
  Ticks least_loss(const Groups& groups) const;    // q, 0 without equivalent points
  std::int64_t n_rows(const Groups& groups) const;

  /// In the order of `Measures` (kernels/kernels.hpp).
  std::vector<Ticks> measures(const Groups& groups) const;
};

/// Of two classes and 8 to 20 predictions, each of which is the best one for some ratio of the weights of the classes.
std::vector<Ticks> random_convex_costs(Random& draw);

/// Of every kind that the kernels tell apart.
CostMatrix random_cost_matrix(Random& draw);

Groups random_groups(Random& draw, std::uint32_t n_groups, std::uint32_t n_classes, std::int64_t heaviest);

}  // namespace hornbeam::testing
