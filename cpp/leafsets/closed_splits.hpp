// leafsets/closed_splits.hpp
//
// WHAT    Splits of one leaf that cannot lead to a better tree, for bounds/similar_support.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "bounds/similar_support.hpp"
#include "leafsets/leaves.hpp"

namespace hornbeam::leafsets {

class ClosedSplits {
 public:
  /// `excess`: how much the bound of the split exceeds the cost of the best tree.
  void add(std::uint32_t column, Ticks excess) { splits_.push_back({column, excess}); }

  bool close(const Leaves& leaves, LeafId id, std::uint32_t column) const {
    return std::any_of(splits_.begin(), splits_.end(), [&](const Split& other) {
      return bounds::too_similar(other.excess, leaves.loss_of_moved(id, other.column, column));
    });
  }

 private:
  struct Split {
    std::uint32_t column;
    Ticks excess;
  };
  std::vector<Split> splits_;
};

}  // namespace hornbeam::leafsets
