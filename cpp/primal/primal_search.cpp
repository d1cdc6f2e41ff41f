#include "primal/primal_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "primal/best_first_growth.hpp"

namespace hornbeam::primal {

namespace {

constexpr std::uint32_t kMostDepth = 64;        // of a tree without a limit
constexpr std::uint32_t kMostGrown = 1u << 13;  // leaves of a tree before it is pruned
constexpr std::size_t kFewCandidates = 4, kFirstCandidates = 8, kMostCandidates = 32;
constexpr std::uint32_t kCoarseDepth = 5;
constexpr std::uint32_t kManyPoints = 1u << 17, kFewSampled = 1u << 13, kSampled = 1u << 16;
constexpr std::uint32_t kPasses = 3;
constexpr std::size_t kLeastVariables = 8;  // of a random half of them
constexpr Ticks kWorse = 50;                // a tree may cost a fiftieth more
constexpr std::uint64_t kRoundsFromBest = 4;
constexpr std::uint64_t kPerWorkOnSubtrees = 4;  // at most a fourth of all work
constexpr std::uint64_t kWorkBetweenPolls = 1u << 18;

}  // namespace

PrimalSearch::PrimalSearch(Points points, const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits,
                           run::Run& run, std::function<void()> poll)
    : points_(std::move(points)),
      model_(model),
      limits_(limits),
      run_(run),
      leaf_penalty_(leaf_penalty),
      most_depth_(std::min(limits.depth.value_or(kMostDepth), kMostDepth)),
      most_leaves_(std::min(limits.leaves.value_or(kMostGrown), kMostGrown)),
      meter_(run, kWorkBetweenPolls, std::move(poll)),
      finder_(points_, model, limits.rows_per_leaf, meter_),
      growth_(points_, finder_, meter_),
      coarse_(points_, model, limits.rows_per_leaf, finder_, meter_),
      improvement_(finder_, meter_),
      subtrees_(points_, model, leaf_penalty, limits.rows_per_leaf, most_depth_, most_leaves_, meter_),
      leaf_(points_, model, limits.rows_per_leaf),
      best_(leaf_),
      current_(leaf_),
      growth_penalty_(leaf_penalty),
      steps_{{Step::Kind::lookahead, WorkingTree::kRoot, kFirstCandidates},
             {Step::Kind::subtrees},
             {Step::Kind::lookahead, WorkingTree::kRoot, kFewCandidates},
             {Step::Kind::subtrees},
             {Step::Kind::coarse},
             {Step::Kind::best_first},
             {Step::Kind::lookahead}},  // without candidates: a greedy tree of few levels
      candidates_(kFewCandidates / 2) {
  if (points_.size() > kManyPoints) steps_ = {{.kind = Step::Kind::sample, .sampled = kSampled}};
}

std::uint64_t PrimalSearch::bytes() const {
  const std::uint64_t of_point = 5 * sizeof(std::uint32_t) + (points_.n_weights() - 1) * sizeof(std::int64_t);
  return points_.bytes() + of_point * points_.size() + subtrees_.bytes() + (sample_ ? sample_->bytes() : 0);
}

std::uint64_t PrimalSearch::most_bytes(std::uint64_t n_points, std::uint64_t n_variables, std::uint64_t n_weights) {
  const std::uint64_t n_at_once = n_points > kManyPoints ? n_points + kSampled : n_points;
  return n_at_once * (sizeof(std::uint32_t) * (n_variables + 7) + sizeof(std::int64_t) * (2 * n_weights - 1)) +
         SubtreeImprovement::most_bytes(n_at_once, n_variables);
}

bool PrimalSearch::work_up_to(std::uint64_t work, std::uint64_t idle_rounds) {
  const Ticks before = cost();
  const std::uint32_t leaves_before = n_leaves();
  while (meter_.spend(0)) {
    if (steps_.empty() && n_idle_rounds_ < idle_rounds) plan_round();
    if (steps_.empty() && put_off_.empty()) break;
    const bool takes_put_off = !put_off_.empty() && (steps_.empty() || 2 * spent_on_put_off_ <= meter_.spent());
    if (takes_put_off) std::swap(steps_, put_off_);
    const std::uint64_t spent_before = meter_.spent();
    const bool is_allowed = spent_before + estimate(steps_.back()) <= work;
    if (is_allowed) take_next();
    if (takes_put_off) {
      std::swap(steps_, put_off_);
      spent_on_put_off_ += meter_.spent() - spent_before;
    }
    if (!is_allowed) break;
  }
  return cost() < before || (cost() == before && n_leaves() < leaves_before);
}

bool PrimalSearch::start_from(const tree::ResultTree& start) {
  generator_.seed(static_cast<std::uint64_t>(start.cost));  // or the search would repeat what has found this tree
  Preorder preorder;
  for (const std::int32_t column : start.column)
    preorder.push_back(column < 0 ? std::nullopt : std::optional(points_.split_of(static_cast<std::uint32_t>(column))));
  WorkingTree tree = leaf_;
  tree.replace(WorkingTree::kRoot, preorder);
  for (const WorkingTree::NodeIndex node : tree.nodes_below(WorkingTree::kRoot))
    if (tree.node(node).depth > most_depth_) return false;
  put_off_ = std::exchange(steps_, {});
  offer(std::move(tree));
  return cost() < start.cost;
}

bool PrimalSearch::start_greedily() {
  const auto is_next = [this] {
    if (steps_.empty() || steps_.back().kind != Step::Kind::sample) return false;
    return !sample_ || sample_->steps_.back().is_greedy();
  };
  if (points_.size() > kManyPoints && !std::exchange(offers_early_, true))
    steps_.push_back({.kind = Step::Kind::sample, .sampled = kFewSampled});
  const Ticks before = cost();
  while (cost() == before && is_next() && meter_.spend(0)) take_next();
  return cost() < before;
}

/// A round tries every node once, in a random order. After a round without a better tree, the search may go on from one
/// that costs a little more (threshold accepting), less and less so, and then starts from the best one again. Every
/// other time it goes on from a tree with another split at the root, which may cost more until some rounds have
/// improved it.
void PrimalSearch::plan_round() {
  if (most_depth_ == 0 || most_leaves_ < 2 || current_.root().leaf_loss <= leaf_penalty_) return;
  const bool is_first = !std::exchange(has_planned_, true);
  is_diversifying_ = !std::exchange(has_gained_, false);
  if (is_diversifying_) ++n_idle_rounds_;
  const std::uint64_t phase = n_idle_rounds_ % kRoundsFromBest;
  const auto rounds_left = static_cast<Ticks>(kRoundsFromBest - 1 - phase);
  const bool has_other_root = is_diversifying_ && n_idle_rounds_ / kRoundsFromBest % 2 == 1;
  slack_ = is_diversifying_ ? cost() / kWorse * rounds_left / static_cast<Ticks>(kRoundsFromBest) : 0;
  if (has_other_root && phase == 0) {
    slack_ = cost();
    steps_.push_back({Step::Kind::other_split, WorkingTree::kRoot, kMostCandidates});
    return;
  }
  if (has_other_root && rounds_left > 0) slack_ = current_.cost(leaf_penalty_) - cost();
  if (slack_ == 0) current_ = best_;
  candidates_ = std::min(2 * candidates_, kMostCandidates);
  const std::vector<WorkingTree::NodeIndex> all = current_.nodes_below(WorkingTree::kRoot);
  for (const WorkingTree::NodeIndex node : all) {
    if (current_.node(node).loss <= leaf_penalty_) continue;
    steps_.push_back({Step::Kind::lookahead, node, candidates_});
    if (!current_.node(node).is_leaf()) steps_.push_back({Step::Kind::other_split, node, candidates_});
  }
  for (int i = 0; i < 4; ++i) steps_.push_back({Step::Kind::other_penalty});
  for (std::size_t i = steps_.size(); i > 1; --i) std::swap(steps_[i - 1], steps_[chance(i)]);
  steps_.push_back({Step::Kind::subtrees});
  if (is_first) steps_.push_back({Step::Kind::three_levels});
}

/// In points read; of the right order of magnitude.
std::uint64_t PrimalSearch::estimate(const Step& step) const {
  const std::uint64_t pass = points_.variables.size() * (current_.points(step.node).size() + 16);
  const std::uint64_t depth = std::min(useful_depth() + 1, depth_below(step.node));
  if (step.kind == Step::Kind::best_first) return pass * 16;
  if (step.kind == Step::Kind::subtrees) return meter_.spent() / (2 * kPerWorkOnSubtrees);
  if (step.kind == Step::Kind::sample)
    return sample_ ? sample_->estimate(sample_->steps_.back()) : points_.variables.size() * kSampled * 64;
  if (step.kind == Step::Kind::coarse) return coarse_.estimate(CoarseLookahead::Kind::lickety_split, coarse_depth());
  if (step.kind == Step::Kind::three_levels) return coarse_.estimate(CoarseLookahead::Kind::three_levels, 3);
  if (step.kind == Step::Kind::other_penalty) return pass * depth * 4;
  return pass * depth * (1 + step.candidates * (depth + 1) / 2);
}

void PrimalSearch::take_next() {
  const Step step = steps_.back();
  steps_.pop_back();
  choose_variables();
  switch (step.kind) {
    case Step::Kind::sample: return work_on_sample(step.sampled);
    case Step::Kind::best_first: return grow_first();
    case Step::Kind::lookahead: return grow_again(step);
    case Step::Kind::coarse: return grow_coarsely(CoarseLookahead::Kind::lickety_split, coarse_depth());
    case Step::Kind::three_levels: return grow_coarsely(CoarseLookahead::Kind::three_levels, std::min(most_depth_, 3u));
    case Step::Kind::subtrees: return improve_subtrees();
    case Step::Kind::other_split: return try_other_split(step);
    case Step::Kind::other_penalty: return try_other_penalty();
  }
}

/// Of many points, only a sample takes the first steps. The splits of its tree are then improved for all points, after
/// each step if trees are needed early.
void PrimalSearch::work_on_sample(std::uint32_t n_sampled) {
  const double share = static_cast<double>(n_sampled) / static_cast<double>(points_.size());
  if (!sample_) {
    TreeLimits limits = limits_;
    limits.rows_per_leaf =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * static_cast<double>(limits.rows_per_leaf)));
    const auto penalty = static_cast<Ticks>(share * static_cast<double>(leaf_penalty_));
    sample_ = std::make_unique<PrimalSearch>(points_.sample(n_sampled), model_, penalty, limits, run_,
                                             [this] { meter_.poll(); });
    if (n_sampled == kFewSampled) std::erase_if(sample_->steps_, [](const Step& step) { return !step.is_greedy(); });
  }
  const std::uint64_t spent_before = sample_->spent();
  const Ticks cost_before = sample_->cost();
  sample_->take_next();
  meter_.add(sample_->spent() - spent_before);
  const bool is_last = sample_->steps_.empty();
  WorkingTree tree = leaf_;
  if (is_last || (offers_early_ && sample_->cost() < cost_before))
    tree.replace(WorkingTree::kRoot, sample_->best_.preorder(WorkingTree::kRoot));
  if (is_last)
    sample_.reset();
  else
    steps_.push_back({.kind = Step::Kind::sample, .sampled = n_sampled});
  if (!tree.root().is_leaf()) offer(std::move(tree));
}

