// rashomon/leaf_occurrences.hpp
//
// WHAT    In how many whole trees of a filtered graph each of its leaves stands.
// FLOW    rashomon/votes -> here -> rashomon/filtered_trees.
// HOLDS   (W1) The surroundings of a node are the trees that have it, with the node taken out. A split puts the trees
//         of each side around the other one, so the histograms of surroundings are products, from the root down. A leaf
//         stands in as many trees as there are surroundings whose cost leaves room for it. (W2) A side has fewer rows
//         than its node, so in the order of their numbers of rows all surroundings of a node are known before its own
//         splits are visited. (W3) Two leaves of one split that must not predict the same are in these products, but
//         in no tree: they are barred, on both sides. (W4) No number exceeds that of all trees and barred pairs.
// COST    A product of histograms for each side of each split, and a visit of each small tree.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "rashomon/counts.hpp"
#include "rashomon/filtered_trees.hpp"

namespace hornbeam::rashomon {

/// How many surroundings leave room for a tree of some cost.
template <class Sum>
class Room {
 public:
  Room(const Histogram<Sum>& around, const TreeLimit& limit) : around_(around), limit_(limit) {
    if (limit.leaves) sums_.resize(std::size_t{*limit.leaves} + 1);
  }

  Sum count(Ticks cost) {
    std::optional<std::uint32_t> left;
    if (limit_.leaves) {
      const auto used = static_cast<std::uint64_t>(cost & limit_.leaf_mask);
      if (used > *limit_.leaves) return Sum();
      left = static_cast<std::uint32_t>(*limit_.leaves - used);
    }
    const std::vector<Sum>& sums = sums_up_to(left);
    const auto end = std::upper_bound(around_.begin(), around_.end(), limit_.most - cost,
                                      [](Ticks most, const auto& each) { return most < each.cost; });
    return sums[static_cast<std::size_t>(end - around_.begin())];
  }

 private:
  /// Numbers of the first 0, 1, ... surroundings, of those with at most so many leaves.
  const std::vector<Sum>& sums_up_to(std::optional<std::uint32_t> leaves) {
    std::vector<Sum>& sums = sums_[leaves.value_or(0)];
    if (!sums.empty()) return sums;
    sums.reserve(around_.size() + 1);
    sums.emplace_back();
    for (const CostCount<Sum>& each : around_) {
      sums.push_back(sums.back());
      if (!leaves || (each.cost & limit_.leaf_mask) <= *leaves) sums.back() += each.count;
    }
    return sums;
  }

  const Histogram<Sum>& around_;
  const TreeLimit& limit_;
  std::vector<std::vector<Sum>> sums_{1};  // by the number of leaves that are left
};

/// A visitor has Sets, which say what is to be known of the rows that reach a node, and are ordered. `narrowed` finds
/// those of one side of a split; `is_wanted` whether anything there is to be known; `add` learns in how many trees a
/// leaf of some cost stands, `add_stump` the same of a split with two leaves, by side. It counts in Sum, numbers in
/// Count.
template <class Count, class Sum, class Visitor>
class LeafOccurrences {
 public:
  using Sets = Visitor::Sets;

  LeafOccurrences(FilteredGraph<Count>& trees, const TreeLimit& limit, Visitor& visitor, run::Run& run)
      : trees_(trees),
        graph_(trees.graph_),
        limit_(limit),
        visitor_(visitor),
        meter_(run, kVisitsBetweenPolls, [&run] { run.report({}); }),
        sum_(trees.index().lattice()) {}

  /// Throws Stopped, and CountOverflow if Sum is a word.
  void visit_all(Sets all) {
    waiting_[{rows_of(0), 0, trees_.filter().depth, std::move(all)}];
    while (!waiting_.empty()) {
      meter_.require(1);
      const auto next = waiting_.extract(waiting_.begin());
      visit(next.key(), next.mapped());
    }
  }

 private:
  using Around = std::shared_ptr<const Histogram<Sum>>;
  using Copy = RowMasks::Copy;
  static constexpr std::uint64_t kVisitsBetweenPolls = 16;

  /// A node with what is left of the filter's depth, and the sets of one or more paths to it.
  struct Place {
    std::uint32_t rows, node, depth;
    Sets sets;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Part {
    Around around;  // the node above
    std::uint32_t sibling;
    std::uint64_t copies;
  };
  struct Arrivals {
    std::vector<Part> parts;
    std::vector<std::pair<std::uint32_t, Sum>> barred;  // in how many trees a leaf of this prediction must not stand
  };
  /// Both sides of some copies of a split, which have the same sets.
  struct Sides {
    Sets sets[2];
    std::uint64_t copies;
  };

