// pricing/row_prices.hpp
//
// WHAT    Prices of rows for bounds/row_prices.hpp that are as high as possible, improved block by block.
// FLOW    pricing/root_pricing gives it work -> pricing/leaf_pool finds prices for a block -> pricing/leaf_check makes
//         them feasible.
// CHOICE  A check of all rows takes too long in large tables, so rows are parted at random into blocks, each with its
//         share of the leaf penalty. Prices that are feasible in each block are feasible for all rows, since a leaf of
//         all rows costs at least as much as its parts in the blocks. Once all blocks have prices, every four are
//         merged: their prices stay feasible, and are improved. The leaves of one block are a start for the next.
//         The last block is that of all rows. Its prices are improved halfway from the best ones, which exceeds fewer
//         leaves (in-out separation).
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "pricing/feasible_prices.hpp"
#include "pricing/leaf_pool.hpp"
#include "pricing/priced_rows.hpp"
#include "run/run.hpp"

namespace hornbeam::pricing {

class RowPrices {
 public:
  /// `meter` counts the work, each unit some thirty nanoseconds; it and the rows live as long as the prices.
  RowPrices(const PricedRows& rows, run::WorkMeter& meter);

  /// Improves the prices until the meter has so much work, or more is unlikely to help. Throws Stopped.
  void work_up_to(std::uint64_t work);
  /// The total that is likely to be reached soon; infinite while nothing is known.
  Ticks expected() const;
  /// Whether more work is unlikely to help.
  bool is_settled() const { return is_settled_; }
  /// The best prices so far; null before.
  const std::shared_ptr<const FeasiblePrices>& best() const { return best_; }

 private:
  struct Block {
    std::uint32_t begin, end;  // of the order of rows
    Units leaf_penalty;
  };

  void part_rows();
  void merge_blocks();
  void end_pass();
  void improve(const Block& block);
  void publish();

  const PricedRows& rows_;
  run::WorkMeter& meter_;
  const std::uint64_t begin_;  // of the work
  std::mt19937_64 random_{1};  // NOLINT(bugprone-random-generator-seed): the same numbers in every run
  std::vector<std::uint32_t> order_;
  std::vector<Block> blocks_;
  std::size_t next_ = 0;                // block of the pass
  std::vector<Conjunction> leaves_;     // that mattered in the last blocks
  std::vector<Units> prices_;           // feasible
  Ticks total_ = 0, total_before_ = 0;  // now, and before the pass
  double smoothing_;                    // the weight of the entropy, as a share of what a leaf costs
  double step_ = 1, most_of_step_ = 1;  // from the prices so far to those of the pool
  std::uint64_t work_of_block_ = 0;     // of the last one, or what is expected
  std::shared_ptr<const FeasiblePrices> best_;
  int n_idle_ = 0;  // passes of one block since the total has risen
  bool is_settled_ = false;
};

}  // namespace hornbeam::pricing
