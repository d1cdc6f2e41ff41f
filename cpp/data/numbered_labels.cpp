#include "data/numbered_labels.hpp"

#include <algorithm>

namespace hornbeam::data {

std::optional<NumberedLabels> number_labels(std::span<const std::int64_t> labels) {
  constexpr std::uint64_t kMostCounted = 1 << 16;
  if (labels.empty()) return std::nullopt;
  const auto [least, largest] = std::ranges::minmax(labels);
  // As unsigned numbers, whose difference does not overflow.
  const auto offset_of = [first = static_cast<std::uint64_t>(least)](std::int64_t label) {
    return static_cast<std::uint64_t>(label) - first;
  };
  if (offset_of(largest) >= kMostCounted) return std::nullopt;
  std::vector<std::int32_t> number(offset_of(largest) + 1, -1);
  for (const std::int64_t label : labels) number[offset_of(label)] = 0;
  NumberedLabels numbered;
  for (std::size_t offset = 0; offset < number.size(); ++offset) {
    if (number[offset] < 0) continue;
    number[offset] = static_cast<std::int32_t>(numbered.classes.size());
    numbered.classes.push_back(least + static_cast<std::int64_t>(offset));
  }
  numbered.codes.reserve(labels.size());
  for (const std::int64_t label : labels) numbered.codes.push_back(number[offset_of(label)]);
  return numbered;
}

}  // namespace hornbeam::data
