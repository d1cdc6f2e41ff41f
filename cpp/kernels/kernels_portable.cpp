// kernels/kernels_portable.cpp: the kernels for any machine; the twin that the others are tested against.
#include "kernels/lanes.hpp"

namespace hornbeam::kernels {
namespace {

[[gnu::always_inline]] inline Lanes popcount(Lanes x) {
  for (std::uint32_t i = 0; i < kLanes; ++i) x[i] = __builtin_popcountll(static_cast<Word>(x[i]));
  return x;
}

[[gnu::always_inline]] inline NarrowLanes popcount(NarrowLanes x) {
  for (std::uint32_t i = 0; i < kNarrowLanes; ++i) x[i] = __builtin_popcount(static_cast<std::uint32_t>(x[i]));
  return x;
}

[[gnu::always_inline]] inline Word mask_of(Lanes x) {
  Word mask = 0;
  for (std::uint32_t i = 0; i < kLanes; ++i) mask |= (static_cast<Word>(x[i]) >> 63) << i;
  return mask;
}

}  // namespace
}  // namespace hornbeam::kernels

#define HORNBEAM_KERNELS kPortableKernels
#define HORNBEAM_KERNELS_NAME "portable"
#include "kernels/lanes.inl"
