#include "posterior/posterior_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "posterior/closest_rows.hpp"
#include "posterior/posterior_tree.hpp"
#include "posterior/posterior_worker.hpp"
#include "run/checkpoint.hpp"

namespace hornbeam::posterior {

namespace {

/// Work of a round of PosteriorWorker::improve; all rounds but one may use at most a kShareOfRounds-th of all work.
constexpr std::uint64_t kWorkOfRound = std::uint64_t{1} << 26;
constexpr std::uint64_t kShareOfRounds = 8;

/// The root's budget rises in steps. The first is this fraction of the first gap; the step grows by half after a round
/// with less than twice the work of all earlier rounds, and is halved after one with more than six times their work.
constexpr Ticks kFirstStep = 16;

PosteriorCosts costs_of(const data::DistinctRows& rows, const PosteriorModel& model, const PosteriorLimits& limits,
                        std::uint32_t least_distance) {
  std::vector<std::int64_t> totals(rows.n_targets, 0);
  std::int64_t largest = 0;
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
    const std::int64_t* weight = rows.weight(row);
    for (std::uint32_t k = 0; k < rows.n_targets; ++k) totals[k] += weight[k];
    largest = std::max(largest, std::accumulate(weight, weight + rows.n_targets, std::int64_t{0}));
  }
  return {model, {totals, rows.n_columns, largest, least_distance}, limits.depth};
}

/// What SavedProgress lacks of a tree.
void put_tree(const tree::ResultTree& tree, const run::Checkpoint::Put& put) {
  put(static_cast<std::uint64_t>(tree.cost));
  put(tree.prediction.size());
  for (const std::int32_t prediction : tree.prediction) put(static_cast<std::uint64_t>(prediction));
}

tree::ResultTree get_tree(const run::Checkpoint::Get& get) {
  tree::ResultTree tree;
  tree.cost = static_cast<Ticks>(get());
  for (std::uint64_t left = get(); left > 0; --left) tree.prediction.push_back(static_cast<std::int32_t>(get()));
  return tree;
}

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): one object a search
class PosteriorSearch {
 public:
  PosteriorSearch(const data::DistinctRows& rows, const PosteriorModel& model, const PosteriorLimits& limits,
                  const Bounds& bounds, run::Run& run)
      : rows_(rows),
        model_(model),
        limits_(limits),
        run_(run),
        costs_(costs_of(rows, model, limits, 1)),
        table_(false, run.limits().bytes),
        worker_(rows, costs_, pairs_, table_, run, limits.expansions,
                [this] {
                  report();
                  if (run_.checkpoint() != nullptr && run_.checkpoint()->is_due()) save();
                }),
        uses_pairs_(bounds.separated_pairs) {}

  run::Outcome run() {
    worker_.open_root(root_);
    run_.guard([this] {
      load();
      if (root_.known.is_closed()) return;
      // A first tree before the distances, which take long if there are many rows.
      worker_.grow(root_);
      report();
      measure_distances();
      find_trees(2);
      Ticks step = gap() / kFirstStep + 1;
      std::uint64_t work_on_proof = 0;
      while (!root_.known.is_closed() && !run_.stopped()) {
        find_trees(~std::uint32_t{0});
        const std::uint64_t before = worker_.work();
        const bool is_last = gap() / 2 <= step;  // not enough would be left for another round
        worker_.solve(root_, is_last ? kInfinity : root_.known.lower + step);
        const std::uint64_t round = worker_.work() - before;
        if (round < work_on_proof * 2) step += step / 2;
        if (round > work_on_proof * 6 && work_on_proof > 0) step = step / 2 + 1;
        work_on_proof += round;
        report();
      }
    });
    tree::ResultTree tree = read_posterior_tree(rows_, costs_, table_, !run_.stopped());
    root_.known.tree.cost = tree.cost;
    root_.known.tree.shape.leaves = tree.n_leaves();
    if (run_.checkpoint() != nullptr) save(tree);
    return run_.finish(std::move(tree), progress(), worker_.counters(), table_.size());
  }

