#include "lookahead/prefixes.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::lookahead {

Prefixes::Prefixes(const data::DistinctRows& data, const models::LeafModel& model, Ticks leaf_cost,
                   std::uint64_t rows_per_leaf, std::uint32_t levels, bool looks_up, bool last_by_loss,
                   std::optional<std::uint64_t> table_bytes, run::WorkMeter& meter)
    : leaf_cost_(leaf_cost),
      rows_per_leaf_(rows_per_leaf),
      looks_up_(looks_up),
      meter_(meter),
      counting_(models::LeafModel::counting(data.n_targets, rows_per_leaf > 1)),
      maker_(data, counting_, kernels::kernels(), leaf_cost, rows_per_leaf, 1),
      greedy_(counting_, model, kernels::kernels(), leaf_cost, rows_per_leaf,
              std::accumulate(data.target_weight.begin(), data.target_weight.end(), std::int64_t{0}), last_by_loss,
              meter),
      table_(false, table_bytes),
      child_(std::size_t{levels} + 1) {
  if (!looks_up) maker_.without_supports();
}

Prefixes::Best Prefixes::best(rows::RowSet& rows, std::uint32_t depth, std::uint32_t steps) {
  Best best{greedy_.leaf_cost(rows.total.data()), table::kNoSplit};
  if (depth == 0 || rows.n_columns == 0 || best.cost <= 2 * leaf_cost_) return best;
  const table::SubproblemKey key{rows.support.fingerprint, depth, steps};
  if (const auto known = looks_up_ ? table_.find(key) : std::nullopt) {
    ++counters_.known_prefixes;
    const auto at = std::find(rows.columns.begin(), rows.columns.end(), known->tree.split);
    const bool is_leaf = known->tree.split == table::kNoSplit;
    return {known->tree.cost, is_leaf ? table::kNoSplit : static_cast<std::uint32_t>(at - rows.columns.begin())};
  }
  ++n_subproblems_;
  if (steps > 1) maker_.make_slot_rows(rows);
  if (looks_up_) maker_.make_fingerprint_planes(rows);
  for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
    const Ticks cost = cost_of_split(rows, column, depth - 1, steps - 1, best.cost);
    if (!meter_.spend(rows.n_columns)) return best;
    if (cost < best.cost) best = {cost, column};
  }
  if (!looks_up_) return best;
  const std::uint32_t split = best.column == table::kNoSplit ? table::kNoSplit : rows.columns[best.column];
  table_.tighten(key, {best.cost, {best.cost, split, table::kUnlimited, {}}});
  return best;
}

/// The cost of both sides of a column together; any value of at least `bound` if they do not cost less than that.
Ticks Prefixes::cost_of_split(const rows::RowSet& rows, std::uint32_t column, std::uint32_t depth, std::uint32_t steps,
                              Ticks bound) {
  const Side sides[2] = {side_of(rows, column, false), side_of(rows, column, true)};
  if (sides[0].n_rows < rows_per_leaf_ || sides[1].n_rows < rows_per_leaf_) return kInfinity;
  Ticks cost[2];
  for (int x = 0; x < 2; ++x) cost[x] = std::min(sides[x].leaf, 2 * leaf_cost_);
  const auto is_closed = [&] {
    const bool costs_too_much = cost[0] + cost[1] >= bound;
    counters_.prefix_bound += costs_too_much;
    return costs_too_much;
  };
  if (is_closed()) return bound;  // even two leaves without loss on each side would not pay
  if (steps == 0) {
    const Sides greedy = looks_up_ ? greedy_sides(rows, column, depth) : greedy_.costs_of_sides(rows, column, depth);
    return greedy.cost[0] + greedy.cost[1];
  }
  rows::SupportSet support[2];
  supports_of_sides(rows, column, support);
  for (const int x : {1, 0}) {
    cost[x] = sides[x].leaf;
    if (depth > 0 && sides[x].leaf > 2 * leaf_cost_) {
      rows::RowSet& child = child_[steps];
      maker_.make_child(rows, column, x == 1, support[x], child);
      cost[x] = best(child, depth, steps).cost;
    }
    if (is_closed()) return bound;
  }
  return cost[0] + cost[1];
}

