#include "support/groups.hpp"

#include <algorithm>

namespace hornbeam::testing {

Ticks CostMatrix::dearest(std::uint32_t true_class) const {
  Ticks largest = 0;
  for (std::uint32_t k = 0; k < n_predictions; ++k) largest = std::max(largest, of(true_class, k));
  return largest;
}

bool CostMatrix::is_separable() const {
  if (n_classes != n_predictions || n_classes < 2) return false;
  for (std::uint32_t c = 0; c < n_classes; ++c)
    for (std::uint32_t k = 0; k < n_predictions; ++k)
      if (of(c, k) != (k == c ? 0 : dearest(c))) return false;
  return true;
}

bool CostMatrix::is_cancelled() const {
  return with_equivalent_points && n_classes == 2 && is_separable() && dearest(0) == dearest(1) && dearest(0) > 0;
}

Ticks CostMatrix::loss_of(const Groups& groups, std::uint32_t prediction) const {
  Ticks sum = 0;
  for (const Group& group : groups)
    for (std::uint32_t c = 0; c < n_classes; ++c) sum += group.weight[c] * of(c, prediction);
  return sum;
}

Ticks CostMatrix::largest_loss(const Groups& groups) const {
  Ticks sum = 0;
  for (const Group& group : groups) {
    if (is_cancelled()) sum += std::max(loss_of({group}, 0), loss_of({group}, 1));
    for (std::uint32_t c = 0; c < n_classes && !is_cancelled(); ++c) sum += group.weight[c] * dearest(c);
  }
  return sum;
}

Ticks CostMatrix::loss(const Groups& groups) const {
  Ticks least = kInfinity;
  for (std::uint32_t k = 0; k < n_predictions; ++k) least = std::min(least, loss_of(groups, k));
  return least;
}

Ticks CostMatrix::least_loss(const Groups& groups) const {
  Ticks sum = 0;
  if (with_equivalent_points)
    for (const Group& group : groups) sum += loss({group});
  return sum;
}

std::int64_t CostMatrix::n_rows(const Groups& groups) const {
  std::int64_t sum = 0;
  for (const Group& group : groups) sum += group.n_rows;
  return sum;
}

std::vector<Ticks> CostMatrix::measures(const Groups& groups) const {
  std::vector<Ticks> found;
  if (is_convex) {
    for (std::uint32_t c = 0; c < n_classes; ++c) {
      found.push_back(0);
      for (const Group& group : groups) found.back() += group.weight[c];
    }
  } else if (is_separable()) {
    for (std::uint32_t c = 0; c < n_classes; ++c) {
      found.push_back(0);
      for (const Group& group : groups)
        found.back() += group.weight[c] * dearest(c) - (is_cancelled() ? least_loss({group}) : 0);
    }
  } else {
    for (std::uint32_t k = 0; k < n_predictions; ++k) found.push_back(loss_of(groups, k));
    found.push_back(largest_loss(groups));
  }
  found.push_back(least_loss(groups));
  if (counts_rows) found.push_back(n_rows(groups));
  return found;
}

std::vector<Ticks> random_convex_costs(Random& draw) {
  const std::size_t n = draw.size_between(8, 20);
  std::vector<Ticks> costs(2 * n);
  Ticks more = draw.between(1, 3), less = draw.between(1, 3);  // neighbors differ by
  costs[0] = draw.between(0, 5);
  costs[2 * n - 1] = draw.between(0, 5);
  for (std::size_t k = 1; k < n; ++k, more += draw.between(0, 2), less += draw.between(1, 3)) {
    costs[k] = costs[k - 1] + more;
    costs[2 * n - 1 - k] = costs[2 * n - k] + less;
  }
  return costs;
}

CostMatrix random_cost_matrix(Random& draw) {
  CostMatrix matrix{draw.choose<std::uint32_t>({2, 2, 2, 3, 4}), 0, {}};
  matrix.with_equivalent_points = draw.percent(80);
  matrix.counts_rows = draw.percent(30);
  const std::uint32_t kind = draw.below(4);
  if (kind == 3) {
    matrix.is_convex = true;
    matrix.n_classes = 2;
    matrix.cost = random_convex_costs(draw);
    matrix.n_predictions = static_cast<std::uint32_t>(matrix.cost.size() / 2);
    return matrix;
  }
  matrix.n_predictions = kind < 2 ? matrix.n_classes : draw.size_between(1, 4);
  for (std::uint32_t c = 0; c < matrix.n_classes; ++c) {
    const Ticks error_cost = kind == 0 ? 1 : draw.between(0, 5);
    for (std::uint32_t k = 0; k < matrix.n_predictions; ++k)
      matrix.cost.push_back(kind == 2 ? draw.between(0, 5) : (k == c ? 0 : error_cost));
  }
  return matrix;
}

Groups random_groups(Random& draw, std::uint32_t n_groups, std::uint32_t n_classes, std::int64_t heaviest) {
  Groups groups(n_groups);
  for (Group& group : groups) {
    for (std::uint32_t c = 0; c < n_classes; ++c)
      group.weight.push_back(draw.percent(40) ? 0 : draw.between(1, heaviest));
    group.n_rows = draw.between(1, 6);
  }
  return groups;
}

}  // namespace hornbeam::testing
