#include "rashomon/prefix_graph.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "rashomon/counts.hpp"

namespace hornbeam::rashomon {

template <class Count>
PrefixGraph<Count>::PrefixGraph(std::shared_ptr<const TreeSetProblem> problem, const PrefixRule& rule, run::Run& run)
    : rule_(rule),
      graph_(std::move(problem), run),
      prefixes_(graph_.problem_.rows, graph_.problem_.model, graph_.problem_.kind.leaf_cost,
                graph_.problem_.kind.rows_per_leaf, rule.lookahead_depth, true, false, run.limits().bytes,
                graph_.meter_) {
  nodes_.emplace_back();
}

template <class Count>
void PrefixGraph<Count>::build(Ticks best, Ticks bound) {
  graph_.build_by_steps(best, bound, [&](Ticks to) {
    if (root_.total.empty()) prefixes_.maker().make_root(root_, graph_.run_);
    raise(graph_.root_, root_, 0, to, -1, 0);
  });
}

/// Raises a node above the last level of the prefixes, unless it was raised as far already. `counted` is the same row
/// set for the prefixes.
template <class Count>
void PrefixGraph<Count>::raise(rows::RowSet& rows, rows::RowSet& counted, std::uint32_t level, Ticks scores,
                               Ticks costs, std::uint32_t at) {
  Node& node = nodes_[at];
  if (node.scores >= scores && node.costs >= costs) return;
  scores = std::max(scores, node.scores);
  costs = std::max(costs, node.costs);
  ++graph_.n_expansions_;
  node.leaf = graph_.two_level_trees_.best_leaf(rows.total.data());
  if (node.leaf.cost <= scores) {
    node.value = node.leaf.cost;
    node.greedy = most_of(prefixes_.greedy_cost(counted, rule_.depth - level));
    costs = std::max(costs, node.greedy);
  }
  Sums sums;
  std::vector<TreeLeaf> leaves;
  graph_.two_level_trees_.list_leaves(rows.total.data(), costs, leaves);
  for (const TreeLeaf& leaf : leaves) sums[kInfinity].add(leaf.cost, Count(1));
  node.splits = find_splits(rows, counted, level, scores, costs);
  prefix_sum_.clear();
  if (node.value <= scores) prefix_sum_.add(node.value, Count(1));
  add_splits(node.splits, scores, costs, sums);
  node.prefixes = prefix_sum_.take();
  set_trees(node, scores, costs, sums);
}

/// Raises a node at the last level; its `value` and `greedy` are known if a prefix may end there.
template <class Count>
void PrefixGraph<Count>::raise_end(rows::RowSet& rows, std::uint32_t level, Ticks scores, Ticks costs,
                                   std::uint32_t at) {
  Node& node = nodes_[at];
  if (node.scores >= scores && node.costs >= costs) return;
  scores = std::max(scores, node.scores);
  costs = std::max(costs, node.costs);
  node.leaf = graph_.two_level_trees_.best_leaf(rows.total.data());
  if (node.value <= scores) costs = std::max(costs, node.greedy);
  const std::uint32_t depth = graph_.problem_.depth - level;
  node.of_graph = graph_.node_of({rows.support.fingerprint, depth});
  graph_.raise(rows, depth, level, costs, node.of_graph);
  Sums sums;
  for (const CostCount<Count>& each : graph_.nodes_[node.of_graph].trees)
    if (each.cost <= costs) sums[kInfinity].add(each.cost, each.count);
  node.prefixes.clear();
  if (node.value <= scores) node.prefixes.push_back({node.value, Count(1)});
  set_trees(node, scores, costs, sums);
}

/// Finds the splits of trees of these scores or costs, and raises both sides to what they need.
template <class Count>
auto PrefixGraph<Count>::find_splits(rows::RowSet& rows, rows::RowSet& counted, std::uint32_t level, Ticks scores,
                                     Ticks costs) -> std::vector<Split> {
  std::vector<Split> splits;
  if (graph_.problem_.depth == level || rows.n_columns == 0) return splits;
  const std::uint32_t below = level + 1, depth = graph_.problem_.depth - below;
  graph_.maker_.make_slot_rows(rows);
  graph_.maker_.make_fingerprint_planes(rows);
  prefixes_.maker().make_fingerprint_planes(counted);
  for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
    TwoLevelTrees& two_level_trees = graph_.two_level_trees_;
    if (!two_level_trees.may_be_leaf(two_level_trees.side_of(rows, column, false)) ||
        !two_level_trees.may_be_leaf(two_level_trees.side_of(rows, column, true)))
      continue;
    const auto at = std::find(counted.columns.begin(), counted.columns.end(), rows.columns[column]);
    if (at == counted.columns.end()) throw std::logic_error("a column is missing: please report this bug in hornbeam");
    const auto counted_column = static_cast<std::uint32_t>(at - counted.columns.begin());
    const auto least =
        prefixes_.best_of_sides(counted, counted_column, rule_.depth - below, rule_.lookahead_depth - below, scores);
    graph_.meter_.require(0);
    Split split{rows.columns[column], rows.copies[column], {0, 0}};
    const bool is_cheap = costs >= 0 && graph_.raise_sides(rows, column, depth, level, costs, split);
    if (!least && !is_cheap) continue;
    Ticks most[2] = {-1, -1};
    if (is_cheap)
      for (int x = 0; x < 2; ++x) most[x] = costs - graph_.nodes_[split.node[1 - x]].least;
    const rows::SupportSet support = graph_.maker_.support_of(rows, column, true);
    split.node[1] = node_of({support.fingerprint, depth});
    rows::SupportSet other = support;
    other.fingerprint ^= rows.support.fingerprint;
    split.node[0] = node_of({other.fingerprint, depth});
    for (int x = 0; x < 2; ++x) {
      Node& side = nodes_[split.node[x]];
      if (least) {
        side.least_score = least->cost[x];
        if (below == rule_.lookahead_depth) {
          side.value = least->cost[x];
          side.greedy = most_of(side.value);
        }
      }
      raise_side(rows, counted, counted_column, x, level, least ? scores - least->cost[1 - x] : -1, most[x],
                 split.node[x]);
    }
    splits.push_back(split);
  }
  return splits;
}

