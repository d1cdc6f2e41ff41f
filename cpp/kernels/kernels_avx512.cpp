// kernels/kernels_avx512.cpp: compiled with AVX-512 F, DQ, VL and VPOPCNTDQ; one instruction counts eight words.
#include <immintrin.h>

#include "kernels/lanes.hpp"

namespace hornbeam::kernels {
namespace {

[[gnu::always_inline]] inline Lanes popcount(Lanes x) {
  return reinterpret_cast<Lanes>(_mm512_popcnt_epi64(reinterpret_cast<__m512i>(x)));
}

[[gnu::always_inline]] inline NarrowLanes popcount(NarrowLanes x) {
  return reinterpret_cast<NarrowLanes>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(x)));
}

[[gnu::always_inline]] inline Word mask_of(Lanes x) { return _mm512_movepi64_mask(reinterpret_cast<__m512i>(x)); }

}  // namespace
}  // namespace hornbeam::kernels

#define HORNBEAM_KERNELS kAvx512Kernels
#define HORNBEAM_KERNELS_NAME "avx512"
#include "kernels/lanes.inl"
