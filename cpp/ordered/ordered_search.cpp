#include "ordered/ordered_search.hpp"

#include <algorithm>
#include <new>
#include <optional>

namespace hornbeam {

namespace {

/// A node of a tree that was found. What is below a small one, a leaf or the best stump, is found again at the end.
struct PlanNode {
  enum class Kind { leaf, small, split } kind;
  RankSplit split{};
};

/// A tree in pre-order, true sides first.
using Plan = std::vector<PlanNode>;

Plan join(const RankSplit& root, const Plan& held, const Plan& failed) {
  Plan plan{{PlanNode::Kind::split, root}};
  plan.insert(plan.end(), held.begin(), held.end());
  plan.insert(plan.end(), failed.begin(), failed.end());
  return plan;
}

struct Result {
  Ticks lower = 0;         // of all trees that cost less than asked for
  Ticks cost = kInfinity;  // of the tree `plan` if it costs less than asked for
  Plan plan;
};

/// What one level of the recursion works with, kept from one subproblem to the next.
struct Level {
  std::vector<std::vector<Cut>> cuts;  // of each variable
  std::vector<OpenCuts> open;          // a heap, the lowest bound first
  OrderedRows child;

  std::uint64_t bytes() const { return bytes_of(cuts) + open.capacity() * sizeof(OpenCuts) + child.bytes(); }
};

class OrderedSearch {
 public:
  OrderedSearch(const OrderedProblem& problem, const SearchLimits& limits, StopSignal& stop,
                const std::function<bool(const Progress&)>& on_poll)
      : problem_(problem),
        limits_(limits),
        stop_(stop),
        on_poll_(on_poll),
        goes_on_([this](std::uint64_t work) { return goes_on(work); }),
        two_levels_(problem.costs, kernels(), problem.closes_cuts, goes_on_),
        levels_(problem.depth + std::size_t{1}) {}

  Outcome run() {
    open_root();
    try {
      root_depth_ = useful_depth(problem_.depth, now_.upper + 1);
      report(solve(root_, root_depth_, now_.upper + 1), root_depth_);
    } catch (const std::bad_alloc&) {
      stop_.stop(Status::memory_limit);
    }
    Outcome outcome;
    outcome.bytes = bytes();  // the largest number, since all is kept for reuse
    levels_.clear();
    Plan::const_iterator next = incumbent_.begin();
    read_tree(root_, next, outcome.tree);
    outcome.tree.cost = now_.upper;
    outcome.lower = now_.lower;
    const bool proven = now_.lower >= now_.upper;
    outcome.status = proven ? Status::optimal : stop_.reason().value_or(Status::interrupted);
    outcome.n_subproblems = n_subproblems_;
    outcome.seconds = stop_.elapsed();
    outcome.trace = std::move(trace_);
    return outcome;
  }

 private:
  /// Sorts the rows, with the single leaf as the first tree.
  void open_root() {
    const RankedColumns& columns = problem_.columns;
    std::vector<std::int64_t> weight(problem_.n_classes, 0);
    for (std::uint32_t row = 0; row < columns.n_rows; ++row)
      weight[static_cast<std::size_t>(problem_.classes[row])] += problem_.weights[row];
    now_.upper = leaf_cost(weight);
    now_.lower = std::min(now_.upper, problem_.costs.leaf);
    incumbent_ = {{PlanNode::Kind::leaf}};
    check_room(sizeof(std::uint32_t) * std::uint64_t{columns.n_rows} * (columns.n_variables() + std::uint64_t{2}));
    try {
      poll();
      if (!goes_on(0) || !root_.sort(columns, problem_.classes, problem_.weights, problem_.n_classes, goes_on_))
        throw StoppedBeforeSearch{};
      poll();
    } catch (const std::bad_alloc&) {
      stop_.stop(Status::memory_limit);
      throw StoppedBeforeSearch{};
    }
  }

  template <class Weight>
  Ticks leaf_cost(const std::vector<Weight>& class_weight) const {
    Ticks all = 0, most = 0;
    for (const Ticks weight : class_weight) {
      all += weight;
      most = std::max(most, weight);
    }
    return problem_.costs.leaf + problem_.costs.price * (all - most);
  }

  bool goes_on(std::uint64_t work) {
    work_ += work;
    if (work_ >= problem_.work_between_polls) poll();
    return !stop_.stopped();
  }

