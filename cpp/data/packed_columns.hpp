// data/packed_columns.hpp
//
// WHAT    Binary columns as the caller passes them, one bit per cell; and the function that packs a table of bytes.
// FLOW    bindings/module -> api -> data/distinct_rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hornbeam::data {

/// Bit r % 8 of byte r / 8 of column c is row r.
struct PackedColumns {
  const std::uint8_t* bytes;
  std::uint32_t n_columns;
  std::uint32_t n_rows;
  std::size_t bytes_per_column() const { return (std::size_t{n_rows} + 7) / 8; }
  bool test(std::uint32_t column, std::uint32_t row) const {
    return (bytes[column * bytes_per_column() + row / 8] >> (row % 8)) & 1;
  }
  bool is_constant(std::uint32_t column) const;
};

/// Packs a table of (n_rows, n_columns) bytes, row by row; the columns in `packed` are `stride` bytes apart.
/// Returns whether every byte is 0 or 1; if not, the result is meaningless.
bool pack_table(const std::uint8_t* table, std::size_t n_rows, std::size_t n_columns, std::uint8_t* packed,
                std::ptrdiff_t stride);

}  // namespace hornbeam::data
