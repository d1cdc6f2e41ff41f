// support/random.hpp
//
// WHAT    Random numbers that are the same on every machine (those of <random>'s distributions are not).
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/fingerprint.hpp"

namespace hornbeam::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t word() { return mix(state_++); }
  /// A number in [0, n).
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(word() % n); }
  /// A number in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(word() % static_cast<std::uint64_t>(most - least + 1));
  }
  std::uint32_t size_between(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }
  bool percent(std::uint32_t chance) { return below(100) < chance; }
  template <class T>
  T choose(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<std::uint32_t>(choices.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace hornbeam::testing
