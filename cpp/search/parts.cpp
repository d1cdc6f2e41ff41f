#include "search/parts.hpp"

#include <utility>

namespace hornbeam::search {

Part part_of(const rows::Problem& problem, data::RowList rows, bool may_be_split) {
  Part part{std::move(rows), {}, {}, 0};
  part.weight = data::target_weights(problem.rows, part.rows);
  if (!may_be_split) return part;
  for (const std::uint32_t row : part.rows) {
    part.set ^= problem.rows.fingerprint(row, problem.limits_rows());
    if (problem.model.has_equivalent_points())
      part.base_loss += problem.model.least_loss_of_leaf(problem.rows.weight(row));
  }
  return part;
}

std::array<Part, 2> sides_of(const rows::Problem& problem, const Part& parent, std::uint32_t column,
                             bool may_be_split) {
  // Only the rows of the smaller side are counted, the other has the rest.
  auto rows = data::partition(problem.rows, parent.rows, column);
  const int smaller = rows[1].size() < rows[0].size() ? 1 : 0;
  std::array<Part, 2> side;
  side[smaller] = part_of(problem, std::move(rows[smaller]), may_be_split);
  Part& larger = side[1 - smaller] = {std::move(rows[1 - smaller]), parent.weight, parent.set, parent.base_loss};
  for (std::uint32_t c = 0; c < larger.weight.size(); ++c) larger.weight[c] -= side[smaller].weight[c];
  larger.set ^= side[smaller].set;
  larger.base_loss -= side[smaller].base_loss;
  return side;
}

}  // namespace hornbeam::search
