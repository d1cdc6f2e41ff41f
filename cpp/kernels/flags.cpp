#include "kernels/flags.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"

namespace hornbeam::kernels {

bool has_gfni() {
#ifdef HORNBEAM_X86
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("gfni");
#else
  return false;
#endif
}

/// Of each block, the lower halves of the words are 64 rows, and the upper ones the next 64.
void transpose_flags_in_blocks(const Word* columns, std::uint32_t* rows) {
  constexpr std::size_t kHalf = kWordBits / 2, kWords = kFlagRows / kWordBits;
  alignas(64) Word block[kWordBits];
  for (std::size_t w = 0; w < kWords; w += 2, rows += std::size_t{2} * kWordBits) {
    std::fill_n(block, kWordBits, 0);
    for (std::size_t c = 0; c < kFlagColumns; ++c) {
      block[c] = columns[c * kWords + w];
      block[c + kHalf] = columns[c * kWords + w + 1];
    }
    kernels().transpose(block);
    for (std::size_t i = 0; i < kWordBits; ++i) {
      rows[i] = static_cast<std::uint32_t>(block[i]);
      rows[kWordBits + i] = static_cast<std::uint32_t>(block[i] >> kHalf);
    }
  }
}

void transpose_flags(const Word* columns, std::uint32_t* rows) {
#ifdef HORNBEAM_X86
  static const bool is_fast = has_gfni();
  if (is_fast) {
    transpose_flags_gfni(columns, rows);
    return;
  }
#endif
  transpose_flags_in_blocks(columns, rows);
}

}  // namespace hornbeam::kernels
