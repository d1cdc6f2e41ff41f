// primal/primal_search.hpp
//
// WHAT    A good tree in a given amount of work, and a better one with more: the primal heuristics. First CART's tree,
//         pruned; then the same with its splits improved; then a tree grown with lookahead; then a local search that
//         grows subtrees again, forces other splits, and grows and prunes with other leaf penalties, and that goes on
//         from slightly worse trees, from trees with another root split, and with fewer variables once that has brought
//         nothing. The small subtrees of every good tree are replaced by the best ones of two levels.
// FLOW    primal/companion and primal/near_optimal call `work_up_to` -> the best tree so far.
// HOLDS   (P1) The tree is within the limits and its cost is exact, whenever the work ends. (P2) The same calls find
//         the same tree: chance comes from a generator whose seed depends on the start tree alone, and no step depends
//         on the clock.
// CHOICE  Large-neighborhood search: a step costs what its subtree's points cost, so most steps are small; a step is
//         made once the work allowed so far covers its estimate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "base/options.hpp"
#include "primal/coarse_lookahead.hpp"
#include "primal/lookahead_growth.hpp"
#include "primal/split_improvement.hpp"
#include "primal/subtree_improvement.hpp"
#include "primal/working_tree.hpp"

namespace hornbeam::primal {

class PrimalSearch {
 public:
  PrimalSearch(Points points, const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits,
               run::Run& run, std::function<void()> poll);

  /// Works until so much work is spent in all calls together, so many rounds over all nodes have found no better tree,
  /// or the run is stopped. True if the tree is better. No rounds: only the first steps, down to the tree grown with
  /// lookahead.
  bool work_up_to(std::uint64_t work, std::uint64_t idle_rounds = ~std::uint64_t{0});
  /// Goes on from a tree of the problem. True if improving its splits makes it better.
  bool start_from(const tree::ResultTree& start);
  /// The next better tree that is greedy on a sample of many points, whatever the work. True if there is one.
  bool start_greedily();
  std::uint64_t spent() const { return meter_.spent(); }
  /// Whether the tree grown with lookahead, the last of the first steps, is still to come.
  bool is_starting() const { return !has_planned_ || !put_off_.empty(); }
  const Points& points() const { return points_; }
  Ticks cost() const { return best_.cost(leaf_penalty_); }
  std::uint32_t n_leaves() const { return best_.root().n_leaves; }
  tree::ResultTree tree() const { return best_.result(leaf_penalty_); }
  std::uint64_t bytes() const;
  /// At least what `bytes` is for so many points, with so many weights each.
  static std::uint64_t most_bytes(std::uint64_t n_points, std::uint64_t n_variables, std::uint64_t n_weights = 1);

 private:
  struct Step {
    enum class Kind { sample, best_first, lookahead, coarse, three_levels, subtrees, other_split, other_penalty } kind;
    WorkingTree::NodeIndex node = WorkingTree::kRoot;
    std::size_t candidates = 0;
    std::uint32_t sampled = 0;
    bool is_greedy() const { return kind == Kind::best_first || (kind == Kind::lookahead && candidates == 0); }
  };

  void plan_round();
  std::uint64_t estimate(const Step& step) const;
  void take_next();
  void work_on_sample(std::uint32_t n_sampled);
  void choose_variables();
  /// A subtree with lookahead, by the impurity and of the depth that are its turn.
  LookaheadGrowth::Grown grow(std::span<const std::uint32_t> points, std::uint32_t most_depth, std::size_t candidates);
  void grow_first();
  void grow_again(const Step& step);
  void grow_coarsely(CoarseLookahead::Kind kind, std::uint32_t depth);
  std::uint32_t coarse_depth() const;
  void try_other_split(const Step& step);
  void try_other_penalty();
  bool improve_subtrees(WorkingTree& tree);
  void improve_subtrees();
  /// Improves and prunes a tree and keeps it if it is better than the best one.
  void offer(WorkingTree tree);
  std::uint32_t depth_below(WorkingTree::NodeIndex node) const;
  std::uint32_t useful_depth() const;
  std::uint64_t chance(std::uint64_t n) { return generator_() % n; }

  const Points points_;
  const models::LeafModel& model_;
  const TreeLimits limits_;
  run::Run& run_;
  const Ticks leaf_penalty_;
  const std::uint32_t most_depth_, most_leaves_;
  run::WorkMeter meter_;
  SplitFinder finder_;
  LookaheadGrowth growth_;
  CoarseLookahead coarse_;
  SplitImprovement improvement_;
  SubtreeImprovement subtrees_;
  WorkingTree leaf_, best_, current_;
  Ticks growth_penalty_;     // with which subtrees are grown: higher than `leaf_penalty_` where the leaves are limited
  std::vector<Step> steps_;  // planned, the next one last
  std::vector<Step> put_off_;  // the first steps after a start tree, with which they share the work
  std::uint64_t spent_on_put_off_ = 0;
  std::size_t candidates_;  // a node, in the current round
  std::uint64_t n_idle_rounds_ = 0;
  Ticks slack_ = 0;  // what the current tree, from which steps start, may cost more than the best one
  std::unique_ptr<PrimalSearch> sample_;  // while it takes the first steps
  bool offers_early_ = false;             // the tree of the sample after each of its steps
  bool has_planned_ = false;
  bool is_diversifying_ = false;   // since the last round brought no better tree
  bool has_gained_ = true;         // since the last round was planned
  std::mt19937_64 generator_{20};  // NOLINT(bugprone-random-generator-seed): (P2)
};

}  // namespace hornbeam::primal
