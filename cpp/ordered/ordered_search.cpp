#include "ordered/ordered_search.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace hornbeam {

namespace {

/// Work between two looks at the clock.
constexpr std::uint64_t kWorkBetweenPolls = 1 << 20;

/// One position of a plan: a leaf, this split, or the better of a leaf and the best stump, which is found again.
struct PlanNode {
  enum class Kind { leaf, split, small } kind;
  RankSplit split;
};

/// The upper levels of a tree, by position: the sides of position i are 2i + 1 (true) and 2i + 2.
using Plan = std::vector<std::optional<PlanNode>>;

const PlanNode kLeafNode{PlanNode::Kind::leaf, {}}, kSmallNode{PlanNode::Kind::small, {}};
PlanNode split_at(const RankSplit& split) { return {PlanNode::Kind::split, split}; }

struct Result {
  Ticks lower;
  Ticks cost = kInfinity;  // of the tree `plan` if it costs less than asked for
  Plan plan;
};

class OrderedSearch {
 public:
  OrderedSearch(const OrderedProblem& problem, const SearchLimits& limits, StopSignal& stop,
                const std::function<bool(const Progress&)>& on_poll)
      : problem_(problem),
        limits_(limits),
        stop_(stop),
        on_poll_(on_poll),
        two_levels_(problem.costs, kernels(), problem.closes_cuts, [this](std::uint64_t work) { return goes_on(work); }),
        root_(problem.columns, problem.classes, problem.weights, problem.n_classes) {
    bytes_ = root_.bytes();
  }

  Outcome run() {
    now_.upper = leaf_cost(root_);
    now_.lower = std::min(now_.upper, problem_.costs.leaf);
    poll();
    const Result result = solve(root_, problem_.depth, now_.upper + 1, true);
    report(result.cost, result.lower);
    Outcome outcome;
    read_tree(root_, result.plan, 0, outcome.tree);
    outcome.tree.cost = now_.upper;
    outcome.lower = now_.lower;
    const bool proven = now_.lower >= now_.upper;
    outcome.status = proven ? Status::optimal : stop_.reason().value_or(Status::interrupted);
    outcome.n_subproblems = n_subproblems_;
    outcome.bytes = bytes_;
    outcome.seconds = stop_.elapsed();
    outcome.trace = std::move(trace_);
    return outcome;
  }

 private:
  Ticks leaf_cost(const OrderedRows& rows) const {
    const auto& weight = rows.class_weight();
    return problem_.costs.leaf +
           problem_.costs.price * (rows.weight() - *std::max_element(weight.begin(), weight.end()));
  }

  bool goes_on(std::uint64_t work) {
    work_ += work;
    if (work_ >= kWorkBetweenPolls) {
      work_ = 0;
      stop_.check_clock();
      if (limits_.bytes && bytes_ > *limits_.bytes) stop_.stop(Status::memory_limit);
      poll();
    }
    return !stop_.stopped();
  }

  void poll() {
    now_.seconds = stop_.elapsed();
    now_.n_subproblems = n_subproblems_;
    now_.bytes = bytes_;
    if (trace_.empty() || trace_.back().upper != now_.upper || trace_.back().lower != now_.lower) trace_.push_back(now_);
    const auto gap = static_cast<double>(now_.upper - now_.lower);
    if (now_.lower < now_.upper && limits_.gap > 0 && gap <= limits_.gap * static_cast<double>(now_.upper))
      stop_.stop(Status::gap_limit);
    if (!stop_.stopped() && on_poll_(now_)) stop_.stop(Status::interrupted);
  }

  /// The best tree of at most this depth among those that cost less than `bound`.
  Result solve(const OrderedRows& rows, std::uint32_t depth, Ticks bound, bool is_root) {
    ++n_subproblems_;
    const Ticks leaf = leaf_cost(rows), two_leaves = 2 * problem_.costs.leaf;
    Result result{leaf, kInfinity, {}};
    Ticks best = bound;  // what a tree must stay below
    if (leaf < bound) {
      result.cost = best = leaf;
      result.plan = {kLeafNode};
    }
    if (depth == 0 || leaf <= two_leaves) return result;
    if (two_leaves >= best) {
      result.lower = two_leaves;
      return result;
    }
    const TwoLevelResult small = depth == 1 ? best_stump(rows, best) : two_levels_.solve(rows, best);
    if (small.cost < best) {
      result.cost = best = small.cost;
      const PlanNode& below = depth == 1 ? kLeafNode : kSmallNode;
      result.plan = {split_at(small.root), below, below};
    }
    result.lower = std::min(best, small.lower);
    if (depth > 2) search_cuts(rows, depth, best, small, result, is_root);
    return result;
  }

