#include "ordered/ordered_subproblems.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hornbeam::ordered {

namespace {

void require_runs(const std::vector<sorted::OpenThresholds>& runs, const sorted::SortedRows& rows) {
  std::vector<sorted::Threshold> thresholds;
  for (const sorted::OpenThresholds& run : runs) {
    bool holds = run.variable < rows.n_variables();
    if (holds) {
      rows.list_thresholds(run.variable, thresholds);
      holds = -1 <= run.low.index && run.low.index < run.first && run.first <= run.last && run.last < run.high.index &&
              run.high.index <= std::ssize(thresholds);
    }
    if (!holds) throw std::invalid_argument("splits: there is no such run of thresholds");
  }
}

/// What a stopped worker has left, as subproblems for others.
class OpenLevels {
 public:
  OpenLevels(const OrderedProblem& problem, const sorted::SortedRows& rows,
             const std::deque<OrderedWorker::Level>& levels)
      : problem_(problem), rows_(&rows), levels_(levels) {}

  std::vector<OpenLevel> read() {
    std::vector<OpenLevel> open;
    for (const OrderedWorker::Level& level : levels_) {
      if (!level.is_stopped) break;
      open.push_back({level.bound, level.heap.open_runs(), std::nullopt});
      if (!level.tried || !has_leaves(level)) break;
      const StoppedThreshold& stopped = open.back().stopped.emplace(stopped_threshold(level));
      if (!stopped.has_sides) break;
      rows_ = &last_side_;
    }
    return open;
  }

  KnownSubproblem known(const sorted::SortedRows& rows, TreeSize size, const OrderedResult& result) const {
    KnownSubproblem known{size, result.lower, result.cost, {}};
    if (result.cost == kInfinity) return known;
    known.tree = read_preorder_tree(rows, result.preorder, problem_.columns, problem_.costs);
    known.tree.cost = result.cost;
    return known;
  }

 private:
  /// A threshold with too few rows on a side is no split of the trees that others look for.
  bool has_leaves(const OrderedWorker::Level& level) const {
    return problem_.costs.has_leaves(threshold_of(level).n_rows, rows_->n_rows());
  }
  static const sorted::Threshold& threshold_of(const OrderedWorker::Level& level) {
    return level.heap.thresholds_of(level.tried->variable)[static_cast<std::size_t>(level.tried->first)];
  }

  StoppedThreshold stopped_threshold(const OrderedWorker::Level& level) {
    const sorted::OpenThresholds& run = *level.tried;
    const sorted::Threshold& threshold = threshold_of(level);
    const sorted::ThresholdSplit split = rows_->split_behind(run.variable, threshold.n_rows);
    StoppedThreshold stopped{
        run, true, problem_.columns.first_column[split.variable] + split.threshold, {}, level.last_side};
    const Ticks lower[2] = {level.bounds.false_side, level.bounds.true_side};
    sorted::SortedRows side[2];
    for (const int x : {0, 1}) {
      rows_->make_child(run.variable, threshold.n_rows, x == 1, side[x], number_, unlimited_);
      const std::uint32_t leaves = problem_.costs.possible_leaves(side[x].n_rows(), level.size.leaves - 1);
      stopped.side[x] = known(side[x], {level.size.depth - 1, leaves}, level.side[x]);
      stopped.side[x].lower = std::max(stopped.side[x].lower, lower[x]);
    }
    stopped.has_sides = stopped.side[0].size.leaves + stopped.side[1].size.leaves <= level.size.leaves;
    last_side_ = std::move(side[level.last_side ? 1 : 0]);
    return stopped;
  }

  const OrderedProblem& problem_;
  const sorted::SortedRows* rows_;  // of the level
  const std::deque<OrderedWorker::Level>& levels_;
  sorted::SortedRows last_side_;
  std::vector<std::uint32_t> number_;
  run::Run never_stopped_;
  run::WorkMeter unlimited_{never_stopped_};
};

}  // namespace

OrderedSubproblems::OrderedSubproblems(const OrderedProblem& problem, std::optional<std::uint64_t> byte_limit)
    : problem_(problem), table_(byte_limit ? std::optional(*byte_limit / 2) : std::nullopt) {
  run::SearchLimits limits;
  limits.bytes = byte_limit;
  run::Run run(limits);
  run::WorkMeter meter(run);
  const std::uint64_t n_orders = problem_.columns.n_variables() + std::uint64_t{3};
  run.require(sizeof(std::uint32_t) * problem_.columns.n_rows * n_orders);
  rows_.sort(problem_.columns, problem_.rows, meter);
  table_.bytes() = rows_.bytes() + problem_.rows.bytes_of_gains();
  run.require(bytes());
}

sorted::SortedRows OrderedSubproblems::rows_at(const std::vector<Condition>& path, run::WorkMeter& meter) const {
  sorted::SortedRows rows, child;
  std::vector<std::uint32_t> number;
  const sorted::SortedRows* all = &rows_;
  for (const auto& [column, holds] : path) {
    const std::uint32_t variable = problem_.columns.variable_of(column);
    const std::uint32_t n_true = all->n_true_by({variable, column - problem_.columns.first_column[variable]});
    if ((holds ? n_true : all->n_rows() - n_true) == 0) throw std::invalid_argument("path: no row satisfies it");
    if (!all->make_child(variable, n_true, holds, child, number, meter)) throw run::Stopped{};
    std::swap(rows, child);
    all = &rows;
  }
  return rows;
}

OrderedOutcome OrderedSubproblems::solve(const OrderedSubproblem& subproblem, run::Run& run) {
  const auto& [path, size, bound, runs] = subproblem;
  OrderedOutcome outcome;
  outcome.found.size = size;
  run.guard([&] {
    OrderedState state(run, table_);
    OrderedWorker worker(problem_, state, [&] {
      run.report({kInfinity, 0, state.n_subproblems.load(std::memory_order_relaxed), bytes(), 0});
    });
    sorted::SortedRows part;
    if (!path.empty()) part = rows_at(path, worker.meter());
    const sorted::SortedRows& rows = path.empty() ? rows_ : part;
    if (runs) require_runs(*runs, rows);
    state.bytes.fetch_add(part.bytes(), std::memory_order_relaxed);
    OpenLevels levels(problem_, rows, worker.levels());
    run.guard([&] {
      const TreeSize most{size.depth, problem_.costs.possible_leaves(rows.n_rows(), size.leaves)};
      const OrderedResult found = runs ? worker.search(rows, most, bound, *runs) : worker.solve(rows, most, bound);
      outcome.found = levels.known(rows, size, found);
      if (run.stopped())
        outcome.levels = levels.read();
      else
        outcome.levels.push_back({bound, {}, std::nullopt});
    });
    worker.retire();
    state.bytes.fetch_sub(part.bytes(), std::memory_order_relaxed);
    outcome.is_cut = worker.was_cut_by_depth();
    outcome.n_subproblems = state.n_subproblems;
    outcome.counters = worker.counters();
  });
  return outcome;
}

}  // namespace hornbeam::ordered
