#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "table/subproblem_table.hpp"

namespace hornbeam::table {

namespace {

constexpr int kEffortBits = 8;  // costs are far below 2^56

std::uint64_t bound_and_effort(Ticks lower, std::uint8_t effort) {
  return static_cast<std::uint64_t>(lower) << kEffortBits | effort;
}

}  // namespace

void SubproblemTable::put_lower_bounds(const std::function<void(std::uint64_t)>& put) const {
  std::vector<Entry> copied;
  for (std::size_t i = 0; i < kShards; ++i) {
    {
      const auto guard = lock(shards_[i]);  // no longer than it takes to copy, since files are slow
      copied.clear();
      std::copy_if(shards_[i].entries.begin(), shards_[i].entries.end(), std::back_inserter(copied),
                   [](const Entry& entry) { return entry.is_used() && entry.lower > 0; });
    }
    if (copied.empty()) continue;
    put(copied.size());
    for (const Entry& entry : copied) {
      SubproblemKey{entry.set, entry.depth, entry.leaves}.put_words(put);
      put(bound_and_effort(entry.lower, entry.effort()));
    }
  }
  put(0);  // no more
}

void SubproblemTable::read_lower_bounds(const std::function<std::uint64_t()>& get) {
  has_read_bounds_ = true;
  while (const std::uint64_t n_entries = get()) {
    for (std::uint64_t left = n_entries; left > 0; --left) {
      const SubproblemKey key = SubproblemKey::from_words(get);
      const std::uint64_t lower_and_effort = get();
      const auto lower = static_cast<Ticks>(lower_and_effort >> kEffortBits);
      merge(key, {lower, {}}, static_cast<std::uint8_t>(lower_and_effort));
    }
  }
}

void SubproblemTable::put_news(const std::function<void(std::uint64_t)>& put) {
  std::vector<std::pair<SubproblemKey, std::uint8_t>> taken;
  {
    const std::lock_guard guard(news_mutex_);
    taken.swap(news_);
  }
  std::unordered_map<SubproblemKey, std::uint8_t, SubproblemKeyHash> efforts;
  for (const auto& [key, effort] : taken) efforts[key] = std::max(efforts[key], effort);
  for (const auto& [key, effort] : efforts) {
    const auto known = find(key);
    if (!known || known->lower == 0) continue;
    put(1);
    key.put_words(put);
    put(bound_and_effort(known->lower, effort));
  }
  put(0);  // no more
}

}  // namespace hornbeam::table
