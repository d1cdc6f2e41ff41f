// models/convex_table.hpp
//
// WHAT    Whether a cost matrix is one of models/convex_costs.hpp, and its table.
#pragma once

#include <optional>
#include <vector>

#include "models/measures.hpp"

namespace hornbeam::models {

/// What ConvexBuckets point to.
struct ConvexTable {
  Ticks first, shift;
  std::vector<Ticks> tie, gain[2];

  ConvexBuckets buckets() const {
    return {first, static_cast<Ticks>(tie.size()) - 1, shift, tie.data(), {gain[0].data(), gain[1].data()}};
  }
};

/// None if the costs, of shape (2, n_predictions), are not of this form, or ties are too close for buckets.
std::optional<ConvexTable> convex_table(const std::vector<Ticks>& costs);

}  // namespace hornbeam::models
