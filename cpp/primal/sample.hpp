// primal/sample.hpp
//
// WHAT    A sample of many points: one of each run of neighbors, by chance, since rows may come in a rhythm.
// HOLDS   In the order of the points, and the same for the same points.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace hornbeam::primal {

/// Calls `use(i)` for `n_sampled` of 0 .. n - 1.
template <class Use>
void for_each_sampled(std::size_t n, std::size_t n_sampled, Use use) {
  std::minstd_rand generator(1);  // NOLINT(bugprone-random-generator-seed)
  for (std::size_t run = 0; run < n_sampled; ++run) {
    const std::size_t begin = run * n / n_sampled, end = (run + 1) * n / n_sampled;
    use(begin + generator() % (end - begin));
  }
}

}  // namespace hornbeam::primal
