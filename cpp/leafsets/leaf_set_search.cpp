#include "leafsets/leaf_set_search.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <utility>

#include "bounds/hierarchical_objective.hpp"
#include "bounds/incremental_progress.hpp"
#include "bounds/leaf_count.hpp"
#include "bounds/lookahead.hpp"
#include "bounds/permutation.hpp"
#include "bounds/split_lookahead.hpp"
#include "leafsets/additive_loss.hpp"
#include "leafsets/choices.hpp"
#include "leafsets/closed_splits.hpp"
#include "leafsets/closing_bound.hpp"
#include "leafsets/leaf_set_tree.hpp"
#include "leafsets/policy.hpp"
#include "leafsets/queue.hpp"

namespace hornbeam::leafsets {

namespace {

constexpr std::uint64_t kWorkBetweenPolls = std::uint64_t{1} << 19;  // rows
constexpr std::uint64_t kWorkOfStep = kWorkBetweenPolls / 256;
constexpr std::array kValues{false, true};
/// How many levels below a leaf are examined before a set in which it is split is queued.
constexpr std::uint32_t kLevels = 2;

template <class Objective>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): one object a search
class LeafSetSearch {
 public:
  /// `make_objective(leaves)` makes the objective.
  template <class MakeObjective>
  LeafSetSearch(const LeafSetProblem& problem, const LeafSetOptions& options, run::Run& run,
                MakeObjective make_objective)
      : rows_(problem.rows),
        leaf_cost_(problem.leaf_cost),
        tree_(problem.tree),
        options_(options),
        bounds_(options.bounds),
        run_(run),
        meter_(run, kWorkBetweenPolls, [this] { report(); }),
        leaves_(problem.rows, problem.model),
        objective_(make_objective(leaves_)),
        random_(options.seed) {}

  run::Outcome run() {
    run_.guard([this] {
      start();
      while (!queue_.empty() && !run_.stopped()) {
        if (n_expanded_ == options_.max_expansions) {
          run_.stop(run::Status::expansion_limit);
          break;
        }
        ++n_expanded_;
        expanded_ = queue_.pop();
        at_ = &expanded_;
        expand();
        at_ = nullptr;
        queue_.give_back(expanded_);
      }
      is_finished_ = !run_.stopped();  // else what was being expanded stays open, with its bound
    });
    if (best_.empty()) throw run::Stopped{};  // memory ran out before the first set
    next_search_ = 0;
    raise_lower();
    tree::ResultTree tree = tree_of(best_, leaves_);
    tree.cost = upper_;
    return run_.finish(std::move(tree), progress(), counters_, seen_.size(),
                       is_finished_ ? std::optional(run::Status::heuristic) : std::nullopt);
  }

 private:
  std::span<const LeafId> kept() const { return std::span(at_->leaves).first(at_->n_kept); }
  std::span<const LeafId> split() const { return std::span(at_->leaves).subspan(at_->n_kept); }

  void start() {
    objective_.fix({});
    consider(root_);
    lower_ = std::min(upper_, penalty_of(2));
    const auto penalty = Objective::kIsSum ? std::optional(leaf_cost_) : std::nullopt;
    const std::vector<LeafId> given = leaves_of(options_.start, leaves_, tree_.rows_per_leaf, penalty);
    if (!given.empty() && within_limits(given)) consider(given);
    if (can_split(0, root_)) {
      const OpenSet root{0, bound({}, root_, cost_so_far({}, root_, 1)) + beyond_rows(root_), queue_.take_leaves(1), 0};
      root.leaves[0] = root_[0];
      queue_.push(root);
    }
    has_started_ = true;
    report();
  }

  bool within_limits(const std::vector<LeafId>& set) const {
    if (tree_.leaves && set.size() > *tree_.leaves) return false;
    return std::all_of(set.begin(), set.end(),
                       [&](LeafId id) { return !tree_.depth || leaves_[id].depth() <= *tree_.depth; });
  }

  /// Makes a set the incumbent if it is better; `others` are its leaves besides the fixed ones.
  void consider(const std::vector<LeafId>& others) {
    value_ = objective_.loss(others) + penalty_of((at_ ? at_->n_kept : 0) + others.size());
    if (value_ >= upper_) return;
    std::vector<LeafId> better(others);
    if (at_) better.insert(better.begin(), kept().begin(), kept().end());
    best_ = std::move(better);  // nothing can fail between the set and its cost
    upper_ = value_;
    if (at_) run_.add_line(progress());
  }

