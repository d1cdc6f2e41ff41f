// leafsets/policy.hpp
//
// WHAT    The keys by which the queue is ordered: the scheduling policies of OSDT. Any order gives the same optimum.
// SOURCE  [hu2019osdt, section 5.2]; [angelino2018corels, section 5] for curiosity. The formulas, down to the share of
//         one hundredth of a row that stands for none, are those of the authors' program.
#pragma once

#include <cmath>
#include <random>
#include <span>

#include "leafsets/leaves.hpp"
#include "leafsets/options.hpp"

namespace hornbeam::leafsets {

/// The input of a key; costs are shares of the largest loss.
struct SearchPosition {
  std::span<const LeafId> kept;
  std::span<const LeafId> split;
  double objective;    // of the set as a tree
  double lower_bound;  // of the leaves kept, and all leaves so far
  std::mt19937_64& random;
};

/// The impurity of a leaf with this share of wrong predictions.
inline double impurity(Policy policy, double wrong) {
  if (policy == Policy::gini) return 2 * wrong * (1 - wrong);
  return wrong <= 0 || wrong >= 1 ? 0 : -wrong * std::log2(wrong) - (1 - wrong) * std::log2(1 - wrong);
}

inline double key_of(Policy policy, const Leaves& leaves, const SearchPosition& at) {
  const auto total = static_cast<double>(leaves.total());
  const auto share_kept = [&] {
    double split = 0;
    for (const LeafId id : at.split) split += static_cast<double>(leaves[id].largest_loss);
    return (total - split) / total;
  };
  switch (policy) {
    case Policy::fifo: return 0;
    case Policy::random: return static_cast<double>(at.random());
    case Policy::objective: return at.objective;
    case Policy::lower_bound: return at.lower_bound;
    case Policy::curiosity: {
      const double kept = share_kept();
      return at.lower_bound / (kept > 0 ? kept : 0.01 / static_cast<double>(leaves[0].n_rows));
    }
    case Policy::entropy:
    case Policy::gini: break;
  }
  double sum = 0;
  for (const LeafId id : at.kept) {
    const auto size = static_cast<double>(leaves[id].largest_loss);
    if (size > 0) sum += size * impurity(policy, static_cast<double>(leaves[id].loss) / size);
  }
  const double kept = share_kept() * total;
  return sum / (kept > 0 ? kept : 0.01);
}

}  // namespace hornbeam::leafsets
