// ordered/ordered_table.hpp
//
// WHAT    What all threads have proven of subproblems, and the best tree of each, by rows, depth and number of leaves.
// FLOW    ordered/ordered_worker asks before it splits a subproblem of three or more levels, and keeps what it finds.
// HOLDS   (T1) `lower` of an entry never exceeds the cost of any tree within the limits of its key; `cost` is that of
//         the tree `preorder`. (T2) An entry is kept only if its memory is within the limit; without it, only time is
//         lost.
// COST    One pass over the rows for their fingerprint, and a lock, per subproblem of three or more levels. Those of
//         two levels are ten times as many and hardly cost more than their fingerprint, so they are not kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "ordered/preorder_tree.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::ordered {

class OrderedTable {
 public:
  explicit OrderedTable(std::optional<std::uint64_t> limit) : limit_(limit) {}

  /// The memory of the whole search, to which the table adds its own as long as it all stays within the limit.
  std::atomic<std::uint64_t>& bytes() { return bytes_; }

  std::optional<OrderedResult> find(const table::SubproblemKey& key) const;
  void keep(const table::SubproblemKey& key, const OrderedResult& found);
  /// For files; `put` gets words, and `read` reads as many.
  void put_entries(const std::function<void(std::uint64_t)>& put) const;
  void read_entries(const std::function<std::uint64_t()>& get);
  /// Once no thread works.
  std::uint64_t size() const { return entries_.size(); }

 private:
  using Entries = std::unordered_map<table::SubproblemKey, OrderedResult, table::SubproblemKeyHash>;

  const std::optional<std::uint64_t> limit_;
  std::atomic<std::uint64_t> bytes_{0};
  mutable std::mutex mutex_;
  Entries entries_;
};

}  // namespace hornbeam::ordered
