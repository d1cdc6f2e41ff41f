// packing/threshold_packer.hpp
//
// WHAT    A packing of pairs of rows for bounds/packing.hpp, where columns are the thresholds of a few variables: those
//         that separate a pair are a run for each variable.
// HOLDS   A pair gets only what is left of its two rows and of all thresholds that separate it, so what was packed is
//         the weight of a packing at any time.
// COST    A pair: the variables; for each that separates it, a block of thresholds at both ends of the run, and one
//         step for each block between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::packing {

class ThresholdPacker {
 public:
  /// Begins with other rows; then each `bin` and the number of thresholds of each variable are to be set.
  void reset(std::uint32_t n_rows, std::uint32_t n_variables);
  /// The bin of a row, from 0 to the number of thresholds of the variable: threshold t is between bins t and t + 1.
  std::uint32_t& bin(std::uint32_t row, std::uint32_t variable) {
    return bins_[std::size_t{row} * n_variables_ + variable];
  }
  std::uint32_t bin(std::uint32_t row, std::uint32_t variable) const {
    return bins_[std::size_t{row} * n_variables_ + variable];
  }
  /// Of the next variable.
  void add_thresholds(std::uint32_t n) { first_.push_back(first_.back() + n); }

  /// Nothing is packed any more, and each threshold may be charged the penalty of a leaf.
  void open(Ticks leaf_penalty);
  /// What is left of a row, to be set after `open`.
  Ticks& left(std::uint32_t row) { return left_[row]; }
  /// Gives two rows all the weight that is left for both, and returns it.
  Ticks pack(std::uint32_t a, std::uint32_t b);

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(left_.size()); }
  std::uint32_t n_variables() const { return n_variables_; }
  /// The number of a variable's first threshold among all.
  std::size_t first(std::uint32_t variable) const { return first_[variable]; }
  /// What is left of a threshold, by its number among all.
  Ticks capacity(std::size_t threshold) const {
    return capacity_[threshold] - blocks_[threshold / kThresholdsOfBlock].charged;
  }

  /// Variables and thresholds read since the last call of `open`.
  std::uint64_t work() const { return work_; }
  std::uint64_t bytes() const {
    return 4 * bins_.capacity() + 8 * (first_.capacity() + capacity_.capacity() + left_.capacity()) +
           sizeof(Block) * blocks_.capacity();
  }

 private:
  static constexpr std::size_t kThresholdsOfBlock = 32;
  struct Block {
    Ticks charged;  // of each of its thresholds, beyond what `capacity_` says
    Ticks least;    // what is left of one of them
  };

  Ticks least(std::size_t begin, std::size_t end);
  void charge(std::size_t begin, std::size_t end, Ticks weight);

  std::uint32_t n_variables_ = 0;
  std::vector<std::uint32_t> bins_;  // (n_rows, n_variables)
  std::vector<std::size_t> first_;   // (n_variables + 1)
  std::vector<Ticks> capacity_;      // of each threshold
  std::vector<Block> blocks_;
  std::vector<Ticks> left_;  // of each row
  std::uint64_t work_ = 0;
};

}  // namespace hornbeam::packing
