#include "rashomon/tree_graph.hpp"

#include <algorithm>
#include <optional>

#include "bounds/equivalent_points.hpp"
#include "rashomon/counts.hpp"

namespace hornbeam::rashomon {

namespace {

/// Up to this many columns, trees of three levels are found by counting triples. In a search for a single tree the
/// limit is lower, but here the alternative is to expand a node. Measured in docs/notes/2026-11-22-rashomon-sets.md.
constexpr std::uint32_t kMostColumnsOfTriples = 128;

constexpr std::uint64_t kWorkBetweenPolls = std::uint64_t{1} << 19;

}  // namespace

template <class Count>
TreeGraph<Count>::TreeGraph(std::shared_ptr<const TreeSetProblem> problem, run::Run& run)
    : shared_problem_(std::move(problem)),
      problem_(*shared_problem_),
      run_(run),
      meter_(run, kWorkBetweenPolls, [this] { report(); }),
      maker_(problem_.rows, problem_.model, kernels::kernels(), problem_.kind.leaf_cost, problem_.kind.rows_per_leaf,
             0),
      two_level_trees_(problem_.kind, problem_.model, maker_),
      search_problem_{problem_.rows,
                      problem_.model,
                      problem_.kind.leaf_cost,
                      {std::nullopt, std::nullopt, problem_.kind.rows_per_leaf},
                      {}},
      two_levels_(search_problem_, kernels::kernels(), meter_) {
  nodes_.emplace_back();
  if (two_levels_.is_usable() || !shallow::SumSolver::is_usable(search_problem_)) return;
  maker_.number_rows();
  coded_rows_.emplace(search_problem_);
  sum_solver_.emplace(search_problem_, *coded_rows_, kernels::kernels(), meter_);
}

template <class Count>
void TreeGraph<Count>::build(Ticks optimum, Ticks bound) {
  build_by_steps(optimum, bound, [this](Ticks to) { raise(root_, problem_.depth, 0, to, 0); });
}

template <class Count>
void TreeGraph<Count>::build_by_steps(Ticks optimum, Ticks bound, const std::function<void(Ticks)>& raise_root) {
  optimum_ = optimum;
  run_.guard([&] {  // after a stop, the result of the last complete step stands
    maker_.make_root(root_, run_);
    index_.emplace(table::SubproblemKey{root_.support.fingerprint, problem_.depth}, 0);
    // The minima that the first step finds make the budgets of the next ones tight. Every step repeats some work, so
    // more of them are made only if a limit may end the search, which then has the set of a smaller bound.
    const Ticks slack = bound - optimum;
    std::vector<Ticks> steps{0, slack};
    if (run_.limits().seconds || run_.limits().bytes) steps = {0, slack / 4, slack / 2, slack};
    for (const Ticks step : steps) {
      report();
      meter_.require(0);
      raise_root(optimum + step);
    }
  });
}

/// Expands a subproblem unless it was expanded with this budget or a larger one.
template <class Count>
void TreeGraph<Count>::raise(rows::RowSet& rows, std::uint32_t depth, std::size_t level, Ticks budget,
                             std::uint32_t node) {
  if (nodes_[node].budget >= budget) return;
  meter_.require(std::uint64_t{rows.n_columns} * 16);
  ++n_expansions_;
  const bool deep = is_deep(rows, depth, budget);
  std::vector<Split> splits;
  if (deep) {
    splits = find_splits(rows, depth, level, budget);
    sum_.clear();
    std::vector<TreeLeaf> leaves;
    two_level_trees_.list_leaves(rows.total.data(), budget, leaves);
    for (const TreeLeaf& leaf : leaves) sum_.add(leaf.cost, Count(1));
    for (const Split& split : splits) {
      const Node &false_side = nodes_[split.node[0]], &true_side = nodes_[split.node[1]];
      sum_.add_products(true_side.trees, false_side.trees, Count(split.copies), budget);
      // The product also counts the trees of two leaves that predict the same.
      subtract(trivial_splits(problem_.kind, false_side.leaves, true_side.leaves), Count(split.copies), budget);
      meter_.require(true_side.trees.size() * false_side.trees.size());
    }
  } else {
    count_shallow(rows, depth, budget, [&](std::uint32_t, bool) {
      meter_.require(std::uint64_t{rows.stride} * (rows.n_slot_words + 16) / 8);
    });
  }
  Node& known = nodes_[node];
  list_bytes_ -= known.trees.capacity() * sizeof(CostCount<Count>) + known.splits.capacity() * sizeof(Split);
  known.trees = sum_.take();
  known.splits = std::move(splits);
  known.leaves = two_level_trees_.leaves_of(rows.total.data());
  known.is_deep = deep;
  known.budget = budget;
  known.least = std::max(known.least, known.trees.empty() ? budget + 1 : known.trees.front().cost);
  known.is_least_known |= !known.trees.empty();
  list_bytes_ += known.trees.capacity() * sizeof(CostCount<Count>) + known.splits.capacity() * sizeof(Split);
}

/// Whether a tree of more than two levels may cost as little as `budget`: it has four leaves or more.
template <class Count>
bool TreeGraph<Count>::is_deep(const rows::RowSet& rows, std::uint32_t depth, Ticks budget) const {
  return rows.n_columns > 0 && depth > 2 &&
         4 * problem_.kind.leaf_cost + problem_.model.least_loss(rows.total.data()) <= budget;
}

template <class Count>
void TreeGraph<Count>::subtract(const TrivialSplits& trivial_splits, const Count& copies, Ticks budget) {
  for (const TrivialSplits::Pair& pair : trivial_splits)
    if (pair.cost[0] + pair.cost[1] <= budget) sum_.subtract(pair.cost[0] + pair.cost[1], copies);
}

template <class Count>
auto TreeGraph<Count>::find_splits(rows::RowSet& rows, std::uint32_t depth, std::size_t level, Ticks budget)
    -> std::vector<Split> {
  std::vector<Split> splits;
  maker_.make_slot_rows(rows);
  maker_.make_fingerprint_planes(rows);
  for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
    Split split{rows.columns[column], rows.copies[column], {0, 0}};
    if (raise_sides(rows, column, depth == table::kUnlimited ? table::kUnlimited : depth - 1, level, budget, split))
      splits.push_back(split);
  }
  return splits;
}

