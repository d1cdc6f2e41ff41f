#include "lookahead/lookahead_search.hpp"

#include <algorithm>
#include <utility>

#include "bounds/equivalent_points.hpp"
#include "data/row_list.hpp"
#include "lookahead/prefixes.hpp"

namespace hornbeam::lookahead {

namespace {

/// Turns Splits into the tree that is returned.
class TreeWriter {
 public:
  TreeWriter(const rows::Problem& problem, const SplitList& splits) : problem_(problem), next_(splits.begin()) {}

  tree::ResultTree write() {
    add_node(data::all_rows(problem_.rows));
    return std::move(tree_);
  }

 private:
  void add_node(const data::RowList& rows) {
    const std::vector<std::int64_t> weight = data::target_weights(problem_.rows, rows);
    const std::uint32_t prediction = problem_.model.best_prediction(weight.data());
    const std::uint32_t split = *next_++;
    if (split == table::kNoSplit) {
      tree_.cost += problem_.leaf_cost + problem_.model.loss_of(weight.data(), prediction);
      return tree_.add_leaf(prediction);
    }
    const auto sides = data::partition(problem_.rows, rows, split);
    tree_.add_split(split, prediction, [&](bool side) { add_node(sides[side ? 1 : 0]); });
  }

  const rows::Problem& problem_;
  SplitList::const_iterator next_;
  tree::ResultTree tree_;
};

constexpr std::uint64_t kWorkBetweenPolls = std::uint64_t{1} << 19;

/// After a stop, sides of larger row sets are not made: the tree known before is returned.
constexpr std::uint64_t kMostBytesAfterStop = std::uint64_t{1} << 24;

class LookaheadSearch {
 public:
  LookaheadSearch(const rows::Problem& problem, const Lookahead& lookahead, run::Run& run, const ExactSearch& search)
      : problem_(problem),
        lookahead_(lookahead),
        depth_(problem.tree.depth.value_or(0)),
        run_(run),
        search_(search),
        meter_(run, kWorkBetweenPolls, [this] { report(); }),
        // Prefixes of a single level never lead to the same rows.
        prefixes_(problem.rows, problem.model, problem.leaf_cost, problem.tree.rows_per_leaf, lookahead.depth,
                  lookahead.depth > 1, lookahead.last_by_loss, run.limits().bytes, meter_) {}

  run::Outcome run() {
    now_.lower = lower_bound();
    const SplitList splits = find_splits();
    tree::ResultTree tree = TreeWriter(problem_, splits).write();
    now_.upper = tree.cost;
    now_.n_leaves = tree.n_leaves();
    counters_ += prefixes_.counters();
    const run::Progress& last = progress();
    return run_.finish(std::move(tree), last, counters_, prefixes_.table().size(),
                       run_.stopped() ? std::nullopt : std::optional(run::Status::heuristic));
  }

 private:
  SplitList find_splits() {
    rows::RowSet root;
    prefixes_.maker().make_root(root, run_);
    path_.push_back(&root);
    SplitList splits;
    now_.upper = prefixes_.greedy().leaf_cost(root.total.data());
    now_.n_leaves = 1;
    now_.upper = prefixes_.greedy().grow(root, depth_, splits, true);
    now_.n_leaves = static_cast<std::uint32_t>(std::count(splits.begin(), splits.end(), table::kNoSplit));
    report();
    run_.guard([&] {
      SplitList found;
      const bool looks_ahead = lookahead_.is_recursive || lookahead_.keeps_greedy || lookahead_.depth < depth_;
      const data::RowList numbers = solves_parts() ? data::all_rows(problem_.rows) : data::RowList();
      if (complete(root, numbers, depth_, looks_ahead ? lookahead_.depth : 0, found) <= now_.upper) splits.swap(found);
    });
    path_.clear();
    return splits;
  }

  /// Whether optimal trees replace the greedy ones. Only these need lists of rows.
  bool solves_parts() const { return !lookahead_.is_recursive && !lookahead_.keeps_greedy; }

  /// bounds/equivalent_points.hpp for the whole problem.
  Ticks lower_bound() {
    Ticks least_loss = 0;
    for (std::uint32_t row = 0; row < problem_.rows.n_rows; ++row)
      least_loss += problem_.model.least_loss_of_leaf(problem_.rows.weight(row));
    const Ticks leaf =
        prefixes_.greedy().leaf_cost(data::target_weights(problem_.rows, data::all_rows(problem_.rows)).data());
    if (depth_ == 0) return leaf;
    return std::min(leaf, bounds::cost_of_two_leaves_or_more(problem_.leaf_cost, least_loss));
  }

  const run::Progress& progress() {
    now_.n_subproblems = prefixes_.n_subproblems() + n_solved_ + n_in_part_;
    now_.bytes = problem_.rows.bytes() + prefixes_.bytes();
    for (const rows::RowSet* const rows : path_) now_.bytes += rows->bytes();
    if (prefixes_.table().is_full()) run_.stop(run::Status::memory_limit);
    return now_;
  }

  void report() { run_.report(progress()); }

