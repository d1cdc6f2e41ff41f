#include "verify/score.hpp"

namespace hornbeam::verify {

Ticks score(const FlatTree& tree, std::span<const std::int32_t> leaf_of_row, const data::RowLosses& losses,
            Ticks leaf_cost) {
  Ticks cost = static_cast<Ticks>((tree.column.size() + 1) / 2) * leaf_cost;
  for (std::size_t row = 0; row < leaf_of_row.size(); ++row)
    cost += losses.of(row, tree.prediction[static_cast<std::size_t>(leaf_of_row[row])]);
  return cost;
}

}  // namespace hornbeam::verify