  Ticks penalty_of(std::size_t n_leaves) const { return leaf_cost_ * static_cast<Ticks>(n_leaves); }

  /// The cost of the fixed leaves and of these, plus the penalty of the others.
  Ticks cost_so_far(std::span<const LeafId> kept_too, std::span<const LeafId> to_split, std::size_t n_leaves) {
    return bounds::hierarchical_objective(objective_.kept_loss(kept_too, to_split), n_leaves, leaf_cost_);
  }

  /// Lower bound on the trees that keep the fixed leaves and these, and split the others.
  Ticks bound(std::span<const LeafId> kept_too, std::span<const LeafId> to_split, Ticks so_far) {
    Ticks least = bounds_.hierarchical_objective ? so_far : 0;
    if (uses_split_lookahead())
      for (const LeafId id : to_split) least += leaves_[id].split_loss;
    else if (bounds_.equivalent_points)
      least += objective_.beyond_kept_loss(kept_too, to_split);
    if (bounds_.lookahead) least += bounds::lookahead(leaf_cost_, to_split.size());
    return least;
  }

  /// What bounds/few_segments.hpp adds for leaves to be split; 0 for those that it has not examined.
  Ticks beyond_rows(std::span<const LeafId> to_split) const {
    Ticks sum = 0;
    if (uses_few_segments())
      for (const LeafId id : to_split) sum += leaves_[id].split_loss;
    return sum;
  }

  bool uses_few_segments() const {
    if constexpr (Objective::kIsSum)
      return false;
    else
      return bounds_.split_lookahead && bounds_.lookahead && bounds_.equivalent_points && objective_.is_full_curve();
  }
  bool uses_split_lookahead() const { return Objective::kIsSum && bounds_.split_lookahead; }
  bool uses_similar_support() const { return Objective::kIsSum && bounds_.similar_support; }

  void expand() {
    if (at_->bound >= upper_) return;
    objective_.fix(kept());
    if (fails_leaf_count() && !closed_by(counters_.leaf_count)) return;
    columns_.clear();
    for (const LeafId id : split()) {
      columns_.emplace_back();
      for (std::uint32_t column = 0; column < rows_.n_columns; ++column)
        if (leaves_[id].may_be_split_on(column)) columns_.back().push_back(column);
    }
    new_.clear();
    choose_column(0, at_->bound);
  }

  /// Counts something that a bound closes; returns false to a caller that checks whether it is open.
  static bool closed_by(std::uint64_t& counter) {
    ++counter;
    return false;
  }

  void count_closed(Ticks so_far, Ticks by_rows) {
    const BoundsOfSet set{so_far, by_rows, to_split_.size(), uses_split_lookahead()};
    ++(counters_.*closing_bound(set, bounds_, leaf_cost_, upper_));
  }

  bool fails_leaf_count() {
    if (!bounds_.leaf_count) return false;
    const Ticks so_far = cost_so_far({}, split(), at_->leaves.size());
    return bounds::too_many_leaves(so_far, leaf_cost_, split().size(), upper_);
  }

  /// Chooses columns for the leaves to be split, leaf after leaf; `least` bounds all trees that split the first leaves
  /// on the columns chosen so far.
  void choose_column(std::size_t which, Ticks least) {
    if (which == columns_.size()) return evaluate_child();
    const LeafId id = split()[which];
    const bool is_last = which + 1 == columns_.size();
    ClosedSplits closed;
    for (const std::uint32_t column : columns_[which]) {
      step();
      if (uses_similar_support() && closed.close(leaves_, id, column) && !closed_by(counters_.similar_support))
        continue;
      const Ticks with_least = least + beyond_best_column(id, column);
      if (with_least >= upper_) {
        if (uses_few_segments()) ++counters_.few_segments;
        continue;
      }
      if (!make_sides(id, column)) continue;
      const Ticks with_column = bound_with_sides(which, with_least);
      if (with_column < upper_) {
        choose_column(which + 1, with_column);
      } else {
        counters_.split_lookahead += bounds_.split_lookahead;
        if (is_last && uses_similar_support()) closed.add(column, with_column - upper_);
      }
      new_.resize(2 * which);
    }
  }

