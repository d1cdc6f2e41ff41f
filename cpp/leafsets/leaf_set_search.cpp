#include "leafsets/leaf_set_search.hpp"

#include <algorithm>
#include <new>
#include <unordered_set>

#include "bounds/equivalent_points.hpp"
#include "bounds/hierarchical_objective.hpp"
#include "bounds/incremental_progress.hpp"
#include "bounds/leaf_accuracy.hpp"
#include "bounds/leaf_count.hpp"
#include "bounds/leaf_support.hpp"
#include "bounds/lookahead.hpp"
#include "bounds/split_lookahead.hpp"
#include "leafsets/additive_loss.hpp"
#include "leafsets/leaf_set_tree.hpp"
#include "leafsets/policy.hpp"
#include "leafsets/queue.hpp"

namespace hornbeam {

namespace {

constexpr std::uint32_t kStepsBetweenPolls = 256;

template <class Objective>
class LeafSetSearch {
 public:
  LeafSetSearch(const DistinctRows& rows, const Costs& costs, Ticks leaf_cost, const TreeLimits& tree,
                const LeafSetOptions& options, const SearchLimits& limits, StopSignal& stop,
                const std::function<bool(const Progress&)>& on_poll)
      : rows_(rows),
        leaf_cost_(leaf_cost),
        tree_(tree),
        options_(options),
        bounds_(options.bounds),
        limits_(limits),
        stop_(stop),
        on_poll_(on_poll),
        leaves_(rows, costs),
        objective_(leaves_) {}

  Outcome run() {
    try {
      start();
      while (!queue_.empty() && !stop_.stopped()) {
        const OpenSet set = queue_.pop();
        at_ = &set;
        expand();
        if (!stop_.stopped()) at_ = nullptr;
      }
      if (!stop_.stopped()) {
        lower_ = upper_;
        poll();
      }
    } catch (const std::bad_alloc&) {
      stop_.stop(Status::memory_limit);
    }
    return outcome();
  }

 private:
  // ---- one set of leaves -------------------------------------------------------------------------------------------

  std::span<const LeafId> kept() const { return std::span(at_->leaves).first(at_->n_kept); }
  std::span<const LeafId> split() const { return std::span(at_->leaves).subspan(at_->n_kept); }

  void start() {
    objective_.fix({});
    consider(std::vector<LeafId>{0});
    const std::vector<LeafId> given = leaves_of(options_.start, leaves_, tree_.rows_per_leaf);
    if (!given.empty() && within_limits(given)) consider(given);
    sure_lower_ = std::min(upper_, cost_of_two_leaves_or_more(leaf_cost_, objective_.least_loss({}, root_)));
    lower_ = sure_lower_;
    poll();
    OpenSet root{0, bound({}, root_, 1), root_, 0};
    if (options_.as_published || can_split(0)) queue_.push(std::move(root));
  }

  bool within_limits(const std::vector<LeafId>& set) const {
    if (tree_.leaves && set.size() > *tree_.leaves) return false;
    return std::all_of(set.begin(), set.end(),
                       [&](LeafId id) { return !tree_.depth || leaves_[id].depth() <= *tree_.depth; });
  }

  /// Takes a set as the incumbent if it is better; `others` are its leaves beyond the fixed ones.
  void consider(const std::vector<LeafId>& others) {
    const auto n_leaves = static_cast<Ticks>((at_ ? at_->n_kept : 0) + others.size());
    value_ = objective_.loss(others) + leaf_cost_ * n_leaves;
    if (value_ >= upper_) return;
    upper_ = value_;
    best_.clear();
    if (at_) best_.assign(kept().begin(), kept().end());
    best_.insert(best_.end(), others.begin(), others.end());
    if (at_) poll();
  }

  /// What every tree costs that keeps the fixed leaves and these, and splits the others.
  Ticks bound(std::span<const LeafId> kept_too, std::span<const LeafId> to_split, std::size_t n_leaves) const {
    Ticks loss = 0;
    if (!bounds_.hierarchical_objective) {
      loss = bounds_.equivalent_points ? objective_.least_loss({}, root_) : 0;
    } else {
      loss = bounds_.equivalent_points ? objective_.least_loss(kept_too, to_split)
                                       : objective_.kept_loss(kept_too, to_split);
      n_leaves += 0;
    }
    Ticks cost = loss;
    if (bounds_.hierarchical_objective || bounds_.lookahead) cost += leaf_cost_ * static_cast<Ticks>(n_leaves);
    if (bounds_.lookahead) cost += lookahead(leaf_cost_, to_split.size());
    return cost;
  }

  void expand() {
    if (at_->bound >= upper_) return;
    objective_.fix(kept());
    if (fails_leaf_count()) return;
    columns_.clear();
    for (const LeafId id : split()) {
      columns_.emplace_back();
      for (std::uint32_t column = 0; column < rows_.n_columns; ++column)
        if (!leaves_[id].dead[column] && !leaves_[id].asks(column)) columns_.back().push_back(column);
    }
    new_.clear();
    choose_column(0);
  }

