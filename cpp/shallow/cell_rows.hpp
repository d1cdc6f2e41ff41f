// shallow/cell_rows.hpp
//
// WHAT    Cells, and numbers for the cells of all sets of a few columns.
// FLOW    shallow/cell_solver.
// HOLDS   A set of columns has a row for each of its cells, with a number for each column behind the last one of the
//         set, and no more: a block of kLanes columns that a row has not all of reaches into the rows next to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::shallow {

inline constexpr std::uint32_t kMostCellColumns = 5;

/// The rows where each of a few columns holds or fails; the columns rise.
struct Cell {
  std::uint32_t n = 0, holds = 0;  // bit i of `holds`: whether column i does
  std::array<std::uint32_t, kMostCellColumns> column{};

  /// The same without the last column.
  Cell without_last() const { return {n - 1, holds & ~(1u << (n - 1)), column}; }
  bool has(std::uint32_t one) const { return std::find(column.begin(), column.begin() + n, one) != column.begin() + n; }
  Cell with(std::uint32_t one, bool side) const {
    Cell cell{n + 1, 0, column};
    std::uint32_t at = n;
    for (; at > 0 && column[at - 1] > one; --at) cell.column[at] = column[at - 1];
    cell.column[at] = one;
    const std::uint32_t below = (1u << at) - 1;
    cell.holds = (holds & below) | (holds & ~below) << 1 | (side ? 1u << at : 0u);
    return cell;
  }
};

class CellRows {
 public:
  /// For sets of `size` columns of `n_columns`, with so many cells of each.
  void lay_out(std::uint32_t n_columns, std::uint32_t size, std::uint32_t n_cells, Ticks value) {
    size_ = size;
    n_columns_ = n_columns;
    n_cells_ = n_cells;
    offset_.clear();
    const std::size_t n = count(n_columns, size, n_cells, &offset_);
    numbers_.assign(n + 2 * std::size_t{kLanes}, value);  // also before the first row and behind the last one
  }

  /// How many numbers there are.
  static std::size_t count(std::uint32_t n_columns, std::uint32_t size, std::uint32_t n_cells,
                           std::vector<std::size_t>* offset = nullptr) {
    if (size == 0) return std::size_t{n_cells} * n_columns;
    std::size_t n = 0;
    for (std::uint32_t last = 0; last < n_columns; ++last) {
      if (offset != nullptr) offset->push_back(n);
      n += choose(last, size - 1) * n_cells * (n_columns - last - 1);
    }
    return n;
  }

  /// How many numbers a row has.
  std::size_t width(const std::uint32_t* set) const { return n_columns_ - first(set); }
  /// The number of a column in the row of the first cell of a set; its other cells follow, `width` apart. The column
  /// may also be one of the same block as the first column of the row.
  Ticks* at(const std::uint32_t* set, std::uint32_t column) { return numbers_.data() + place(set, column); }
  const Ticks* at(const std::uint32_t* set, std::uint32_t column) const { return numbers_.data() + place(set, column); }

 private:
  std::uint32_t first(const std::uint32_t* set) const { return size_ == 0 ? 0 : set[size_ - 1] + 1; }
  /// Subsets of k of n columns, for k below 4.
  static std::size_t choose(std::size_t n, std::uint32_t k) {
    switch (k) {
      case 0: return 1;
      case 1: return n;
      case 2: return n * (n - 1) / 2;
      default: return n < 2 ? 0 : n * (n - 1) * (n - 2) / 6;
    }
  }
  std::size_t place(const std::uint32_t* set, std::uint32_t column) const {
    const std::size_t at = kLanes + column - first(set);
    if (size_ == 0) return at;
    std::size_t rank = 0;
    for (std::uint32_t i = 0; i + 1 < size_; ++i) rank += choose(set[i], i + 1);
    return offset_[set[size_ - 1]] + rank * n_cells_ * width(set) + at;
  }

  std::uint32_t size_ = 0, n_columns_ = 0, n_cells_ = 0;
  std::vector<std::size_t> offset_;  // by last column
  AlignedVector<Ticks> numbers_;
};

}  // namespace hornbeam::shallow
