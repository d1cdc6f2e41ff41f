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

namespace hornbeam::leafsets {

/// A tree with these leaves, without splits that leave a side without rows; its cost is not set.
tree::ResultTree tree_of(std::span<const LeafId> set, Leaves& leaves);

/// The leaves of a tree. Splits with too few rows on a side are left out, and with `leaf_cost` also those whose subtree
/// saves less than that for each leaf it adds. Throws std::invalid_argument if a path tests a column twice.
std::vector<LeafId> leaves_of(const tree::StartTree& tree, Leaves& leaves, std::uint64_t rows_per_leaf,
                              std::optional<Ticks> leaf_cost = std::nullopt);

}  // namespace hornbeam::leafsets