  /// Looks at the clock and at the memory, and tells the caller.
  void poll() {
    work_ = 0;
    stop_.check_clock();
    check_room(0);
    now_.seconds = stop_.elapsed();
    now_.n_subproblems = n_subproblems_;
    now_.bytes = bytes();
    if (trace_.empty() || trace_.back().upper != now_.upper || trace_.back().lower != now_.lower)
      trace_.push_back(now_);
    const auto gap = static_cast<double>(now_.upper - now_.lower);
    if (now_.lower < now_.upper && limits_.gap > 0 && gap <= limits_.gap * static_cast<double>(now_.upper))
      stop_.stop(Status::gap_limit);
    if (!stop_.stopped() && on_poll_(now_)) stop_.stop(Status::interrupted);
  }

  std::uint64_t bytes() const {
    std::uint64_t bytes = root_.bytes() + two_levels_.bytes() + sizeof(number_[0]) * number_.capacity();
    for (const Level& level : levels_) bytes += level.bytes();
    return bytes;
  }

  /// Stops the search if so many more bytes are too many.
  void check_room(std::uint64_t more) {
    if (limits_.bytes && bytes() + more > *limits_.bytes) stop_.stop(Status::memory_limit);
  }

  /// What is known of the whole problem; a bound only if it is about trees of every depth.
  void report(const Result& result, std::uint32_t depth) {
    if (result.cost < now_.upper) {
      now_.upper = result.cost;
      incumbent_ = result.plan;
    }
    if (depth == root_depth_) now_.lower = std::max(now_.lower, std::min(result.lower, now_.upper));
    poll();
  }

  /// The largest depth of a tree that costs less than `best`: it has more leaves than levels of splits.
  std::uint32_t useful_depth(std::uint32_t depth, Ticks best) const {
    const Ticks leaf = problem_.costs.leaf;
    return leaf == 0 ? depth : static_cast<std::uint32_t>(std::min<Ticks>(depth, (best - 1) / leaf - 1));
  }

  /// The best tree of at most this depth among those that cost less than `bound`.
  Result solve(const OrderedRows& rows, std::uint32_t depth, Ticks bound) {
    ++n_subproblems_;
    const Ticks leaf = leaf_cost(rows.class_weight()), two_leaves = 2 * problem_.costs.leaf;
    Result result{leaf, kInfinity, {}};
    Ticks best = bound;  // what a tree must stay below
    if (leaf < bound) {
      result.cost = best = leaf;
      result.plan = {{PlanNode::Kind::leaf}};
    }
    if (depth == 0 || leaf <= two_leaves) return result;
    result.lower = two_leaves;
    if (two_leaves >= best) return result;
    depth = useful_depth(depth, best);
    check_room(two_levels_.growth_for(rows));
    if (stop_.stopped()) return result;
    if (depth <= 2) {
      const TwoLevelResult small = depth == 1 ? best_stump(rows, best) : two_levels_.solve(rows, best);
      result.lower = std::min(best, small.lower);
      if (small.cost < best) {
        const Plan below{{depth == 1 ? PlanNode::Kind::leaf : PlanNode::Kind::small}};
        result = {result.lower, small.cost, join(small.root, below, below)};
      }
      return result;
    }
    // The whole problem is solved for every smaller depth before, so that a stop finds a good tree. Elsewhere this
    // costs more than it saves.
    const std::uint32_t smaller_depth = &rows == &root_ ? depth - 1 : 2;
    Result smaller = solve(rows, smaller_depth, best);
    const std::optional<RankSplit> root =
        smaller.cost < best ? std::optional(smaller.plan.front().split) : std::nullopt;
    if (smaller.cost < best) {
      result.cost = best = smaller.cost;
      result.plan = std::move(smaller.plan);
    }
    if (stop_.stopped()) return result;
    if (&rows == &root_)  // a deeper tree has a leaf more
      now_.lower = std::max(now_.lower, std::min(best, (Ticks{depth} + 1) * problem_.costs.leaf));
    depth = useful_depth(depth, best);
    if (depth <= smaller_depth) {
      result.lower = smaller.lower;
      return result;
    }
    levels_[depth].cuts.swap(smaller_depth == 2 ? two_levels_.cuts() : levels_[smaller_depth].cuts);
    search_cuts(rows, depth, best, root, result);
    return result;
  }

