// data/numbered_labels.hpp
//
// WHAT    Labels that are whole numbers close together become the numbers of their classes, by counting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hornbeam {

struct NumberedLabels {
  std::vector<std::int64_t> classes;  // the distinct labels, rising
  std::vector<std::int32_t> codes;    // of each label its place among them
};

/// Nothing if the labels are 2^16 or more apart, or if there are none.
std::optional<NumberedLabels> number_labels(std::span<const std::int64_t> labels);

}  // namespace hornbeam