  bool fails_leaf_count() const {
    if (!bounds_.leaf_count) return false;
    const Ticks so_far = objective_.kept_loss({}, split()) + leaf_cost_ * static_cast<Ticks>(at_->leaves.size());
    return options_.as_published ? published_leaf_count(so_far, leaf_cost_, split().size(), upper_)
                                 : too_many_leaves(so_far, leaf_cost_, split().size(), upper_);
  }

  void choose_column(std::size_t which) {
    if (which == columns_.size()) return look_at_child();
    for (const std::uint32_t column : columns_[which]) {
      if (stop_.stopped()) return;
      if (!make_sides(split()[which], column)) continue;
      choose_column(which + 1);
      new_.resize(2 * which);
    }
  }

  /// Appends the sides of a split to the new leaves, unless no best tree splits so.
  bool make_sides(LeafId id, std::uint32_t column) {
    const std::size_t before = new_.size();
    for (const bool value : {false, true}) {
      const LeafId side = leaves_.side(id, column, value);
      new_.push_back(side);
      if (may_be(leaves_[side])) continue;
      leaves_[id].dead[column] = true;
      new_.resize(before);
      return false;
    }
    return true;
  }

  /// Whether some best tree may have a node with these rows.
  bool may_be(const Leaf& leaf) const {
    const std::uint64_t least = options_.as_published && tree_.rows_per_leaf == 1 ? 0 : tree_.rows_per_leaf;
    if (leaf.n_rows < static_cast<std::int64_t>(least)) return false;
    return !Objective::kIsSum || !bounds_.leaf_accuracy ||
           accurate_enough(leaf.largest_loss, leaf.loss, leaf_cost_);
  }

  bool can_split(LeafId id) {
    Leaf& leaf = leaves_[id];
    if (tree_.depth && leaf.depth() >= *tree_.depth) return false;
    if (Objective::kIsSum && bounds_.leaf_support) {
      const Ticks least = options_.as_published || !bounds_.equivalent_points ? 0 : leaf.least_loss;
      if (!worth_splitting(leaf.loss, least, leaf_cost_)) return false;
    }
    if (!options_.as_published && !leaf.is_open) open(id);
    for (std::uint32_t column = 0; column < rows_.n_columns; ++column)
      if (!leaves_[id].dead[column] && !leaves_[id].asks(column)) return true;
    return false;
  }

  /// Tries all columns, so that those that no best tree splits on are known.
  void open(LeafId id) {
    for (std::uint32_t column = 0; column < rows_.n_columns; ++column)
      if (!leaves_[id].dead[column] && !leaves_[id].asks(column)) make_sides_of(id, column);
    leaves_[id].is_open = true;
  }

  void make_sides_of(LeafId id, std::uint32_t column) {
    for (const bool value : {false, true})
      if (!may_be(leaves_[leaves_.side(id, column, value)])) {
        leaves_[id].dead[column] = true;
        return;
      }
  }

  void look_at_child() {
    step();
    const std::size_t n_leaves = at_->n_kept + new_.size();
    if (tree_.leaves && n_leaves > *tree_.leaves) return;
    if (bounds_.permutation && !is_new()) return;
    consider(new_);
    free_.clear();
    for (std::uint32_t i = 0; i < new_.size(); ++i)
      if (can_split(new_[i])) free_.push_back(i);
    needs_split_.clear();
    for (std::uint32_t i = 0; i < split().size(); ++i)
      if (Objective::kIsSum && bounds_.incremental_progress &&
          !progresses(leaves_[split()[i]].loss, leaves_[new_[2 * i]].loss + leaves_[new_[2 * i + 1]].loss, leaf_cost_))
        needs_split_.push_back(i);
    is_split_.assign(new_.size(), false);
    while (next_choice() && !stop_.stopped())
      if (std::all_of(needs_split_.begin(), needs_split_.end(),
                      [&](std::uint32_t i) { return is_split_[2 * i] || is_split_[2 * i + 1]; }))
        push_choice(n_leaves);
  }

  /// Counts up in binary, the last free leaf first; false when all choices have been made.
  bool next_choice() {
    for (std::size_t k = free_.size(); k-- > 0;) {
      is_split_[free_[k]] = !is_split_[free_[k]];
      if (is_split_[free_[k]]) return true;
    }
    return false;
  }

  void push_choice(std::size_t n_leaves) {
    step();
    keep_.clear();
    to_split_.clear();
    for (std::size_t i = 0; i < new_.size(); ++i) (is_split_[i] ? to_split_ : keep_).push_back(new_[i]);
    if (tree_.leaves && n_leaves + to_split_.size() > *tree_.leaves) return;
    const Ticks least = bound(keep_, to_split_, n_leaves);
    if (!options_.as_published && least >= upper_) return;
    OpenSet set;
    set.bound = least;
    set.leaves.reserve(n_leaves);
    set.leaves.assign(kept().begin(), kept().end());
    set.leaves.insert(set.leaves.end(), keep_.begin(), keep_.end());
    set.n_kept = static_cast<std::uint32_t>(set.leaves.size());
    set.leaves.insert(set.leaves.end(), to_split_.begin(), to_split_.end());
    const Ticks so_far = objective_.kept_loss(keep_, to_split_) + leaf_cost_ * static_cast<Ticks>(n_leaves);
    set.key = key_of(options_.policy, leaves_, {std::span(set.leaves).first(set.n_kept), to_split_, value_, so_far});
    queue_.push(std::move(set));
    ++n_queued_;
  }

