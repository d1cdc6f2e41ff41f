#include "verify/score_ranking.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace hornbeam {

Ticks score_ranking(const FlatTree& tree, const ColumnTest& columns, std::span<const std::int32_t> classes,
                    std::span<const std::int64_t> weights, Ticks price, Ticks leaf_cost, const TreeLimits& limits) {
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
  std::int64_t half_pairs = 0;
  for (std::size_t one = 0; one < weight.size(); ++one) {
    if (tree.column[one] >= 0) continue;
    if (n_leaves > 1 && rows_in[one] < limits.rows_per_leaf)
      throw std::logic_error("a leaf has fewer rows than allowed");
    half_pairs += weight[one][0] * weight[one][1];
    for (std::size_t other = 0; other < one; ++other)
      half_pairs += 2 * std::min(weight[one][0] * weight[other][1], weight[one][1] * weight[other][0]);
  }
  return price * half_pairs + leaf_cost * static_cast<Ticks>(n_leaves);
}

}  // namespace hornbeam