/// Raises both sides of a split to the budget that the cheapest tree of the other side leaves; false if no tree with
/// this split is within the budget.
template <class Count>
bool TreeGraph<Count>::raise_sides(rows::RowSet& rows, std::uint32_t column, std::uint32_t depth, std::size_t level,
                                   Ticks budget, Split& split) {
  const Ticks leaf_cost = problem_.kind.leaf_cost;
  Side side[2];
  for (int x = 0; x < 2; ++x) {
    const Ticks* measures = two_level_trees_.side_of(rows, column, x == 1);
    if (!two_level_trees_.may_be_leaf(measures)) return false;
    side[x] = {problem_.kind.cost_of_leaf(problem_.model.loss(measures)), problem_.model.least_loss(measures), 0};
    side[x].lower = std::min(side[x].leaf, bounds::cost_of_two_leaves_or_more(leaf_cost, side[x].least_loss));
  }
  const auto is_closed = [&] {
    const bool is_too_dear = side[0].lower + side[1].lower > budget;
    counters_.set_bound += is_too_dear;
    return is_too_dear;
  };
  if (is_closed()) return false;
  rows::SupportSet support[2];
  support[1] = maker_.support_of(rows, column, true);
  support[0] = support[1];
  support[0].fingerprint ^= rows.support.fingerprint;
  for (int x = 0; x < 2; ++x) split.node[x] = node_of({support[x].fingerprint, depth});
  // Approach the cost of the first tree in small steps: a larger budget counts trees that are not needed, and their
  // number grows exponentially with every leaf penalty. If leaves cost almost nothing, few steps reach the budget.
  Ticks step = std::max({leaf_cost, (budget - side[0].lower - side[1].lower) / 16, Ticks{1}});
  for (;;) {
    Node* node[2] = {&nodes_[split.node[0]], &nodes_[split.node[1]]};
    for (int x = 0; x < 2; ++x) side[x].lower = std::max(side[x].lower, node[x]->least);
    if (is_closed()) return false;
    const Ticks most[2] = {budget - side[1].lower, budget - side[0].lower};
    const bool lacks[2] = {node[0]->budget < most[0], node[1]->budget < most[1]};
    if (!lacks[0] && !lacks[1]) return true;
    // A side without a known minimum first: it makes the other one's budget tight.
    const bool known[2] = {node[0]->is_least_known, node[1]->is_least_known};
    int x = known[0] != known[1] ? (known[0] ? 1 : 0) : (side[0].lower <= side[1].lower ? 0 : 1);
    if (!known[x] && find_least(rows, column, x == 1, depth, most[x], side[x], *node[x])) continue;
    if (!lacks[x]) x = 1 - x;
    Ticks goal = most[x];
    if (depth > 2 && !known[0] && !known[1]) {
      goal = std::min(goal, side[x].lower + step);
      step += step / 4;
    }
    raise(child_of(rows, column, x == 1, level), depth, level + 1, goal, split.node[x]);
  }
}

