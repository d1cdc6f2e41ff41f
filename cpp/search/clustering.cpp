#include "search/clustering.hpp"

#include <algorithm>
#include <bit>

#include "base/fingerprint.hpp"

namespace hornbeam::search {

Ticks GroupClustering::least_cost(const rows::RowSet& rows) {
  const std::size_t n_words = rows.words_per_slot;
  std::int64_t bounds::TargetSums::* const targets[] = {&bounds::TargetSums::weight, &bounds::TargetSums::sum,
                                                        &bounds::TargetSums::squares};
  const auto row_of = [&](std::size_t slot) { return &rows.slot_rows[slot * n_words]; };
  index_.reset(rows.segments.empty() ? 0 : rows.segments.front().n_slots);
  slot_of_group_.clear();
  groups_.clear();
  work_ = 0;
  for (const kernels::Segment& segment : rows.segments) {
    if (segment.target >= std::size(targets)) break;  // what equal rows lose is added by the caller
    work_ += std::uint64_t{segment.n_slots} * (n_words + 8);
    for (std::uint32_t i = 0; i < segment.n_slots; ++i) {
      const std::size_t slot = std::size_t{segment.begin} * kWordBits + i;
      const Word* const row = row_of(slot);
      Word hash = 0;
      for (std::size_t w = 0; w < n_words; ++w) hash = mix(hash ^ row[w]);
      const auto n_groups = static_cast<std::uint32_t>(groups_.size());
      const std::uint32_t group = index_.find_or_add(hash, n_groups, [&](std::uint32_t known) {
        return std::equal(row, row + n_words, row_of(slot_of_group_[known]));
      });
      if (group == n_groups) {
        slot_of_group_.push_back(slot);
        groups_.emplace_back();
      }
      groups_[group].*targets[segment.target] += std::int64_t{1} << segment.shift;
    }
  }
  work_ += 4 * groups_.size() * static_cast<std::size_t>(std::bit_width(groups_.size()));
  return clusters_.least_cost(groups_, leaf_cost_);
}

}  // namespace hornbeam::search