  std::uint32_t rows_of(std::uint32_t node) const { return trees_.index()[node].rows; }
  const Histogram<Sum>& sums_of(std::uint32_t node, std::uint32_t depth) {
    const Histogram<Count>& trees = trees_.trees(node, depth);
    if constexpr (std::is_same_v<Sum, Count>) {
      return trees;
    } else {
      converted_.clear();
      for (const CostCount<Count>& each : trees) converted_.push_back({each.cost, *Sum::of(each.count.limbs())});
      return converted_;
    }
  }

  void visit(const Place& place, const Arrivals& arrivals) {
    const Histogram<Count>& here = trees_.trees(place.node, place.depth);
    if (here.empty() || here.front().cost > limit_.most) return;
    const Around around = join(arrivals.parts, place, limit_.most - here.front().cost);
    if (around->empty()) return;
    Room<Sum> room(*around, limit_);
    const IndexedNode& node = trees_.index()[place.node];
    if (node.rows >= trees_.filter().rows_per_leaf) add_leaves(node, place.sets, arrivals, room);
    if (place.depth == 0) return;
    if (graph_.nodes_[place.node].is_deep)
      visit_splits(place, around, room);
    else
      visit_small_splits(node, place, room);
  }

  Around join(const std::vector<Part>& parts, const Place& place, Ticks most) {
    if (parts.empty()) return std::make_shared<const Histogram<Sum>>(Histogram<Sum>{{0, Sum(1)}});  // of the root
    sum_.begin(most);
    for (const Part& part : parts)
      sum_.add_products(*part.around, sums_of(part.sibling, place.depth), Sum(part.copies));
    return std::make_shared<const Histogram<Sum>>(sum_.take());
  }

  void add_leaves(const IndexedNode& node, const Sets& sets, const Arrivals& arrivals, Room<Sum>& room) {
    for (const TreeLeaf& leaf : node.leaves) {
      Sum number = room.count(leaf.cost);
      for (const auto& [prediction, barred] : arrivals.barred)
        if (prediction == leaf.prediction) number -= barred;
      visitor_.add(sets, leaf.prediction, leaf.cost, number);
    }
  }

  /// Of the copies at a place that the filter allows.
  std::vector<Sides> sides_of(const IndexedNode& node, std::size_t place, const Sets& sets) const {
    std::vector<Sides> found;
    for (const Copy& copy : node.copies_at(place)) {
      if (!trees_.filter().is_allowed[copy.column]) continue;
      Sides sides{{visitor_.narrowed(sets, copy, false), visitor_.narrowed(sets, copy, true)}, 1};
      const auto same = std::find_if(found.begin(), found.end(), [&](const Sides& each) {
        return each.sets[0] == sides.sets[0] && each.sets[1] == sides.sets[1];
      });
      if (same == found.end())
        found.push_back(std::move(sides));
      else
        ++same->copies;
    }
    return found;
  }

  void visit_splits(const Place& place, const Around& around, Room<Sum>& room) {
    const std::uint32_t below = one_less(place.depth);
    const auto& splits = graph_.nodes_[place.node].splits;
    for (std::size_t at = 0; at < splits.size(); ++at) {
      const std::uint32_t (&side)[2] = splits[at].node;
      const Histogram<Count>* const trees[2] = {&trees_.trees(side[0], below), &trees_.trees(side[1], below)};
      if (trees[0]->empty() || trees[1]->empty()) continue;
      if (trees[0]->front().cost + trees[1]->front().cost + around->front().cost > limit_.most) continue;
      for (Sides& sides : sides_of(trees_.index()[place.node], at, place.sets))
        for (int x = 0; x < 2; ++x) {
          if (!visitor_.is_wanted(sides.sets[x])) continue;
          Arrivals& arrivals = waiting_[{rows_of(side[x]), side[x], below, std::move(sides.sets[x])}];
          arrivals.parts.push_back({around, side[1 - x], sides.copies});
          bar_leaves(trees_.index()[side[x]], trees_.index()[side[1 - x]], Sum(sides.copies), room, arrivals);
        }
    }
  }

