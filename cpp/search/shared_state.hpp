// search/shared_state.hpp
//
// WHAT    The remaining limits of a subproblem, and the state that the threads of one search share.
// HOLDS   SharedState belongs to one search; nothing is global.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "bounds/equivalent_points.hpp"
#include "packing/near_pairs.hpp"
#include "pricing/feasible_prices.hpp"
#include "run/latest.hpp"
#include "run/run.hpp"
#include "search/claims.hpp"
#include "search/earlier_searches.hpp"
#include "shallow/group_sums.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::search {

/// Depth and leaves that a subproblem may still use; kUnlimited if the limit cannot bind.
struct NodeLimits {
  std::uint32_t depth = table::kUnlimited;
  std::uint32_t leaves = table::kUnlimited;

  bool only_leaf() const { return depth == 0 || leaves == 1; }
  bool only_stump() const { return depth == 1 || leaves == 2; }
  std::uint32_t depth_of_side() const { return depth == table::kUnlimited ? table::kUnlimited : depth - 1; }

  /// Drops limits that cannot bind, so that equal problems share one entry of the table. `base_loss` is q before any
  /// merge of rows, the same on every path to the set, and a bound for every tree on it.
  NodeLimits without_idle_limits(Ticks leaf_cost, Ticks loss, Ticks base_loss) const {
    NodeLimits left = *this;
    const Ticks most = bounds::most_leaves(leaf_cost, loss, base_loss);
    if (left.leaves != table::kUnlimited && left.leaves >= most) left.leaves = table::kUnlimited;
    if (left.depth != table::kUnlimited && left.depth >= most - 1) left.depth = table::kUnlimited;
    if (left.leaves != table::kUnlimited && left.depth != table::kUnlimited) {
      if (left.depth >= left.leaves - 1)
        left.depth = table::kUnlimited;
      else if (left.depth < 31 && left.leaves >= (1u << left.depth))
        left.leaves = table::kUnlimited;
    }
    return left;
  }
};

struct SharedState {
  table::SubproblemTable& table;
  const EarlierSearches* earlier;  // null if there are none
  run::Run& run;
  std::atomic<std::uint64_t> n_subproblems;  // row sets made and searched
  std::atomic<std::uint64_t> frame_bytes;    // row sets alive or kept for reuse
  Claims claims;
  std::atomic<bool> has_guessed{false};  // a bound has been raised by bounds/reference.hpp
  std::once_flag is_coded;
  std::unique_ptr<const shallow::CodedRows> coded_rows;          // made by the first thread that needs them
  const run::Latest<packing::PairOrder>* pairs = nullptr;        // of all rows, if they get packed
  const run::Latest<pricing::FeasiblePrices>* prices = nullptr;  // of all rows, if they get priced
  // So that initializers may leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<Word> row_bits{};  // of the data row by row, `words_for(n_columns)` each; made before there are pairs

  std::shared_ptr<const pricing::FeasiblePrices> row_prices() const {
    return prices == nullptr ? nullptr : prices->get();
  }
  bool has_pairs() const { return pairs != nullptr && pairs->get() != nullptr; }
  std::uint64_t bytes() const {
    return table.bytes() + (earlier == nullptr ? 0 : earlier->bytes()) + frame_bytes.load(std::memory_order_relaxed);
  }
};

}  // namespace hornbeam::search
