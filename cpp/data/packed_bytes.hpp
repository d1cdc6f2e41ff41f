// data/packed_bytes.hpp
//
// WHAT    Bytes that are 0 or 1 as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/types.hpp"

namespace hornbeam::data {

/// Up to 64 of them; byte i becomes bit i.
inline Word packed_bytes(const std::uint8_t* bytes, std::size_t n) {
  Word bits = 0;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    Word eight = 0;
    std::memcpy(&eight, bytes + i, sizeof eight);
    // The product has byte k of `eight` as bit 56 + k: it is shifted by 56 - 7 k, one of the eight set bits.
    bits |= (eight * 0x0102040810204080ULL) >> 56 << i;
  }
  for (; i < n; ++i) bits |= Word{bytes[i]} << i;
  return bits;
}

}  // namespace hornbeam::data
