#include "data/packed_columns.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/kernels.hpp"

namespace hornbeam::data {

bool PackedColumns::is_constant(std::uint32_t column) const {
  const std::uint8_t* const first = bytes + column * bytes_per_column();
  const std::uint8_t all = test(column, 0) ? 0xff : 0;
  const std::uint8_t* const last = first + n_rows / 8;
  if (std::any_of(first, last, [all](std::uint8_t eight) { return eight != all; })) return false;
  return n_rows % 8 == 0 || *last == (all & ((1u << (n_rows % 8)) - 1));
}

bool pack_table(const std::uint8_t* table, std::size_t n_rows, std::size_t n_columns, std::uint8_t* packed,
                std::ptrdiff_t stride) {
  const std::uint8_t* const end = table + n_rows * n_columns;
  Word seen = 0;
  /// The first `n` of eight bytes as bits.
  const auto take = [&](const std::uint8_t* cells, std::size_t n) {
    Word eight = 0;
    if (end - cells >= 8)  // of a size known when compiled
      std::memcpy(&eight, cells, 8);
    else
      std::memcpy(&eight, cells, n);
    if (n < 8) eight &= (Word{1} << (8 * n)) - 1;
    seen |= eight;
    // The product has byte k of `eight` as bit 56 + k: it is shifted by 56 - 7 k, one of the eight set bits.
    return (eight * 0x0102040810204080ULL) >> 56;
  };
  for (std::size_t first_row = 0; first_row < n_rows; first_row += kWordBits) {
    for (std::size_t first = 0; first < n_columns; first += kWordBits) {
      const std::size_t n = std::min<std::size_t>(kWordBits, n_columns - first);
      alignas(64) Word block[kWordBits] = {};
      for (std::size_t i = 0; i < std::min<std::size_t>(kWordBits, n_rows - first_row); ++i) {
        const std::uint8_t* cells = table + (first_row + i) * n_columns + first;
        Word word = 0;
        std::size_t at = 0;
        for (; at + 8 <= n; at += 8) word |= take(cells + at, 8) << at;
        if (at < n) word |= take(cells + at, n - at) << at;
        block[i] = word;
      }
      kernels::kernels().transpose(block);
      const std::size_t n_bytes = std::min<std::size_t>(sizeof(Word), (n_rows + 7) / 8 - first_row / 8);
      std::uint8_t* to = packed + static_cast<std::ptrdiff_t>(first) * stride + first_row / 8;
      for (std::size_t c = 0; c < n; ++c, to += stride) std::memcpy(to, &block[c], n_bytes);
    }
  }
  return (seen & ~0x0101010101010101ULL) == 0;
}

}  // namespace hornbeam::data
