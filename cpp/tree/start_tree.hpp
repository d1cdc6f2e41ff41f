// tree/start_tree.hpp
//
// WHAT    A tree from which a search starts, as the caller passes it: its splits alone.
#pragma once

#include <cstdint>
#include <span>

namespace hornbeam::tree {

/// A tree without predictions, as flat arrays: column -1 at a leaf, children after their parents. Empty for none.
struct StartTree {
  std::span<const std::int32_t> column, left, right;
};

}  // namespace hornbeam::tree
