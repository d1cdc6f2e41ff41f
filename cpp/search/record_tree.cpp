#include "search/record_tree.hpp"

#include <algorithm>

#include "search/parts.hpp"

namespace hornbeam::search {

namespace {

class TreeRecorder {
 public:
  TreeRecorder(const rows::Problem& problem, table::SubproblemTable& table, const tree::ResultTree& tree)
      : problem_(problem), table_(table), tree_(tree) {}

  /// Records what is below a node first, so that whatever is in the table can be read off it.
  table::KnownTree record(const Part& part, const NodeLimits& wide_limits, std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    const Ticks loss = problem_.model.least_loss_of_leaf(part.weight.data());
    if (tree_.column[at] < 0) return {problem_.leaf_cost + loss, table::kNoSplit, table::kUnlimited, {1, 0}};
    const NodeLimits limits = wide_limits.without_idle_limits(problem_.leaf_cost, loss, part.base_loss);
    const auto column = static_cast<std::uint32_t>(tree_.column[at]);
    const std::int32_t child[2] = {tree_.right[at], tree_.left[at]};
    NodeLimits side_limits[2];
    const std::uint32_t leaves_of_true_side = n_leaves(child[1]);
    for (int x = 0; x < 2; ++x) {
      side_limits[x].depth = limits.depth_of_side();
      if (limits.leaves != table::kUnlimited)
        side_limits[x].leaves = x == 1 ? leaves_of_true_side : limits.leaves - leaves_of_true_side;
    }
    const auto sides = sides_of(problem_, part, column, true);
    table::KnownTree known[2];
    for (int x = 0; x < 2; ++x) known[x] = record(sides[x], side_limits[x], child[x]);
    const table::KnownTree joined{
        known[0].cost + known[1].cost,
        column,
        (problem_.tree.is_rule_list ? leaves_of_true_side > 1 : limits.leaves == table::kUnlimited)
            ? table::kUnlimited
            : leaves_of_true_side,
        {known[0].shape.leaves + known[1].shape.leaves, std::max(known[0].shape.depth, known[1].shape.depth) + 1}};
    if (table_.is_full()) return joined;
    return table_.tighten({part.set, limits.depth, limits.leaves}, {0, joined}).tree;
  }

 private:
  std::uint32_t n_leaves(std::int32_t node) const {
    const auto at = static_cast<std::size_t>(node);
    return tree_.column[at] < 0 ? 1 : n_leaves(tree_.left[at]) + n_leaves(tree_.right[at]);
  }

  const rows::Problem& problem_;
  table::SubproblemTable& table_;
  const tree::ResultTree& tree_;
};

}  // namespace

void record_tree(const rows::Problem& problem, table::SubproblemTable& table, const NodeLimits& limits,
                 const tree::ResultTree& tree) {
  if (tree.column.front() < 0) return;
  TreeRecorder(problem, table, tree).record(part_of(problem, data::all_rows(problem.rows), true), limits, 0);
}

}  // namespace hornbeam::search
