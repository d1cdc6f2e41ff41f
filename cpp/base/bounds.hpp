// base/bounds.hpp
//
// WHAT    Switches and counters of the bounds and techniques in base/bounds.def, and the one list of their names.
// COST    A counter belongs to one thread and is added to the others at the end of the search.
#pragma once

#include <cstdint>
#include <string_view>

namespace hornbeam {

/// Groups of searches with the same bounds; the bitset search, the ordered search and those that SPLIT runs below its
/// prefixes are all `kExact`.
inline constexpr unsigned kExact = 1, kLeafSets = 2, kPosterior = 4, kLookahead = 8, kTreeSets = 16;

/// Which bounds a search uses.
struct Bounds {
#define BOUND(searches, name, by_default, page, counts) bool name = by_default;
#include "base/bounds.def"
};

/// How often each bound or technique closed or tightened something; of one thread, on cache lines of its own.
struct alignas(64) Counters {
#define BOUND(searches, name, by_default, page, counts) std::uint64_t name = 0;
#define TECHNIQUE(searches, name, page, counts) std::uint64_t name = 0;
#include "base/bounds.def"
  inline Counters& operator+=(const Counters& other);
};

struct BoundRow {
  const char* name;
  unsigned searches;
  bool Bounds::* flag;  // null for a technique that is always on
  std::uint64_t Counters::* counter;
  const char* page;
  const char* counts;
};

inline constexpr BoundRow kBounds[] = {
#define BOUND(searches, name, by_default, page, counts) {#name, searches, &Bounds::name, &Counters::name, page, counts},
#define TECHNIQUE(searches, name, page, counts) {#name, searches, nullptr, &Counters::name, page, counts},
#include "base/bounds.def"
};

inline Counters& Counters::operator+=(const Counters& other) {
  for (const BoundRow& row : kBounds) this->*row.counter += other.*row.counter;
  return *this;
}

/// The switch of a name that these searches have, or null.
constexpr bool Bounds::* switch_of(std::string_view name, unsigned searches) {
  for (const BoundRow& row : kBounds)
    if (name == row.name && (row.searches & searches) != 0) return row.flag;
  return nullptr;
}

}  // namespace hornbeam
