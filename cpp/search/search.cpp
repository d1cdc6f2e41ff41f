#include "search/search.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bounds/reference.hpp"
#include "kernels/kernels.hpp"
#include "packing/root_packing.hpp"
#include "pricing/root_pricing.hpp"
#include "run/checkpoint.hpp"
#include "run/threads.hpp"
#include "search/and_or_search.hpp"
#include "search/bounded_memory.hpp"
#include "search/column_pairs.hpp"
#include "search/priced_rows_of.hpp"
#include "search/read_tree.hpp"
#include "search/record_tree.hpp"
#include "shallow/sum_solver.hpp"

namespace hornbeam::search {

namespace {

/// That are counted in the time of a unit of packing.
constexpr std::uint64_t kWordsOfUnit = 128;
/// Words times predictions that are counted in the time of a unit of pricing.
constexpr std::uint64_t kWordsOfPricing = 24;

class Search {
 public:
  Search(const rows::Problem& problem, run::Run& run, primal::Companion* companion, EarlierSearches* earlier,
         const tree::ResultTree* start)
      : problem_(problem),
        run_(run),
        table_(make_table(run.limits(), problem.leaf_cost, earlier)),
        shared_{*table_, earlier, run, 0, problem.rows.bytes(), Claims(run.limits().threads > 1), false, {}, {}},
        memory_(problem, shared_),
        companion_(companion),
        earlier_(earlier),
        start_(start) {
    if (can_pack_pairs(problem)) {
      const data::DistinctRows& rows = problem.rows;
      const auto make = [this](run::WorkMeter& meter) {
        shared_.row_bits = bits_of_rows(problem_.rows);
        return pairs_of(problem_, meter);
      };
      packing_.emplace(packing::PairSizes{rows.n_rows, rows.n_columns, rows.n_columns}, make, problem.pair_packing,
                       kWordsOfUnit, run_, [this] { report(); });
      shared_.pairs = &packing_->order();
    }
    if (can_price_rows(problem)) {
      pricing_.emplace(
          bytes_to_price(problem), [this] { return priced_rows_of(problem_); }, problem.row_pricing,
          std::max<std::uint64_t>(kWordsOfPricing / problem.model.n_predictions(), 1), run_, [this] { report(); });
      shared_.prices = &pricing_->prices();
    }
    if (companion_ != nullptr) companion_->on_poll([this] { report(); });
  }

  run::Outcome run() {
    Frame root;
    AndOrSearch thread(problem_, shared_, kernels::kernels(), 0, [&] {
      memory_.on_poll(root_interval(), root.limits);
      report();
      find_better_tree(root.limits, thread.work() + (pricing_ ? pricing_->work() : 0));
      pack_pairs(root.limits, thread.work());
      price_rows(root.limits, thread.work());
      if (run_.checkpoint() != nullptr && run_.checkpoint()->is_due()) save(root.limits);
    });
    load();
    if (solve_by_sums(thread, root.limits)) return finish(root.limits, thread.counters());
    thread.open_root(root);
    root_key_ = root.key;
    sure_lower_ = std::min(problem_.leaf_cost + root.loss,
                           bounds::cost_of_two_leaves_or_more(problem_.leaf_cost, root.least_loss));
    reference_loss_ = root.rows.support.reference_loss;
    record_known_trees(root.limits);
    root.update(root_interval());
    if (earlier_ != nullptr) raise_to_earlier(root);
    report();
    // A good tree first: every bound is compared with it.
    thread.find_incumbent(root);
    report();
    // The helpers start from copies of the root, whose pair stage they would otherwise all repeat.
    const std::uint32_t n_threads = run_.limits().threads;
    std::vector<Frame> roots(n_threads - 1, root);
    shared_.frame_bytes += roots.size() * root.counted_bytes;
    std::vector<std::optional<AndOrSearch>> helpers(n_threads);
    const Ticks budget = run_.limits().cutoff ? *run_.limits().cutoff + 1 : kInfinity;
    run::on_threads(run_, n_threads, [&](std::uint32_t i) {
      if (i == 0)
        thread.solve(root, budget);
      else
        helpers[i]
            .emplace(problem_, shared_, kernels::kernels(), i, [this] { run_.check(); })
            .solve(roots[i - 1], budget);
      // A thread that returns without being stopped has raised the root to its budget. Once the table has forgotten
      // entries, the calling thread reads the tree before it ends the search.
      if (i == 0 && memory_.has_forgotten()) memory_.on_poll(root_interval(), root.limits);
      if (i == 0 || !memory_.has_forgotten()) run_.stop(run::Status::optimal);
    });
    Counters counters = thread.counters();
    for (const std::optional<AndOrSearch>& helper : helpers)
      if (helper) counters += helper->counters();
    return finish(root.limits, counters);
  }