  /// What bounds/few_segments.hpp adds for a leaf that is split on this column.
  Ticks beyond_best_column(LeafId id, std::uint32_t column) const {
    return uses_few_segments() ? leaves_[id].column_loss[column] - leaves_[id].split_loss : 0;
  }

  /// Lower bound on all trees that split the first leaves as chosen; the last of them, number `which`, is new.
  Ticks bound_with_sides(std::size_t which, Ticks least) {
    if constexpr (Objective::kIsSum) {
      if (!uses_split_lookahead() && !uses_similar_support()) return least;
      const Leaf& leaf = leaves_[split()[which]];
      const Ticks in_bound = uses_split_lookahead() ? leaf.split_loss : bounds_.equivalent_points ? leaf.least_loss : 0;
      return least + loss_of_side(leaves_[new_[2 * which]]) + loss_of_side(leaves_[new_[2 * which + 1]]) - in_bound;
    } else if (bounds_.split_lookahead && bounds_.equivalent_points) {
      return bound_with_one_split(which, least);
    }
    return least;
  }

  /// The bound of the set with two leaves for each that is split; every further leaf adds the leaf penalty.
  Ticks bound_by_rows() const { return at_->bound - beyond_rows(split()); }

  /// bounds/split_lookahead.hpp if the loss is not additive: none of the new sides is split again, or one, or several.
  Ticks bound_with_one_split(std::size_t which, Ticks least) {
    rest_.assign(split().begin() + static_cast<std::ptrdiff_t>(which) + 1, split().end());
    const Ticks one_more = bound_by_rows() + beyond_rows(rest_) + leaf_cost_, two_more = one_more + leaf_cost_;
    if (two_more < upper_) return least;
    const Ticks penalty = penalty_of(at_->leaves.size() + split().size());
    const auto cost = [&] {
      return penalty + objective_.kept_loss(new_, rest_) + objective_.beyond_kept_loss(new_, rest_) +
             beyond_rows(rest_);
    };
    const Ticks with_none = cost();
    if (with_none < upper_ || one_more >= upper_) return std::max(least, std::min(with_none, one_more));
    Ticks with_one = two_more;
    for (LeafId& side : new_) {
      // The last leaf stands in for the one that is split.
      rest_.push_back(side);
      std::swap(side, new_.back());
      const LeafId last = new_.back();
      new_.pop_back();
      with_one = std::min(with_one, cost() + leaf_cost_);
      new_.push_back(last);
      std::swap(side, new_.back());
      rest_.pop_back();
    }
    return std::max(least, std::min(with_none, with_one));
  }

  /// The least that a side costs, beyond the leaf that it is.
  Ticks loss_of_side(const Measured& side) const {
    return bounds::least_of_side(side.loss, bounds_.equivalent_points ? side.least_loss : 0, leaf_cost_);
  }

  /// Appends the sides of a split to the new leaves, unless no optimal tree has this split.
  bool make_sides(LeafId id, std::uint32_t column) {
    const std::size_t before = new_.size();
    for (const bool value : kValues) {
      const LeafId side = leaves_.side(id, column, value);
      new_.push_back(side);
      if (may_be(leaves_[side])) continue;
      leaves_.mark_dead(id, column);
      new_.resize(before);
      return false;
    }
    return true;
  }

  /// Whether some optimal tree may have a node with these rows.
  bool may_be(const Measured& leaf) {
    if (leaf.n_rows < static_cast<std::int64_t>(tree_.rows_per_leaf)) return false;
    return !bounds_.leaf_accuracy || objective_.may_be(leaf) || closed_by(counters_.leaf_accuracy);
  }