  /// Appends the best prefix of `steps` levels with its leaves completed, and returns the cost. After a stop, the
  /// greedy tree if that costs less. `numbers` are those of the rows if `solves_parts`, otherwise empty.
  Ticks complete(rows::RowSet& rows, const data::RowList& numbers, std::uint32_t depth, std::uint32_t steps,
                 SplitList& splits) {
    if (lookahead_.keeps_greedy && steps == 0) return prefixes_.greedy().grow(rows, depth, splits);
    const std::size_t root = splits.size();
    Prefixes::Best prefix{prefixes_.greedy().leaf_cost(rows.total.data()), table::kNoSplit};
    if (steps > 0) prefix = prefixes_.best(rows, depth, steps);
    Ticks cost = prefix.cost;
    if (run_.stopped() && rows.bytes() > kMostBytesAfterStop) {
      splits.push_back(table::kNoSplit);
      return prefixes_.greedy().leaf_cost(rows.total.data());
    }
    if (prefix.column != table::kNoSplit) {
      const std::uint32_t steps_left = lookahead_.is_recursive ? lookahead_.depth : steps - 1;
      cost = complete_sides(rows, numbers, prefix.column, depth - 1, steps_left, splits);
    } else if (!solves_parts() || run_.stopped() || prefix.cost <= 2 * problem_.leaf_cost || depth == 0) {
      splits.push_back(table::kNoSplit);
    } else {
      cost = solve(numbers, depth, splits);
    }
    if (!run_.stopped()) return cost;
    // A stop may have left this subtree unfinished, but it must not be worse than the greedy one (K1).
    SplitList greedy;
    const Ticks greedy_cost = prefixes_.greedy().grow(rows, depth, greedy);
    if (greedy_cost >= cost) return cost;
    splits.resize(root);
    splits.insert(splits.end(), greedy.begin(), greedy.end());
    return greedy_cost;
  }

  Ticks complete_sides(rows::RowSet& rows, const data::RowList& numbers, std::uint32_t column, std::uint32_t depth,
                       std::uint32_t steps, SplitList& splits) {
    const std::uint32_t split = rows.columns[column];
    splits.push_back(split);
    const auto side = data::partition(problem_.rows, numbers, split);  // of no rows, unless parts are solved
    rows::SupportSet support[2];
    prefixes_.supports_of_sides(rows, column, support);
    prefixes_.maker().make_slot_rows(rows);
    Ticks cost = 0;
    for (const int x : {1, 0}) {
      rows::RowSet child;
      prefixes_.maker().make_child(rows, column, x == 1, support[x], child);
      path_.push_back(&child);
      cost += complete(child, side[x], depth, steps, splits);
      path_.pop_back();
    }
    return cost;
  }

  /// Appends the optimal tree of some rows, or the best that was found in time.
  Ticks solve(const data::RowList& numbers, std::uint32_t depth, SplitList& splits) {
    TreeLimits tree = problem_.tree;
    tree.depth = depth;
    run::SearchLimits limits = run_.limits();
    limits.gap = 0;
    if (limits.seconds) limits.seconds = std::max(0.0, *limits.seconds - run_.seconds());
    if (limits.bytes) limits.bytes = *limits.bytes - std::min(*limits.bytes, now_.bytes);
    run::Run run(limits, [this](const run::Progress& at) {
      n_in_part_ = at.n_subproblems;
      report();
      return run_.stopped();
    });
    try {
      const data::DistinctRows rows = problem_.rows.of(numbers, run);
      const rows::Problem part{rows, problem_.model, problem_.leaf_cost, tree, problem_.bounds};
      const run::Outcome outcome = search_(part, run);
      n_solved_ += outcome.n_subproblems;
      counters_ += outcome.counters;
      n_in_part_ = 0;
      run_.count_bytes(now_.bytes + outcome.bytes);
      if (outcome.status != run::Status::optimal) run_.stop(outcome.status);
      if (numbers.size() == problem_.rows.n_rows) now_.lower = std::max(now_.lower, outcome.lower);
      for (const std::int32_t column : outcome.tree.column)
        splits.push_back(column < 0 ? table::kNoSplit : static_cast<std::uint32_t>(column));
      return outcome.tree.cost;
    } catch (const run::Stopped&) {
      run_.stop(run.reason().value_or(run::Status::interrupted));
      splits.push_back(table::kNoSplit);
      return prefixes_.greedy().leaf_cost(data::target_weights(problem_.rows, numbers).data());
    }
  }

  Counters counters_;
  const rows::Problem& problem_;
  const Lookahead& lookahead_;
  const std::uint32_t depth_;
  run::Run& run_;
  const ExactSearch& search_;
  run::WorkMeter meter_;
  std::vector<const rows::RowSet*> path_;  // from the root to the node that is completed
  Prefixes prefixes_;
  run::Progress now_{};
  std::uint64_t n_solved_ = 0, n_in_part_ = 0;
};

}  // namespace

run::Outcome search_lookahead(const rows::Problem& problem, const Lookahead& lookahead, run::Run& run,
                              const ExactSearch& search) {
  return LookaheadSearch(problem, lookahead, run, search).run();
}

}  // namespace hornbeam::lookahead
