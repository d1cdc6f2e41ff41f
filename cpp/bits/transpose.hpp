// bits/transpose.hpp
//
// WHAT    Transposes a 64 x 64 bit block in place: afterwards bit j of word i is what bit i of word j was.
// SOURCE  Recursive block swap (Warren, Hacker's Delight, section 7-3).
#pragma once

#include "base/types.hpp"

namespace hornbeam {

inline void transpose_block(Word block[kWordBits]) {
  Word mask = 0x00000000ffffffffULL;
  for (std::uint32_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
    for (std::uint32_t i = 0; i < kWordBits; i = (i + width + 1) & ~width) {
      const Word swapped = ((block[i] >> width) ^ block[i + width]) & mask;
      block[i] ^= swapped << width;
      block[i + width] ^= swapped;
    }
  }
}

}  // namespace hornbeam
