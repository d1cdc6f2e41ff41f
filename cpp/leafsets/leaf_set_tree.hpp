// leafsets/leaf_set_tree.hpp
//
// WHAT    From sets of leaves to trees and back.
#pragma once

#include <span>

#include "leafsets/leaves.hpp"
#include "leafsets/options.hpp"
#include "search/result_tree.hpp"

namespace hornbeam {

/// A tree with these leaves, without splits that leave a side without rows; its cost is not set.
ResultTree tree_of(std::span<const LeafId> set, Leaves& leaves);

/// The leaves of a tree; none if it breaks a limit. Splits that leave a side with too few rows are left out.
std::vector<LeafId> leaves_of(const StartTree& tree, Leaves& leaves, std::uint64_t rows_per_leaf);

}  // namespace hornbeam
