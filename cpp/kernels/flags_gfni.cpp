// kernels/flags_gfni.cpp: compiled with AVX-512 F and BW, and with GFNI, which turns eight blocks of 8 x 8 bits at
// once.
#include <immintrin.h>

#include "kernels/flags.hpp"

namespace hornbeam::kernels {

namespace {

/// Bit i of byte j becomes bit 7 - j of byte i, in each word (a product with the unit matrix).
[[gnu::always_inline]] inline __m512i turn_words(__m512i words) {
  return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(static_cast<long long>(0x8040201008040201ULL)), words, 0);
}

/// Eight columns of 512 bits as words of eight rows, of which each byte is one. Of `turned`, vector i has in lane k the
/// rows of bytes 16 k + 2 i and 16 k + 2 i + 1 of a column.
[[gnu::always_inline]] inline void turn_eight(const Word* columns, __m512i* turned) {
  __m512i v[8], pairs[8], fours[8];
  for (std::size_t c = 0; c < 8; ++c) v[c] = _mm512_load_si512(columns + 8 * (7 - c));  // see turn_words
  for (std::size_t i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_epi8(v[i], v[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi8(v[i], v[i + 1]);
  }
  for (std::size_t i = 0; i < 8; i += 4) {
    for (std::size_t half = 0; half < 2; ++half) {
      fours[i + 2 * half] = _mm512_unpacklo_epi16(pairs[i + half], pairs[i + half + 2]);
      fours[i + 2 * half + 1] = _mm512_unpackhi_epi16(pairs[i + half], pairs[i + half + 2]);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    turned[2 * i] = turn_words(_mm512_unpacklo_epi32(fours[i], fours[i + 4]));
    turned[2 * i + 1] = turn_words(_mm512_unpackhi_epi32(fours[i], fours[i + 4]));
  }
}

/// Four rows of each lane, which lie 128 rows apart.
[[gnu::always_inline]] inline void store_lanes(__m512i rows, std::uint32_t* to) {
  constexpr std::size_t kDistance = kFlagRows / 4;
  const auto store = [to](std::size_t lane, __m128i four) {
    _mm_store_si128(reinterpret_cast<__m128i*>(to + lane * kDistance), four);
  };
  store(0, _mm512_castsi512_si128(rows));
  store(1, _mm512_extracti32x4_epi32(rows, 1));
  store(2, _mm512_extracti32x4_epi32(rows, 2));
  store(3, _mm512_extracti32x4_epi32(rows, 3));
}

}  // namespace

void transpose_flags_gfni(const Word* columns, std::uint32_t* rows) {
  static_assert(kFlagColumns == 24 && kFlagRows == 512);
  __m512i first[8], second[8], third[8];
  turn_eight(columns, first);
  turn_eight(columns + 64, second);
  turn_eight(columns + 128, third);
  const __m512i zero = _mm512_setzero_si512();
  for (std::size_t i = 0; i < 8; ++i, rows += 16) {
    const __m512i low = _mm512_unpacklo_epi8(first[i], second[i]), high = _mm512_unpackhi_epi8(first[i], second[i]);
    const __m512i low_third = _mm512_unpacklo_epi8(third[i], zero), high_third = _mm512_unpackhi_epi8(third[i], zero);
    store_lanes(_mm512_unpacklo_epi16(low, low_third), rows);
    store_lanes(_mm512_unpackhi_epi16(low, low_third), rows + 4);
    store_lanes(_mm512_unpacklo_epi16(high, high_third), rows + 8);
    store_lanes(_mm512_unpackhi_epi16(high, high_third), rows + 12);
  }
}

}  // namespace hornbeam::kernels
