// search/claims.hpp
//
// WHAT    The subproblems that threads are working on, so that another thread can choose a free one.
// HOLDS   A claim is a hint: bounds and trees pass only through the table, and a wrong answer only costs time.
// COST    Two atomic additions per subproblem; no lock. Two subproblems may share a counter.
// CHOICE  Every thread has its own frames. It chooses a split that no thread is in, then the free side of a split that
//         some thread is in, then joins another thread in a side, to separate from it further down. No thread waits or
//         hands over work. Measurements and rejected designs: docs/notes/2026-11-21-two-threads.md.
// SOURCE  Deferred moves of parallel game-tree search: ABDADA [weill1996abdada].
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "table/subproblem_table.hpp"

namespace hornbeam::search {

class Claims {
 public:
  /// With one thread nothing is ever taken.
  explicit Claims(bool shared) : shared_(shared) {}

  bool are_shared() const { return shared_; }

  /// Whether a thread is in a subproblem; whether another one is in a subproblem that this thread is in.
  bool is_taken(const table::SubproblemKey& key) const { return shared_ && n_inside(key) > 0; }
  bool is_joined(const table::SubproblemKey& key) const { return shared_ && n_inside(key) > 1; }

  /// Marks a subproblem while it lives.
  class Claim {
   public:
    Claim(Claims& claims, const table::SubproblemKey& key) : n_inside_(claims.n_inside_[slot_of(key)]) {
      n_inside_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Claim() { n_inside_.fetch_sub(1, std::memory_order_relaxed); }
    Claim(const Claim&) = delete;
    Claim(Claim&&) = delete;
    Claim& operator=(const Claim&) = delete;
    Claim& operator=(Claim&&) = delete;

   private:
    std::atomic<std::uint32_t>& n_inside_;
  };

 private:
  static constexpr std::size_t kSlots = 1 << 14;  // far more than all threads are ever inside
  static std::size_t slot_of(const table::SubproblemKey& key) {
    return mix(key.set.hash() ^ (std::uint64_t{key.depth} << 32) ^ key.leaves) % kSlots;
  }

  std::uint32_t n_inside(const table::SubproblemKey& key) const {
    return n_inside_[slot_of(key)].load(std::memory_order_relaxed);
  }

  bool shared_;
  std::array<std::atomic<std::uint32_t>, kSlots> n_inside_{};
};

}  // namespace hornbeam::search
