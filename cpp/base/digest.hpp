// base/digest.hpp
//
// WHAT    A digest of a sequence of numbers, to tell whether two sequences differ.
// COST    One `mix` a number. It is no defense against numbers that are chosen to collide.
#pragma once

#include <cstdint>
#include <optional>

#include "base/fingerprint.hpp"

namespace hornbeam {

class Digest {
 public:
  Digest& add(std::uint64_t number) {
    value_ = mix(value_ ^ number);
    return *this;
  }
  template <class Numbers>
  Digest& add_each(const Numbers& numbers) {
    for (const auto number : numbers) add(static_cast<std::uint64_t>(number));
    return *this;
  }
  /// The numbers after how many there are.
  template <class Numbers>
  Digest& add_all(const Numbers& numbers) {
    return add(numbers.size()).add_each(numbers);
  }
  Digest& add_limit(const std::optional<std::uint32_t>& limit) { return add(limit ? std::uint64_t{*limit} + 1 : 0); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace hornbeam
