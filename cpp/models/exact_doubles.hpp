// models/exact_doubles.hpp
//
// WHAT    Vectors of integers from 0 to 2^52 as vectors of doubles, exactly, and back.
#pragma once

#include "base/types.hpp"

namespace hornbeam::models {

template <class Number>
struct ExactDoubles {
  typedef double Doubles __attribute__((vector_size(sizeof(Number))));
  static constexpr Ticks kExponent = 0x4330000000000000;  // that of 2^52, whose last digit is worth 1
  static constexpr double kOne = 4503599627370496.0;

  HORNBEAM_INLINE static Doubles of(Number n) { return reinterpret_cast<Doubles>(n | kExponent) - kOne; }
  /// The nearest integers.
  HORNBEAM_INLINE static Number rounded(Doubles x) { return reinterpret_cast<Number>(x + kOne) - kExponent; }
};

}  // namespace hornbeam::models
