// data/row_list.hpp
//
// WHAT    Some distinct rows as a list of numbers, for code that reads a tree from the root down.
#pragma once

#include <array>
#include <numeric>
#include <vector>

#include "data/distinct_rows.hpp"

namespace hornbeam::data {

using RowList = std::vector<std::uint32_t>;

inline RowList all_rows(const DistinctRows& data) {
  RowList all(data.n_rows);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

/// The rows where the column fails, and those where it holds.
inline std::array<RowList, 2> partition(const DistinctRows& data, const RowList& rows, std::uint32_t column) {
  std::array<RowList, 2> sides;
  for (const std::uint32_t row : rows) sides[data.test(column, row) ? 1 : 0].push_back(row);
  return sides;
}

inline std::vector<std::int64_t> target_weights(const DistinctRows& data, const RowList& rows) {
  std::vector<std::int64_t> weights(data.n_targets);
  for (const std::uint32_t row : rows)
    for (std::uint32_t c = 0; c < data.n_targets; ++c) weights[c] += data.weight(row)[c];
  return weights;
}

}  // namespace hornbeam::data
