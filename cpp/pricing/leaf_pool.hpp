// pricing/leaf_pool.hpp
//
// WHAT    The leaves of the linear program for prices of rows (pricing/row_prices) that matter, and the best prices for
//         them.
// CHOICE  Prices maximize their total less an entropy, so that rows share what a leaf costs: each leaf in turn is made
//         tight, or its multiplier is 0, which takes one pass over its rows (Bregman's method). Leaves to add are found
//         by steepest ascent from random starts.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "pricing/priced_rows.hpp"
#include "run/run.hpp"

namespace hornbeam::pricing {

class LeafPool {
 public:
  /// Has the whole problem and all conjunctions of one condition at first. The rows and the meter live as long as it.
  LeafPool(const PricedRows& rows, run::WorkMeter& meter);

  void add(std::vector<std::uint32_t> rows);
  std::size_t size() const { return leaves_.size(); }
  /// Finds prices. `smoothing` is the weight of the entropy, as a share of what a leaf costs.
  void maximize(double smoothing, int n_passes);
  /// Adds leaves that cost less than their rows, if it finds any. Returns how many.
  std::size_t find_leaves(int n_starts);
  /// A share of the prices, in units.
  std::vector<Units> prices(double share) const;

 private:
  struct Leaf {
    std::vector<std::uint32_t> rows;
    double cost;
    double multiplier;
  };

  void add_single_conditions();
  void climb(std::uint32_t prediction, std::vector<std::uint32_t> leaf);
  void tidy();
  std::uint64_t random();

  const PricedRows& rows_;
  const kernels::Kernels& kernels_;
  run::WorkMeter& meter_;
  std::vector<Leaf> leaves_;
  std::size_t n_rows_of_all_ = 0;
  std::vector<double> price_;
  std::uint64_t random_ = 1;
};

}  // namespace hornbeam::pricing
