// data/codes_of_column.hpp
//
// WHAT    The codes of a column in a batch of rows, as they lie in memory, and flags among them as words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/types.hpp"
#include "data/packed_bytes.hpp"

namespace hornbeam::data {

/// The codes of one column in a batch, of one byte, of four, or of one bit: one pointer is not null, or all codes are
/// 0.
struct CodesOfColumn {
  const std::uint8_t* bytes = nullptr;
  const std::uint32_t* numbers = nullptr;
  /// Of the first row: bit `first_bit` % 8, the lowest is 0, of byte `first_bit` / 8.
  const std::uint8_t* bits = nullptr;
  std::size_t first_bit = 0;
  bool are_zero() const { return bytes == nullptr && numbers == nullptr && bits == nullptr; }
  std::uint32_t operator[](std::size_t row) const { return bytes != nullptr ? bytes[row] : numbers[row]; }
};

/// Up to 64 bits, of which others in their bytes may be set.
inline Word load_bits(const std::uint8_t* bytes, std::size_t first_bit, std::uint32_t n) {
  const std::size_t shift = first_bit % 8, n_bytes = (shift + n + 7) / 8;
  bytes += first_bit / 8;
  Word word = 0;
  if (n_bytes >= sizeof(Word))  // of a size known when compiled
    std::memcpy(&word, bytes, sizeof(Word));
  else
    std::memcpy(&word, bytes, n_bytes);
  word >>= shift;
  if (n_bytes > sizeof(Word)) word |= Word{bytes[sizeof(Word)]} << (kWordBits - shift);
  return n < kWordBits ? word & ((Word{1} << n) - 1) : word;
}

/// Up to 64 flags.
inline Word load_flags(const CodesOfColumn& codes, std::size_t first, std::uint32_t n) {
  return codes.bits != nullptr ? load_bits(codes.bits, codes.first_bit + first, n)
                               : packed_bytes(codes.bytes + first, n);
}

}  // namespace hornbeam::data