  /// bounds/permutation.hpp.
  bool is_new() {
    Fingerprint name;
    for (const LeafId id : kept()) name ^= Fingerprint::of_row(id);
    for (const LeafId id : new_) name ^= Fingerprint::of_row(id);
    seen_bytes_ += name.heap_bytes();
    return seen_.insert(name).second;
  }

  // ---- limits and trace --------------------------------------------------------------------------------------------

  void step() {
    if (++steps_ % kStepsBetweenPolls == 0) poll();
  }

  /// The least bound of what is open; looked for again only when the search has done as much work since.
  void raise_lower() {
    if (options_.as_published || steps_ < next_look_) return;
    next_look_ = steps_ + queue_.size() + kStepsBetweenPolls;
    Ticks least = at_ ? std::min(upper_, at_->bound) : upper_;
    for (const OpenSet& each : queue_.entries()) least = std::min(least, each.bound);
    lower_ = std::max(lower_, least);
  }

  std::uint64_t bytes() const {
    return rows_.bytes() + leaves_.bytes() + queue_.bytes() + seen_bytes_ +
           seen_.size() * (sizeof(Fingerprint) + 2 * sizeof(void*)) + seen_.bucket_count() * sizeof(void*);
  }

  Progress progress() const { return {stop_.elapsed(), upper_, std::min(lower_, upper_), n_queued_, bytes()}; }

  void poll() {
    stop_.check_clock();
    raise_lower();
    const Progress now = progress();
    most_bytes_ = std::max(most_bytes_, now.bytes);
    if (trace_.empty() || trace_.back().upper != now.upper || trace_.back().lower != now.lower) trace_.push_back(now);
    if (limits_.bytes && now.bytes > *limits_.bytes) stop_.stop(Status::memory_limit);
    const auto gap = static_cast<double>(now.upper - now.lower);
    if (now.lower < now.upper && limits_.gap > 0 && gap <= limits_.gap * static_cast<double>(now.upper))
      stop_.stop(Status::gap_limit);
    if (!stop_.stopped() && on_poll_(now)) stop_.stop(Status::interrupted);
  }

  Outcome outcome() {
    next_look_ = 0;
    if (lower_ != upper_) raise_lower();
    Outcome result;
    result.tree = tree_of(best_, leaves_);
    result.tree.cost = upper_;
    const bool is_finished = lower_ >= upper_;
    if (options_.as_published) lower_ = sure_lower_;
    result.lower = std::min(lower_, upper_);
    const Status finished = options_.as_published && result.lower < upper_ ? Status::heuristic : Status::optimal;
    result.status = is_finished ? finished : stop_.reason().value_or(finished);
    result.n_subproblems = n_queued_;
    result.n_table_entries = seen_.size();
    result.bytes = most_bytes_;
    result.seconds = stop_.elapsed();
    result.trace = std::move(trace_);
    return result;
  }

  const DistinctRows& rows_;
  const Ticks leaf_cost_;
  const TreeLimits& tree_;
  const LeafSetOptions& options_;
  const LeafSetBounds& bounds_;
  const SearchLimits& limits_;
  StopSignal& stop_;
  const std::function<bool(const Progress&)>& on_poll_;

  const std::vector<LeafId> root_{0};
  Leaves leaves_;
  Objective objective_;
  Queue queue_;
  std::unordered_set<Fingerprint, FingerprintHash> seen_;
  const OpenSet* at_ = nullptr;  // what is being expanded
  Ticks upper_ = kInfinity, lower_ = 0, sure_lower_ = 0, value_ = 0;
  std::vector<LeafId> best_;
  std::uint64_t n_queued_ = 0, steps_ = 0, next_look_ = 0, most_bytes_ = 0, seen_bytes_ = 0;
  std::vector<Progress> trace_;

  // Of the set that is being expanded, kept for reuse.
  std::vector<std::vector<std::uint32_t>> columns_;  // to try, of each leaf to split
  std::vector<LeafId> new_, keep_, to_split_;
  std::vector<std::uint32_t> free_, needs_split_;
  std::vector<bool> is_split_;
};

}  // namespace

Outcome search_leaf_sets(const DistinctRows& rows, const Costs& costs, Ticks leaf_cost, const TreeLimits& tree,
                         const LeafSetOptions& options, const SearchLimits& limits, StopSignal& stop,
                         const std::function<bool(const Progress&)>& on_poll) {
  return LeafSetSearch<AdditiveLoss>(rows, costs, leaf_cost, tree, options, limits, stop, on_poll).run();
}

}  // namespace hornbeam
