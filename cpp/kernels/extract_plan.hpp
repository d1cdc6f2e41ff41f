// kernels/extract_plan.hpp
//
// WHAT    The steps that gather the bits a mask selects; the kernels carry them out for all columns at once.
#pragma once

#include <bit>
#include <vector>

#include "base/types.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam {

/// Appends the selected bits of the words from `first_word` on after `first_bit` of the target; returns the bit after
/// the last. The kernels' `prepare` must see the plan before they carry it out.
inline std::uint32_t append_extraction(const Word* mask, std::uint32_t n_words, std::uint32_t first_bit,
                                       std::vector<ExtractWord>& plan, std::uint32_t first_word = 0) {
  for (std::uint32_t w = 0; w < n_words; ++w) {
    if (mask[w] == 0) continue;
    plan.push_back({mask[w], first_word + w, first_bit, static_cast<std::uint32_t>(std::popcount(mask[w])), {}});
    first_bit += plan.back().n_bits;
  }
  return first_bit;
}

}  // namespace hornbeam
