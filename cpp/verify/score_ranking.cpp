#include "verify/score_ranking.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace hornbeam {

Ticks score_ranking(const FlatTree& tree, const ColumnTest& columns, std::span<const std::int32_t> classes,
                    std::span<const std::int64_t> weights, Ticks price, std::int64_t cut, Ticks leaf_cost,
                    const TreeLimits& limits) {
  const std::uint32_t n_leaves = check_tree(tree, columns.n_columns, 2, limits.depth);
  if (limits.leaves && n_leaves > *limits.leaves) throw std::logic_error("the tree has more leaves than allowed");
  std::vector<std::array<std::int64_t, 2>> weight(tree.column.size(), {0, 0});
  std::vector<std::uint64_t> rows_in(tree.column.size(), 0);
  for (std::uint32_t row = 0; row < classes.size(); ++row) {
    std::size_t node = 0;
    while (tree.column[node] >= 0) {
      const bool holds = columns.holds(static_cast<std::uint32_t>(tree.column[node]), row);
      node = static_cast<std::size_t>(holds ? tree.left[node] : tree.right[node]);
    }
    ++rows_in[node];
    weight[node][static_cast<std::size_t>(classes[row])] += weights[row];
  }
  std::vector<std::array<std::int64_t, 2>> leaves;
  std::array<std::int64_t, 2> all{0, 0};
  for (std::size_t node = 0; node < weight.size(); ++node) {
    if (tree.column[node] >= 0) continue;
    if (n_leaves > 1 && rows_in[node] < limits.rows_per_leaf)
      throw std::logic_error("a leaf has fewer rows than allowed");
    leaves.push_back(weight[node]);
    for (std::size_t c = 0; c < 2; ++c) all[c] += weight[node][c];
  }
  std::sort(leaves.begin(), leaves.end(), [](const auto& a, const auto& b) { return a[1] * b[0] > b[1] * a[0]; });
  __extension__ using Wide = __int128;
  constexpr Wide kPart = Wide{1} << 20;
  Ticks above = price * 2 * all[0] * all[1];
  Wide left = cut, positives = 0;
  for (const auto& leaf : leaves) {
    const Wide width = std::min<Wide>(left, leaf[0] * kPart);  // of its negatives, in parts
    if (width > 0) {
      // A trapezoid: as wide as the negatives, from the positives before to those before and its share of its own.
      const Wide twice = 2 * positives * leaf[0] * kPart + leaf[1] * width;
      above -= static_cast<Ticks>(price * width * twice / (leaf[0] * kPart * kPart));
    }
    positives += leaf[1];
    left -= width;
  }
  return above + leaf_cost * static_cast<Ticks>(n_leaves);
}

}  // namespace hornbeam