  /// `others` are the leaves besides the fixed ones, including this one.
  bool can_split(LeafId id, std::span<const LeafId> others) {
    const Leaf& leaf = leaves_[id];
    if (tree_.depth && leaf.depth() >= *tree_.depth) return false;
    if (bounds_.leaf_support && !objective_.is_worth_splitting(id, others, bounds_.equivalent_points))
      return closed_by(counters_.leaf_support);
    if (!leaf.is_open) open(id);
    evaluate_below(id, 1);
    if (uses_few_segments() && bounds_.leaf_support && !objective_.is_worth_splitting(id, others, true))
      return closed_by(counters_.few_segments);
    for (std::uint32_t column = 0; column < rows_.n_columns; ++column)
      if (leaves_[id].may_be_split_on(column)) return true;
    return false;
  }

  /// Tries all columns to find those that no optimal tree splits on; keeps sides only to examine what is below them.
  void open(LeafId id) {
    if constexpr (Objective::kIsSum) leaves_[id].split_loss = kInfinity;
    for (std::uint32_t column = 0; column < rows_.n_columns; ++column) {
      if (!leaves_[id].may_be_split_on(column)) continue;
      step();
      const auto& [false_side, true_side] = leaves_.measure_sides(id, column);
      if (!may_be(false_side) || !may_be(true_side)) {
        leaves_.mark_dead(id, column);
        continue;
      }
      if constexpr (Objective::kIsSum)
        leaves_[id].split_loss = std::min(leaves_[id].split_loss, loss_of_side(false_side) + loss_of_side(true_side));
      else if (uses_few_segments())
        for (const bool value : kValues) leaves_.side(id, column, value);
    }
    leaves_[id].is_open = true;
  }

  /// Raises the bound bounds/few_segments.hpp of a leaf by that of the leaves up to this many levels below.
  void evaluate_below(LeafId id, std::uint32_t n_levels) {
    if constexpr (!Objective::kIsSum)
      if (uses_few_segments())
        objective_.evaluate_below(id, n_levels, tree_.depth, [this](LeafId each) { open(each); });
  }

  void evaluate_child() {
    const std::size_t n_leaves = at_->n_kept + new_.size();
    if (tree_.leaves && n_leaves > *tree_.leaves) return;
    if (bounds_.permutation && !is_new() && !closed_by(counters_.permutation)) return;
    // The set is a tree by itself; then every choice of leaves to split is a state of its own.
    consider(new_);
    choices_.reset(new_.size());
    for (std::size_t i = 0; i < new_.size(); ++i)
      if (can_split(new_[i], new_)) choices_.add_free(i);
    needs_split_.clear();
    for (std::size_t i = 0; i < split().size(); ++i)
      if (Objective::kIsSum && bounds_.incremental_progress &&
          !bounds::progresses(leaves_[split()[i]].loss, leaves_[new_[2 * i]].loss + leaves_[new_[2 * i + 1]].loss,
                              leaf_cost_))
        needs_split_.push_back(i);
    counters_.incremental_progress += needs_split_.size();
    while (choices_.next())
      if (std::all_of(needs_split_.begin(), needs_split_.end(),
                      [&](std::size_t i) { return choices_.is_split(2 * i) || choices_.is_split(2 * i + 1); }))
        push_choice(n_leaves);
  }

  void push_choice(std::size_t n_leaves) {
    step();
    keep_.clear();
    to_split_.clear();
    for (std::size_t i = 0; i < new_.size(); ++i) (choices_.is_split(i) ? to_split_ : keep_).push_back(new_[i]);
    if (tree_.leaves && n_leaves + to_split_.size() > *tree_.leaves) return;
    // A bound on the rows alone also holds if some of them stay in leaves, and there are more leaves now.
    if (!Objective::kIsSum && bounds_.lookahead && bound_by_rows() + penalty_of(to_split_.size()) >= upper_ &&
        !closed_by(counters_.lookahead))
      return;
    const Ticks so_far = cost_so_far(keep_, to_split_, n_leaves);
    const Ticks by_rows = bound(keep_, to_split_, so_far);
    if (by_rows + beyond_rows(to_split_) >= upper_) return count_closed(so_far, by_rows);
    for (const LeafId id : to_split_) evaluate_below(id, kLevels);
    OpenSet set;
    set.bound = by_rows + beyond_rows(to_split_);
    if (set.bound >= upper_) return count_closed(so_far, by_rows);
    set.leaves = queue_.take_leaves(n_leaves);
    set.n_kept = static_cast<std::uint32_t>(n_leaves - to_split_.size());
    const auto middle = std::copy(kept().begin(), kept().end(), set.leaves.begin());
    std::copy(to_split_.begin(), to_split_.end(), std::copy(keep_.begin(), keep_.end(), middle));
    set.key = key_of(options_.policy, leaves_,
                     {std::span(set.leaves).first(set.n_kept), to_split_, objective_.share(value_),
                      objective_.share(so_far), random_});
    queue_.push(set);
    ++n_queued_;
  }

