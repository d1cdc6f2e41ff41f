// kernels/lanes.hpp
//
// WHAT    The vector types of lanes.inl: eight 64-bit lanes, as the compiler's portable vector extension. A machine
//         with narrower registers works on them in pieces.
#pragma once

#include "base/types.hpp"

/// A function of the kernels, which only their own source file sees. Sanitizers check every access, and inlining these
/// checks into all callers doubles the time to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HORNBEAM_KERNEL inline
#else
#define HORNBEAM_KERNEL HORNBEAM_INLINE
#endif

namespace hornbeam::kernels {
namespace {

typedef Ticks Lanes __attribute__((vector_size(8 * kLanes)));
typedef Word WordLanes __attribute__((vector_size(8 * kLanes)));
typedef std::int32_t NarrowLanes __attribute__((vector_size(4 * kNarrowLanes)));
typedef NarrowLanes NarrowLanesInMemory __attribute__((may_alias));
typedef Lanes LanesInMemory __attribute__((may_alias));  // reads and writes arrays of Ticks or Word
typedef Lanes LanesAnywhere __attribute__((may_alias, aligned(8)));

}  // namespace
}  // namespace hornbeam::kernels
