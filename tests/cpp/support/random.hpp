// support/random.hpp
//
// WHAT    Random numbers that are the same on every machine (those of <random>'s distributions are not). They can be
//         written down and read back, so that a test that failed can be made smaller (support/kept_problem.hpp).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/fingerprint.hpp"

namespace hornbeam::testing {

/// What a test has drawn, each number as it was returned, less the least one possible.
using Draws = std::vector<std::uint64_t>;

/// A test asks for many more draws than there are.
struct OutOfDraws {};

class Random {
 public:
  /// Appends what is drawn to `written`.
  explicit Random(std::uint64_t seed, Draws* written = nullptr) : state_(mix(seed)), written_(written) {}
  /// Reads the draws, and zeros after them.
  explicit Random(const Draws& read) : read_(&read) {}

  std::uint64_t word() { return next(0); }
  /// A number in [0, n).
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next(n)); }
  /// A number in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(next(static_cast<std::uint64_t>(most - least + 1)));
  }
  std::uint32_t size_between(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }
  bool percent(std::uint32_t chance) { return below(100) < chance; }
  template <class T>
  T choose(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<std::uint32_t>(choices.size()))];
  }

 private:
  static constexpr std::size_t kMostZeros = 1000;  // a loop that waits for another number would never end

  /// A number below n, or any number if that is 0.
  std::uint64_t next(std::uint64_t n) {
    std::uint64_t value = 0;
    if (read_ == nullptr)
      value = mix(state_++);
    else if (n_read_ < read_->size())
      value = (*read_)[n_read_];
    else if (n_read_ >= read_->size() + kMostZeros)
      throw OutOfDraws{};
    ++n_read_;
    if (n > 0) value %= n;
    if (written_ != nullptr) written_->push_back(value);
    return value;
  }

  std::uint64_t state_ = 0;
  Draws* written_ = nullptr;
  const Draws* read_ = nullptr;
  std::size_t n_read_ = 0;
};

}  // namespace hornbeam::testing
