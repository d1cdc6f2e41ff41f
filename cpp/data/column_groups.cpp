#include "data/column_groups.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::data {

namespace {

/// Whether one of the four combinations of two columns is missing.
bool may_share_group(const DistinctRows& rows, std::uint32_t a, std::uint32_t b) {
  unsigned seen = 0;
  for (std::uint32_t w = 0; w < words_for(rows.n_rows); ++w) {
    const std::uint32_t n_here = std::min(kWordBits, rows.n_rows - w * kWordBits);
    const Word valid = ~Word{0} >> (kWordBits - n_here);
    const Word word[2] = {rows.bits[std::size_t{w} * rows.stride + a], rows.bits[std::size_t{w} * rows.stride + b]};
    if ((word[0] & word[1] & valid) != 0) seen |= 1;
    if ((word[0] & ~word[1] & valid) != 0) seen |= 2;
    if ((~word[0] & word[1] & valid) != 0) seen |= 4;
    if ((~(word[0] | word[1]) & valid) != 0) seen |= 8;
    if (seen == 15) return false;
  }
  return true;
}

}  // namespace

ColumnGroups::ColumnGroups(const DistinctRows& rows) : group_of_(rows.n_columns), holds_(rows.n_columns) {
  find_groups(rows);
  join_small_groups();
  number_patterns(rows);
}

/// Puts each column into the first group that it may share.
void ColumnGroups::find_groups(const DistinctRows& rows) {
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
    const auto fits = [&](const std::vector<std::uint32_t>& group) {
      return group.size() + 1 < kMostCodes && std::all_of(group.begin(), group.end(), [&](std::uint32_t other) {
               return may_share_group(rows, other, c);
             });
    };
    const auto found = std::find_if(groups_.begin(), groups_.end(), fits);
    if (found != groups_.end())
      found->push_back(c);
    else
      groups_.push_back({c});
  }
}

/// Joins the two groups of the fewest patterns as long as their patterns, multiplied, are few enough.
void ColumnGroups::join_small_groups() {
  std::vector<std::uint32_t> most_codes;
  most_codes.reserve(groups_.size());
  for (const auto& group : groups_) most_codes.push_back(static_cast<std::uint32_t>(group.size()) + 1);
  std::vector<std::uint32_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return most_codes[a] < most_codes[b]; });
  std::vector<std::vector<std::uint32_t>> joined;
  std::uint32_t n_codes = kMostCodes;
  for (const std::uint32_t group : order) {
    if (n_codes * most_codes[group] > kMostCodes) {
      joined.emplace_back();
      n_codes = 1;
    }
    n_codes *= most_codes[group];
    joined.back().insert(joined.back().end(), groups_[group].begin(), groups_[group].end());
  }
  groups_ = std::move(joined);
}

/// Gives each pattern of a group a number in the order of its first appearance.
void ColumnGroups::number_patterns(const DistinctRows& rows) {
  constexpr std::uint8_t kNew = 255;
  codes_.resize(std::size_t{rows.n_rows} * n_groups());
  std::vector<std::uint8_t> code_of;
  for (std::uint32_t g = 0; g < n_groups(); ++g) {
    const auto n_columns = static_cast<std::uint32_t>(groups_[g].size());
    code_of.assign(std::size_t{1} << n_columns, kNew);
    std::uint8_t n_codes = 0;
    for (const std::uint32_t column : groups_[g]) group_of_[column] = g;
    for (std::uint32_t w = 0; w < words_for(rows.n_rows); ++w) {
      std::uint32_t pattern[kWordBits] = {};
      for (std::uint32_t i = 0; i < n_columns; ++i) {
        const Word word = rows.bits[std::size_t{w} * rows.stride + groups_[g][i]];
        for (std::uint32_t r = 0; r < kWordBits; ++r) pattern[r] |= static_cast<std::uint32_t>(word >> r & 1) << i;
      }
      const std::uint32_t first = w * kWordBits, n_here = std::min(kWordBits, rows.n_rows - first);
      for (std::uint32_t r = 0; r < n_here; ++r) {
        std::uint8_t& code = code_of[pattern[r]];
        if (code == kNew) {
          code = n_codes++;
          for (std::uint32_t i = 0; i < n_columns; ++i)
            if ((pattern[r] >> i & 1) != 0) holds_[groups_[g][i]] |= 1u << code;
        }
        codes_[std::size_t{first + r} * n_groups() + g] = code;
      }
    }
  }
}

}  // namespace hornbeam::data
