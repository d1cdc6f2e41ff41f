#include "packing/threshold_packer.hpp"

#include <algorithm>

namespace hornbeam::packing {

void ThresholdPacker::reset(std::uint32_t n_rows, std::uint32_t n_variables) {
  n_variables_ = n_variables;
  bins_.resize(std::size_t{n_rows} * n_variables);
  left_.resize(n_rows);
  first_.assign(1, 0);
}

void ThresholdPacker::open(Ticks leaf_penalty) {
  capacity_.assign(first_.back(), leaf_penalty);
  blocks_.assign(first_.back() / kThresholdsOfBlock + 1, {0, leaf_penalty});
  work_ = 0;
}

/// What is left of one of these thresholds.
Ticks ThresholdPacker::least(std::size_t begin, std::size_t end) {
  Ticks least = kInfinity;
  while (begin < end) {
    const std::size_t block = begin / kThresholdsOfBlock, behind = (block + 1) * kThresholdsOfBlock;
    if (begin % kThresholdsOfBlock == 0 && behind <= end) {
      least = std::min(least, blocks_[block].least);
      begin = behind;
      ++work_;
      continue;
    }
    const std::size_t last = std::min(behind, end);
    work_ += last - begin;
    for (; begin < last; ++begin) least = std::min(least, capacity_[begin] - blocks_[block].charged);
  }
  return least;
}

void ThresholdPacker::charge(std::size_t begin, std::size_t end, Ticks weight) {
  while (begin < end) {
    const std::size_t number = begin / kThresholdsOfBlock, behind = (number + 1) * kThresholdsOfBlock;
    Block& block = blocks_[number];
    if (begin % kThresholdsOfBlock == 0 && behind <= end) {
      block.charged += weight;
      block.least -= weight;
      begin = behind;
      continue;
    }
    for (const std::size_t last = std::min(behind, end); begin < last; ++begin) {
      capacity_[begin] -= weight;
      block.least = std::min(block.least, capacity_[begin] - block.charged);
    }
  }
}

Ticks ThresholdPacker::pack(std::uint32_t a, std::uint32_t b) {
  Ticks weight = std::min(left_[a], left_[b]);
  if (weight == 0) return 0;
  const std::uint32_t* const x = &bins_[std::size_t{a} * n_variables_];
  const std::uint32_t* const y = &bins_[std::size_t{b} * n_variables_];
  work_ += n_variables_;
  for (std::uint32_t v = 0; v < n_variables_; ++v) {
    if (x[v] == y[v]) continue;
    const auto [low, high] = std::minmax(x[v], y[v]);
    weight = std::min(weight, least(first_[v] + low, first_[v] + high));
    if (weight == 0) return 0;
  }
  for (std::uint32_t v = 0; v < n_variables_; ++v) {
    const auto [low, high] = std::minmax(x[v], y[v]);
    charge(first_[v] + low, first_[v] + high, weight);
  }
  left_[a] -= weight;
  left_[b] -= weight;
  return weight;
}

}  // namespace hornbeam::packing
