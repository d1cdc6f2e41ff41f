// search/parts.hpp
//
// WHAT    The distinct rows of the nodes of a tree, and their keys in the table: for code that goes down a known tree
//         without frames.
// FLOW    search/read_tree and search/record_tree.
#pragma once

#include <array>
#include <vector>

#include "data/row_list.hpp"
#include "rows/problem.hpp"

namespace hornbeam::search {

/// Some distinct rows and what is known of them; `set` and `base_loss` only where they may be split.
struct Part {
  data::RowList rows;
  std::vector<std::int64_t> weight;  // of each target
  Fingerprint set;
  Ticks base_loss = 0;
};

Part part_of(const rows::Problem& problem, data::RowList rows, bool may_be_split);

/// Where a column fails, and where it holds.
std::array<Part, 2> sides_of(const rows::Problem& problem, const Part& parent, std::uint32_t column, bool may_be_split);

}  // namespace hornbeam::search
