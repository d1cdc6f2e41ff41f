// rashomon/filter.hpp
//
// WHAT    Which trees of a set are wanted.
#pragma once

#include <cstdint>
#include <vector>

namespace hornbeam::rashomon {

struct TreeFilter {
  std::vector<bool> is_allowed;     // by column of the data: whether a tree may test it
  std::uint32_t depth;              // at most; kUnlimited without a limit
  std::uint64_t rows_per_leaf = 0;  // at least
};

}  // namespace hornbeam::rashomon
