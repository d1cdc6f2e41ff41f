// primal/greedy_splits.hpp
//
// WHAT    What the rows of a leaf of the greedy tree (primal/greedy_tree.hpp) add up, and the best split by such sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/row_targets.hpp"
#include "models/leaf_model.hpp"

namespace hornbeam::primal {

/// What a greedy tree takes.
struct GreedyWork {
  std::uint64_t additions;  // or steps that take as long: about a nanosecond
  std::uint64_t bytes;
};

/// What the rows of a leaf add up: the weight of each target, where two sums say what a leaf loses; otherwise what each
/// prediction loses, and the weight of all targets.
inline std::uint32_t greedy_sums(const models::LeafModel& model) {
  return model.measures().has_two_sums() ? model.n_targets() : model.n_predictions() + 1;
}

/// These sums of each row and, after them, how many rows it is. A split is allowed if both sides have enough rows and
/// some weight.
class GreedyWeights {
 public:
  GreedyWeights(std::uint32_t n_rows, const data::RowTargets& targets, const models::LeafModel& model,
                std::uint64_t rows_per_leaf)
      : model_(model),
        has_two_sums_(model.measures().has_two_sums()),
        n_sums_(greedy_sums(model)),
        rows_per_leaf_(static_cast<std::int64_t>(rows_per_leaf)),
        numbers_(std::size_t{n_rows} * size(), 0) {
    const std::uint32_t n_predictions = model.n_predictions();
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::int64_t* const numbers = &numbers_[row * size()];
      targets.for_each(row, [&](std::uint32_t target, std::int64_t weight) {
        if (has_two_sums_) {
          numbers[target] = weight;
          return;
        }
        const Ticks* const cost = model.measures().cost + std::size_t{target} * n_predictions;
        for (std::uint32_t k = 0; k < n_predictions; ++k) numbers[k] += weight * cost[k];
        numbers[n_predictions] += weight;
      });
      numbers[n_sums_] = targets.n_rows(row);
    }
  }

  std::uint32_t size() const { return n_sums_ + 1; }
  void add_to(std::int64_t* sums, std::uint32_t row) const {
    const std::int64_t* const from = &numbers_[std::size_t{row} * size()];
    // Survival has two targets and squared error three: these loops have no end to check.
    if (n_sums_ == 2) return add_all<3>(sums, from);
    if (n_sums_ == 3) return add_all<4>(sums, from);
    for (std::uint32_t i = 0; i < size(); ++i) sums[i] += from[i];
  }
  Ticks loss_of(const std::int64_t* sums) const {
    return has_two_sums_ ? model_.least_loss_of_leaf(sums) : *std::min_element(sums, sums + model_.n_predictions());
  }
  bool allows(const std::int64_t* one, const std::int64_t* other) const {
    const std::int64_t rows = std::min(one[n_sums_], other[n_sums_]);
    return rows >= std::max<std::int64_t>(1, rows_per_leaf_) && has_weight(one) && has_weight(other);
  }

 private:
  template <std::uint32_t kSize>
  static void add_all(std::int64_t* sums, const std::int64_t* from) {
    for (std::uint32_t i = 0; i < kSize; ++i) sums[i] += from[i];
  }
  bool has_weight(const std::int64_t* sums) const {
    const std::int64_t* const first = has_two_sums_ ? sums : sums + n_sums_ - 1;
    return std::any_of(first, sums + n_sums_, [](std::int64_t sum) { return sum > 0; });
  }

  const models::LeafModel& model_;
  const bool has_two_sums_;
  const std::uint32_t n_sums_;
  const std::int64_t rows_per_leaf_;
  std::vector<std::int64_t> numbers_;
};

struct GreedySplit {
  std::uint32_t column;
  Ticks loss;  // of both sides
};

/// The best of the splits that it is shown, given what all rows weigh.
class BestGreedySplit {
 public:
  BestGreedySplit(const GreedyWeights& weights, const std::vector<std::int64_t>& all)
      : weights_(weights), all_(all), others_(all.size()) {}

  /// Of the same rows, before any is shown.
  BestGreedySplit of_none() const { return {weights_, all_}; }

  void consider(std::uint32_t column, const std::int64_t* where_true) {
    for (std::size_t i = 0; i < all_.size(); ++i) others_[i] = all_[i] - where_true[i];
    if (!weights_.allows(where_true, others_.data())) return;
    const Ticks loss = weights_.loss_of(where_true) + weights_.loss_of(others_.data());
    if (loss < best_.loss) best_ = {column, loss};
  }
  /// Null if none is allowed.
  const GreedySplit* found() const { return best_.loss < kInfinity ? &best_ : nullptr; }

 private:
  const GreedyWeights& weights_;
  const std::vector<std::int64_t>& all_;
  std::vector<std::int64_t> others_;
  GreedySplit best_{0, kInfinity};
};

}  // namespace hornbeam::primal
