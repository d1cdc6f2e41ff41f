// packing/root_packing.hpp
//
// WHAT    Packings of the pairs of a whole problem next to its search, of whose work they get a share.
// FLOW    A search calls `raise` from the poll of its first thread, and adopts what is packed -> packing/near_pairs.
// HOLDS   A problem that is solved in a few milliseconds does without. How much is packed follows from the work of the
//         search, not from the clock.
#pragma once

#include <functional>
#include <optional>

#include "packing/near_pairs.hpp"
#include "run/latest.hpp"

namespace hornbeam::packing {

/// In units of packing; tests choose more.
struct Schedule {
  std::uint64_t units_before = 1u << 20;  // of the search, before packing begins
  // For 16 units of the search: while the bound is near the cost of the best tree, or the search has taken long; and
  // while it is far.
  std::uint64_t units_if_near = 16, units_if_far = 1;
};

class RootPacking {
 public:
  /// `make` is called when packing begins. `work_of_unit` is what the search does in the time of a unit of packing.
  RootPacking(PairSizes sizes, std::function<NearPairs(run::WorkMeter&)> make, const Schedule& schedule,
              std::uint64_t work_of_unit, run::Run& run, std::function<void()> poll);

  /// `searched` is the work of the search so far, `bytes` what it uses. If the bound is far from `best`, the cost of
  /// the best tree, packing gets less of the work. True if the bound has risen.
  bool raise(std::uint64_t searched, std::uint64_t bytes, Ticks best);

  /// No tree of the whole problem costs less.
  Ticks bound() const { return pairs_ ? pairs_->bound() : 0; }
  /// Whether what is packed is unlikely to rise much in the next few packings.
  bool is_settled() const { return pairs_ && pairs_->is_settled(); }
  /// Shares the order from now on, however far the bound is from the cost of the best tree.
  void share_order();
  /// The best order so far, for all threads.
  const run::Latest<PairOrder>& order() const { return order_; }
  std::uint64_t bytes() const { return pairs_ ? sizes_.bytes() : 0; }

 private:
  const PairSizes sizes_;
  const std::function<NearPairs(run::WorkMeter&)> make_;
  const Schedule schedule_;
  const std::uint64_t work_of_unit_;
  run::Run& run_;
  run::WorkMeter meter_;
  bool has_no_room_ = false, is_working_ = false, is_shared_ = false;
  std::optional<NearPairs> pairs_;
  run::Latest<PairOrder> order_;
};

}  // namespace hornbeam::packing
