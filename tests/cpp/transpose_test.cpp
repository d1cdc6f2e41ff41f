// transpose_test.cpp: bits/transpose.hpp against the definition.
#include "bits/transpose.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace hornbeam {

RANDOM_TEST(bit_j_of_word_i_becomes_bit_i_of_word_j, 100) {
  Word before[kWordBits], after[kWordBits];
  for (Word& word : before) word = draw.word();
  std::copy(before, before + kWordBits, after);
  transpose_block(after);
  for (std::uint32_t i = 0; i < kWordBits; ++i)
    for (std::uint32_t j = 0; j < kWordBits; ++j) CHECK(((after[i] >> j) & 1) == ((before[j] >> i) & 1));
}

}  // namespace hornbeam