  /// Tries cuts as roots of deeper trees until none is open: `first`, then the middle of the run of lowest bound.
  void search_cuts(const OrderedRows& rows, std::uint32_t depth, Ticks best, const std::optional<RankSplit>& first,
                   Result& result) {
    Level& level = levels_[depth];
    std::vector<OpenCuts>& open = level.open;
    open.clear();
    for (std::uint32_t v = 0; v < rows.n_variables(); ++v)
      if (!level.cuts[v].empty()) open.push_back(all_open(v, level.cuts[v], problem_.costs.leaf));
    if (first) {  // all bounds are equal, so any order is a heap
      const auto has_first = [&](const OpenCuts& run) { return run.variable == first->variable; };
      std::iter_swap(open.begin(), std::find_if(open.begin(), open.end(), has_first));
    }
    const auto lowest_first = [](const OpenCuts& a, const OpenCuts& b) { return a.bound() > b.bound(); };
    Ticks abandoned = kInfinity;  // bound of the cut that a stop left half-way
    for (bool is_first = first.has_value();; is_first = false) {
      result.lower = std::min({best, abandoned, open.empty() ? kInfinity : open.front().bound()});
      if (&rows == &root_) report(result, depth);
      if (open.empty() || stop_.stopped()) return;
      std::pop_heap(open.begin(), open.end(), lowest_first);
      OpenCuts run = open.back();
      open.pop_back();
      const std::vector<Cut>& cuts = level.cuts[run.variable];
      if (problem_.closes_cuts) run.close(cuts, problem_.costs.price, best);
      if (run.is_empty()) continue;
      const std::int64_t cut = is_first ? cut_of(rows, *first, cuts) : middle(run, cuts);
      const CutBounds tried = try_cut(rows, depth, run, cut, best, result);
      best = std::min(best, result.cost);
      if (stop_.stopped()) abandoned = tried.held + tried.failed;
      for (const OpenCuts& part : {OpenCuts{run.variable, run.low, tried, run.first, cut - 1},
                                   OpenCuts{run.variable, tried, run.high, cut + 1, run.last}}) {
        if (part.is_empty()) continue;
        open.push_back(part);
        std::push_heap(open.begin(), open.end(), lowest_first);
      }
    }
  }

  /// Solves the sides of a cut of a run as far as it takes to know whether it costs less than `best`.
  CutBounds try_cut(const OrderedRows& rows, std::uint32_t depth, const OpenCuts& run, std::int64_t cut, Ticks best,
                    Result& result) {
    Level& level = levels_[depth];
    const std::vector<Cut>& cuts = level.cuts[run.variable];
    CutBounds tried{cut, problem_.costs.leaf, problem_.costs.leaf};
    if (problem_.closes_cuts) {
      tried.held = run.held_bound(cuts, problem_.costs.price, cut);
      tried.failed = run.failed_bound(cuts, problem_.costs.price, cut);
    }
    const std::uint32_t n_held = cuts[static_cast<std::size_t>(cut)].n_rows;
    Result side[2];
    // The smaller side first: it is cheaper, and what it costs is spared by the larger one.
    const int smaller = 2 * n_held <= rows.n_rows() ? 1 : 0;
    for (const int x : {smaller, 1 - smaller}) {
      Ticks& here = x == 1 ? tried.held : tried.failed;
      const Ticks other = x == 1 ? tried.failed : tried.held;
      if (here + other >= best || !make_child(rows, run.variable, n_held, x == 1, level.child)) break;
      // Asked for more than this cut needs: what is proven beyond it closes the cuts around.
      side[x] = solve(level.child, depth - 1, 2 * best - other);
      here = std::max(here, side[x].lower);
    }
    if (side[0].cost + side[1].cost < best) {
      result.cost = side[0].cost + side[1].cost;
      result.plan = join(rows.split_behind(run.variable, n_held), side[1].plan, side[0].plan);
    }
    return tried;
  }

  /// False if stopped, for want of memory perhaps.
  bool make_child(const OrderedRows& rows, std::uint32_t variable, std::uint32_t n_held, bool side,
                  OrderedRows& child) {
    const std::uint64_t needed = rows.bytes_of(side ? n_held : rows.n_rows() - n_held);
    if (needed > child.bytes()) check_room(needed - child.bytes());
    return goes_on(0) && rows.make_child(variable, n_held, side, child, number_, goes_on_);
  }

