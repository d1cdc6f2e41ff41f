// posterior/posterior_costs.hpp
//
// WHAT    The cost of a tree under the BCART prior: the costs of a split and of a leaf by depth, the logarithm of the
//         number of splits, and minus the logarithm of the Dirichlet-multinomial likelihood of a leaf by class counts,
//         all in ticks; and the tables of the bounds by depth.
// HOLDS   (C1) One tick is 2^-bits nats. Each cost and each increment of the two tables of the likelihood is rounded
//         once, so a tree's ticks differ from its exact cost by less than one tick per row and two per node. (C2) In
//         ticks, as in exact numbers, the increment e_k(i) = log((i + R) / (i + rho_k)) of a pure leaf does not grow
//         with i, and log(i + R) does not fall (R is the sum of rho): the lemmas of the bounds need no tolerance. (C3)
//         The cost of every tree is less than 2^58 ticks, so that it may be added to kInfinity.
// SOURCE  [sullivan2024maptree, section 3]: the model; theirs has two classes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::posterior {

inline constexpr int kPosteriorBits = 58;
inline constexpr Ticks kLargestPosterior = Ticks{1} << kPosteriorBits;
/// Levels below a node on which its bounds depend; the costs of deeper ones count as 0.
inline constexpr std::uint32_t kPosteriorHorizon = 32;

/// A node of depth d is split with probability alpha (1 + d)^-beta, on any of the columns that leave rows on both
/// sides; the class probabilities of a leaf have a Dirichlet distribution. One nat is 2^bits ticks.
struct PosteriorModel {
  double alpha;
  double beta;
  std::span<const double> rho;  // one a class
  std::uint32_t bits;
};

/// More nats than any tree costs whose splits are at most so deep, with a margin for sums that are only compared; for
/// (C3).
double most_nats(const PosteriorModel& model, std::int64_t n_rows, std::uint32_t n_columns, std::uint32_t deepest);

/// The properties of the data on which the costs depend.
struct PosteriorData {
  std::span<const std::int64_t> class_totals;
  std::uint32_t n_columns;
  std::int64_t largest_group;    // the largest number of equal rows
  std::uint32_t least_distance;  // bounds/second_split.hpp: columns that separate two rows of different classes
};

/// Costs of one depth, and the tables of the bounds for the nodes there.
struct DepthCosts {
  Ticks leaf;                                      // of a leaf whose rows are not all equal
  Ticks split;                                     // without the choice of the column; infinite if no split is allowed
  Ticks split_below;                               // of a split one level below, without the choice of the column
  Ticks second_split;                              // of a split one level below, with the least choice
  std::vector<Ticks> choice;                       // by number of rows: the least logarithm of the number of splits
  std::vector<std::vector<Ticks>> least_of_class;  // bounds/perfect_split.hpp
};

class PosteriorCosts {
 public:
  /// Throws std::invalid_argument if the sums may leave the range.
  PosteriorCosts(const PosteriorModel& model, const PosteriorData& data, std::optional<std::uint32_t> max_depth);

  std::uint32_t n_classes() const { return static_cast<std::uint32_t>(rho_.size()); }
  std::uint32_t max_depth() const { return max_depth_; }
  Ticks largest_group() const { return largest_group_; }
  Ticks log_of(std::uint32_t n_splits) const { return logs_[n_splits]; }
  const std::vector<Ticks>& logs() const { return logs_; }  // of 0: 0

  /// Minus the logarithm of the likelihood is all_rows[n] - sum over k of rows_of_class(k)[counts[k]].
  Ticks likelihood(const Ticks* counts) const;
  /// The class of the largest c_k + rho_k; ties go to the lowest.
  std::uint32_t likeliest_class(const Ticks* counts) const;
  const std::vector<Ticks>& all_rows() const { return all_; }
  const std::vector<Ticks>& rows_of_class(std::uint32_t k) const { return class_[k]; }
  /// The cost of one more row in a leaf of this many rows of its class alone: e_k of (C2).
  const std::vector<std::vector<Ticks>>& pure_increments() const { return pure_increment_; }
  /// By number of rows, up to that of the smallest class: the least cost of a leaf of one class, without that of the
  /// leaf itself, and the largest e_k.
  const std::vector<Ticks>& least_pure() const { return least_pure_; }
  const std::vector<Ticks>& largest_increment() const { return largest_increment_; }

  /// What a mixed leaf adds: log((ceil(count / 2) + R) / R); see bounds/second_split.hpp.
  const std::vector<Ticks>& mixed() const { return mixed_; }

  /// Depths from 0 to two below the deepest node; made when first needed.
  const DepthCosts& at(std::uint32_t depth);
  std::uint64_t bytes() const { return bytes_; }

 private:
  Ticks ticks(double nats) const;
  Ticks leaf_cost(std::uint32_t depth) const;
  Ticks split_cost(std::uint32_t depth) const;
  Ticks share_of_leaf(std::uint32_t depth) const;
  std::unique_ptr<DepthCosts> make(std::uint32_t depth) const;
  double split_probability(std::uint32_t depth) const;

  double alpha_, beta_, scale_;
  std::vector<double> rho_;
  std::uint32_t max_depth_, least_distance_;
  Ticks largest_group_;
  std::vector<Ticks> logs_, all_increment_, all_, mixed_, least_pure_, largest_increment_;
  std::vector<std::vector<Ticks>> class_, pure_increment_;
  std::vector<std::unique_ptr<DepthCosts>> depths_;
  std::uint64_t bytes_ = 0;
};

}  // namespace hornbeam::posterior
