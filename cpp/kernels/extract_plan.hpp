// kernels/extract_plan.hpp
//
// WHAT    The steps that gather the bits a mask selects; the kernels carry them out for all columns at once.
// SOURCE  The moves of the parallel suffix method (Warren, Hacker's Delight, section 7-4).
#pragma once

#include <bit>
#include <vector>

#include "base/types.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam {

/// Appends the selected bits after `first_bit` of the target; returns the bit after the last.
inline std::uint32_t append_extraction(const Word* mask, std::uint32_t n_words, std::uint32_t first_bit,
                                       std::vector<ExtractWord>& plan) {
  for (std::uint32_t w = 0; w < n_words; ++w) {
    if (mask[w] == 0) continue;
    ExtractWord step{mask[w], w, first_bit, static_cast<std::uint32_t>(std::popcount(mask[w])), {}};
    Word left = step.mask, zeros = ~step.mask << 1;
    for (int i = 0; i < 6; ++i) {
      Word parity = zeros ^ (zeros << 1);
      for (int shift = 2; shift <= 32; shift *= 2) parity ^= parity << shift;
      step.moves[i] = parity & left;
      left = (left ^ step.moves[i]) | (step.moves[i] >> (1 << i));
      zeros &= ~parity;
    }
    first_bit += step.n_bits;
    plan.push_back(step);
  }
  return first_bit;
}

}  // namespace hornbeam
