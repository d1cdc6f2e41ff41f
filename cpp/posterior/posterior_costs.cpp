#include "posterior/posterior_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "bounds/nontrivial_splits.hpp"
#include "bounds/perfect_split.hpp"

namespace hornbeam::posterior {

namespace {

double split_probability_of(double alpha, double beta, std::uint32_t depth) {
  return alpha * std::pow(1.0 + depth, -beta);
}

/// The least total of two parts that hold `n` leaves together.
Ticks least_sum(const std::vector<Ticks>& one, const std::vector<Ticks>& other, std::size_t n) {
  Ticks least = kInfinity;
  for (std::size_t i = 0; i <= n; ++i) least = std::min(least, one[i] + other[n - i]);
  return least;
}

}  // namespace

double most_nats(const PosteriorModel& model, std::int64_t n_rows, std::uint32_t n_columns, std::uint32_t deepest) {
  const double n = static_cast<double>(n_rows), sum = std::accumulate(model.rho.begin(), model.rho.end(), 0.0);
  const double row = std::max(std::abs(std::log(sum)), std::log(n + sum)) -
                     std::min(0.0, std::log(*std::min_element(model.rho.begin(), model.rho.end())));
  const double node = -std::log(split_probability_of(model.alpha, model.beta, deepest)) - std::log1p(-model.alpha) +
                      std::log(static_cast<double>(n_columns) + 1);
  return (n + 1) * (row + 2 * node);
}

PosteriorCosts::PosteriorCosts(const PosteriorModel& model, const PosteriorData& data,
                               std::optional<std::uint32_t> max_depth)
    : alpha_(model.alpha),
      beta_(model.beta),
      scale_(std::ldexp(1.0, static_cast<int>(model.bits))),
      rho_(model.rho.begin(), model.rho.end()),
      max_depth_(std::min(max_depth.value_or(data.n_columns), data.n_columns)),
      least_distance_(data.least_distance),
      largest_group_(data.largest_group),
      logs_(1, 0),
      all_(1, 0) {
  const std::int64_t n_rows = std::accumulate(data.class_totals.begin(), data.class_totals.end(), std::int64_t{0});
  const double sum = std::accumulate(rho_.begin(), rho_.end(), 0.0);
  for (std::uint32_t v = 1; v <= data.n_columns; ++v) logs_.push_back(ticks(std::log(static_cast<double>(v))));
  const auto deepest = static_cast<std::uint32_t>(std::min<std::int64_t>(n_rows, max_depth_));
  if (!(most_nats(model, n_rows, data.n_columns, deepest) * scale_ < static_cast<double>(kLargestPosterior)))
    throw std::invalid_argument("bits: costs must stay below 2^58 ticks; take fewer bits");
  for (std::int64_t i = 0; i < n_rows; ++i) {
    all_increment_.push_back(ticks(std::log(static_cast<double>(i) + sum)));
    all_.push_back(all_.back() + all_increment_.back());
  }
  for (std::size_t c = 0; c < all_increment_.size(); ++c)
    mixed_.push_back(all_increment_[(c + 1) / 2] - all_increment_[0]);
  for (std::uint32_t k = 0; k < n_classes(); ++k) {
    std::vector<Ticks> increments, sums(1, 0);
    Ticks least = std::numeric_limits<Ticks>::max();
    for (std::int64_t i = 0; i < data.class_totals[k]; ++i) {
      least = std::min(least, ticks(std::log1p((sum - rho_[k]) / (static_cast<double>(i) + rho_[k]))));
      increments.push_back(least);
      sums.push_back(sums.back() + all_increment_[static_cast<std::size_t>(i)] - least);
    }
    pure_increment_.push_back(std::move(increments));
    class_.push_back(std::move(sums));
  }
  const std::int64_t n_fewest = *std::min_element(data.class_totals.begin(), data.class_totals.end());
  for (std::size_t n = 0; n <= static_cast<std::size_t>(n_fewest); ++n) {
    Ticks pure = kInfinity, increment = 0;
    for (std::uint32_t k = 0; k < n_classes(); ++k) {
      pure = std::min(pure, all_[n] - class_[k][n]);
      if (n < pure_increment_[k].size()) increment = std::max(increment, pure_increment_[k][n]);
    }
    least_pure_.push_back(pure);
    if (n < static_cast<std::size_t>(n_fewest)) largest_increment_.push_back(increment);
  }
  bytes_ = (logs_.size() + 7 * all_.size()) * sizeof(Ticks);
}

Ticks PosteriorCosts::ticks(double nats) const { return static_cast<Ticks>(std::llround(nats * scale_)); }

double PosteriorCosts::split_probability(std::uint32_t depth) const {
  return split_probability_of(alpha_, beta_, depth);
}

Ticks PosteriorCosts::leaf_cost(std::uint32_t depth) const { return ticks(-std::log1p(-split_probability(depth))); }

Ticks PosteriorCosts::split_cost(std::uint32_t depth) const { return ticks(-std::log(split_probability(depth))); }

Ticks PosteriorCosts::likelihood(const Ticks* counts) const {
  Ticks n = 0, sum = 0;
  for (std::uint32_t k = 0; k < n_classes(); ++k) {
    n += counts[k];
    sum += class_[k][static_cast<std::size_t>(counts[k])];
  }
  return all_[static_cast<std::size_t>(n)] - sum;
}

std::uint32_t PosteriorCosts::likeliest_class(const Ticks* counts) const {
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < n_classes(); ++k)
    if (static_cast<double>(counts[k]) + rho_[k] > static_cast<double>(counts[best]) + rho_[best]) best = k;
  return best;
}

