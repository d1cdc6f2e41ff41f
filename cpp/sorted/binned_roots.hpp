// sorted/binned_roots.hpp
//
// SAYS     The thresholds of each variable part its values into bins. Of a stump whose threshold is inside a bin, one
//          leaf loses at least what it does on the rows of all bins before, and the other one on those behind.
// SO       One walk over the rows in the order of each variable, with sums of each bin of all variables on the true
//          side, tries every border of bins as a root: what the best stumps lose on both sides among borders, and what
//          all others lose at least.
// WHY      A leaf does not lose less when rows are added, which every formula of a leaf keeps, and each of the two
//          leaves has these rows. Where every threshold is a border, as for values that are rounded, nothing is
//          between.
// NEEDS    additive loss that three sums of the rows tell: squared error, convex costs. Scans of two classes
//          have narrow lanes, and cost less than sums of bins would.
// KEEPS    one optimum.
// FLOW     sorted/two_level_thresholds -> here -> add_to_bins and binned_stumps of the kernels.
// COST     rows x variables^2 additions, and bins of all variables for each root that is compared. sorted/root_splits
//          and scan_stumps cost less for a few roots: they are for the thresholds inside bins.
// SOURCE   Ours; [demirovic2022murtree] counts pairs of columns for trees of two levels.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "run/run.hpp"
#include "sorted/sorted_rows.hpp"

namespace hornbeam::sorted {

class BinnedRoots {
 public:
  BinnedRoots(const kernels::Kernels& kernels, run::WorkMeter& meter) : kernels_(kernels), meter_(meter) {}

  /// Whether these rows have the sums for it.
  static bool suits(const SortedRows& rows);

  /// Chooses borders among the thresholds of each variable. False if stopped.
  bool open(const SortedRows& rows, const std::vector<std::vector<Threshold>>& thresholds, std::uint32_t least_rows);
  /// Places in the thresholds of a variable, rising.
  const std::vector<std::uint32_t>& borders(std::uint32_t variable) const { return borders_[variable]; }

  /// Begins a walk over the rows in the order of a variable. False if stopped.
  bool start(const SortedRows& rows, std::uint32_t variable);
  /// The first rows of the order are the true side of a root split.
  void pass_to(std::uint32_t n_rows);
  /// What stumps lose on the two sides of the root split; the true side last.
  struct Losses {
    Ticks least[2];  // of those between bins
    Ticks lower[2];  // of all at least, whose leaves may have any number of rows
  };
  /// Lowers the losses.
  void compare(Losses& losses);
  /// Sum k of the rows passed.
  std::int64_t sum(std::size_t k) const { return passed_[k]; }

  std::uint64_t bytes() const;
  /// Bytes that these rows take in addition to those already allocated.
  std::uint64_t growth_for(const SortedRows& rows) const;

 private:
  void choose_borders(const SortedRows& rows, const std::vector<std::vector<Threshold>>& thresholds);
  void mark_wide_bins(const std::vector<std::vector<Threshold>>& thresholds);
  void fill_bins(const SortedRows& rows, std::uint32_t variable, const std::vector<Threshold>& thresholds);
  kernels::BinnedRows binned_rows() const;

  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  std::vector<std::vector<std::uint32_t>> borders_;
  std::vector<std::uint32_t> first_bin_;  // of each variable, and an end
  std::vector<kernels::TickVector> records_;
  std::size_t record_size_ = 0;
  AlignedVector<Ticks> sums_, passed_of_all_, no_threshold_inside_, scratch_;
  Ticks passed_[kernels::kBinSums]{}, total_[kernels::kBinSums]{};
  const SortedRows* rows_ = nullptr;
  const std::uint32_t* entries_ = nullptr;
  std::uint32_t n_passed_ = 0, least_rows_ = 1;
};

}  // namespace hornbeam::sorted
