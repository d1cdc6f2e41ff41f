// api/checkpoints.hpp
//
// WHAT    What a checkpoint is of: a digest of each part of the problem that its bounds hold for.
// FLOW    api/solve, api/posterior -> here -> run/checkpoint, which refuses a file of another problem.
// HOLDS   Limits on time, memory, gap and threads, known bounds and start trees do not count: the bounds of a file hold
//         whatever these are.
#pragma once

#include <vector>

#include "api/posterior.hpp"
#include "api/solve.hpp"
#include "run/checkpoint.hpp"

namespace hornbeam::api {

std::vector<run::CheckpointPart> parts_of(const data::PackedColumns& columns, const Input& input);
std::vector<run::CheckpointPart> parts_of(const data::OrderedColumns& columns, const Input& input);
std::vector<run::CheckpointPart> parts_of(const data::PackedColumns& columns, const PosteriorInput& input);

/// A run that ends before it has read its checkpoint proves no less than that.
void apply_checkpoint(const run::Checkpoint& checkpoint, run::Outcome& outcome);

}  // namespace hornbeam::api