  bool is_new() {
    const Fingerprint fingerprint = bounds::fingerprint_of_set(kept(), new_);
    const auto next = static_cast<std::uint32_t>(seen_.size());
    if (seen_index_.find_or_add(fingerprint.hash(), next,
                                [&](std::uint32_t each) { return seen_[each] == fingerprint; }) != next)
      return false;
    seen_bytes_ += fingerprint.heap_bytes();
    seen_.push_back(fingerprint);
    return true;
  }

  /// Spends what was measured since the last step. Throws Stopped.
  void step() { meter_.require(kWorkOfStep + leaves_.work() - std::exchange(measured_, leaves_.work())); }

  /// Raises the lower bound to the least bound of all open sets. The queue is not ordered by bounds, so all of it is
  /// read; that is repeated only after as much other work.
  void raise_lower() {
    if (is_finished_) lower_ = upper_;
    if (is_finished_ || !has_started_ || meter_.spent() < next_search_) return;
    next_search_ = meter_.spent() + kWorkOfStep * queue_.size() + kWorkBetweenPolls;
    Ticks least = at_ ? std::min(upper_, at_->bound) : upper_;
    for (const auto& each : queue_.entries()) least = std::min(least, each.bound);
    lower_ = std::max(lower_, least);
  }

  std::uint64_t bytes() const {
    return rows_.bytes() + leaves_.bytes() + queue_.bytes() + seen_bytes_ + seen_.size() * sizeof(Fingerprint) +
           seen_index_.bytes();
  }

  run::Progress progress() const {
    return {upper_, std::min(lower_, upper_), n_queued_, bytes(), static_cast<std::uint32_t>(best_.size())};
  }

  void report() {
    raise_lower();
    run_.report(progress());
  }

  const data::DistinctRows& rows_;
  const Ticks leaf_cost_;
  const TreeLimits& tree_;
  const LeafSetOptions& options_;
  const Bounds& bounds_;
  run::Run& run_;
  run::WorkMeter meter_;
  const std::vector<LeafId> root_{0};
  Leaves leaves_;
  Objective objective_;
  Queue queue_;
  std::deque<Fingerprint> seen_;  // fingerprints of sets, in the order in which they were made
  NumberIndex seen_index_;
  OpenSet expanded_;
  const OpenSet* at_ = nullptr;  // the set that is being expanded
  Ticks upper_ = kInfinity, lower_ = 0, value_ = 0;
  bool has_started_ = false, is_finished_ = false;  // before and after the queue holds what is open
  std::vector<LeafId> best_;
  std::mt19937_64 random_;  // for the policy of that name
  Counters counters_;
  std::uint64_t n_queued_ = 0, n_expanded_ = 0, measured_ = 0, next_search_ = 0, seen_bytes_ = 0;
  // Of the set that is being expanded, kept for reuse.
  std::vector<std::vector<std::uint32_t>> columns_;  // to try, of each leaf to split
  std::vector<LeafId> new_, keep_, to_split_, rest_;
  std::vector<std::size_t> needs_split_;
  Choices choices_;
};

}  // namespace

run::Outcome search_leaf_sets(const LeafSetProblem& problem, const LeafSetOptions& options, run::Run& run) {
  return LeafSetSearch<AdditiveLoss>(problem, options, run,
                                     [&](const Leaves& leaves) { return AdditiveLoss(leaves, problem.leaf_cost); })
      .run();
}

run::Outcome search_auc(const LeafSetProblem& problem, const AucCosts& costs, const LeafSetOptions& options,
                        run::Run& run) {
  return LeafSetSearch<AucLoss>(problem, options, run,
                                [&](Leaves& leaves) { return AucLoss(problem.rows, leaves, problem.leaf_cost, costs); })
      .run();
}

}  // namespace hornbeam::leafsets
