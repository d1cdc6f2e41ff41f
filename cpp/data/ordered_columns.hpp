// data/ordered_columns.hpp
//
// WHAT    Columns that are the thresholds of a few variables, as the caller passes them: bins instead of bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace hornbeam::data {

/// Threshold t of variable v holds in the rows whose bin is at most t; columns are numbered variable by variable.
struct OrderedColumns {
  OrderedColumns(const std::uint32_t* all_bins, std::span<const std::uint32_t> thresholds, std::uint32_t rows)
      : bins(all_bins), n_thresholds(thresholds), n_rows(rows) {
    for (const std::uint32_t n : thresholds) {
      first_column.push_back(n_columns);
      n_columns += n;
    }
  }

  const std::uint32_t* bins;                    // (n_variables, n_rows), 0 .. n_thresholds of the variable
  std::span<const std::uint32_t> n_thresholds;  // (n_variables)
  std::uint32_t n_rows;
  std::uint32_t n_columns = 0;
  std::vector<std::uint32_t> first_column;  // (n_variables)

  std::uint32_t n_variables() const { return static_cast<std::uint32_t>(n_thresholds.size()); }
  const std::uint32_t* bins_of(std::uint32_t variable) const { return bins + std::size_t{variable} * n_rows; }
  std::uint32_t variable_of(std::uint32_t column) const {
    const auto after = std::upper_bound(first_column.begin(), first_column.end(), column);
    return static_cast<std::uint32_t>(after - first_column.begin() - 1);
  }
  bool test(std::uint32_t column, std::uint32_t row) const {
    const std::uint32_t variable = variable_of(column);
    return bins_of(variable)[row] <= column - first_column[variable];
  }
};

}  // namespace hornbeam::data
