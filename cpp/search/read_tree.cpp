#include "search/read_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "data/best_stump.hpp"
#include "kernels/kernels.hpp"
#include "search/parts.hpp"
#include "shallow/sum_solver.hpp"

namespace hornbeam::search {

namespace {

/// Total number of words counted to split leaves of the known tree: after a stop, reading the tree must be fast.
constexpr std::uint64_t kMostWorkOnLeaves = std::uint64_t{1} << 27;

class TreeReader {
 public:
  TreeReader(const rows::Problem& problem, const SharedState& shared, const SolveAgain& solve_again)
      : problem_(problem), shared_(shared), solve_again_(solve_again), meter_(shared.run) {
    if (shared.coded_rows) sums_.emplace(problem, *shared.coded_rows, kernels::kernels(), meter_);
  }

  tree::ResultTree read(const NodeLimits& limits) {
    const Part all = part_of(problem_, data::all_rows(problem_.rows), !limits.only_leaf());
    tree_.cost = add_node(all, node_of(all, limits, false));
    return std::move(tree_);
  }

 private:
  Ticks loss_of(const std::vector<std::int64_t>& weight) const {
    return problem_.model.loss_of(weight.data(), problem_.model.best_prediction(weight.data()));
  }

  /// The best tree with two leaves, for which bounds/pair_stage.hpp makes no entry. None if the rows are a leaf of the
  /// known tree, and many such leaves have been examined already.
  table::KnownTree best_stump(const data::RowList& rows, bool is_leaf) {
    if (sums_)
      return may_work(is_leaf, shared_.coded_rows->work_on_columns(rows.size())) ? stump_by_sums(rows)
                                                                                 : table::KnownTree{};
    const bool limits_rows = problem_.limits_rows();
    const data::StumpFinder stumps(problem_.rows, rows,
                                   [&](std::uint32_t row) { return limits_rows ? problem_.rows.row_count[row] : 0; });
    if (!may_work(is_leaf, stumps.work())) return {};
    const auto least_rows = static_cast<std::int64_t>(problem_.tree.rows_per_leaf);
    const data::Stump best = stumps.find([&](const auto& true_side, const auto& false_side) {
      const bool is_allowed = !limits_rows || std::min(true_side.back(), false_side.back()) >= least_rows;
      return is_allowed ? 2 * problem_.leaf_cost + loss_of(true_side) + loss_of(false_side) : kInfinity;
    });
    return best.cost < kInfinity ? table::KnownTree{best.cost, best.column, 1, {2, 1}} : table::KnownTree{};
  }

  table::KnownTree stump_by_sums(const data::RowList& rows) {
    if (columns_.empty()) {
      columns_.resize(problem_.rows.n_columns);
      std::iota(columns_.begin(), columns_.end(), 0u);
    }
    return *sums_->solve(rows, columns_, 1);
  }

  bool may_work(bool is_leaf, std::uint64_t work) {
    if (!is_leaf) return true;
    if (work_on_leaves_ + work > kMostWorkOnLeaves) return false;
    work_on_leaves_ += work;
    return true;
  }

  table::KnownTree best_known(const Part& part, const NodeLimits& limits, Ticks loss, bool is_leaf) {
    table::KnownTree best{problem_.leaf_cost + loss, table::kNoSplit, table::kUnlimited, {1, 0}};
    if (loss - part.base_loss <= problem_.leaf_cost) return best;  // no tree is better: q bounds them all
    const auto known = shared_.table.find({part.set, limits.depth, limits.leaves});
    if (known && known->tree.better_than(best)) best = known->tree;
    // A subproblem has its best stump, or better, once it is expanded. Before, nothing is proven of it, though it may
    // have a tree that was found elsewhere. A bound from a file does not tell.
    if (known && known->lower > 0 && !shared_.table.has_read_bounds()) return best;
    const table::KnownTree stump = best_stump(part.rows, is_leaf);
    return stump.better_than(best) ? stump : best;
  }

