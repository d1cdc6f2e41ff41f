#include "search/triple_search.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/each_bit.hpp"
#include "bounds/equivalent_points.hpp"
#include "data/triple_counter.hpp"
#include "run/threads.hpp"
#include "search/triple_tree.hpp"

namespace hornbeam::search {

namespace {

constexpr std::uint32_t kMostLevels = 3;
constexpr std::uint64_t kStepsBetweenPolls = 1 << 20;  // vector steps: some hundred microseconds
constexpr std::uint32_t kTilesOfForecast = 64;         // this share is counted before the time is estimated

/// A step by which all of `n` numbers are reached, and of which the first multiples are spread over them: close to the
/// golden ratio of `n`.
std::uint64_t spreading_step(std::uint64_t n) {
  std::uint64_t step = n * 5 / 8 + 1;
  while (std::gcd(step, n) != 1) ++step;
  return step;
}

class TripleSearch {
 public:
  TripleSearch(const rows::Problem& problem, const std::vector<std::int64_t>& weights, run::Run& run)
      : problem_(problem),
        weights_(weights),
        run_(run),
        n_tiles_((words_for(problem.rows.n_rows) + kTile - 1) / kTile) {
    const std::uint64_t n = problem.rows.n_columns, n_targets = problem.rows.n_targets;
    std::vector<Ticks> totals(n_targets, 0);
    Word most = 1;  // rows that a distinct one stands for
    for (std::uint32_t row = 0; row < problem.rows.n_rows; ++row) {
      least_loss_ += problem.model.least_loss_of_leaf(problem.rows.weight(row));
      for (std::size_t t = 0; t < n_targets; ++t) {
        totals[t] += problem.rows.weight(row)[t];
        most = std::max(most, times(row, t));
      }
    }
    leaf_.add_leaf(problem.model.best_prediction(totals.data()));
    const Ticks loss = problem.model.least_loss_of_leaf(totals.data());
    leaf_.cost = problem.leaf_cost + loss;
    // Up to three leaves, each one makes for a level.
    const Ticks most_leaves = bounds::most_leaves(problem.leaf_cost, loss, least_loss_);
    n_levels_ = most_leaves > kMostLevels ? *problem.tree.depth
                                          : std::min(*problem.tree.depth, static_cast<std::uint32_t>(most_leaves - 1));
    bytes_of_counter_ = data::TripleCounter::bytes(n, n_targets, most) + n * n * n * sizeof(std::int64_t);
    work_of_tile_ = kTile * (n_targets + n + n * n * (n_levels_ < kMostLevels ? 1 : n) / (std::uint64_t{6} * kLanes));
  }

  std::optional<run::Outcome> run(const Score& score) {
    const std::uint64_t free = run_.limits().bytes.value_or(~std::uint64_t{0}) - problem_.rows.bytes();
    const std::uint64_t n_threads =
        std::min<std::uint64_t>({run_.limits().threads, free / bytes_of_counter_, 1 + n_tiles_ / kTilesOfForecast});
    if (run_.limits().bytes.value_or(~std::uint64_t{0}) < problem_.rows.bytes() || n_threads == 0) return std::nullopt;
    bytes_ = problem_.rows.bytes() + n_threads * bytes_of_counter_;
    std::vector<data::TripleCounter> counters(
        n_threads, {problem_.rows.n_columns, problem_.rows.n_targets, n_levels_ < kMostLevels});
    run::on_threads(run_, static_cast<std::uint32_t>(n_threads), [&](std::uint32_t i) { count(counters[i], i == 0); });
    if (takes_too_long_) return std::nullopt;
    for (data::TripleCounter& counter : counters) counter.flush();
    for (std::size_t i = 1; i < counters.size(); ++i) counters[0].add(counters[i]);
    tree::ResultTree tree = tree_of(counters[0]);
    const bool is_complete = n_counted_ == n_tiles_;
    if (!is_complete) {
      tree = score({tree.column, tree.left, tree.right});
      if (leaf_.cost <= tree.cost) tree = leaf_;
    }
    run::Progress last = progress(tree);
    if (is_complete) last.lower = tree.cost;
    Counters found;
    found.three_levels = 1;
    return run_.finish(std::move(tree), last, found);
  }

 private:
  static constexpr std::uint32_t kTile = kernels::kTripleWords;

  void count(data::TripleCounter& counter, bool is_first) {
    run::WorkMeter meter(run_, kStepsBetweenPolls, [&] { poll(is_first); });
    while (!takes_too_long_ && meter.spend(work_of_tile_)) {
      const std::uint64_t at = next_tile_++;
      if (at >= n_tiles_) return;
      add_tile(counter, static_cast<std::uint32_t>(at * step_ % n_tiles_));
      ++n_counted_;
    }
  }