std::optional<Prefixes::Sides> Prefixes::best_of_sides(rows::RowSet& rows, std::uint32_t column, std::uint32_t depth,
                                                       std::uint32_t steps, Ticks most) {
  Sides sides;
  for (int x = 0; x < 2; ++x) sides.cost[x] = std::min(side_of(rows, column, x == 1).leaf, 2 * leaf_cost_);
  const auto is_closed = [&] {
    const bool is_too_dear = sides.cost[0] + sides.cost[1] > most;
    counters_.prefix_bound += is_too_dear;
    return is_too_dear;
  };
  if (is_closed()) return std::nullopt;
  if (steps == 0) {
    sides = greedy_sides(rows, column, depth);
  } else {
    rows::SupportSet support[2];
    supports_of_sides(rows, column, support);
    for (const int x : {1, 0}) {
      const auto known = table_.find({support[x].fingerprint, depth, steps});
      if (known) {
        ++counters_.known_prefixes;
        sides.cost[x] = known->tree.cost;
      } else {
        rows::RowSet& child = child_[steps];
        maker_.make_slot_rows(rows);
        maker_.make_child(rows, column, x == 1, support[x], child);
        sides.cost[x] = best(child, depth, steps).cost;
      }
      if (is_closed()) return std::nullopt;
    }
    return sides;
  }
  return is_closed() ? std::nullopt : std::optional(sides);
}

/// Both sides closed by greedy trees; looked up, since other prefixes may lead to the same rows.
Prefixes::Sides Prefixes::greedy_sides(const rows::RowSet& rows, std::uint32_t column, std::uint32_t depth) {
  rows::SupportSet support[2];
  supports_of_sides(rows, column, support);
  const table::SubproblemKey key[2] = {{support[0].fingerprint, depth, 0}, {support[1].fingerprint, depth, 0}};
  const auto known_false = table_.find(key[0]), known_true = table_.find(key[1]);
  if (known_false && known_true) {
    ++counters_.known_prefixes;
    return {{known_false->tree.cost, known_true->tree.cost}};
  }
  n_subproblems_ += 2;
  const auto sides = greedy_.costs_of_sides(rows, column, depth);
  if (meter_.stopped()) return {{kInfinity, kInfinity}};
  for (int x = 0; x < 2; ++x)
    table_.tighten(key[x], {sides.cost[x], {sides.cost[x], table::kNoSplit, table::kUnlimited, {}}});
  return {{sides.cost[0], sides.cost[1]}};
}

Ticks Prefixes::greedy_cost(const rows::RowSet& rows, std::uint32_t depth) {
  const table::SubproblemKey key{rows.support.fingerprint, depth, 0};
  if (const auto known = table_.find(key)) return known->tree.cost;
  SplitList splits;
  const Ticks cost = greedy_.grow(rows, depth, splits);
  table_.tighten(key, {cost, {cost, table::kNoSplit, table::kUnlimited, {}}});
  return cost;
}

Prefixes::Side Prefixes::side_of(const rows::RowSet& rows, std::uint32_t column, bool side) const {
  const models::Measures measures = counting_.measures();
  const auto of = [&](std::size_t m) {
    const Ticks true_side = rows.sums[m * rows.stride + column];
    return side ? true_side : rows.total[m] - true_side;
  };
  std::vector<Ticks> weight(measures.n_targets);
  for (std::uint32_t k = 0; k < measures.n_targets; ++k) weight[k] = of(k);
  return {greedy_.leaf_cost(weight.data()),
          measures.counts_rows ? static_cast<std::uint64_t>(of(measures.rows_index())) : 1};
}

std::uint64_t Prefixes::bytes() const {
  std::uint64_t bytes = greedy_.bytes() + maker_.bytes() + table_.bytes();
  for (const rows::RowSet& rows : child_) bytes += rows.bytes();
  return bytes;
}

}  // namespace hornbeam::lookahead
