// shallow/cell_rows.hpp
//
// WHAT    Cells, and numbers for the cells of all sets of a few columns.
// FLOW    shallow/cell_solver.
// HOLDS   A set of columns has a row for each of its cells, with a number for each column behind the last one of the
//         set. A row begins at the block of kLanes columns that has the first of these, so that rows of different sets
//         meet block by block.
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
    end_ = blocks_of(n_columns) * kLanes;
    n_cells_ = n_cells;
    offset_.clear();
    numbers_.assign(count(n_columns, size, n_cells, &offset_), value);
  }

  /// How many numbers there are.
  static std::size_t count(std::uint32_t n_columns, std::uint32_t size, std::uint32_t n_cells,
                           std::vector<std::size_t>* offset = nullptr) {
    const std::uint32_t end = blocks_of(n_columns) * kLanes;
    if (size == 0) return std::size_t{n_cells} * end;
    std::size_t n = 0;
    for (std::uint32_t last = 0; last < n_columns; ++last) {
      if (offset != nullptr) offset->push_back(n);
      n += choose(last, size - 1) * n_cells * (end - first_of(last));
    }
    return n;
  }

  /// The first column of the rows of a set with this last column.
  static std::uint32_t first_of(std::uint32_t last) { return (last + 1) / kLanes * kLanes; }
  /// How many numbers a row has.
  std::size_t width(const std::uint32_t* set) const { return end_ - first(set); }
  std::uint32_t first(const std::uint32_t* set) const { return size_ == 0 ? 0 : first_of(set[size_ - 1]); }
  /// The row of the first cell of a set; those of its other cells follow.
  Ticks* rows(const std::uint32_t* set) { return numbers_.data() + place(set); }
  const Ticks* rows(const std::uint32_t* set) const { return numbers_.data() + place(set); }

 private:
  static std::uint32_t blocks_of(std::uint32_t n_columns) { return (n_columns + kLanes - 1) / kLanes; }
  /// Subsets of k of n columns, for k below 4.
  static std::size_t choose(std::size_t n, std::uint32_t k) {
    switch (k) {
      case 0: return 1;
      case 1: return n;
      case 2: return n * (n - 1) / 2;
      default: return n < 2 ? 0 : n * (n - 1) * (n - 2) / 6;
    }
  }
  std::size_t place(const std::uint32_t* set) const {
    if (size_ == 0) return 0;
    std::size_t rank = 0;
    for (std::uint32_t i = 0; i + 1 < size_; ++i) rank += choose(set[i], i + 1);
    return offset_[set[size_ - 1]] + rank * n_cells_ * width(set);
  }

  std::uint32_t size_ = 0, end_ = 0, n_cells_ = 0;
  std::vector<std::size_t> offset_;  // by last column
  AlignedVector<Ticks> numbers_;
};

}  // namespace hornbeam::shallow
