// rashomon/read_prefix.cpp: the part of PrefixGraph that finds one tree by its number.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "rashomon/prefix_graph.hpp"
#include "rashomon/read_tree.hpp"

namespace hornbeam::rashomon {

/// The trees of one cost are in the order of the leaf, of the columns, then of the scores of both sides. The order
/// depends only on the scores that are requested, not on how far a node was raised: scores that are not distinguished
/// in every node are not distinguished here.
template <class Count>
class PrefixReader : private TreeReader<Count> {
 public:
  explicit PrefixReader(PrefixGraph<Count>& prefixes) : TreeReader<Count>(prefixes.graph_), prefixes_(prefixes) {}

  tree::ResultTree read(Ticks cost, Count rank) {
    read_prefix(this->graph_.root_, data::all_rows(this->problem_.rows), 0, 0, {0, prefixes_.nodes_[0].scores}, cost,
                std::move(rank));
    this->tree_.cost = cost;
    return std::move(this->tree_);
  }

 private:
  using Node = PrefixGraph<Count>::Node;
  using Split = PrefixGraph<Count>::Split;
  struct Scores {
    Ticks least, most;
    bool has(Ticks score) const { return least <= score && score <= most; }
  };
  using Pair = std::pair<Scores, Scores>;  // of the true side, of the false side

  /// Tree number `rank` of those of these scores and this cost.
  void read_prefix(rows::RowSet& rows, const data::RowList& numbers, std::uint32_t at, std::uint32_t level,
                   const Scores& requested, Ticks cost, Count rank) {
    const Node& node = prefixes_.nodes_[at];
    const std::uint32_t depth = this->problem_.depth - level;
    if (level == prefixes_.rule_.lookahead_depth)
      return this->read_node(rows, numbers, node.of_graph, depth, level, cost, std::move(rank));
    // Where a prefix may end here, a tree of this cost has what its splits score or `value`, whichever is less.
    const bool may_end = cost <= node.greedy && requested.has(node.value);
    const Scores of_splits{requested.least, may_end ? kInfinity : requested.most};
    if (of_splits.most == kInfinity && this->read_leaf(rows, cost, rank)) return;
    for (const Split& split : node.splits)
      for (const auto& [true_side, false_side] : pairs_of(split, of_splits, cost)) {
        const Histogram<Count> sides[2] = {trees_of(split.node[0], false_side), trees_of(split.node[1], true_side)};
        const auto pair = unrank(sides, trivial_split_of(split, true_side, false_side), split.copies, cost, rank);
        if (!pair) continue;
        const Scores scores[2] = {false_side, true_side};
        return this->read_split(
            rows, numbers, split.column, pair->copy, level, [&](rows::RowSet& child, const data::RowList& side, int x) {
              read_prefix(child, side, split.node[x], level + 1, scores[x], pair->cost[x], pair->rank[x]);
            });
      }
    this->missing("tree");
  }

  /// The scores of both sides that add up to one of `requested`, without overlap; some of those without a tree of this
  /// cost are left out.
  std::vector<Pair> pairs_of(const Split& split, const Scores& requested, Ticks cost) const {
    std::vector<Pair> pairs;
    const Node &false_side = prefixes_.nodes_[split.node[0]], &true_side = prefixes_.nodes_[split.node[1]];
    const bool is_open = requested.most == kInfinity;
    const Ticks enough =
        std::max<Ticks>(0, requested.least - false_side.least_score);  // whatever the false side scores
    for (const auto& of_true_side : true_side.trees) {
      const Ticks score = of_true_side.score;
      if (is_open && score < enough) pairs.push_back({{score, score}, {requested.least - score, kInfinity}});
      if (is_open || score > requested.most) continue;
      for (const auto& of_false_side : false_side.trees)
        if (of_false_side.score <= requested.most - score && of_false_side.score + score >= requested.least &&
            of_true_side.trees.front().cost + of_false_side.trees.front().cost <= cost &&
            of_true_side.trees.back().cost + of_false_side.trees.back().cost >= cost)
          pairs.push_back({{score, score}, {of_false_side.score, of_false_side.score}});
    }
    if (is_open) pairs.push_back({{enough, kInfinity}, {0, kInfinity}});
    return pairs;
  }

  Histogram<Count> trees_of(std::uint32_t at, const Scores& scores) {
    for (const auto& scored : prefixes_.nodes_[at].trees) {
      if (!scores.has(scored.score)) continue;
      if (scores.least == scores.most) return scored.trees;
      for (const CostCount<Count>& each : scored.trees) sum_.add(each.cost, each.count);
    }
    return sum_.take();
  }

  TrivialSplits trivial_split_of(const Split& split, const Scores& true_side, const Scores& false_side) const {
    const Node &of_false_side = prefixes_.nodes_[split.node[0]], &of_true_side = prefixes_.nodes_[split.node[1]];
    if (!true_side.has(of_true_side.score_of_leaf()) || !false_side.has(of_false_side.score_of_leaf())) return {};
    return trivial_splits(this->problem_.kind, {of_false_side.leaf}, {of_true_side.leaf});
  }

  PrefixGraph<Count>& prefixes_;
  HistogramSum<Count> sum_;
};

template <class Count>
tree::ResultTree PrefixGraph<Count>::tree(Ticks cost, const Limbs& rank) {
  const std::optional<Count> number = Count::of(rank);
  Count all{};
  for (const Scored& scored : nodes_[0].trees)
    if (scored.score <= nodes_[0].scores) all += count_of(scored.trees, cost);
  if (!number || *number >= all) throw std::invalid_argument("rank: there are fewer trees of this cost");
  return PrefixReader<Count>(*this).read(cost, *number);
}

template tree::ResultTree PrefixGraph<WordCount>::tree(Ticks, const Limbs&);
template tree::ResultTree PrefixGraph<BigCount>::tree(Ticks, const Limbs&);

}  // namespace hornbeam::rashomon
