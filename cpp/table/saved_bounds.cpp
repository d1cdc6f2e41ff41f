#include <algorithm>
#include <iterator>
#include <vector>

#include "table/subproblem_table.hpp"

namespace hornbeam::table {

namespace {

constexpr int kEffortBits = 8;  // costs are far below 2^56

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
      put(static_cast<std::uint64_t>(entry.lower) << kEffortBits | entry.effort());
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
      tighten(key, {lower, {}}, static_cast<std::uint8_t>(lower_and_effort));
    }
  }
}

}  // namespace hornbeam::table
