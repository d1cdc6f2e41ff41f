#include "verify/score_ranking.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace hornbeam::verify {

Ticks score_ranking(const FlatTree& tree, std::span<const std::int32_t> leaf_of_row,
                    std::span<const std::int32_t> classes, std::span<const std::int64_t> weights, Ticks half_pair_cost,
                    std::int64_t max_false_positives, Ticks leaf_cost) {
  std::vector<std::array<std::int64_t, 2>> weight(tree.column.size(), {0, 0});
  for (std::size_t row = 0; row < classes.size(); ++row)
    weight[static_cast<std::size_t>(leaf_of_row[row])][static_cast<std::size_t>(classes[row])] += weights[row];
  std::vector<std::array<std::int64_t, 2>> leaves;
  std::array<std::int64_t, 2> all{0, 0};
  for (std::size_t node = 0; node < weight.size(); ++node) {
    if (tree.column[node] >= 0) continue;
    leaves.push_back(weight[node]);
    for (std::size_t c = 0; c < 2; ++c) all[c] += weight[node][c];
  }
  std::sort(leaves.begin(), leaves.end(), [](const auto& a, const auto& b) { return a[1] * b[0] > b[1] * a[0]; });
  __extension__ using Wide = __int128;
  constexpr Wide kPart = Wide{1} << 20;
  Ticks above = half_pair_cost * 2 * all[0] * all[1];
  Wide left = max_false_positives, positives = 0;
  for (const auto& leaf : leaves) {
    const Wide width = std::min<Wide>(left, leaf[0] * kPart);  // of its negatives, in parts
    if (width > 0) {
      // A trapezoid: as wide as the negatives, from the positives before to those before and its share of its own.
      const Wide twice = 2 * positives * leaf[0] * kPart + leaf[1] * width;
      above -= static_cast<Ticks>(half_pair_cost * width * twice / (leaf[0] * kPart * kPart));
    }
    positives += leaf[1];
    left -= width;
  }
  return above + leaf_cost * static_cast<Ticks>(leaves.size());
}

}  // namespace hornbeam::verify