  void bar_leaves(const IndexedNode& node, const IndexedNode& sibling, const Sum& copies, Room<Sum>& room,
                  Arrivals& arrivals) {
    if (!trees_.must_differ() || std::min(node.rows, sibling.rows) < trees_.filter().rows_per_leaf) return;
    for (const TreeLeaf& leaf : node.leaves)
      for (const TreeLeaf& other : sibling.leaves)
        if (leaf.prediction == other.prediction)
          arrivals.barred.emplace_back(leaf.prediction, copies * room.count(leaf.cost + other.cost));
  }

  void visit_small_splits(const IndexedNode& node, const Place& place, Room<Sum>& room) {
    std::size_t first = 0;
    for (const IndexedNode::Split& split : node.splits) {
      const std::size_t begin = std::exchange(first, first + split.n_trees[0] + split.n_trees[1]);
      if (trees_.n_allowed(node, split.place) == 0) continue;
      list_side(node, begin, begin + split.n_trees[0], place.depth, small_[0]);
      list_side(node, begin + split.n_trees[0], first, place.depth, small_[1]);
      weigh(room);
      for (const Sides& sides : sides_of(node, split.place, place.sets))
        for (int x = 0; x < 2; ++x)
          if (visitor_.is_wanted(sides.sets[x])) add_small_trees(node, x, sides, room);
    }
  }

  /// The small trees on one side of a split that pass the filter, by cost.
  struct SmallSide {
    struct Cost {
      Ticks cost;
      Sum number, weight;  // of the trees; of the whole trees that one of them stands in
    };
    std::vector<std::uint32_t> trees;   // numbers among those of the node
    std::vector<std::uint32_t> places;  // of the cost of each tree
    std::vector<Cost> costs;
  };

  void list_side(const IndexedNode& node, std::size_t begin, std::size_t end, std::uint32_t depth, SmallSide& side) {
    side.trees.clear();
    side.places.clear();
    side.costs.clear();
    for (std::size_t number = begin; number < end; ++number) {
      const SmallTree& tree = node.trees[number];
      const std::uint32_t n = tree.is_leaf() ? 1 : (depth == 1 ? 0 : trees_.n_allowed(node, tree.what));
      if (n == 0 || tree.rows < trees_.filter().rows_per_leaf) continue;
      if (side.costs.empty() || side.costs.back().cost != tree.cost) side.costs.push_back({tree.cost, Sum(), Sum()});
      side.costs.back().number += Sum(n);
      side.trees.push_back(static_cast<std::uint32_t>(number));
      side.places.push_back(static_cast<std::uint32_t>(side.costs.size() - 1));
    }
  }

  void weigh(Room<Sum>& room) {
    for (auto& a : small_[0].costs)
      for (auto& b : small_[1].costs) {
        const Sum number = room.count(a.cost + b.cost);
        if (number.is_zero() && !limit_.leaves) break;  // all others after b are too dear
        a.weight += b.number * number;
        b.weight += a.number * number;
      }
  }

  void add_small_trees(const IndexedNode& node, int x, const Sides& sides, Room<Sum>& room) {
    const SmallSide &here = small_[x], &there = small_[1 - x];
    const Sum copies(sides.copies);
    for (std::size_t i = 0; i < here.trees.size(); ++i) {
      const SmallTree& tree = node.trees[here.trees[i]];
      Sum number = here.costs[here.places[i]].weight;
      if (tree.is_leaf()) {
        for (const std::uint32_t other : there.trees)
          if (trees_.must_differ() && node.trees[other].what == tree.what)
            number -= room.count(tree.cost + node.trees[other].cost);
        if (!number.is_zero()) visitor_.add(sides.sets[x], tree.what - SmallTree::kLeaf, tree.cost, copies * number);
      } else if (!number.is_zero()) {
        number = copies * number;
        for (const Copy& copy : node.copies_at(tree.what))
          if (trees_.filter().is_allowed[copy.column])
            visitor_.add_stump(sides.sets[x], copy, node.predictions[here.trees[i]], tree.cost, number);
      }
    }
  }

  FilteredGraph<Count>& trees_;
  const TreeGraph<Count>& graph_;
  const TreeLimit& limit_;
  Visitor& visitor_;
  run::WorkMeter meter_;
  CostSums<Sum> sum_;
  Histogram<Sum> converted_;
  SmallSide small_[2];
  std::map<Place, Arrivals, std::greater<>> waiting_;
};

}  // namespace hornbeam::rashomon