 private:
  /// Measures the distances of rows of different classes, for the bounds. This takes long if there are many rows.
  void measure_distances() {
    costs_ = costs_of(rows_, model_, limits_, least_distance(rows_, run_));
    if (uses_pairs_) pairs_ = RowPairs(rows_, costs_, run_);
    root_.pairs = pairs_.all();
  }

  Ticks gap() const { return root_.known.tree.cost - root_.known.lower; }

  /// Runs rounds of growing width up to `widest`; the first two regardless of their work.
  void find_trees(std::uint32_t widest) {
    while (width_ < widest && !root_.known.is_closed() && !run_.stopped()) {
      if (width_ >= 2 && work_on_trees_ > worker_.work() / kShareOfRounds + kWorkOfRound) return;
      const std::uint64_t before = worker_.work();
      worker_.improve(root_, ++width_, before + kWorkOfRound + before / kShareOfRounds);
      work_on_trees_ += worker_.work() - before;
      report();
      if (root_.candidates.size() <= width_) width_ = ~std::uint32_t{0};
    }
  }

  /// Goes on with the lower bounds, the best tree and the rounds of an earlier run.
  void load() {
    const run::Checkpoint* const checkpoint = run_.checkpoint();
    if (checkpoint == nullptr || !checkpoint->saved()) return;
    root_.known.update_tree(record_posterior_tree(rows_, costs_, table_, saved_tree(*checkpoint)));
    checkpoint->read_body([this](const run::Checkpoint::Get& get) {
      get_tree(get);
      width_ = static_cast<std::uint32_t>(get());
      table_.read_lower_bounds(get);
    });
    root_.known.raise(std::min(checkpoint->saved()->lower, root_.known.tree.cost));
  }

  /// The table may not have the root's best tree yet, but a tree.
  void save() {
    if (root_.known.tree.cost < kInfinity) save(read_posterior_tree(rows_, costs_, table_, false));
  }

  void save(const tree::ResultTree& tree) {
    run_.checkpoint()->save({run_.seconds(), root_.known.lower, false, tree.column, tree.left, tree.right},
                            [&](const run::Checkpoint::Put& put) {
                              put_tree(tree, put);
                              put(width_);
                              table_.put_lower_bounds(put);
                            });
  }

  run::Progress progress() const {
    const std::uint64_t bytes = root_.rows.bytes() + root_.candidates.capacity() * sizeof(PosteriorWorker::Candidate);
    return {root_.known.tree.cost, root_.known.lower, worker_.n_expansions(), bytes + worker_.bytes(),
            root_.known.tree.shape.leaves};
  }

  void report() {
    if (table_.is_full()) run_.stop(run::Status::memory_limit);
    run_.report(progress());
  }

  const data::DistinctRows& rows_;
  const PosteriorModel& model_;
  const PosteriorLimits& limits_;
  run::Run& run_;
  PosteriorCosts costs_;
  RowPairs pairs_;
  table::SubproblemTable table_;
  PosteriorWorker worker_;
  PosteriorWorker::Frame root_;
  std::uint64_t work_on_trees_ = 0;
  std::uint32_t width_ = 0;
  const bool uses_pairs_;
};

}  // namespace

tree::ResultTree saved_tree(const run::Checkpoint& checkpoint) {
  const run::SavedProgress& saved = *checkpoint.saved();
  tree::ResultTree tree;
  checkpoint.read_body([&](const run::Checkpoint::Get& get) { tree = get_tree(get); });
  tree.column = saved.column;
  tree.left = saved.left;
  tree.right = saved.right;
  return tree;
}

run::Outcome search_posterior(const data::DistinctRows& rows, const PosteriorModel& model,
                              const PosteriorLimits& limits, const Bounds& bounds, run::Run& run) {
  return PosteriorSearch(rows, model, limits, bounds, run).run();
}

}  // namespace hornbeam::posterior
