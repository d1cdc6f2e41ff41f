// sorted/three_level_roots.hpp
//
// SAYS     Let a < b be thresholds of one variable, h(a) what a tree of two levels costs at least on the true side of
//          a, and g(b) on the false side of b. A tree of three levels whose root is at a, or between a and b, costs at
//          least h(a) + g(b).
// SO       Walks over the rows in the order of each variable close runs of thresholds as roots, with the bounds of
//          sorted/pair_bins.hpp. Each round has narrower bins where the trees below roots that are left may have
//          thresholds, and shorter steps between the roots that are compared, until few are left.
// WHY      The true side of a threshold from a on includes that of a, and its false side includes that of b: as in
//          sorted/open_thresholds.hpp, but both sides are bounds. What a round leaves out as thresholds below the
//          roots that are left belongs to trees that cost at least the best one known, which only falls.
// NEEDS    as sorted/pair_bins.hpp; no limit of less than eight leaves, which the trees that are found may exceed.
// KEEPS    one optimum.
// FLOW     ordered/ordered_search -> here, before the roots that are left are tried one by one.
// SOURCE   Ours, after the branch and bound over ranges of thresholds of [mazumder2022quantbnb, brita2025contree].
// Switch   similarity
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sorted/open_thresholds.hpp"
#include "sorted/pair_bins.hpp"

namespace hornbeam::sorted {

/// The splits of a tree of three levels but those of the lowest one; the true side last.
struct UpperSplits {
  ThresholdSplit root;
  std::optional<ThresholdSplit> below[2];
};

class ThreeLevelRoots {
 public:
  ThreeLevelRoots(const LeafCosts& costs, const kernels::Kernels& kernels, run::WorkMeter& meter,
                  std::uint64_t most_pairs = ~std::uint64_t{0})
      : costs_(costs), meter_(meter), bins_(costs, kernels, meter), most_pairs_(most_pairs) {}

  static bool suits(const SortedRows& rows, std::uint32_t leaves);

  /// `best` is what a tree has to cost less than, at any time; `improve` completes a tree that costs less.
  struct Incumbent {
    std::function<Ticks()> best;
    std::function<void(const UpperSplits&)> improve;
  };
  /// The runs of thresholds whose trees may cost less than the best one.
  std::vector<OpenThresholds> narrow(const SortedRows& rows, const std::vector<std::vector<Threshold>>& thresholds,
                                     const Incumbent& incumbent);

  std::uint64_t n_closed() const { return n_closed_; }
  /// Bytes for these rows.
  static std::uint64_t bytes_for(const SortedRows& rows);

 private:
  /// A threshold that was compared.
  struct Compared {
    ThresholdBounds bounds;
    Ticks least;  // of trees whose thresholds are borders
  };
  /// What is left of a variable.
  struct Variable {
    std::vector<OpenThresholds> runs;  // rising
    PairBins::Open below;              // what trees below its roots may have
    bool is_done = false;              // its roots are left to the search
  };

  bool narrow_variable(std::uint32_t variable, bool marks);
  bool compare_at(std::uint32_t variable, std::int64_t threshold, Compared& found);
  bool walk(std::uint32_t variable, std::vector<std::vector<Compared>>& compared);
  bool mark(std::uint32_t variable);
  std::int64_t next_threshold(const OpenThresholds& run, const Compared* before, const Compared& here) const;
  std::uint64_t n_open(std::uint32_t variable) const;
  std::uint32_t rows_before(std::uint32_t variable, std::int64_t threshold) const;

  const LeafCosts costs_;
  run::WorkMeter& meter_;
  PairBins bins_;
  const std::uint64_t most_pairs_;  // of bins
  const SortedRows* rows_ = nullptr;
  const std::vector<std::vector<Threshold>>* thresholds_ = nullptr;
  const Incumbent* incumbent_ = nullptr;
  std::vector<Variable> variables_;
  Ticks best_ = kInfinity;  // that of the incumbent, or of `better_`
  std::optional<UpperSplits> better_;
  std::uint64_t n_closed_ = 0;
};

}  // namespace hornbeam::sorted
