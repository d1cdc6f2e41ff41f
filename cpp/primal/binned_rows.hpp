// primal/binned_rows.hpp
//
// WHAT    The rows of many thresholds, for the greedy tree (primal/greedy_tree.hpp): each variable has groups of
//         neighboring bins, few of whose rows are of more than one bin. One pass over the rows of a node, as they lie
//         in memory, adds up all groups; the best place between two groups of a variable is then moved to the best
//         place between two bins of them.
// WHY     Rows in the order of a variable are all over the memory, which takes ten times as long where they are many.
// HOLDS   Where each group is one bin, and in nodes of few rows, no split of a variable is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "data/ordered_columns.hpp"
#include "primal/greedy_splits.hpp"

namespace hornbeam::primal {

/// Rows by their numbers, those of a node side by side.
class BinnedRows {
 public:
  explicit BinnedRows(const data::OrderedColumns& columns)
      : columns_(columns), n_variables_(columns.n_variables()), order_(columns.n_rows), first_bin_(n_variables_) {
    std::iota(order_.begin(), order_.end(), 0u);
    groups_.resize(std::size_t{columns.n_rows} * n_variables_);
    std::vector<std::uint8_t> group_of_bin;
    for (std::uint32_t v = 0; v < n_variables_; ++v) {
      find_groups(v, group_of_bin);
      const std::uint32_t* const bins = columns.bins_of(v);
      for (std::size_t row = 0; row < columns.n_rows; ++row) groups_[row * n_variables_ + v] = group_of_bin[bins[row]];
    }
  }

  std::uint32_t n_rows() const { return columns_.n_rows; }
  std::span<const std::uint32_t> rows(std::uint32_t begin, std::uint32_t end) const {
    return {order_.data() + begin, order_.data() + end};
  }

  void scan(std::uint32_t begin, std::uint32_t end, const GreedyWeights& weights, BestGreedySplit& best) {
    const std::span<const std::uint32_t> some = rows(begin, end);
    const bool has_few = some.size() <= kFewRows;
    if (!has_few) add_up(some, weights);
    for (std::uint32_t v = 0; v < n_variables_; ++v) {
      BestGreedySplit coarse = best.of_none();
      if (!has_few) consider_groups(v, weights, coarse);
      held_.assign(weights.size(), 0);
      if (const GreedySplit* const between = coarse.found())
        consider_around(some, v, between->column, weights, best);
      else if (has_few || n_groups(v) <= columns_.n_thresholds[v])
        consider_bins(some, v, 0, n_groups(v) - 1, weights, best);
    }
  }

  /// Puts the rows where the column holds first; returns where the others begin.
  std::uint32_t split(std::uint32_t begin, std::uint32_t end, std::uint32_t column) {
    const std::uint32_t variable = columns_.variable_of(column), last = column - columns_.first_column[variable];
    const std::uint32_t* const bins = columns_.bins_of(variable);
    const auto middle = std::stable_partition(order_.begin() + begin, order_.begin() + end,
                                              [&](std::uint32_t row) { return bins[row] <= last; });
    return static_cast<std::uint32_t>(middle - order_.begin());
  }

  /// For a tree of so many levels, where a leaf has sums of this size, and so many additions to find its loss.
  static GreedyWork work(const data::OrderedColumns& columns, std::uint64_t n_levels, std::uint64_t size,
                         std::uint64_t of_leaf) {
    const std::uint64_t n_rows = columns.n_rows, n_variables = columns.n_variables(),
                        n_nodes = std::min(n_levels * n_rows / kFewRows,
                                           std::uint64_t{1} << std::min(n_levels, std::uint64_t{63}));
    // Rows are mostly added up in their order, many sums as vectors.
    const std::uint64_t of_rows = n_levels * n_rows * n_variables * (10 + size / 3),
                        of_nodes = n_nodes * n_variables * (4 * of_leaf * kShare + size * kMostGroups);
    return {of_rows + of_nodes + n_rows * size * of_leaf / 4,
            n_rows * (n_variables + sizeof(std::uint32_t) + size * sizeof(Ticks)) +
                n_variables * kMostGroups * size * sizeof(Ticks)};
  }

 private:
  static constexpr std::uint32_t kMostGroups = 256, kFewRows = 1024;
  static constexpr std::uint32_t kShare = 124;  // one in so many rows: the most of a group of several bins
  static constexpr std::size_t kBlock = 256;    // rows whose sums a cache holds

  std::uint32_t n_groups(std::uint32_t v) const { return static_cast<std::uint32_t>(first_bin_[v].size()) - 1; }
  bool is_bin(std::uint32_t v, std::uint32_t group) const {
    return first_bin_[v][group + 1] - first_bin_[v][group] == 1;
  }
  const std::int64_t* sums_of(std::uint32_t v, std::uint32_t group) const {
    return &sums_[(std::size_t{v} * kMostGroups + group) * held_.size()];
  }

