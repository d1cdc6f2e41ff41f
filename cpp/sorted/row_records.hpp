// sorted/row_records.hpp
//
// WHAT    The records of kernels::BinnedRows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernels.hpp"
#include "sorted/sorted_rows.hpp"

namespace hornbeam::sorted {

/// Vectors of a row: its sums, and its bin of each variable in so many lists.
inline std::size_t record_size(const SortedRows& rows, std::size_t n_lists) {
  const std::size_t bytes = kernels::kBinSums * sizeof(Ticks) + n_lists * rows.n_variables() * sizeof(std::uint16_t);
  return (bytes + sizeof(kernels::TickVector) - 1) / sizeof(kernels::TickVector);
}

}  // namespace hornbeam::sorted
