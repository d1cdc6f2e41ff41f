// api/posterior.hpp
//
// WHAT    The entry point of MAPTree: checks the input, searches, and scores the tree again.
// FLOW    bindings -> here -> data (merge rows) -> posterior/posterior_search -> verify (score again).
#pragma once

#include <span>

#include "posterior/posterior_search.hpp"
#include "run/checkpoint.hpp"

namespace hornbeam::api {

struct PosteriorInput {
  std::span<const std::int32_t> class_codes;  // (n_rows), 0 .. number of rho - 1
  std::span<const std::int64_t> weights;      // (n_rows), > 0: how many rows each stands for
  posterior::PosteriorModel model;
  posterior::PosteriorLimits limits;
  Bounds bounds = {};
  run::CheckpointOptions checkpoint = {};
};

/// Costs in the outcome are minus log posteriors in ticks of 2^-bits nats. Throws std::invalid_argument for input out
/// of range, std::logic_error if the tree found does not cost what the search reports (a bug in hornbeam).
run::Outcome solve_posterior(const data::PackedColumns& columns, const PosteriorInput& input,
                             const run::OnPoll& on_poll);

}  // namespace hornbeam::api
