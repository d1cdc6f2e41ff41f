// base/types.hpp
//
// WHAT    The units of the core: costs are exact integers ("ticks"), words hold 64 bits.
// HOLDS   A problem's total cost stays below 2^52 ticks, so sums of a few costs never overflow and every
//         comparison is exact. `kInfinity` stands for "no such tree" and may be added to a cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

/// For code that is compiled for several instruction sets, of which no copy may be linked from one into another.
#define HORNBEAM_INLINE [[gnu::always_inline]] inline

namespace hornbeam {

using Ticks = std::int64_t;
using Word = std::uint64_t;

inline constexpr Ticks kInfinity = Ticks{1} << 60;
inline constexpr int kCostBits = 52;
inline constexpr Ticks kLargestTotal = Ticks{1} << kCostBits;
inline constexpr std::uint32_t kWordBits = 64;

/// The lanes of the widest kernel: 64-bit and 32-bit ones. Columns are padded to a multiple of the latter.
inline constexpr std::uint32_t kLanes = 8;
inline constexpr std::uint32_t kNarrowLanes = 16;

constexpr std::uint32_t words_for(std::uint32_t bits) { return (bits + kWordBits - 1) / kWordBits; }
constexpr std::uint32_t padded_to_lanes(std::uint32_t columns) {
  return (columns + kNarrowLanes - 1) / kNarrowLanes * kNarrowLanes;
}

/// Allocator of 64-byte aligned blocks, so that a row of a tile starts on a cache line.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  CacheLineAllocator() = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  friend bool operator==(CacheLineAllocator, CacheLineAllocator) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace hornbeam
