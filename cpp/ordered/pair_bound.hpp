// ordered/pair_bound.hpp
//
// WHAT    The bound of bounds/packing.hpp for the rows of a subproblem, by pairs that are known for the whole problem.
// FLOW    ordered/ordered_worker, for the two sides of a threshold before it solves them.
// COST    One pass over all orders, and the pairs of the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "ordered/ordered_problem.hpp"
#include "packing/near_pairs.hpp"
#include "sorted/sorted_rows.hpp"

namespace hornbeam::ordered {

/// Whether rows have best predictions, and thresholds a penalty.
bool can_pack_pairs(const OrderedProblem& problem);
/// The pairs of all rows.
packing::NearPairs pairs_of(const OrderedProblem& problem, const sorted::SortedRows& rows, run::WorkMeter& meter);

class PairBound {
 public:
  explicit PairBound(const OrderedProblem& problem) : problem_(problem) {}

  /// No tree for the rows costs less, whatever its size.
  Ticks of(const sorted::SortedRows& rows, const packing::PairOrder& order);
  /// What the last packing has left of a threshold of its rows.
  Ticks unused(std::uint32_t variable, std::int64_t threshold) const {
    return packer_.capacity(packer_.first(variable) + static_cast<std::size_t>(threshold));
  }
  std::uint64_t bytes() const { return packer_.bytes() + 4 * (number_in_part_.capacity() + pairs_of_part_.capacity()); }

 private:
  const OrderedProblem& problem_;
  packing::ThresholdPacker packer_;
  std::vector<std::uint32_t> number_in_part_;  // by row of the problem: 1 + its number in the subproblem, or 0
  std::vector<std::uint32_t> pairs_of_part_;
};

}  // namespace hornbeam::ordered
