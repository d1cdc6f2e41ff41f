// base/each_bit.hpp
//
// WHAT    Walks over the set bits of words that stand for consecutive indices.
#pragma once

#include <bit>

#include "base/types.hpp"

namespace hornbeam {

/// Calls `visit(index)` for each set bit of a word that stands for the indices from `first` on.
template <class Visit>
void for_each_bit(Word word, std::size_t first, Visit visit) {
  for (; word != 0; word &= word - 1) visit(first + static_cast<std::size_t>(std::countr_zero(word)));
}

/// The first index that word `w` stands for.
constexpr std::size_t word_at(std::uint32_t w) { return std::size_t{w} * kWordBits; }

}  // namespace hornbeam
