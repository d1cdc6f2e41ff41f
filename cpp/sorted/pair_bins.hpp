// sorted/pair_bins.hpp
//
// SAYS     The thresholds of each variable part its values into bins. Of a tree of two levels for some rows, whose root
//          is inside a bin, one side has all rows of the bins before and the other one those behind; and so for the
//          stumps on both sides.
// SO       Sums of the rows in each pair of bins tell what the best tree of two levels loses whose thresholds are
//          borders of bins, and what all others lose at least. While rows are passed in the order of a variable, these
//          sums are kept: every threshold of that variable, as the root of three levels, costs pairs of bins instead of
//          rows.
// WHY      The best cost of trees of some depth does not fall when rows are added (sorted/binned_roots.hpp), and each
//          leaf and each side has these rows. The costs on the two sides of a root add up.
//          Where a bin holds no threshold that a better tree may have, its inside is left out: bins of other widths
//          follow, narrow ones where better trees may have thresholds.
// NEEDS    additive loss that three sums of the rows tell. The bounds do not count the least rows of a leaf, so they
//          hold with it.
// KEEPS    one optimum.
// FLOW     sorted/three_level_roots -> here -> add_to_bin_pairs, binned_stumps and binned_marks of the kernels.
// COST     rows x variables^2 additions for a walk; bins^2 for each side of each root that is compared.
// SOURCE   Ours; [demirovic2022murtree] counts pairs of columns, [mazumder2022quantbnb] bounds ranges of thresholds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernels.hpp"
#include "run/run.hpp"
#include "sorted/leaf_costs.hpp"
#include "sorted/sorted_rows.hpp"

namespace hornbeam::sorted {

/// Places in a list of thresholds, from `first` to `last`.
struct Places {
  std::int64_t first, last;

  std::int64_t size() const { return last - first + 1; }
};

class PairBins {
 public:
  PairBins(const LeafCosts& costs, const kernels::Kernels& kernels, run::WorkMeter& meter)
      : costs_(costs), kernels_(kernels), meter_(meter) {}

  /// What the two levels below a root may have as thresholds, of each variable.
  struct Open {
    std::vector<std::vector<Places>> roots, stumps;
  };
  /// Bins of all variables together.
  struct Numbers {
    std::uint32_t roots, stumps;
  };
  /// Chooses borders among the open thresholds and adds up all rows. False if stopped.
  bool open(const SortedRows& rows, const std::vector<std::vector<Threshold>>& thresholds, const Open& open,
            const Numbers& most);

  /// Begins a walk over the rows in the order of a variable. False if stopped.
  bool start(std::uint32_t variable);
  /// The first rows of the order are the true side of the root. False if stopped.
  bool pass_to(std::uint32_t n_rows);

  /// What trees of up to two levels cost on one side of the root.
  struct Costs {
    Ticks least = kInfinity;              // of those whose thresholds are borders
    Ticks lower = kInfinity;              // of all, at least
    std::optional<ThresholdSplit> split;  // the root of the best one, unless that is a leaf
  };
  /// Costs on the side of the rows passed (1) or of the others (0). False if stopped.
  bool compare(int side, Costs& found);
  /// Marks the thresholds of the trees that may cost less than `bound` on this side, and on more rows. False if
  /// stopped.
  bool mark(int side, Ticks bound);
  /// The thresholds that are marked.
  Open marked() const;
  /// Whether every open threshold is a border.
  bool is_exact() const { return roots_.is_exact && stumps_.is_exact; }
  /// Bytes for these rows.
  static std::uint64_t bytes_for(const SortedRows& rows, const Numbers& most);

 private:
  /// The bins of one level.
  struct Bins {
    std::vector<std::vector<std::int64_t>> borders;  // of each variable, rising
    std::vector<std::uint32_t> first;                // bin of each variable, and an end
    AlignedVector<Ticks> no_threshold_inside;        // of each bin: 0 if an open one is inside, else infinite
    AlignedVector<Ticks> marked_borders, marked_inside;
    bool is_exact = false;

    std::uint32_t n() const { return first.back(); }
    void choose(const std::vector<std::vector<Threshold>>& thresholds, std::vector<std::vector<Places>> open,
                std::uint32_t most);
    std::vector<Places> marked(std::uint32_t variable) const;
  };

  void fill_bins(std::uint32_t variable, const Bins& bins, std::size_t list);
  bool begin_side(int side);
  Ticks leaf_cost(const Ticks* sums) const;
  void pass_bin(int side, std::uint32_t bin);
  kernels::BinnedStumps stumps(Ticks* least, Ticks* lower);
  void compare_variable(int side, std::uint32_t variable, Costs& found);
  void mark_variable(int side, std::uint32_t variable, Ticks bound);

  const LeafCosts costs_;
  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  const SortedRows* rows_ = nullptr;
  const std::vector<std::vector<Threshold>>* thresholds_ = nullptr;
  Bins roots_, stumps_;
  std::vector<kernels::TickVector> records_;  // of each row: its sums, then its bins as stumps and as roots
  std::size_t record_size_ = 0;
  AlignedVector<Ticks> all_, passed_;       // (roots, stumps, kBinSums) of all rows, and of those passed
  AlignedVector<Ticks> held_, everywhere_;  // (stumps, kBinSums) where the root below holds; of the side, added up
  AlignedVector<Ticks> scratch_;
  Ticks total_[kernels::kBinSums]{};       // of the side
  std::vector<std::array<Ticks, 2>> low_;  // of the sides of the roots of a variable, the true side last
  const std::uint32_t* entries_ = nullptr;
  std::uint32_t n_passed_ = 0;
};

}  // namespace hornbeam::sorted