template <class Count>
void PrefixGraph<Count>::raise_side(rows::RowSet& rows, rows::RowSet& counted, std::uint32_t counted_column, int side,
                                    std::uint32_t level, Ticks scores, Ticks costs, std::uint32_t at) {
  if (nodes_[at].scores >= scores && nodes_[at].costs >= costs) return;
  const auto column = std::find(rows.columns.begin(), rows.columns.end(), counted.columns[counted_column]);
  rows::RowSet& child =
      graph_.child_of(rows, static_cast<std::uint32_t>(column - rows.columns.begin()), side == 1, level);
  if (level + 1 == rule_.lookahead_depth) return raise_end(child, level + 1, scores, costs, at);
  while (counted_.size() <= level) counted_.emplace_back();
  rows::SupportSet support[2];
  prefixes_.supports_of_sides(counted, counted_column, support);
  prefixes_.maker().make_slot_rows(counted);
  prefixes_.maker().make_child(counted, counted_column, side == 1, support[side], counted_[level]);
  raise(child, counted_[level], level + 1, scores, costs, at);
}

template <class Count>
void PrefixGraph<Count>::add_splits(const std::vector<Split>& splits, Ticks scores, Ticks costs, Sums& sums) {
  const auto sum_of = [scores](Ticks a, Ticks b) { return a <= scores && b <= scores - a ? a + b : kInfinity; };
  for (const Split& split : splits) {
    const Node &false_side = nodes_[split.node[0]], &true_side = nodes_[split.node[1]];
    const Count copies(split.copies);
    for (const Scored& a : true_side.trees)
      for (const Scored& b : false_side.trees) {
        const Ticks score = sum_of(a.score, b.score);
        if (score == kInfinity && a.trees.front().cost + b.trees.front().cost > costs) continue;
        sums[score].add_products(a.trees, b.trees, copies, score == kInfinity ? costs : kInfinity);
        graph_.meter_.require(a.trees.size() * b.trees.size());
      }
    prefix_sum_.add_products(true_side.prefixes, false_side.prefixes, copies, scores);
    const TrivialSplitPair trivial_split = trivial_split_pair(graph_.problem_.kind, false_side.leaf, true_side.leaf);
    if (!trivial_split) continue;
    const Ticks cost = trivial_split->first + trivial_split->second,
                score = sum_of(true_side.score_of_leaf(), false_side.score_of_leaf());
    if (score != kInfinity || cost <= costs) sums[score].subtract(cost, copies);
  }
}