  /// The cut nearest to the middle of a run by weight.
  static std::int64_t middle(const OpenCuts& run, const std::vector<Cut>& cuts) {
    const auto begin = cuts.begin() + run.first, last = cuts.begin() + run.last;
    const auto at = std::lower_bound(begin, last, (begin->weight + last->weight) / 2,
                                     [](const Cut& cut, std::int32_t weight) { return cut.weight < weight; });
    return at - cuts.begin();
  }

  static std::int64_t cut_of(const OrderedRows& rows, const RankSplit& split, const std::vector<Cut>& cuts) {
    const auto at = std::lower_bound(cuts.begin(), cuts.end(), rows.n_held_by(split),
                                     [](const Cut& cut, std::uint32_t n) { return cut.n_rows < n; });
    return at - cuts.begin();
  }

  /// The best tree with two leaves if it costs less than `bound`. One pass over the rows, so it is not stopped.
  TwoLevelResult best_stump(const OrderedRows& rows, Ticks bound) const {
    TwoLevelResult best{bound, kInfinity, {}};
    const auto& total = rows.class_weight();
    std::vector<std::int32_t> held(total.size());
    for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
      std::fill(held.begin(), held.end(), 0);
      const std::uint32_t* entry = rows.entries(v);
      for (std::uint32_t i = 0; i + 1 < rows.n_rows(); ++i) {
        held[class_of(entry[i])] += rows.weight_of(row_of(entry[i]));
        if (!ends_rank(entry[i])) continue;
        std::int32_t most_held = 0, most_failed = 0;
        for (std::size_t k = 0; k < total.size(); ++k) {
          most_held = std::max(most_held, held[k]);
          most_failed = std::max(most_failed, total[k] - held[k]);
        }
        const Ticks cost = 2 * problem_.costs.leaf + problem_.costs.price * (rows.weight() - most_held - most_failed);
        if (cost < best.lower) best = {cost, cost, rows.split_behind(v, i + 1)};
      }
    }
    return best;
  }

  /// The better of a leaf and the best stump.
  Plan small_plan(const OrderedRows& rows) const {
    const Plan leaf{{PlanNode::Kind::leaf}};
    const TwoLevelResult stump = best_stump(rows, leaf_cost(rows.class_weight()));
    return stump.cost < kInfinity ? join(stump.root, leaf, leaf) : leaf;
  }

  /// Writes the subtree that begins at `next`, and moves on behind it.
  void read_tree(const OrderedRows& rows, Plan::const_iterator& next, ResultTree& tree) const {
    const PlanNode planned = *next++;
    if (planned.kind == PlanNode::Kind::small) {
      const Plan small = small_plan(rows);
      Plan::const_iterator begin = small.begin();
      return read_tree(rows, begin, tree);
    }
    const auto& weight = rows.class_weight();
    const std::size_t node = tree.column.size();
    tree.column.push_back(-1);
    tree.left.push_back(-1);
    tree.right.push_back(-1);
    tree.prediction.push_back(
        static_cast<std::int32_t>(std::max_element(weight.begin(), weight.end()) - weight.begin()));
    if (planned.kind == PlanNode::Kind::leaf) return;
    const RankSplit& split = planned.split;
    tree.column[node] = static_cast<std::int32_t>(problem_.columns.first_column[split.variable] + split.threshold);
    for (const bool side : {true, false}) {
      OrderedRows child;
      std::vector<std::uint32_t> number;
      rows.make_child(split.variable, rows.n_held_by(split), side, child, number, [](std::uint64_t) { return true; });
      (side ? tree.left : tree.right)[node] = static_cast<std::int32_t>(tree.column.size());
      read_tree(child, next, tree);
    }
  }

  const OrderedProblem& problem_;
  const SearchLimits& limits_;
  StopSignal& stop_;
  const std::function<bool(const Progress&)>& on_poll_;
  const GoesOn goes_on_;
  TwoLevelCuts two_levels_;
  std::vector<Level> levels_;  // by depth left
  OrderedRows root_;
  std::uint32_t root_depth_ = 0;
  Plan incumbent_;
  std::vector<std::uint32_t> number_;
  Progress now_{};
  std::vector<Progress> trace_;
  std::uint64_t n_subproblems_ = 0, work_ = 0;
};

}  // namespace

Outcome search_ordered(const OrderedProblem& problem, const SearchLimits& limits, StopSignal& stop,
                       const std::function<bool(const Progress&)>& on_poll) {
  return OrderedSearch(problem, limits, stop, on_poll).run();
}

}  // namespace hornbeam
