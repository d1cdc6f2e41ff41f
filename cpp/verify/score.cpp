#include "verify/score.hpp"

namespace hornbeam {

Ticks score(const FlatTree& tree, std::span<const std::int32_t> leaf_of_row, std::span<const std::int32_t> classes,
            std::span<const std::int64_t> weights, const Costs& costs, Ticks leaf_cost) {
  Ticks cost = static_cast<Ticks>((tree.column.size() + 1) / 2) * leaf_cost;
  for (std::size_t row = 0; row < classes.size(); ++row) {
    const std::int32_t prediction = tree.prediction[static_cast<std::size_t>(leaf_of_row[row])];
    cost += weights[row] * costs.of(static_cast<std::uint32_t>(classes[row]), static_cast<std::uint32_t>(prediction));
  }
  return cost;
}

}  // namespace hornbeam