/// Mostly a random half of them where all of them have brought nothing.
void PrimalSearch::choose_variables() {
  const auto n = static_cast<std::uint32_t>(points_.variables.size());
  const bool is_restricted = is_diversifying_ && chance(4) > 0;
  std::vector<std::uint32_t> chosen;
  for (const bool is_half : {is_restricted, false}) {
    if (chosen.size() >= std::min<std::size_t>(n, kLeastVariables)) break;
    chosen.clear();
    for (std::uint32_t v = 0; v < n; ++v)
      if (!is_half || chance(2) == 0) chosen.push_back(v);
  }
  finder_.restrict_to(std::move(chosen));
}

LookaheadGrowth::Grown PrimalSearch::grow(std::span<const std::uint32_t> points, std::uint32_t most_depth,
                                          std::size_t candidates) {
  const std::uint32_t more = has_planned_ ? static_cast<std::uint32_t>(chance(2)) : candidates == kFirstCandidates;
  const auto impurity = has_planned_ && chance(2) == 0 ? SplitFinder::Criterion::gini : SplitFinder::Criterion::entropy;
  return growth_.grow(points, std::min(useful_depth() + more, most_depth), growth_penalty_, candidates, impurity);
}

void PrimalSearch::grow_first() {
  const std::uint32_t most = most_leaves_ < kMostGrown ? std::max(4 * most_leaves_, 64u) : kMostGrown;
  // So that these are the trees of other greedy programs, or nearly so.
  finder_.use_fine_cells(true);
  for (const auto criterion : finder_.impurities()) {
    WorkingTree grown = leaf_;
    grow_best_first(grown, finder_, criterion, leaf_penalty_, most_depth_, most, meter_);
    if (growth_penalty_ == leaf_penalty_ && grown.root().n_leaves > most_leaves_) {
      // What a leaf more or less is worth at the limit on the leaves.
      const std::vector<Ticks> losses = grown.pruned_losses(std::min(2 * most_leaves_, grown.root().n_leaves));
      const std::size_t few = std::max(most_leaves_ / 2, 1u), many = losses.size();
      growth_penalty_ = std::max(leaf_penalty_, (losses[few - 1] - losses[many - 1]) / static_cast<Ticks>(many - few));
    }
    offer(std::move(grown));
  }
  finder_.use_fine_cells(false);
}

