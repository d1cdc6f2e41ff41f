// posterior/posterior_search.hpp
//
// WHAT    MAPTree: finds the tree of largest posterior probability under the BCART prior and proves it, or goes as far
//         as the limits allow: first trees, the root's interval over time, the tree.
// FLOW    api/posterior -> here -> posterior/posterior_worker -> posterior/posterior_tree.
// HOLDS   Re-entrant: concurrent searches share no state. The outcome's costs are ticks of PosteriorModel::bits.
// CHOICE  The root's budget grows so that each round does about three times the work of all earlier rounds. The lower
//         bound stays tight throughout; the proof takes about 1.5 times as long as a single round without a budget.
// SOURCE  [sullivan2024maptree]: objective and guarantees (theorems 6, 9, 10 and 12).
#pragma once

#include <functional>

#include "base/bounds.hpp"
#include "data/distinct_rows.hpp"
#include "posterior/posterior_costs.hpp"
#include "run/run.hpp"

namespace hornbeam::posterior {

struct PosteriorLimits {
  std::optional<std::uint32_t> depth;
  std::optional<double> seconds;
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> expansions;
  std::function<bool()> interrupted;  // as of SearchLimits
};

/// The best tree of the run that wrote the checkpoint, which has one.
tree::ResultTree saved_tree(const run::Checkpoint& checkpoint);

/// The weights of `rows` are numbers of rows. Throws Stopped if it is stopped before there is a root.
run::Outcome search_posterior(const data::DistinctRows& rows, const PosteriorModel& model,
                              const PosteriorLimits& limits, const Bounds& bounds, run::Run& run);

}  // namespace hornbeam::posterior