  /// A part as a node of the tree: its limits and the best tree known.
  struct Node {
    NodeLimits limits;
    std::uint32_t prediction;
    table::KnownTree best;
  };

  Node node_of(const Part& part, const NodeLimits& wide_limits, bool is_leaf) {
    const std::uint32_t prediction = problem_.model.best_prediction(part.weight.data());
    const Ticks loss = problem_.model.loss_of(part.weight.data(), prediction);
    const NodeLimits limits = wide_limits.without_idle_limits(problem_.leaf_cost, loss, part.base_loss);
    if (wide_limits.only_leaf())
      return {limits, prediction, {problem_.leaf_cost + loss, table::kNoSplit, table::kUnlimited, {1, 0}}};
    return {limits, prediction, best_known(part, limits, loss, is_leaf)};
  }

  Ticks add_node(const Part& part, const Node& node) {
    const auto& [limits, prediction, best] = node;
    if (best.split == table::kNoSplit) {
      tree_.add_leaf(prediction);
      return best.cost;
    }
    NodeLimits side_limits[2];
    for (int x = 0; x < 2; ++x) {
      side_limits[x].depth = limits.depth_of_side();
      if (limits.leaves != table::kUnlimited)
        side_limits[x].leaves = x == 1 ? best.leaves_of_true_side : limits.leaves - best.leaves_of_true_side;
    }
    if (problem_.tree.is_rule_list) side_limits[best.leaves_of_true_side == 1 ? 1 : 0].leaves = 1;
    const auto sides = sides_of(problem_, part, best.split, !side_limits[0].only_leaf() || !side_limits[1].only_leaf());
    const bool has_leaves = best.shape.depth == 1;
    const Node nodes[2] = {node_of(sides[0], side_limits[0], has_leaves),
                           node_of(sides[1], side_limits[1], has_leaves)};
    const auto again = solve_forgotten(sides, side_limits, nodes, best.cost);
    Ticks cost = 0;
    tree_.add_split(best.split, prediction, [&](bool side) {
      const int x = side ? 1 : 0;
      if (again[x].column.empty()) {
        cost += add_node(sides[x], nodes[x]);
      } else {
        tree_.add_subtree(again[x]);
        cost += again[x].cost;
      }
    });
    return cost;
  }

  /// Trees of the sides of which the table has forgotten the best, if it has: the sides have trees that cost no more
  /// than `cost` together, so their best ones do not either. Empty trees where the table is as good.
  std::array<tree::ResultTree, 2> solve_forgotten(const std::array<Part, 2>& sides, const NodeLimits* limits,
                                                  const Node* nodes, Ticks cost) const {
    std::array<tree::ResultTree, 2> again;
    if (!solve_again_) return again;
    Ticks known[2] = {nodes[0].best.cost, nodes[1].best.cost};
    const int smaller = sides[1].rows.size() < sides[0].rows.size() ? 1 : 0;
    for (const int x : {smaller, 1 - smaller}) {
      if (known[0] + known[1] <= cost) break;
      if (limits[x].only_leaf()) continue;
      tree::ResultTree found = solve_again_(sides[x].rows, limits[x]);
      if (found.column.empty() || found.cost >= known[x]) continue;
      known[x] = found.cost;
      again[x] = std::move(found);
    }
    return again;
  }

  const rows::Problem& problem_;
  const SharedState& shared_;
  const SolveAgain& solve_again_;
  run::WorkMeter meter_;
  std::optional<shallow::SumSolver> sums_;  // counts stumps sooner, where the search has coded the rows
  std::vector<std::uint32_t> columns_;      // all, once it has
  std::uint64_t work_on_leaves_ = 0;
  tree::ResultTree tree_;
};

}  // namespace

tree::ResultTree read_tree(const rows::Problem& problem, const SharedState& shared, const NodeLimits& limits,
                           const SolveAgain& solve_again) {
  return TreeReader(problem, shared, solve_again).read(limits);
}

}  // namespace hornbeam::search