void PrimalSearch::grow_again(const Step& step) {
  if (depth_below(step.node) == 0) return;
  const LookaheadGrowth::Grown grown = grow(current_.points(step.node), depth_below(step.node), step.candidates);
  WorkingTree tree = current_;
  tree.replace(step.node, grown.preorder);
  offer(std::move(tree));
}

void PrimalSearch::grow_coarsely(CoarseLookahead::Kind kind, std::uint32_t depth) {
  if (depth < 2 || points_.n_targets < 2 || points_.are_joint || leaf_.root().leaf_loss <= leaf_penalty_) return;
  WorkingTree tree = leaf_;
  tree.replace(WorkingTree::kRoot, coarse_.grow(tree.points(WorkingTree::kRoot), growth_penalty_, kind, depth));
  offer(std::move(tree));
}

/// Forces one of the promising splits, and grows the sides below it.
void PrimalSearch::try_other_split(const Step& step) {
  finder_.load(current_.points(step.node));
  const std::vector<Split> splits = finder_.candidates(step.candidates, SplitFinder::Criterion::gini);
  if (splits.empty()) return;
  WorkingTree tree = current_;
  tree.replace(step.node, {splits[chance(splits.size())], std::nullopt, std::nullopt});
  if (tree.node(step.node).is_leaf()) return;
  const std::uint32_t depth = depth_below(step.node) - 1;
  for (const int x : {1, 0}) {
    const WorkingTree::NodeIndex child = tree.node(step.node).child[x];
    tree.replace(child, grow(tree.points(child), depth, kFewCandidates / 2).preorder);
  }
  offer(std::move(tree));
}

