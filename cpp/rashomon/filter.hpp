// rashomon/filter.hpp
//
// WHAT    Which trees of a set are wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::rashomon {

struct TreeFilter {
  std::vector<bool> is_allowed;     // by column of the data: whether a tree may test it
  std::uint32_t depth;              // at most; kUnlimited without a limit
  std::uint64_t rows_per_leaf = 0;  // at least
};

/// Of those that pass a filter: by their cost alone.
struct TreeLimit {
  Ticks most;
  std::optional<std::uint32_t> leaves;  // at most
  Ticks leaf_mask = 0;                  // the bits of a cost that count leaves
};

}  // namespace hornbeam::rashomon
