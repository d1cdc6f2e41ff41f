// kernels/kernels_avx2.cpp: compiled with AVX2; population counts by table look-up in registers (Mula, Kurz and
// Lemire, 2018).
#include <immintrin.h>

#include "kernels/lanes.hpp"

namespace hornbeam::kernels {
namespace {

/// Set bits of each byte.
[[gnu::always_inline]] inline __m256i popcount_of_bytes(__m256i x) {
  const __m256i table =
      _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, nibble));
  const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
  return _mm256_add_epi8(low, high);
}

template <class Vector, class Sum>
[[gnu::always_inline]] inline Vector popcount_as(Vector x, Sum sum_bytes) {
  union {
    Vector all;
    __m256i half[2];
  } u;
  u.all = x;
  for (__m256i& half : u.half) half = sum_bytes(popcount_of_bytes(half));
  return u.all;
}

[[gnu::always_inline]] inline Lanes popcount(Lanes x) {
  return popcount_as(x, [](__m256i bytes) { return _mm256_sad_epu8(bytes, _mm256_setzero_si256()); });
}

[[gnu::always_inline]] inline NarrowLanes popcount(NarrowLanes x) {
  return popcount_as(x, [](__m256i bytes) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
  });
}

[[gnu::always_inline]] inline Word mask_of(Lanes x) {
  union {
    Lanes all;
    __m256d half[2];
  } u;
  u.all = x;
  return static_cast<Word>(_mm256_movemask_pd(u.half[0]) | (_mm256_movemask_pd(u.half[1]) << 4));
}

}  // namespace
}  // namespace hornbeam::kernels

#define HORNBEAM_KERNELS kAvx2Kernels
#define HORNBEAM_KERNELS_NAME "avx2"
#include "kernels/lanes.inl"
