// data/node_statistics.hpp
//
// WHAT    Statistics of the nodes of a tree: the number of rows that reach each, and their weight by target.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "data/row_targets.hpp"

namespace hornbeam::data {

struct NodeStatistics {
  std::vector<std::int64_t> n_rows;    // of each node
  std::vector<double> target_weights;  // node by node
};

/// A sum that carries what each addition rounds off. Equal rows give the same sum one by one, merged, and in any order.
class CarriedSum {
 public:
  void add(double number) {
    const double sum = sum_ + number, added = sum - sum_;
    carry_ += (sum_ - (sum - added)) + (number - added);
    sum_ = sum;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    carry_ += std::fma(a, b, -product);
  }
  void add(const CarriedSum& other) {
    add(other.sum_);
    carry_ += other.carry_;
  }
  double value() const { return sum_ + carry_; }

 private:
  double sum_ = 0, carry_ = 0;
};

/// Adds up the rows of each leaf, then leaves into their parents. Children come after their parents, and leaves have
/// child -1; every leaf of a row and every target must be in range. Where rows stand for several, `targets` has the
/// weights of one of them.
template <class Weight>
NodeStatistics node_statistics(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                               std::span<const std::int32_t> leaf_of_row, const BasicRowTargets<Weight>& targets) {
  const std::size_t n_targets = targets.n_targets;
  NodeStatistics of;
  of.n_rows.assign(left.size(), 0);
  std::vector<CarriedSum> sums(left.size() * n_targets);
  for (std::size_t row = 0; row < leaf_of_row.size(); ++row) {
    const auto leaf = static_cast<std::size_t>(leaf_of_row[row]);
    const std::int64_t n_rows = targets.n_rows(row);
    of.n_rows[leaf] += n_rows;
    CarriedSum* const of_leaf = &sums[leaf * n_targets];
    targets.for_each(row, [=](std::size_t target, Weight weight) {
      if (n_rows == 1)
        of_leaf[target].add(static_cast<double>(weight));
      else
        of_leaf[target].add_product(static_cast<double>(weight), static_cast<double>(n_rows));
    });
  }
  for (std::size_t node = left.size(); node-- > 0;) {
    if (left[node] < 0) continue;
    for (const std::int32_t side : {left[node], right[node]}) {
      const auto child = static_cast<std::size_t>(side);
      of.n_rows[node] += of.n_rows[child];
      for (std::size_t t = 0; t < n_targets; ++t) sums[node * n_targets + t].add(sums[child * n_targets + t]);
    }
  }
  of.target_weights.reserve(sums.size());
  for (const CarriedSum& sum : sums) of.target_weights.push_back(sum.value());
  return of;
}

}  // namespace hornbeam::data