  /// Tries cuts as roots of deeper trees until none is open: the root of the best small tree first, then the middle
  /// of the run of lowest bound.
  void search_cuts(const OrderedRows& rows, std::uint32_t depth, Ticks best, const TwoLevelResult& small,
                   Result& result, bool is_root) {
    const Ticks leaf = problem_.costs.leaf;
    std::vector<std::vector<Cut>> cuts(rows.n_variables());
    std::vector<OpenCuts> open;  // a heap
    const auto lowest_first = [](const OpenCuts& a, const OpenCuts& b) { return a.bound() > b.bound(); };
    for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
      rows.list_cuts(v, cuts[v]);
      const auto n_cuts = static_cast<std::int64_t>(cuts[v].size());
      if (n_cuts > 0) open.push_back({v, {-1, leaf, leaf}, {n_cuts, leaf, leaf}, 0, n_cuts - 1});
    }
    std::make_heap(open.begin(), open.end(), lowest_first);
    Ticks abandoned = kInfinity;  // lowest bound of the cuts that a stop left half-way
    OrderedRows child;
    std::vector<std::uint32_t> spare;
    bool is_first = small.cost < kInfinity;
    while (!open.empty()) {
      if (is_root) report(best, std::min(open.front().bound(), best));
      if (!goes_on(rows.n_rows())) break;
      std::pop_heap(open.begin(), open.end(), lowest_first);
      if (is_first) std::swap(*std::find_if(open.begin(), open.end(), [&](const OpenCuts& run) {
                                return run.variable == small.root.variable;
                              }), open.back());
      OpenCuts run = open.back();
      open.pop_back();
      if (is_first) std::make_heap(open.begin(), open.end(), lowest_first);
      const std::vector<Cut>& of_variable = cuts[run.variable];
      if (problem_.closes_cuts) run.close(of_variable, problem_.costs.price, best);
      if (run.is_empty()) continue;
      const std::int64_t chosen = is_first ? cut_of(rows, small.root, of_variable) : middle(run, of_variable);
      is_first = false;
      CutBounds tried{chosen, leaf, leaf};
      if (problem_.closes_cuts) {
        tried.held = run.held_bound(of_variable, problem_.costs.price, chosen);
        tried.failed = run.failed_bound(of_variable, problem_.costs.price, chosen);
      }
      const std::uint32_t n_held = of_variable[static_cast<std::size_t>(chosen)].n_rows;
      // The smaller side first: it is cheaper, and what it costs is spared by the larger one.
      Result side[2];
      const int smaller = 2 * n_held <= rows.n_rows() ? 1 : 0;
      for (const int x : {smaller, 1 - smaller}) {
        Ticks& here = x == 1 ? tried.held : tried.failed;
        const Ticks other = x == 1 ? tried.failed : tried.held;
        if (here + other >= best || stop_.stopped()) break;
        rows.make_child(run.variable, n_held, x == 1, child, spare);
        // Asked for more than this cut needs: what is proven beyond it closes the cuts around.
        side[x] = solve(child, depth - 1, 2 * best - other, false);
        here = std::max(here, side[x].lower);
      }
      if (side[0].cost + side[1].cost < best) {
        result.cost = best = side[0].cost + side[1].cost;
        result.plan = join({run.variable, rows.ranks(run.variable)[n_held - 1]}, side[1].plan, side[0].plan);
      } else if (stop_.stopped()) {
        abandoned = std::min(abandoned, tried.held + tried.failed);
      }
      for (const OpenCuts& part : {OpenCuts{run.variable, run.low, tried, run.first, chosen - 1},
                                   OpenCuts{run.variable, tried, run.high, chosen + 1, run.last}}) {
        if (part.is_empty()) continue;
        open.push_back(part);
        std::push_heap(open.begin(), open.end(), lowest_first);
      }
    }
    result.lower = std::min({best, abandoned, open.empty() ? kInfinity : open.front().bound()});
  }

  /// What is known of the whole problem.
  void report(Ticks upper, Ticks lower) {
    now_.upper = std::min(now_.upper, upper);
    now_.lower = std::max(now_.lower, std::min(lower, now_.upper));
    poll();
  }

  /// The cut nearest to the middle of a run by weight.
  static std::int64_t middle(const OpenCuts& run, const std::vector<Cut>& cuts) {
    const auto begin = cuts.begin() + run.first, last = cuts.begin() + run.last;
    const auto at = std::lower_bound(begin, last, (begin->weight + last->weight) / 2,
                                     [](const Cut& cut, std::int64_t weight) { return cut.weight < weight; });
    return at - cuts.begin();
  }

