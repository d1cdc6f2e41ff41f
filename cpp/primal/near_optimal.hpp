// primal/near_optimal.hpp
//
// WHAT    A tree by the primal heuristics. An exact search gets a small part of the work; it proves the tree of a small
//         problem.
#pragma once

#include <functional>

#include "base/options.hpp"
#include "models/leaf_model.hpp"
#include "primal/points.hpp"
#include "run/run.hpp"

namespace hornbeam::primal {

/// An exact search of the same problem from a first tree.
struct ExactSearch {
  /// Throws Stopped if it is stopped before it has a result.
  std::function<run::Outcome(const Points& points, const tree::ResultTree& start, run::Run& run)> search;
  /// Whether it reads each point once, and not each of the rows that the point stands for.
  bool reads_points = false;
};

/// The best tree after so much work or so many rounds without a better one, when it is proven optimal, or when the run
/// is stopped. `exact` may have no search; then the lower bound is that of a single leaf without loss. Otherwise it is
/// called once, after the first steps of the heuristics.
run::Outcome search_near_optimal(Points points, const models::LeafModel& model, Ticks leaf_penalty,
                                 const TreeLimits& limits, std::uint64_t work, std::uint64_t idle_rounds,
                                 const ExactSearch& exact, run::Run& run);

}  // namespace hornbeam::primal
