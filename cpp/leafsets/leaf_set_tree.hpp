// leafsets/leaf_set_tree.hpp
//
// WHAT    From sets of leaves to trees and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "leafsets/leaves.hpp"
#include "leafsets/options.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam {

/// A tree with these leaves, without splits that leave a side without rows; its cost is not set.
ResultTree tree_of(std::span<const LeafId> set, Leaves& leaves);

/// The leaves of a tree. Splits that leave a side with too few rows are left out, and those below which a sum of losses
/// pays less than `leaf_cost` for a leaf, where it is given. Throws std::invalid_argument if a column is asked twice on
/// the way to a leaf.
std::vector<LeafId> leaves_of(const StartTree& tree, Leaves& leaves, std::uint64_t rows_per_leaf,
                              std::optional<Ticks> leaf_cost = std::nullopt);

}  // namespace hornbeam