  /// Two neighboring groups have more rows than one may have, so there are at most twice as many as shares, and one.
  void find_groups(std::uint32_t v, std::vector<std::uint8_t>& group_of_bin) {
    const std::uint32_t n_bins = columns_.n_thresholds[v] + 1, most = columns_.n_rows / kShare;
    std::vector<std::uint32_t> rows_of_bin(n_bins, 0);
    for (std::uint32_t row = 0; row < columns_.n_rows; ++row) ++rows_of_bin[columns_.bins_of(v)[row]];
    group_of_bin.resize(n_bins);
    std::vector<std::uint32_t>& first = first_bin_[v];
    std::uint32_t n_held = 0;
    for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
      if (bin == 0 || n_bins <= kMostGroups || n_held + rows_of_bin[bin] > most) {
        first.push_back(bin);
        n_held = 0;
      }
      n_held += rows_of_bin[bin];
      group_of_bin[bin] = static_cast<std::uint8_t>(first.size() - 1);
    }
    first.push_back(n_bins);
  }

  /// A block of rows after the other, so that its sums are read once, and those of a variable stay in a cache.
  void add_up(std::span<const std::uint32_t> some, const GreedyWeights& weights) {
    const std::size_t size = weights.size();
    held_.resize(size);
    sums_.assign(std::size_t{n_variables_} * kMostGroups * size, 0);
    for (std::size_t first = 0; first < some.size(); first += kBlock) {
      const std::span<const std::uint32_t> block = some.subspan(first, std::min(kBlock, some.size() - first));
      for (std::uint32_t v = 0; v < n_variables_; ++v) {
        std::int64_t* const sums = &sums_[std::size_t{v} * kMostGroups * size];
        for (const std::uint32_t row : block)
          weights.add_to(sums + groups_[std::size_t{row} * n_variables_ + v] * size, row);
      }
    }
  }

  void hold(const std::int64_t* sums) {
    for (std::size_t i = 0; i < held_.size(); ++i) held_[i] += sums[i];
  }

  /// Shows the places after each group, as if they were columns.
  void consider_groups(std::uint32_t v, const GreedyWeights& weights, BestGreedySplit& coarse) {
    held_.assign(weights.size(), 0);
    for (std::uint32_t group = 0; group + 1 < n_groups(v); ++group) {
      hold(sums_of(v, group));
      coarse.consider(group, held_.data());
    }
  }

  /// Shows the place after a group, and those between the bins on both sides of it.
  void consider_around(std::span<const std::uint32_t> some, std::uint32_t v, std::uint32_t group,
                       const GreedyWeights& weights, BestGreedySplit& best) {
    const std::uint32_t from = is_bin(v, group) ? group + 1 : group, to = is_bin(v, group + 1) ? group : group + 1;
    for (std::uint32_t before = 0; before < from; ++before) hold(sums_of(v, before));
    if (from > group) best.consider(columns_.first_column[v] + first_bin_[v][from] - 1, held_.data());
    if (from <= to) consider_bins(some, v, from, to, weights, best);
  }

  /// Shows the places after each bin of these groups that a row has; `held_` has those before.
  void consider_bins(std::span<const std::uint32_t> some, std::uint32_t v, std::uint32_t from, std::uint32_t to,
                     const GreedyWeights& weights, BestGreedySplit& best) {
    const std::uint32_t* const bins = columns_.bins_of(v);
    by_bin_.clear();
    for (const std::uint32_t row : some) {
      const std::uint32_t group = groups_[std::size_t{row} * n_variables_ + v];
      if (from <= group && group <= to) by_bin_.push_back(std::uint64_t{bins[row]} << 32 | row);
    }
    std::sort(by_bin_.begin(), by_bin_.end());
    for (std::size_t i = 0; i < by_bin_.size(); ++i) {
      weights.add_to(held_.data(), static_cast<std::uint32_t>(by_bin_[i]));
      const std::uint64_t bin = by_bin_[i] >> 32;
      if (i + 1 == by_bin_.size() || bin != by_bin_[i + 1] >> 32)
        best.consider(columns_.first_column[v] + static_cast<std::uint32_t>(bin), held_.data());
    }
  }

  const data::OrderedColumns& columns_;
  const std::uint32_t n_variables_;
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<std::uint32_t>> first_bin_;  // by variable, of each group; after them the number of bins
  std::vector<std::uint8_t> groups_;                   // (n_rows, n_variables)
  std::vector<std::int64_t> sums_;                     // (n_variables, kMostGroups, sums)
  std::vector<std::int64_t> held_;
  std::vector<std::uint64_t> by_bin_;  // bin and row
};

}  // namespace hornbeam::primal
