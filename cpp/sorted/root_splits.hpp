// sorted/root_splits.hpp
//
// WHAT    Many root splits, and the best stumps on both sides of each, for rows on which several predictions gain.
// FLOW    sorted/two_level_thresholds -> here -> scan_gains of the kernels.
// HOLDS   The root splits on one variable are nested: each holds for the rows for which an earlier one holds.
// COST    Two bytes for each row and variable with a root split.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "run/run.hpp"
#include "sorted/sorted_rows.hpp"

namespace hornbeam::sorted {

class RootSplits {
 public:
  void clear();
  /// Adds a root split, by variable and then by threshold; not more than kernels::kMostRoots.
  void add(std::uint32_t variable, const Threshold& threshold);
  /// Finds the rows and the gains of each root split. False if stopped.
  bool mark(const SortedRows& rows, run::WorkMeter& meter);
  /// The gains where root split i holds: sums[k * stride + i].
  void copy_sums(std::size_t n_sums, std::size_t stride, std::vector<std::int64_t>& sums) const;
  /// Lowers the least losses of two leaves, by side of each root split, by the thresholds of one variable.
  void scan(const SortedRows& rows, std::uint32_t variable, std::uint32_t least_rows, const kernels::Kernels& kernels,
            std::vector<std::int64_t> (&least_loss)[2]);
  /// The work of a scan, relative to only reading the entries.
  std::uint64_t scan_work(const SortedRows& rows) const;

  std::uint64_t bytes() const;
  /// Bytes that marking these rows takes in addition to those already allocated.
  std::uint64_t growth_for(const SortedRows& rows) const;

 private:
  std::vector<std::uint32_t> variables_,
      first_root_;                       // of the variables with root splits; their first ones, and an end
  std::vector<std::int32_t> true_rows_;  // of each root split, as all below
  std::vector<std::int64_t> true_weight_;
  std::vector<kernels::TickVector> true_side_, total_, scratch_;
  std::vector<std::uint16_t> first_root_of_row_;  // (n_rows, variables_)
};

}  // namespace hornbeam::sorted
