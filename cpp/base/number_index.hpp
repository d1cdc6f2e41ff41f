// base/number_index.hpp
//
// WHAT    A hash table that finds the numbers of things that are kept elsewhere, mostly in vectors.
// FLOW    Used wherever equal things are merged: rows, columns, leaves, sets of leaves, costs of trees. The table of
//         subproblems (table/) is the only other one written by hand.
// COST    8 bytes a slot; at most half of the slots are in use.
// CHOICE  tsl::robin_map in its place takes 3 % more instructions of a whole fit where each subproblem makes tables of
//         a few dozen numbers, 4 % more where one table has all rows, and 12 % more where histograms of many trees are
//         summed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hornbeam {

class NumberIndex {
 public:
  /// Forgets all numbers and makes space for `most`; for more, it grows.
  void reset(std::size_t most) {
    slots_.assign(std::bit_ceil(2 * most + 1), Slot{});
    n_used_ = 0;
  }

  /// The number with this hash for which `is_same(number)` is true. If there is none, keeps `number` and returns it.
  /// The low half of the hash should be well mixed.
  template <class IsSame>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t number, const IsSame& is_same) {
    if (2 * n_used_ >= slots_.size()) grow();
    const auto part = static_cast<std::uint32_t>(hash);
    std::size_t at = place_of(part);
    for (; slots_[at].number != kNone; at = next(at))
      if (slots_[at].hash == part && is_same(slots_[at].number)) return slots_[at].number;
    slots_[at] = {part, number};
    ++n_used_;
    return number;
  }

  /// Brings the place of a hash into the caches.
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[place_of(static_cast<std::uint32_t>(hash))]);
  }

  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t hash = 0;  // its low half
    std::uint32_t number = kNone;
  };

  std::size_t place_of(std::uint32_t hash) const { return hash & (slots_.size() - 1); }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(16, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      std::size_t at = place_of(slot.hash);
      while (slots_[at].number != kNone) at = next(at);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t n_used_ = 0;
};

}  // namespace hornbeam
