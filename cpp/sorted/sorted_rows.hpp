// sorted/sorted_rows.hpp
//
// WHAT    The rows of one subproblem in the order of each variable, for problems whose columns are the thresholds of
//         a few variables: a column is a threshold of such an order, so it is never stored.
// HOLDS   Rows are renumbered in each subproblem. An entry is row << 8 | class << 1 | whether the next row has another
//         bin, so the scan of an order reads nothing else but the row's membership. The last entry of an order has no
//         next row, so its lowest bit is meaningless. Where several predictions gain on a row (sorted/row_gains.hpp),
//         all classes are 0, and the scan reads the row's gains.
// COST    4 bytes per row and variable; a child is made by one stable pass over each order.
// SOURCE  Presorted orders are those of SLIQ and of [brita2025contree].
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/types.hpp"
#include "data/ordered_columns.hpp"
#include "kernels/kernels.hpp"
#include "run/run.hpp"
#include "sorted/leaf_formula.hpp"
#include "sorted/row_gains.hpp"

namespace hornbeam::sorted {

/// A threshold of one variable's order: its first `n_rows` rows are on the true side.
struct Threshold {
  std::uint32_t n_rows;
  std::int64_t weight;  // of these rows
};

/// Bytes of lists of thresholds.
std::uint64_t bytes_of(const std::vector<std::vector<Threshold>>& thresholds);

/// A threshold as a split: the bin up to which it holds.
struct ThresholdSplit {
  std::uint32_t variable;
  std::uint32_t threshold;
};

inline std::uint32_t row_of(std::uint32_t entry) { return entry >> 8; }
inline std::uint32_t class_of(std::uint32_t entry) { return (entry >> 1) & 127; }
inline bool ends_bin(std::uint32_t entry) { return (entry & 1) != 0; }

class SortedRows {
 public:
  /// All rows of a problem. False if stopped before they are in order.
  bool sort(const data::OrderedColumns& columns, const RowGains& rows, run::WorkMeter& meter);

  /// The rows on one side of a threshold; `number` is scratch space. False if stopped: `child` is then incomplete.
  bool make_child(std::uint32_t variable, std::uint32_t n_true, bool side, SortedRows& child,
                  std::vector<std::uint32_t>& number, run::WorkMeter& meter) const;

  std::uint32_t n_rows() const { return n_rows_; }
  std::uint32_t n_variables() const { return columns_->n_variables(); }
  const std::uint32_t* entries(std::uint32_t variable) const { return &entries_[offset(variable)]; }
  const std::int64_t* weights() const { return weight_.empty() ? nullptr : weight_.data(); }
  std::int64_t weight_of(std::uint32_t row) const { return weight_.empty() ? 1 : weight_[row]; }
  /// What each row adds to each sum; null where entries have its class.
  const std::int64_t* gains() const { return gain_.empty() ? nullptr : gain_.data(); }
  /// Adds the row of an entry to the sums.
  void add_gains(std::uint32_t entry, std::int64_t* sums) const {
    const std::uint32_t row = row_of(entry);
    if (gain_.empty()) {
      sums[class_of(entry)] += weight_of(row);
      return;
    }
    for (std::size_t k = 0; k < n_sums(); ++k) sums[k] += gain_[row * n_sums() + k];
  }
  bool has_sums() const { return problem_->has_sums(); }
  const std::optional<models::ConvexTable>& convex() const { return problem_->convex; }
  template <class Use>
  decltype(auto) with_formula(Use use) const {
    return problem_->with_formula(use);
  }
  std::size_t n_sums() const { return total_gain_.size(); }
  /// Of each sum, on all rows.
  const std::vector<std::int64_t>& total_gain() const { return total_gain_; }
  /// What these rows lose in one leaf.
  std::int64_t loss() const { return problem_->loss(weight_of_all_, total_gain_); }
  /// The best prediction in one leaf.
  std::uint32_t prediction() const { return problem_->prediction(total_gain_); }
  std::int64_t weight() const { return weight_of_all_; }
  /// What the reference loses on these rows; 0 without one.
  std::int64_t reference_loss() const { return reference_loss_; }
  std::uint64_t bytes() const {
    return 4 * (entries_.capacity() + original_.capacity()) + 8 * (weight_.capacity() + gain_.capacity());
  }

  /// The number of each row in the whole problem.
  const std::vector<std::uint32_t>& original() const { return original_; }
  /// Of these rows in the whole problem.
  Fingerprint fingerprint() const;

  /// Bytes that a subset of this many of these rows takes.
  std::uint64_t bytes_of(std::uint32_t n_rows) const {
    return 4 * std::uint64_t{n_rows} * (n_variables() + (weight_.empty() ? 1u : 3u)) + 8 * n_gains(n_rows);
  }

  /// All thresholds, with rows on both sides.
  void list_thresholds(std::uint32_t variable, std::vector<Threshold>& thresholds) const;
  /// No list of a variable's thresholds is longer.
  std::uint32_t most_thresholds(std::uint32_t variable) const {
    return std::min(n_rows_ - 1, columns_->n_thresholds[variable]);
  }

  /// The threshold after the first `n_true` rows of an order as a split, and back.
  ThresholdSplit split_behind(std::uint32_t variable, std::uint32_t n_true) const {
    return {variable, bin(variable, n_true - 1)};
  }
  std::uint32_t n_true_by(const ThresholdSplit& split) const;

 private:
  /// Words of `gain_` for so many rows.
  std::size_t n_gains(std::size_t n_rows) const { return gain_.empty() ? 0 : n_rows * n_sums() + n_spare(); }
  std::size_t n_spare() const { return has_sums() ? 0 : kernels::kSpareGains; }
  void add_up(const std::uint32_t* begin, const std::uint32_t* end, SortedRows& child) const;
  std::size_t offset(std::uint32_t variable) const { return 1 + std::size_t{variable} * n_rows_; }
  std::uint32_t bin(std::uint32_t variable, std::uint32_t i) const {
    return columns_->bins_of(variable)[original_[row_of(entries(variable)[i])]];
  }

  const data::OrderedColumns* columns_ = nullptr;
  const RowGains* problem_ = nullptr;
  std::uint32_t n_rows_ = 0;
  std::vector<std::uint32_t> entries_;   // by variable; one place before the first is free to be overwritten
  std::vector<std::uint32_t> original_;  // number of each row in the whole problem
  std::vector<std::int64_t> weight_;     // of each row; empty where all weigh one
  std::vector<std::int64_t> gain_;       // (n_rows, n_sums) and spare words; empty where entries have classes
  std::vector<std::int64_t> total_gain_;
  std::int64_t weight_of_all_ = 0, reference_loss_ = 0;
};

}  // namespace hornbeam::sorted