/// Finds the cost of the best tree of one side, or that it exceeds `most`, without expanding a node; false if that is
/// not possible. Bounds that keep only one optimum are sufficient, since only its cost is used.
template <class Count>
bool TreeGraph<Count>::find_least(const rows::RowSet& rows, std::uint32_t column, bool is_true_side,
                                  std::uint32_t depth, Ticks most, const Side& side, Node& node) {
  if ((!two_levels_.is_usable() && !sum_solver_) || depth < 2) return false;
  const bool is_shallow = depth == 2 || 4 * problem_.kind.leaf_cost + side.least_loss > most;
  if (!is_shallow && (depth > 3 || problem_.rows.n_columns > kMostColumnsOfTriples)) return false;
  const auto found = best_on_side(rows, column, is_true_side, is_shallow ? 2 : 3, most);
  meter_.require(0);
  if (!found) return false;
  ++counters_.least_trees;
  const Ticks least = std::min(side.leaf, found->cost);
  node.is_least_known = least <= most;
  node.least = std::max(node.least, std::min(least, most + 1));
  return true;
}

template <class Count>
std::optional<table::KnownTree> TreeGraph<Count>::best_on_side(const rows::RowSet& rows, std::uint32_t column,
                                                               bool is_true_side, std::uint32_t levels, Ticks most) {
  if (sum_solver_) return sum_solver_->solve_side(rows, column, is_true_side, levels);
  return levels == 2 ? two_levels_.solve(rows, column, is_true_side, most)
                     : two_levels_.solve_three_levels(rows, column, is_true_side, most);
}

template <class Count>
std::uint32_t TreeGraph<Count>::node_of(const table::SubproblemKey& key) {
  const auto [at, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.emplace_back();
  return at->second;
}

/// The rows of one side of a column, in the row set of this level, which is reused.
template <class Count>
rows::RowSet& TreeGraph<Count>::child_of(const rows::RowSet& rows, std::uint32_t column, bool side, std::size_t level) {
  while (levels_.size() <= level) levels_.emplace_back();
  maker_.make_child(rows, column, side, maker_.support_of(rows, column, side), levels_[level]);
  return levels_[level];
}

template <class Count>
void TreeGraph<Count>::report() {
  run_.report({optimum_, optimum_, nodes_.size(), bytes(), 0});
}

template <class Count>
std::uint64_t TreeGraph<Count>::bytes() const {
  std::uint64_t row_bytes = problem_.rows.bytes() + root_.bytes() + maker_.bytes();
  if (coded_rows_) row_bytes += coded_rows_->bytes();
  for (const rows::RowSet& level : levels_) row_bytes += level.bytes();
  return row_bytes + list_bytes_ + other_bytes_ +
         nodes_.size() * (sizeof(Node) + sizeof(table::SubproblemKey) + 4 * sizeof(std::uint64_t));
}

template <class Count>
TreeSetStatistics TreeGraph<Count>::statistics() const {
  TreeSetStatistics found{nodes_.size(), n_expansions_, 0, 0, bytes(), {}, counters_};
  for (const Node& node : nodes_) {
    found.n_splits += node.splits.size();
    found.n_costs += node.trees.size();
  }
  return found;
}

template <class Count>
std::vector<CostCount<Limbs>> TreeGraph<Count>::histogram() const {
  std::vector<CostCount<Limbs>> counts;
  for (const CostCount<Count>& each : nodes_[0].trees) counts.push_back({each.cost, each.count.limbs()});
  return counts;
}

template class TreeGraph<WordCount>;
template class TreeGraph<BigCount>;

std::unique_ptr<TreeSet> find_trees(TreeSetProblem problem, Ticks optimum, Ticks bound, run::Run& run) {
  const auto shared = std::make_shared<const TreeSetProblem>(std::move(problem));
  try {
    auto trees = std::make_unique<TreeGraph<WordCount>>(shared, run);
    trees->build(optimum, bound);
    return trees;
  } catch (const CountOverflow&) {
    auto trees = std::make_unique<TreeGraph<BigCount>>(shared, run);
    trees->build(optimum, bound);
    return trees;
  }
}

}  // namespace hornbeam::rashomon
