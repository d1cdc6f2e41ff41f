// auc_test.cpp: what the bounds on split leaves say of the AUC, against brute force over partitions and trees.
#include <algorithm>
#include <array>
#include <optional>

#include "leafsets/auc_loss.hpp"
#include "support/check.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing::auc_test {

using namespace hornbeam::bounds;
using namespace hornbeam::data;
using namespace hornbeam::leafsets;
using namespace hornbeam::models;
using namespace hornbeam::run;

namespace {

std::vector<std::int32_t> two_classes(Random& draw, std::uint32_t n_rows) {
  std::vector<std::int32_t> classes(n_rows);
  for (std::uint32_t row = 0; row < n_rows; ++row) classes[row] = row < 2 ? row == 1 : draw.percent(50);
  return classes;
}

/// Half pairs that units lose, ordered by their shares.
std::int64_t half_pairs_lost(std::vector<RocSegment> units) {
  std::sort(units.begin(), units.end(), [](const RocSegment& a, const RocSegment& b) { return a.before(b); });
  std::int64_t lost = 0, negatives = 0;
  for (const RocSegment& unit : units) {
    lost += unit.positive * (2 * negatives + unit.negative);
    negatives += unit.negative;
  }
  return lost;
}

/// The least over all partitions of the units into three parts or more, of what they lose and of `half_pair_cost` for
/// each after the second.
std::int64_t best_partition(const std::vector<RocSegment>& units, std::size_t next, std::vector<RocSegment>& parts,
                            std::int64_t half_pair_cost) {
  if (next == units.size()) {
    const auto n_more = static_cast<std::int64_t>(parts.size()) - 2;
    return n_more < 1 ? kInfinity : half_pairs_lost(parts) + half_pair_cost * n_more;
  }
  const RocSegment unit = units[next];
  std::int64_t least = kInfinity;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RocSegment part = parts[i];
    parts[i] = {part.positive + unit.positive, part.negative + unit.negative};
    least = std::min(least, best_partition(units, next + 1, parts, half_pair_cost));
    parts[i] = part;
  }
  parts.push_back(unit);
  least = std::min(least, best_partition(units, next + 1, parts, half_pair_cost));
  parts.pop_back();
  return least;
}

/// A problem of the AUC, its rows merged and in order, with a random weight each.
struct AucProblem {
  AucProblem(Random& draw, std::uint32_t most_columns)
      : problem(random_problem(draw, {4, 14, 2, most_columns})),
        classes(two_classes(draw, problem.n_rows())),
        weights(weights_of(draw, problem.n_rows())),
        merged(problem.columns(), {classes, weights, 2}, never),
        rows(merged.of(by_share_of_positives(merged), never)),
        leaves(rows, costs) {}

  static std::vector<std::int64_t> weights_of(Random& draw, std::uint32_t n_rows) {
    std::vector<std::int64_t> weights(n_rows);
    for (std::int64_t& weight : weights) weight = draw.choose({1, 1, 2, 7});
    return weights;
  }
  std::int64_t all_false_positives() const { return leaves[0].class_weight[0] << kFalsePositiveBits; }
  /// What `AucLoss::evaluate_below` needs: makes all sides and refuses those without rows.
  void open(LeafId id) {
    for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
      if (leaves[id].dead[column] || leaves[id].tests(column)) continue;
      for (const bool value : {false, true})
        if (leaves[leaves.side(id, column, value)].n_rows == 0) leaves.mark_dead(id, column);
    }
    leaves[id].is_open = true;
  }
  void evaluate_below(AucLoss& loss, LeafId id, std::uint32_t n_levels, std::optional<std::uint32_t> max_depth) {
    loss.evaluate_below(id, n_levels, max_depth, [this](LeafId each) { open(each); });
  }

  Run never;
  TestProblem problem;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;
  DistinctRows merged, rows;
  LeafModel costs{2, 2, std::vector<Ticks>{0, 1, 1, 0}, true, true};
  Leaves leaves;
};

/// The leaves of each tree within the depth whose root is this leaf, and the column of its first split, if any.
std::vector<std::pair<std::uint32_t, std::vector<RocSegment>>> all_subtrees(const Leaves& leaves, LeafId id,
                                                                            std::uint32_t max_depth) {
  const Leaf& leaf = leaves[id];
  std::vector<std::pair<std::uint32_t, std::vector<RocSegment>>> found;
  found.push_back({~0U, {{leaf.class_weight[1], leaf.class_weight[0]}}});
  if (leaf.depth() >= max_depth) return found;
  for (std::uint32_t column = 0; column < leaves.n_columns(); ++column) {
    if (leaf.dead[column] || leaf.tests(column)) continue;
    for (const auto& one : all_subtrees(leaves, leaf.sides[column][0], max_depth))
      for (const auto& other : all_subtrees(leaves, leaf.sides[column][1], max_depth)) {
        found.emplace_back(column, one.second);
        found.back().second.insert(found.back().second.end(), other.second.begin(), other.second.end());
      }
  }
  return found;
}

}  // namespace