const DepthCosts& PosteriorCosts::at(std::uint32_t depth) {
  if (depth >= depths_.size()) depths_.resize(depth + 1);
  if (!depths_[depth]) {
    depths_[depth] = make(depth);
    bytes_ += depths_[depth]->choice.size() * sizeof(Ticks);
    for (const auto& least : depths_[depth]->least_of_class) bytes_ += least.size() * sizeof(Ticks);
  }
  return *depths_[depth];
}

/// bounds/perfect_split.hpp: the cost of splits and leaves that may be charged to each of up to n_classes leaves with
/// rows that are not all equal, in a tree that splits a node at `depth`; this split and one more are not counted.
Ticks PosteriorCosts::share_of_leaf(std::uint32_t depth) const {
  const std::size_t n = n_classes();
  std::vector<Ticks> least(n + 1, 0), least_free(n + 1, 0);  // of a subtree with j such leaves; its first split free
  for (std::uint32_t d = depth + kPosteriorHorizon; d > depth; --d) {
    std::vector<Ticks> here(n + 1, 0), here_free(n + 1, 0);
    for (std::size_t j = 1; j <= n; ++j) {
      here_free[j] = least_sum(least, least, j);
      here[j] = split_cost(d) + here_free[j];
    }
    here[1] = std::min(here[1], leaf_cost(d));
    least = here;
    least_free = here_free;
  }
  Ticks share = kInfinity;
  for (std::size_t j = 1; j <= n; ++j)
    share =
        std::min(share, std::min(least_sum(least, least, j), least_sum(least, least_free, j)) / static_cast<Ticks>(j));
  return share;
}

std::unique_ptr<DepthCosts> PosteriorCosts::make(std::uint32_t depth) const {
  auto costs = std::make_unique<DepthCosts>();
  costs->leaf = leaf_cost(depth);
  costs->split = depth < max_depth_ ? split_cost(depth) : kInfinity;
  const Ticks below = costs->split_below = split_cost(depth + 1);
  Ticks fragment = kInfinity;  // of the smallest node of one class that can be split
  for (const std::vector<Ticks>& increment : pure_increment_)
    if (increment.size() > 1) fragment = std::min(fragment, increment[0] - increment[1]);
  const bool pure_is_leaf = below + fragment >= leaf_cost(depth + 1);
  costs->second_split = depth + 1 < max_depth_ ? below + (pure_is_leaf ? logs_[least_distance_] : 0) : kInfinity;
  costs->choice.resize(all_.size());
  for (std::size_t n = 0; n < all_.size(); ++n)
    costs->choice[n] =
        logs_[bounds::least_number_of_splits(n, static_cast<std::size_t>(largest_group_), logs_.size() - 1)];
  const Ticks share = share_of_leaf(depth);
  for (std::uint32_t k = 0; k < n_classes(); ++k) {
    std::vector<Ticks> pure(class_[k].size());
    for (std::size_t count = 0; count < pure.size(); ++count) pure[count] = all_[count] - class_[k][count];
    costs->least_of_class.push_back(
        bounds::least_costs_of_class(pure, pure_increment_[k], all_increment_, share, largest_group_));
  }
  return costs;
}

}  // namespace hornbeam::posterior
