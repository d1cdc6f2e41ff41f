// ordered/ordered_rows.hpp
//
// WHAT    The rows of one subproblem in the order of each variable, for problems whose columns are the thresholds of
//         a few variables: a column is a cut of such an order, so it is never stored.
// HOLDS   Rows are numbered anew in each subproblem. An entry is row << 8 | class << 1 | whether the next row has
//         another rank, so the scan of an order reads nothing else but the row's membership.
// COST    8 bytes a row and variable; a child is made by one stable pass over each order.
// SOURCE  Presorted orders are those of SLIQ and of [brita2025contree].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/ranked_columns.hpp"

namespace hornbeam {

inline constexpr std::uint32_t kMostOrderedRows = 1u << 24;
inline constexpr std::uint32_t kMostOrderedClasses = 128;
inline constexpr std::int64_t kMostOrderedWeight = std::int64_t{1} << 28;
inline constexpr std::uint32_t kMostOrderedDepth = 16;

/// A cut of one variable's order: its first `n_rows` rows are on the true side.
struct Cut {
  std::uint32_t n_rows;
  std::int64_t weight;  // of these rows
};

class OrderedRows {
 public:
  OrderedRows() = default;
  OrderedRows(const RankedColumns& columns, std::span<const std::int32_t> classes,
              std::span<const std::int64_t> weights, std::uint32_t n_classes);

  std::uint32_t n_rows() const { return n_rows_; }
  std::uint32_t n_variables() const { return n_variables_; }
  const std::uint32_t* entries(std::uint32_t variable) const { return &entries_[std::size_t{variable} * n_rows_]; }
  const std::uint32_t* ranks(std::uint32_t variable) const { return &ranks_[std::size_t{variable} * n_rows_]; }
  const std::int32_t* weights() const { return weight_.empty() ? nullptr : weight_.data(); }
  std::int32_t weight_of(std::uint32_t row) const { return weight_.empty() ? 1 : weight_[row]; }
  const std::vector<std::int32_t>& class_weight() const { return class_weight_; }
  std::int64_t weight() const { return weight_of_all_; }
  std::uint64_t bytes() const { return 4 * (entries_.capacity() + ranks_.capacity() + weight_.capacity()); }

  void list_cuts(std::uint32_t variable, std::vector<Cut>& cuts) const;

  /// The rows on one side of a cut.
  void make_child(std::uint32_t variable, std::uint32_t n_held, bool side, OrderedRows& child,
                  std::vector<std::uint32_t>& spare) const;

 private:
  void mark_last();
  void weigh(std::uint32_t n_classes);

  std::uint32_t n_rows_ = 0, n_variables_ = 0;
  std::vector<std::uint32_t> entries_, ranks_;
  std::vector<std::int32_t> weight_, class_weight_;
  std::int64_t weight_of_all_ = 0;
};

}  // namespace hornbeam