  static std::uint32_t n_held_by(const OrderedRows& rows, const RankSplit& split) {
    const std::uint32_t* rank = rows.ranks(split.variable);
    return static_cast<std::uint32_t>(std::upper_bound(rank, rank + rows.n_rows(), split.threshold) - rank);
  }

  static std::int64_t cut_of(const OrderedRows& rows, const RankSplit& split, const std::vector<Cut>& cuts) {
    const auto at = std::lower_bound(cuts.begin(), cuts.end(), n_held_by(rows, split),
                                     [](const Cut& cut, std::uint32_t n) { return cut.n_rows < n; });
    return at - cuts.begin();
  }

  static Plan join(const RankSplit& root, const Plan& held, const Plan& failed) {
    Plan plan{split_at(root)};
    const Plan* side[2] = {&held, &failed};
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t i = 0; i < side[x]->size(); ++i) {
        // Position i is offset i + 1 - width on a level of that width; the whole tree has it one level further down.
        const std::size_t width = std::bit_floor(i + 1), at = 2 * width - 1 + x * width + (i + 1 - width);
        if (plan.size() <= at) plan.resize(at + 1);
        plan[at] = (*side[x])[i];
      }
    }
    return plan;
  }

  /// The best tree with two leaves.
  TwoLevelResult best_stump(const OrderedRows& rows, Ticks bound) const {
    TwoLevelResult best{bound, kInfinity, {}};
    const auto& total = rows.class_weight();
    std::vector<std::int32_t> held(total.size());
    for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
      std::fill(held.begin(), held.end(), 0);
      const std::uint32_t* entry = rows.entries(v);
      for (std::uint32_t i = 0; i + 1 < rows.n_rows(); ++i) {
        held[(entry[i] >> 1) & 127] += rows.weight_of(entry[i] >> 8);
        if ((entry[i] & 1) == 0) continue;
        std::int32_t most_held = 0, most_failed = 0;
        for (std::size_t k = 0; k < total.size(); ++k) {
          most_held = std::max(most_held, held[k]);
          most_failed = std::max(most_failed, total[k] - held[k]);
        }
        const Ticks cost = 2 * problem_.costs.leaf + problem_.costs.price * (rows.weight() - most_held - most_failed);
        if (cost < best.lower) best = {cost, cost, {v, rows.ranks(v)[i]}};
      }
    }
    return best;
  }

  /// Writes the subtree at `position` of the plan.
  void read_tree(const OrderedRows& rows, const Plan& plan, std::size_t position, ResultTree& tree) const {
    const auto& weight = rows.class_weight();
    const std::size_t node = tree.column.size();
    tree.column.push_back(-1);
    tree.left.push_back(-1);
    tree.right.push_back(-1);
    tree.prediction.push_back(
        static_cast<std::int32_t>(std::max_element(weight.begin(), weight.end()) - weight.begin()));
    std::optional<RankSplit> split;
    const PlanNode& planned = *plan[position];
    if (planned.kind == PlanNode::Kind::split) split = planned.split;
    if (planned.kind == PlanNode::Kind::small)
      if (const TwoLevelResult stump = best_stump(rows, leaf_cost(rows)); stump.cost < kInfinity) split = stump.root;
    if (!split) return;
    tree.column[node] = static_cast<std::int32_t>(problem_.columns.first_column[split->variable] + split->threshold);
    const bool is_stump = planned.kind == PlanNode::Kind::small;
    for (const bool side : {true, false}) {
      OrderedRows child;
      std::vector<std::uint32_t> spare;
      rows.make_child(split->variable, n_held_by(rows, *split), side, child, spare);
      (side ? tree.left : tree.right)[node] = static_cast<std::int32_t>(tree.column.size());
      if (is_stump)
        read_tree(child, {kLeafNode}, 0, tree);
      else
        read_tree(child, plan, 2 * position + (side ? 1 : 2), tree);
    }
  }

  const OrderedProblem& problem_;
  const SearchLimits& limits_;
  StopSignal& stop_;
  const std::function<bool(const Progress&)>& on_poll_;
  TwoLevelCuts two_levels_;
  OrderedRows root_;
  Progress now_{};
  std::vector<Progress> trace_;
  std::uint64_t n_subproblems_ = 0, bytes_ = 0, work_ = 0;
};

}  // namespace

Outcome search_ordered(const OrderedProblem& problem, const SearchLimits& limits, StopSignal& stop,
                       const std::function<bool(const Progress&)>& on_poll) {
  return OrderedSearch(problem, limits, stop, on_poll).run();
}

}  // namespace hornbeam
