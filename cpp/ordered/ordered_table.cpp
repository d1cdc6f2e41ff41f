#include "ordered/ordered_table.hpp"

#include <algorithm>
#include <utility>

namespace hornbeam::ordered {

std::optional<OrderedResult> OrderedTable::find(const table::SubproblemKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(key);
  return at == entries_.end() ? std::nullopt : std::optional(at->second);
}

void OrderedTable::keep(const table::SubproblemKey& key, const OrderedResult& found) {
  // A node of the map has a pointer next to its entry, and so has its place in the array of places.
  const std::uint64_t more = sizeof(Entries::value_type) + 2 * sizeof(void*) + key.set.heap_bytes() +
                             found.preorder.size() * sizeof(PreorderNode);
  if (limit_ && bytes_.load(std::memory_order_relaxed) + more > *limit_) return;
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = entries_.try_emplace(key, found);
  if (is_new) {
    bytes_.fetch_add(more, std::memory_order_relaxed);
    return;
  }
  OrderedResult& known = at->second;
  known.lower = std::max(known.lower, found.lower);
  if (std::pair(found.relaxed_depth, found.relaxed) > std::pair(known.relaxed_depth, known.relaxed)) {
    known.relaxed_depth = found.relaxed_depth;
    known.relaxed = found.relaxed;
  }
  if (found.cost >= known.cost) return;
  known.cost = found.cost;
  known.preorder = found.preorder;
}

void OrderedTable::put_entries(const std::function<void(std::uint64_t)>& put) const {
  const std::lock_guard lock(mutex_);
  put(entries_.size());
  for (const auto& [key, known] : entries_) {
    key.put_words(put);
    put(static_cast<std::uint64_t>(known.lower));
    put(static_cast<std::uint64_t>(known.cost));
    put_preorder(known.preorder, put);
  }
}

void OrderedTable::read_entries(const std::function<std::uint64_t()>& get) {
  for (std::uint64_t left = get(); left > 0; --left) {
    const auto key = table::SubproblemKey::from_words(get);
    OrderedResult known;
    known.lower = static_cast<Ticks>(get());
    known.cost = static_cast<Ticks>(get());
    known.preorder = read_preorder(get);
    keep(key, known);
  }
}

}  // namespace hornbeam::ordered
