// pricing/leaf_pool.hpp
//
// WHAT    The leaves of the linear program for prices of rows (pricing/row_prices) that matter, and the best prices for
//         them.
// CHOICE  Prices maximize their total less an entropy, so that rows share what a leaf costs: each leaf in turn is made
//         tight, or its multiplier is 0, which takes one pass over its rows (Bregman's method). Leaves to add are found
//         by steepest ascent from random starts. Leaves and multipliers of some rows are a start for those of others.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/kernels.hpp"
#include "pricing/priced_rows.hpp"
#include "run/run.hpp"

namespace hornbeam::pricing {

/// A leaf of any rows: its conditions, and its multiplier of late.
struct Conjunction {
  std::vector<Condition> conditions;
  double multiplier = 0;
  int n_uses = 0;  // pools that it is kept for, though its multiplier is 0
};

class LeafPool {
 public:
  /// Begins with these leaves, or with all of one condition if there are none. The rows and the meter live as long as
  /// it.
  LeafPool(const PricedRows& rows, run::WorkMeter& meter, std::vector<Conjunction> leaves, std::mt19937_64& random);

  void add(Conjunction conjunction, std::vector<std::uint32_t> rows);
  std::size_t size() const { return leaves_.size(); }
  /// Finds prices. `smoothing` is the weight of the entropy, as a share of what a leaf costs.
  void maximize(double smoothing, int n_passes);
  /// Adds leaves that cost less than their rows, if it finds any. Returns how many.
  std::size_t find_leaves(int n_starts);
  /// All leaves, or only those that are likely to matter for other rows.
  std::vector<Conjunction> take_leaves(bool all);
  /// In units.
  std::vector<Units> prices() const;

 private:
  struct Leaf {
    Conjunction conjunction;
    std::vector<std::uint32_t> rows;
    double cost;
  };

  void climb(std::uint32_t prediction, std::vector<Condition> conditions, std::vector<std::uint32_t> rows);
  void tidy();

  const PricedRows& rows_;
  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  std::vector<Leaf> leaves_;  // the whole problem is the first
  std::size_t n_rows_of_all_ = 0;
  std::vector<double> price_;
  std::mt19937_64& random_;
};

}  // namespace hornbeam::pricing