/// Grows more leaves than pay, or prunes some that do, improves the splits of that tree, and prunes it.
void PrimalSearch::try_other_penalty() {
  WorkingTree tree = current_;
  const Ticks penalty = std::max<Ticks>(growth_penalty_, 1) * static_cast<Ticks>(1 + chance(12)) / 4;
  if (penalty > growth_penalty_) {
    tree.prune(penalty, most_leaves_);
  } else {
    const auto more = static_cast<std::uint32_t>(tree.root().n_leaves + 1 + chance(tree.root().n_leaves + 4));
    const auto criterion = chance(2) == 0 ? SplitFinder::Criterion::gini : SplitFinder::Criterion::loss;
    grow_best_first(tree, finder_, criterion, penalty, most_depth_, more, meter_);
  }
  improvement_.improve(tree, penalty, 1);
  offer(std::move(tree));
}

/// True if the cost has fallen. What takes too much work now is tried again when more work is done.
bool PrimalSearch::improve_subtrees(WorkingTree& tree) {
  const std::uint64_t allowed = meter_.spent() / kPerWorkOnSubtrees;
  return subtrees_.spent() < allowed && subtrees_.improve(tree, allowed - subtrees_.spent());
}

void PrimalSearch::improve_subtrees() {
  WorkingTree tree = current_;
  if (improve_subtrees(tree)) offer(std::move(tree));
}

void PrimalSearch::offer(WorkingTree tree) {
  tree.prune(leaf_penalty_, most_leaves_);
  const Ticks accepted = cost() + slack_;
  const bool is_worse = best_.root().n_leaves > 1 && tree.cost(leaf_penalty_) > accepted + accepted / 8;
  if (!is_worse) improvement_.improve(tree, leaf_penalty_, kPasses);
  tree.prune(leaf_penalty_, most_leaves_);
  if (tree.cost(leaf_penalty_) <= accepted + accepted / kWorse && improve_subtrees(tree)) {
    improvement_.improve(tree, leaf_penalty_, 1);
    tree.prune(leaf_penalty_, most_leaves_);
  }
  const Ticks found = tree.cost(leaf_penalty_);
  const bool is_better = found < cost() || (found == cost() && tree.root().n_leaves < n_leaves());
  if (!is_better && (found == current_.cost(leaf_penalty_) || found > cost() + slack_ || slack_ == 0)) return;
  current_ = std::move(tree);
  // The steps that are planned are about nodes of the old tree.
  for (std::vector<Step>* planned : {&steps_, &put_off_})
    std::erase_if(*planned, [](const Step& step) { return step.node != WorkingTree::kRoot; });
  if (!is_better) return;
  best_ = current_;
  has_gained_ = true;
}

std::uint32_t PrimalSearch::depth_below(WorkingTree::NodeIndex node) const {
  return most_depth_ - current_.node(node).depth;
}

std::uint32_t PrimalSearch::coarse_depth() const { return std::min(most_depth_, kCoarseDepth); }

/// Of a subtree that is grown at once: a little more than its leaves need if they are balanced.
std::uint32_t PrimalSearch::useful_depth() const {
  return std::max<std::uint32_t>(3, static_cast<std::uint32_t>(std::bit_width(n_leaves())) + 1);
}

}  // namespace hornbeam::primal