 private:
  /// Solves the problem without any frame, if sums can; false if not.
  bool solve_by_sums(AndOrSearch& thread, NodeLimits& limits) {
    const std::optional<Whole> whole = thread.whole();
    if (!whole) return false;
    limits = whole->limits;
    root_key_ = whole->key();
    sure_lower_ = root_interval().lower;
    record_known_trees(limits);
    if (!thread.solve_whole(*whole, [this] { report(); })) return false;
    if (root_interval().is_closed()) run_.stop(run::Status::optimal);
    return true;
  }

  run::Outcome finish(const NodeLimits& limits, Counters counters) {
    counters.forgotten = table_->n_forgotten();
    if (companion_ != nullptr) counters.primal = companion_->n_found();
    run::Outcome found = outcome(limits, counters);
    if (run_.checkpoint() != nullptr) save(found.tree);
    if (earlier_ != nullptr) earlier_->add(problem_.leaf_cost, std::move(table_), found.tree);
    return found;
  }

  static std::unique_ptr<table::SubproblemTable> make_table(const run::SearchLimits& limits, Ticks leaf_cost,
                                                            EarlierSearches* earlier) {
    std::unique_ptr<table::SubproblemTable> table = earlier == nullptr ? nullptr : earlier->take(leaf_cost);
    std::optional<std::uint64_t> bytes = limits.bytes;
    if (bytes && earlier != nullptr) bytes = *bytes - std::min(*bytes, earlier->bytes());
    if (table == nullptr) return std::make_unique<table::SubproblemTable>(limits.threads > 1, bytes);
    table->reset(limits.threads > 1, bytes);
    return table;
  }

  /// Records the best tree of earlier searches, and the start tree.
  void record_known_trees(const NodeLimits& limits) {
    if (earlier_ != nullptr) {
      earlier_->require_same(problem_, root_key_.set);
      if (const tree::ResultTree* best = earlier_->best_tree(problem_))
        record_tree(problem_, shared_.table, limits, *best);
    }
    if (start_ != nullptr) record_tree(problem_, shared_.table, limits, *start_);
  }

  /// Every tree is a leaf, or has at least two of them.
  void raise_to_earlier(Frame& root) {
    root.raise(std::min(root.upper(), earlier_->bound(root.key, problem_.leaf_cost, root.least_loss, 2)));
    root.update(shared_.table.tighten(root.key, root));
  }

  table::Interval root_interval() const { return shared_.table.find(root_key_).value_or(table::Interval{}); }

  /// Goes on with the lower bounds of an earlier run; its tree is the start tree.
  void load() {
    const run::Checkpoint* const checkpoint = run_.checkpoint();
    if (checkpoint == nullptr || !checkpoint->saved()) return;
    shared_.has_guessed = checkpoint->saved()->has_guessed;
    checkpoint->read_body([this](const run::Checkpoint::Get& get) { table_->read_lower_bounds(get); });
  }

  void save(const NodeLimits& limits) {
    if (root_interval().upper() == kInfinity) return;  // not before the root is open
    // Once entries are forgotten, the tree at hand is the one that counts.
    save(memory_.has_forgotten() ? memory_.tree() : read_tree(problem_, shared_, limits));
  }

  void save(const tree::ResultTree& tree) {
    const run::Progress now = progress();
    run_.checkpoint()->save({run_.seconds(), now.lower, shared_.has_guessed, tree.column, tree.left, tree.right},
                            [this](const run::Checkpoint::Put& put) { table_->put_lower_bounds(put); });
  }

