// data/column_groups.hpp
//
// WHAT    The columns in groups that take few patterns together, and the number of each row's pattern in each group.
// FLOW    search makes them for a problem -> shallow/sum_solver counts pairs and triples of groups instead of columns.
// HOLDS   Every column is in one group, and rows have equal codes in a group if and only if they agree in its columns.
// CHOICE  Two columns of which one of the four combinations is missing may share a group: thresholds of one number and
//         values of one category do, and k such columns have at most k + 1 patterns, as
//         the sites of a tree of descent have. Then groups are joined while their patterns, multiplied, stay few: three
//         columns of any kind have at most eight (the method of four Russians).
#pragma once

#include <cstdint>
#include <vector>

#include "data/distinct_rows.hpp"

namespace hornbeam::data {

class ColumnGroups {
 public:
  /// Histograms over three groups must fit into the nearest cache: 12^3 numbers.
  static constexpr std::uint32_t kMostCodes = 12;

  explicit ColumnGroups(const DistinctRows& rows);

  std::uint32_t n_groups() const { return static_cast<std::uint32_t>(groups_.size()); }
  const std::vector<std::uint32_t>& columns(std::uint32_t group) const { return groups_[group]; }
  std::uint32_t group_of(std::uint32_t column) const { return group_of_[column]; }
  /// Bit k is set where the column holds in rows of code k.
  std::uint32_t holds(std::uint32_t column) const { return holds_[column]; }
  const std::uint8_t* codes(std::uint32_t row) const { return codes_.data() + std::size_t{row} * n_groups(); }
  bool test(std::uint32_t column, std::uint32_t row) const {
    return (holds_[column] >> codes(row)[group_of_[column]] & 1) != 0;
  }
  std::size_t bytes() const { return codes_.capacity(); }

 private:
  void find_groups(const DistinctRows& rows);
  void join_small_groups();
  void number_patterns(const DistinctRows& rows);

  std::vector<std::vector<std::uint32_t>> groups_;  // columns of each
  std::vector<std::uint32_t> group_of_, holds_;     // by column
  std::vector<std::uint8_t> codes_;                 // (n_rows, n_groups)
};

}  // namespace hornbeam::data
