// data/numbered_labels.hpp
//
// WHAT    Numbers the classes of integer labels that are close together, by counting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hornbeam::data {

struct NumberedLabels {
  std::vector<std::int64_t> classes;  // the distinct labels, ascending
  std::vector<std::int32_t> codes;    // the index of each label among them
};

/// Nothing if the labels are 2^16 or more apart, or if there are none.
std::optional<NumberedLabels> number_labels(std::span<const std::int64_t> labels);

}  // namespace hornbeam::data