RANDOM_TEST(the_best_three_runs_or_more_are_no_worse_than_any_partition_of_the_groups, 300) {
  std::vector<RocSegment> units(3 + draw.below(5));
  for (RocSegment& unit : units) {
    const std::int64_t positive = draw.below(6);
    unit = {positive, positive == 0 ? 1 : draw.below(6)};
  }
  std::sort(units.begin(), units.end(), [](const RocSegment& a, const RocSegment& b) { return a.before(b); });
  GroupCurve curve;
  curve.clear();
  for (const RocSegment& unit : units) curve.add(unit.positive, unit.negative);
  CHECK_EQUAL(curve.lost(), half_pairs_lost(units));
  const std::int64_t half_pair_cost = draw.below(20);
  std::vector<RocSegment> parts;
  CHECK_EQUAL(curve.lost() + curve.least_of_three_or_more(half_pair_cost),
              best_partition(units, 0, parts, half_pair_cost));
}

RANDOM_TEST(no_subtree_ranks_its_rows_better_than_the_bounds_on_the_leaf_that_is_split, 150) {
  AucProblem auc(draw, 3);
  const Ticks half_pair_cost = 1 + draw.below(3), leaf_cost = draw.below(60);
  AucLoss loss(auc.rows, auc.leaves, leaf_cost, {half_pair_cost, auc.all_false_positives()});
  const std::uint32_t max_depth = 1 + draw.below(3), all = 3;
  for (std::uint32_t level = 0; level < all; ++level)  // so that all sides are made
    for (LeafId id = 0; id < auc.leaves.size() && auc.leaves.size() < 200; ++id)
      if (auc.leaves[id].n_rows > 0) auc.open(id);
  Ticks before = 0;
  for (std::uint32_t n_levels = 1; n_levels <= 3; ++n_levels) {
    auc.evaluate_below(loss, 0, n_levels, max_depth);
    const Leaf& root = auc.leaves[0];
    std::vector<RocSegment> rows;
    rows.reserve(auc.rows.n_rows);
    for (std::uint32_t row = 0; row < auc.rows.n_rows; ++row)
      rows.push_back({auc.rows.weight(row)[1], auc.rows.weight(row)[0]});
    CHECK(before <= root.split_loss);
    before = root.split_loss;
    for (const auto& [column, leaves] : all_subtrees(auc.leaves, 0, max_depth)) {
      if (leaves.size() < 2) continue;
      const Ticks beyond = half_pair_cost * (half_pairs_lost(leaves) - half_pairs_lost(rows)) +
                           leaf_cost * (static_cast<Ticks>(leaves.size()) - 2);
      CHECK(root.split_loss <= root.column_loss[column] && root.column_loss[column] <= beyond);
      if (leaves.size() == 2 && max_depth == 1) CHECK_EQUAL(root.column_loss[column], beyond);
    }
  }
}

RANDOM_TEST(no_completion_of_a_set_of_leaves_costs_less_than_its_rows_and_what_each_split_leaf_costs_beyond_them, 200) {
  AucProblem auc(draw, 5);
  Leaves& leaves = auc.leaves;
  const Ticks half_pair_cost = 1 + draw.below(3), leaf_cost = draw.below(60);
  AucLoss loss(auc.rows, leaves, leaf_cost, {half_pair_cost, auc.all_false_positives()});
  const auto split_at_random = [&](std::vector<LeafId>& set, std::size_t which) {
    auc.open(set[which]);
    std::vector<std::array<LeafId, 2>> all;
    for (std::uint32_t column = 0; column < leaves.n_columns(); ++column)
      if (!leaves[set[which]].dead[column] && !leaves[set[which]].tests(column))
        all.push_back(leaves[set[which]].sides[column]);
    if (all.empty()) return false;
    const std::array<LeafId, 2> sides = all[draw.below(static_cast<std::uint32_t>(all.size()))];
    set[which] = sides[0];
    set.push_back(sides[1]);
    return true;
  };
  std::vector<LeafId> set{0}, kept, split, completed;
  for (int step = 0; step < 3; ++step) split_at_random(set, draw.below(static_cast<std::uint32_t>(set.size())));
  for (const LeafId id : set) {
    std::vector<LeafId> below{id};
    const bool is_split = draw.percent(60) && split_at_random(below, 0);
    (is_split ? split : kept).push_back(id);
    for (std::uint32_t step = is_split ? draw.below(4) : 0; step > 0; --step)
      split_at_random(below, draw.below(static_cast<std::uint32_t>(below.size())));
    completed.insert(completed.end(), below.begin(), below.end());
  }
  loss.fix({});
  Ticks bound = loss.kept_loss(kept, split) + loss.beyond_kept_loss(kept, split) +
                leaf_cost * static_cast<Ticks>(kept.size() + 2 * split.size());
  for (const LeafId id : split) {
    auc.evaluate_below(loss, id, 1 + draw.below(3), std::nullopt);
    bound += leaves[id].split_loss;
  }
  CHECK(bound <= loss.loss(completed) + leaf_cost * static_cast<Ticks>(completed.size()));
}

}  // namespace hornbeam::testing::auc_test