/// Sets the trees of a node; those that a prefix ending there may become get at most its value as their score.
template <class Count>
void PrefixGraph<Count>::set_trees(Node& node, Ticks scores, Ticks costs, Sums& sums) {
  Sums by_score;
  for (auto& [score, sum] : sums)
    for (const CostCount<Count>& each : sum.take())
      by_score[node.value <= scores && each.cost <= node.greedy ? std::min(score, node.value) : score].add(each.cost,
                                                                                                           each.count);
  for (const Scored& scored : node.trees) list_bytes_ -= scored.trees.capacity() * sizeof(CostCount<Count>);
  node.trees.clear();
  for (auto& [score, sum] : by_score) {
    Histogram<Count> trees = sum.take();
    if (trees.empty()) continue;
    list_bytes_ += trees.capacity() * sizeof(CostCount<Count>);
    node.trees.push_back({score, std::move(trees)});
  }
  node.scores = scores;
  node.costs = costs;
  check_memory();
}

template <class Count>
std::uint32_t PrefixGraph<Count>::node_of(const table::SubproblemKey& key) {
  const auto [at, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.emplace_back();
  return at->second;
}

template <class Count>
void PrefixGraph<Count>::check_memory() {
  graph_.other_bytes_ =
      list_bytes_ + prefixes_.bytes() + nodes_.size() * (sizeof(Node) + sizeof(table::SubproblemKey) + 32);
  if (prefixes_.table().is_full()) graph_.run_.stop(run::Status::memory_limit);
  graph_.meter_.require(0);
}

template <class Count>
TreeSetStatistics PrefixGraph<Count>::statistics() const {
  TreeSetStatistics found = graph_.statistics();
  found.n_subproblems += prefixes_.n_subproblems();
  found.counters += prefixes_.counters();
  Count n_prefixes{};
  for (const CostCount<Count>& each : nodes_[0].prefixes) n_prefixes += each.count;
  found.n_prefixes = n_prefixes.limbs();
  return found;
}

template <class Count>
std::vector<CostCount<Limbs>> PrefixGraph<Count>::histogram() const {
  HistogramSum<Count> sum;
  for (const Scored& scored : nodes_[0].trees) {
    if (scored.score > nodes_[0].scores) continue;
    for (const CostCount<Count>& each : scored.trees) sum.add(each.cost, each.count);
  }
  std::vector<CostCount<Limbs>> counts;
  for (const CostCount<Count>& each : sum.take()) counts.push_back({each.cost, each.count.limbs()});
  return counts;
}

template class PrefixGraph<WordCount>;
template class PrefixGraph<BigCount>;

std::unique_ptr<TreeSet> find_trees_by_prefixes(TreeSetProblem problem, const PrefixRule& rule, Ticks best, Ticks bound,
                                                run::Run& run) {
  const auto shared = std::make_shared<const TreeSetProblem>(std::move(problem));
  try {
    auto trees = std::make_unique<PrefixGraph<WordCount>>(shared, rule, run);
    trees->build(best, bound);
    return trees;
  } catch (const CountOverflow&) {
    auto trees = std::make_unique<PrefixGraph<BigCount>>(shared, rule, run);
    trees->build(best, bound);
    return trees;
  }
}

}  // namespace hornbeam::rashomon
