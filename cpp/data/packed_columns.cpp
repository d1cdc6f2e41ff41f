#include "data/packed_columns.hpp"

#include <algorithm>
#include <cstring>

#include "bits/transpose.hpp"

namespace hornbeam {

bool pack_table(const std::uint8_t* table, std::size_t n_rows, std::size_t n_columns, std::uint8_t* packed,
                std::ptrdiff_t stride) {
  Word seen = 0;
  for (std::size_t first_row = 0; first_row < n_rows; first_row += kWordBits) {
    for (std::size_t first = 0; first < n_columns; first += kWordBits) {
      const std::size_t n = std::min<std::size_t>(kWordBits, n_columns - first);
      Word block[kWordBits] = {};
      for (std::size_t i = 0; i < std::min<std::size_t>(kWordBits, n_rows - first_row); ++i) {
        const std::uint8_t* cells = table + (first_row + i) * n_columns + first;
        const auto take = [&](std::size_t at, std::size_t n_bytes) {
          Word eight = 0;
          std::memcpy(&eight, cells + at, n_bytes);
          seen |= eight;
          // The product has byte k of `eight` as bit 56 + k: it is shifted by 56 - 7 k, one of the eight set bits.
          block[i] |= ((eight * 0x0102040810204080ULL) >> 56) << at;
        };
        std::size_t at = 0;
        for (; at + 8 <= n; at += 8) take(at, 8);
        if (at < n) take(at, n - at);
      }
      transpose_block(block);
      const std::size_t n_bytes = std::min<std::size_t>(sizeof(Word), (n_rows + 7) / 8 - first_row / 8);
      std::uint8_t* to = packed + static_cast<std::ptrdiff_t>(first) * stride + first_row / 8;
      for (std::size_t c = 0; c < n; ++c, to += stride) std::memcpy(to, &block[c], n_bytes);
    }
  }
  return (seen & ~0x0101010101010101ULL) == 0;
}

}  // namespace hornbeam
