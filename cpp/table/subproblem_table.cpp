#include "table/subproblem_table.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hornbeam::table {

SubproblemTable::SubproblemTable(bool shared, std::optional<std::uint64_t> byte_limit)
    : shared_(shared),
      byte_limit_(byte_limit.value_or(kNoLimit)),
      shards_(std::make_unique<Shard[]>(kShards)),
      bytes_(kShards * kFirstCapacity * sizeof(Entry)) {}  // set aside, though a shard takes its own when it needs it

std::unique_lock<std::mutex> SubproblemTable::lock(const Shard& shard) const {
  return shared_ ? std::unique_lock(shard.mutex) : std::unique_lock<std::mutex>();
}

/// Where the search for `key` begins. Capacities are no powers of two: the high half of hash times capacity is uniform
/// on [0, capacity).
std::size_t SubproblemTable::home_of(const std::vector<Entry>& entries, const SubproblemKey& key) {
  const std::uint64_t hash = key.set.hash() ^ mix((std::uint64_t{key.depth} << 32) | key.leaves);
  return static_cast<std::size_t>((static_cast<unsigned __int128>(hash) * entries.size()) >> 64);
}

void SubproblemTable::prefetch(const SubproblemKey& key) const {
  if (shared_) return;
  const std::vector<Entry>& entries = shard_of(key).entries;
  if (!entries.empty()) __builtin_prefetch(&entries[home_of(entries, key)]);
}

/// The slot that holds `key`, or the free one where it belongs.
std::size_t SubproblemTable::slot_of(const std::vector<Entry>& entries, const SubproblemKey& key) {
  std::size_t at = home_of(entries, key);
  while (entries[at].is_used() && !entries[at].is(key)) at = at + 1 == entries.size() ? 0 : at + 1;
  return at;
}

std::optional<Interval> SubproblemTable::find(const SubproblemKey& key) const {
  const Shard& shard = shard_of(key);
  const auto guard = lock(shard);
  if (shard.entries.empty()) return std::nullopt;
  const Entry& entry = shard.entries[slot_of(shard.entries, key)];
  if (!entry.is_used()) return std::nullopt;
  return entry.interval();
}

/// Counts `added` bytes, unless the limit forbids them. Shards grow at the same time, so check and count are one step.
bool SubproblemTable::reserve(std::uint64_t added) {
  std::uint64_t now = bytes();
  do {
    if (now + added > byte_limit_.load(std::memory_order_relaxed)) {
      full_.store(true, std::memory_order_relaxed);
      return false;
    }
  } while (!bytes_.compare_exchange_weak(now, now + added, std::memory_order_relaxed));
  return true;
}

bool SubproblemTable::ensure_capacity(Shard& shard) {
  if (shard.used * 4 < shard.entries.size() * 3) return true;
  const std::size_t capacity = shard.entries.size() * 3 / 2;
  const std::uint64_t added = (capacity - shard.entries.size()) * sizeof(Entry);
  if (!reserve(added)) return false;
  std::vector<Entry> larger(capacity);
  for (Entry& entry : shard.entries)
    if (entry.is_used()) {
      const std::size_t at = slot_of(larger, entry.key());
      larger[at] = std::move(entry);
    }
  shard.entries = std::move(larger);
  return true;
}

bool SubproblemTable::forget(std::uint64_t byte_limit) {
  const std::uint64_t capacity = byte_limit / (kShards * sizeof(Entry));
  if (capacity < kFirstCapacity) return false;
  byte_limit_.store(byte_limit, std::memory_order_relaxed);
  for (std::size_t i = 0; i < kShards; ++i) {
    const auto guard = lock(shards_[i]);
    if (!shards_[i].entries.empty()) forget_in(shards_[i], capacity);
  }
  full_.store(false, std::memory_order_relaxed);
  return true;
}

/// Each shard by itself: hashes distribute entries evenly.
void SubproblemTable::forget_in(Shard& shard, std::size_t capacity) {
  std::vector<const Entry*> by_effort;
  by_effort.reserve(shard.used);
  for (const Entry& entry : shard.entries)
    if (entry.is_used()) by_effort.push_back(&entry);
  const auto places = static_cast<std::ptrdiff_t>(std::min(shard.used, capacity / 2));
  std::nth_element(by_effort.begin(), by_effort.begin() + places, by_effort.end(), [](const Entry* a, const Entry* b) {
    return a->effort() != b->effort() ? a->effort() > b->effort() : a->set.hash() < b->set.hash();
  });
  // All of its share at once: a shard that is smaller could not grow by half within it, and would be full again soon.
  std::vector<Entry> rebuilt(capacity);
  std::uint64_t freed = (shard.entries.size() - rebuilt.size()) * sizeof(Entry);
  for (std::ptrdiff_t i = 0; i < std::ssize(by_effort); ++i) {
    const Entry& entry = *by_effort[i];
    if (i >= places) {
      freed += entry.set.heap_bytes();
      continue;
    }
    Entry& kept = rebuilt[slot_of(rebuilt, entry.key())] = entry;
    if (kept.effort() > 0 && kept.effort() != kNeverForgotten) --kept.tree_depth_and_effort;
  }
  bytes_.fetch_sub(freed, std::memory_order_relaxed);
  size_.fetch_sub(shard.used - places, std::memory_order_relaxed);
  n_forgotten_.fetch_add(shard.used - places, std::memory_order_relaxed);
  shard.used = places;
  shard.entries = std::move(rebuilt);
}

Interval SubproblemTable::tighten(const SubproblemKey& key, const Interval& known, const Proof& proof) {
  const auto& [merged, is_news] = merge(key, known, proof.effort);
  if (is_news && least_watched_ && proof.effort >= *least_watched_) note_news(key, merged, proof);
  return merged;
}

SubproblemTable::Merged SubproblemTable::merge(const SubproblemKey& key, const Interval& known, std::uint8_t effort) {
  Shard& shard = shard_of(key);
  const auto guard = lock(shard);
  if (shard.entries.empty()) shard.entries.resize(kFirstCapacity);
  std::size_t at = slot_of(shard.entries, key);
  if (!shard.entries[at].is_used()) {
    if (!ensure_capacity(shard)) return {known, false};
    at = slot_of(shard.entries, key);
    shard.entries[at] = {key.set, 0, kInfinity, kNoSplit, key.depth, key.leaves, kUnlimited, 1, 0};
    ++shard.used;
    size_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(key.set.heap_bytes(), std::memory_order_relaxed);
  }
  Entry& entry = shard.entries[at];
  Interval merged = entry.interval();
  merged.update(known);
  const bool is_news = merged.lower > entry.lower || (merged.is_closed() && merged.tree.cost < entry.upper);
  entry.lower = merged.lower;
  entry.upper = merged.tree.cost;
  entry.split = merged.tree.split;
  entry.leaves_of_true_side = merged.tree.leaves_of_true_side;
  entry.tree_leaves = merged.tree.shape.leaves;
  entry.tree_depth_and_effort =
      std::min(merged.tree.shape.depth, kMostTreeDepth) << 8 | std::max(entry.effort(), effort);
  return {merged, is_news};
}

}  // namespace hornbeam::table