  void poll(bool is_first) {
    if (!is_first) {
      run_.check();
      return;
    }
    run_.report(progress(leaf_));
    const std::uint64_t n = n_counted_;
    const std::optional<double> limit = run_.limits().seconds;
    if (is_estimated_ || !limit || n * kTilesOfForecast < n_tiles_ || n == 0) return;
    is_estimated_ = true;
    // The other search would find better trees, and a better bound, in the time that is left.
    const double each = (run_.seconds() - begin_) / static_cast<double>(n);
    takes_too_long_ = run_.seconds() + each * static_cast<double>(n_tiles_ - n) > *limit;
  }

  void add_tile(data::TripleCounter& counter, std::uint32_t tile) const {
    const data::DistinctRows& rows = problem_.rows;
    const std::uint32_t end = std::min((tile + 1) * kTile, words_for(rows.n_rows));
    for (std::uint32_t word = tile * kTile; word < end; ++word) {
      counter.read([&](std::uint32_t c) { return rows.bits[std::size_t{word} * rows.stride + c]; });
      const std::uint32_t first = word * kWordBits, n = std::min(kWordBits, rows.n_rows - first);
      for (std::uint32_t row = 0; row < n; ++row)
        for (std::uint32_t t = 0; t < rows.n_targets; ++t)
          for_each_bit(times(first + row, t), 0,
                       [&](std::size_t shift) { counter.add_row(row, t, static_cast<std::uint32_t>(shift)); });
    }
  }

  /// How many rows of a target a distinct row stands for.
  Word times(std::uint32_t row, std::size_t target) const {
    const std::int64_t weight = problem_.rows.weight(row)[target];
    return static_cast<Word>(weights_[target] > 1 ? weight / weights_[target] : weight);
  }

  tree::ResultTree tree_of(const data::TripleCounter& counter) const {
    TripleCounts counts{counter.n_columns(), {}, {}};
    const std::uint32_t n_predictions = problem_.model.n_predictions();
    std::vector<Ticks> losses = problem_.model.costs();
    for (std::uint32_t t = 0; t < counter.n_targets(); ++t) {
      counts.held.push_back(counter.counts(t).data());
      counts.totals.push_back(counter.total(t));
      for (std::uint32_t k = 0; k < n_predictions; ++k) losses[t * std::size_t{n_predictions} + k] *= weights_[t];
    }
    return best_tree(counts, {losses, n_predictions, problem_.leaf_cost, problem_.tree.rows_per_leaf}, n_levels_);
  }

  run::Progress progress(const tree::ResultTree& tree) const {
    const Ticks lower = std::min(leaf_.cost, bounds::cost_of_two_leaves_or_more(problem_.leaf_cost, least_loss_));
    return {tree.cost, lower, 1, bytes_, tree.n_leaves()};
  }

  const rows::Problem& problem_;
  const std::vector<std::int64_t>& weights_;
  run::Run& run_;
  std::uint32_t n_levels_ = 0;  // that can pay
  const std::uint64_t n_tiles_;
  const std::uint64_t step_ = spreading_step(n_tiles_);
  const double begin_ = run_.seconds();
  std::uint64_t bytes_of_counter_ = 0, work_of_tile_ = 0, bytes_ = 0;
  Ticks least_loss_ = 0;  // of all trees
  tree::ResultTree leaf_;
  std::atomic<std::uint64_t> next_tile_ = 0, n_counted_ = 0;
  std::atomic<bool> takes_too_long_ = false;
  bool is_estimated_ = false;
};

}  // namespace

std::optional<std::vector<std::int64_t>> weights_of_targets(const data::RowTargets& targets, std::size_t n_rows) {
  if (targets.target.empty()) return std::nullopt;
  std::vector<std::int64_t> weights(targets.n_targets, 0);
  for (std::size_t row = 0; row < n_rows; ++row) {
    std::int64_t& weight = weights[static_cast<std::size_t>(targets.target[row])];
    if (weight == 0) weight = targets.weights[row] / targets.n_rows(row);
    if (weight * targets.n_rows(row) != targets.weights[row]) return std::nullopt;
  }
  return weights;
}

bool suits_triples(const rows::Problem& problem, std::optional<std::uint64_t> least_rows) {
  const TreeLimits& limits = problem.tree;
  return least_rows && problem.rows.n_rows > *least_rows && problem.rows.n_columns > 0 &&
         problem.rows.n_columns <= kMostTripleColumns && problem.rows.n_targets <= kMostTripleTargets && limits.depth &&
         *limits.depth <= kMostLevels && !limits.leaves && !limits.is_rule_list && !problem.has_reference();
}

std::optional<run::Outcome> search_triples(const rows::Problem& problem, const std::vector<std::int64_t>& weights,
                                           run::Run& run, const Score& score) {
  return TripleSearch(problem, weights, run).run(score);
}

}  // namespace hornbeam::search
