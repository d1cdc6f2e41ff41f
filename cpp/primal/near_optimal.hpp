// primal/near_optimal.hpp
//
// WHAT    A tree by the primal heuristics alone, without an exact search.
#pragma once

#include "base/options.hpp"
#include "models/leaf_model.hpp"
#include "primal/points.hpp"
#include "run/run.hpp"

namespace hornbeam::primal {

/// The best tree after so much work or so many rounds without a better one, or when the run is stopped. Its lower bound
/// is that of a single leaf without loss.
run::Outcome search_near_optimal(Points points, const models::LeafModel& model, Ticks leaf_penalty,
                                 const TreeLimits& limits, std::uint64_t work, std::uint64_t idle_rounds,
                                 run::Run& run);

}  // namespace hornbeam::primal
