// search/clustering.hpp
//
// WHAT    The groups of equal rows of a row set with their sums of targets, for bounds/clusters.hpp.
// COST    A look-up for each slot of a target, and a sort of the groups.
#pragma once

#include <vector>

#include "base/number_index.hpp"
#include "bounds/clusters.hpp"
#include "rows/problem.hpp"
#include "rows/row_set.hpp"

namespace hornbeam::search {

class GroupClustering {
 public:
  explicit GroupClustering(const rows::Problem& problem)
      : leaf_cost_(problem.leaf_cost),
        is_usable_(problem.bounds.clusters && problem.model.measures().is_squared_error() && problem.leaf_cost > 0) {}

  /// Whether this problem has squared error and a leaf penalty, without which the bound is that of equal rows.
  bool is_usable() const { return is_usable_; }

  /// The least cost of any clusters of rows that have their slot rows.
  Ticks least_cost(const rows::RowSet& rows);

  /// Words of work of the last call.
  std::uint64_t work() const { return work_; }

 private:
  const Ticks leaf_cost_;
  const bool is_usable_;
  std::uint64_t work_ = 0;
  NumberIndex index_;
  std::vector<std::size_t> slot_of_group_;  // its first one
  std::vector<bounds::TargetSums> groups_;
  bounds::Clusters clusters_;
};

}  // namespace hornbeam::search
