// support/kernels.hpp: the kernels that tests compare.
#pragma once

#include <vector>

#include "kernels/kernels.hpp"

namespace hornbeam::testing {

/// The kernels that this machine can run, the widest first.
std::vector<const kernels::Kernels*> kernels_of_this_machine();

}  // namespace hornbeam::testing
