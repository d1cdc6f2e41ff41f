// primal/preorder.hpp
//
// WHAT    The splits of a tree in pre-order, true sides first; none stands for a leaf.
#pragma once

#include <optional>
#include <vector>

#include "primal/points.hpp"

namespace hornbeam::primal {

using Preorder = std::vector<std::optional<Split>>;

}  // namespace hornbeam::primal