  run::Progress progress() const {
    const table::Interval root = root_interval();
    Ticks lower = root.lower;
    // Once a guess has replaced a bound, the root's bound is not proven: only what the reference guarantees is.
    if (shared_.has_guessed)
      lower = root.lower < root.tree.cost
                  ? sure_lower_
                  : std::max(sure_lower_, bounds::bound_after_guesses(root.tree.cost, reference_loss_));
    const bool is_kept = memory_.has_forgotten();
    return {is_kept ? memory_.tree().cost : root.tree.cost, lower,
            shared_.n_subproblems.load(std::memory_order_relaxed), shared_.bytes(),
            is_kept ? memory_.tree().n_leaves() : root.tree.shape.leaves};
  }

  void report() { run_.report(progress()); }

  /// The table is where all frames look for trees.
  void find_better_tree(const NodeLimits& limits, std::uint64_t searched) {
    if (companion_ == nullptr) return;
    const std::uint64_t bytes_before = companion_->bytes();
    const bool is_better = companion_->improve(searched, shared_.bytes());
    shared_.frame_bytes += companion_->bytes() - bytes_before;
    if (is_better) record_tree(problem_, shared_.table, limits, companion_->tree());
  }

  void pack_pairs(const NodeLimits& limits, std::uint64_t searched) {
    const table::Interval root = root_interval();
    if (!packing_ || root.upper() == kInfinity || limits.depth < kLeastDepthToPack) return;
    const std::uint64_t bytes_before = packing_->bytes();
    const bool has_risen = packing_->raise(searched, shared_.bytes(), root.upper());
    shared_.frame_bytes += packing_->bytes() - bytes_before;
    if (has_risen) adopt(packing_->bound());
  }

  void price_rows(const NodeLimits& limits, std::uint64_t searched) {
    const table::Interval root = root_interval();
    if (!pricing_ || root.upper() == kInfinity || limits.depth < problem_.row_pricing.least_depth) return;
    const std::uint64_t bytes_before = pricing_->bytes();
    const bool has_risen = pricing_->raise(searched, shared_.bytes(), root.lower);
    shared_.frame_bytes += pricing_->bytes() - bytes_before;
    if (has_risen) adopt(pricing_->bound());
  }

  /// Raises the root to what is proven of the whole problem.
  void adopt(Ticks bound) {
    shared_.table.tighten(root_key_, {std::min(root_interval().upper(), bound), {}});
    report();
    if (root_interval().is_closed()) run_.stop(run::Status::optimal);
  }

  run::Outcome outcome(const NodeLimits& limits, const Counters& counters) {
    memory_.keep_tree(limits);
    tree::ResultTree tree = memory_.tree();
    // A stop may come after the proof, and a proof just after a limit.
    const Ticks lower = root_interval().lower;
    const std::optional<Ticks>& cutoff = run_.limits().cutoff;
    std::optional<run::Status> unless_proven;
    if (lower >= tree.cost)
      unless_proven = run::Status::guessed;
    else if (cutoff && lower > *cutoff)
      unless_proven = run::Status::cutoff;
    else if (run_.reason() == run::Status::optimal)
      unless_proven = run::Status::memory_limit;  // the best tree was forgotten before it was read
    run::Progress last = progress();
    last.upper = tree.cost;  // what is below the root may be better than the root knows
    last.n_leaves = tree.n_leaves();
    return run_.finish(std::move(tree), last, counters, shared_.table.size(), unless_proven);
  }

  const rows::Problem& problem_;
  run::Run& run_;
  std::unique_ptr<table::SubproblemTable> table_;
  SharedState shared_;
  BoundedMemory memory_;
  primal::Companion* const companion_;
  EarlierSearches* const earlier_;
  const tree::ResultTree* const start_;
  table::SubproblemKey root_key_;
  Ticks sure_lower_ = 0;  // of the root, whatever is guessed
  Ticks reference_loss_ = 0;
  std::optional<packing::RootPacking> packing_;
  std::optional<pricing::RootPricing> pricing_;
};

}  // namespace

bool is_fast_by_sums(const rows::Problem& problem) {
  constexpr std::uint32_t kMostDepth = 5;
  return problem.tree.depth && *problem.tree.depth <= kMostDepth && shallow::SumSolver::is_usable(problem);
}

run::Outcome search(const rows::Problem& problem, run::Run& run, primal::Companion* companion, EarlierSearches* earlier,
                    const tree::ResultTree* start) {
  return Search(problem, run, companion, problem.bounds.leaf_penalty ? earlier : nullptr, start).run();
}

}  // namespace hornbeam::search
