// primal/points.hpp
//
// WHAT    The training data of the primal heuristics: points, and for each variable the bin of each point among its
//         thresholds. Neighboring conditions of which at most one holds, such as the categories of a column, are a
//         nominal variable: the bin is the number of the condition that holds.
// FLOW    data (distinct rows or ordered columns) -> here -> primal/split_finder, primal/working_tree.
// HOLDS   Immutable. A row that weighs for several targets is one point for each; the first of them counts its rows.
//         Joint points weigh for all targets at once: the three sums of squared error mean nothing without each other.
// CHOICE  Bins, where the search has bits: a histogram over the bins of a variable scores all its thresholds at once,
//         and sums numbers that differ from point to point. The bins of a variable take 1, 2 or 4 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "data/distinct_rows.hpp"
#include "data/ordered_columns.hpp"
#include "data/row_targets.hpp"
#include "run/run.hpp"

namespace hornbeam::primal {

/// The true side has the points whose bin is at most `bin`, or equal to it if the variable is nominal.
struct Split {
  std::uint32_t variable = 0;
  std::uint32_t bin = 0;
  friend bool operator==(const Split&, const Split&) = default;
};

class Variable {
 public:
  /// `bin_of(point)` is 0 .. n_conditions, the last if none holds.
  template <class BinOf>
  Variable(std::uint32_t n_points, std::uint32_t n_conditions, std::uint32_t first_column, bool is_nominal,
           BinOf bin_of)
      : n_conditions_(n_conditions), first_column_(first_column), is_nominal_(is_nominal) {
    if (n_conditions < 1u << 8)
      fill<std::uint8_t>(n_points, bin_of);
    else if (n_conditions < 1u << 16)
      fill<std::uint16_t>(n_points, bin_of);
    else
      fill<std::uint32_t>(n_points, bin_of);
  }

  std::uint32_t n_conditions() const { return n_conditions_; }
  /// The column of a condition in the problem.
  std::uint32_t column(std::uint32_t condition) const { return first_column_ + condition; }
  bool is_nominal() const { return is_nominal_; }
  /// `use(bins)` with a pointer to the bins of all points.
  template <class Use>
  decltype(auto) with_bins(Use use) const {
    return std::visit([&](const auto& bins) { return use(bins.data()); }, bins_);
  }
  /// `use(holds)` with a function that tells whether a condition holds for a point.
  template <class Use>
  decltype(auto) with_condition(std::uint32_t condition, Use use) const {
    return with_bins([&](const auto* bins) {
      if (is_nominal_) return use([=](std::uint32_t point) { return bins[point] == condition; });
      return use([=](std::uint32_t point) { return bins[point] <= condition; });
    });
  }
  /// Of some of the points.
  Variable of(const std::vector<std::uint32_t>& points) const {
    return with_bins([&](const auto* bins) {
      return Variable(static_cast<std::uint32_t>(points.size()), n_conditions_, first_column_, is_nominal_,
                      [&](std::uint32_t i) { return bins[points[i]]; });
    });
  }
  std::uint64_t bytes() const {
    return std::visit([](const auto& bins) { return bins.size() * sizeof(bins[0]); }, bins_);
  }

 private:
  template <class Bin, class BinOf>
  void fill(std::uint32_t n_points, BinOf bin_of) {
    std::vector<Bin> bins(n_points);
    for (std::uint32_t point = 0; point < n_points; ++point) bins[point] = static_cast<Bin>(bin_of(point));
    bins_ = std::move(bins);
  }

  std::uint32_t n_conditions_, first_column_;
  bool is_nominal_;
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> bins_;
};

struct Points {
  // Both throw Stopped if there is a run, and it is stopped.

  /// Equal rows are merged.
  Points(const data::OrderedColumns& columns, const data::RowTargets& targets, bool are_joint = false,
         run::Run* run = nullptr);
  /// Neighboring columns of which each holds where the one before it does become thresholds of one variable.
  explicit Points(const data::DistinctRows& rows, bool are_joint = false, run::Run* run = nullptr);

  /// So many of these points, evenly spread.
  Points sample(std::uint32_t n_sampled) const;

  std::uint32_t n_targets;
  bool are_joint;
  std::vector<std::uint32_t> target;     // the only one of each point; empty if they are joint
  std::vector<std::int64_t> weight;      // (n_points), or (n_points, n_targets) if they are joint
  std::vector<std::uint32_t> row_count;  // of the rows that it stands for
  std::vector<std::uint32_t> first_row;  // the first of these, of points made of ordered columns; otherwise empty
  std::vector<Variable> variables;

  std::uint32_t size() const { return static_cast<std::uint32_t>(row_count.size()); }
  /// How many weights a point has.
  std::uint32_t n_weights() const { return are_joint ? n_targets : 1; }
  std::span<const std::int64_t> weights_of(std::uint32_t point) const {
    return {&weight[std::size_t{point} * n_weights()], n_weights()};
  }
  /// Adds the weights of a point to sums by target.
  void add_to(std::int64_t* sums, std::uint32_t point) const {
    if (!are_joint) {
      sums[target[point]] += weight[point];
      return;
    }
    for (std::uint32_t t = 0; t < n_targets; ++t) sums[t] += weight[std::size_t{point} * n_targets + t];
  }
  std::uint64_t bytes() const;
  Split split_of(std::uint32_t column) const;
  std::uint32_t column_of(const Split& split) const { return variables[split.variable].column(split.bin); }

 private:
  Points(std::uint32_t targets, bool joint) : n_targets(targets), are_joint(joint) {}
  void merge_nominal(run::Run* run);
  void add(std::uint32_t of_target, std::span<const std::int64_t> weights, std::uint32_t rows);
};

}  // namespace hornbeam::primal
