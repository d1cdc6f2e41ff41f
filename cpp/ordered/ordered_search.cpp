#include "ordered/ordered_search.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "ordered/ordered_worker.hpp"
#include "ordered/preorder_tree.hpp"
#include "ordered/shared_root.hpp"
#include "packing/root_packing.hpp"
#include "run/checkpoint.hpp"
#include "run/threads.hpp"

namespace hornbeam::ordered {

namespace {

/// A step asks for a quarter of a leaf penalty more than what is proven. Larger steps prove less in the same time.
constexpr Ticks kStepsPerLeaf = 4;
/// Trees of fewer levels are found level by level, unless packings prove nearly all.
constexpr std::uint32_t kLeastDepthOfSteps = 5, kLeastDepthIfNear = 4;

/// A turn of steps or of single depths takes a quarter of the work before it.
constexpr std::uint64_t kTurnsPerWork = 4;

/// That the search reads in the time of a unit of packing.
constexpr std::uint64_t kEntriesOfUnit = 2;

void put_open(const SharedRoot::Open& open, const run::Checkpoint::Put& put) {
  put(open.depth);
  put(static_cast<std::uint64_t>(open.lower));
  put(static_cast<std::uint64_t>(open.best));
  put(open.runs.size());
  for (const sorted::OpenThresholds& run : open.runs) {
    put(run.variable);
    for (const sorted::ThresholdBounds& end : {run.low, run.high})
      for (const std::int64_t number : {end.index, end.true_side, end.false_side})
        put(static_cast<std::uint64_t>(number));
    put(static_cast<std::uint64_t>(run.first));
    put(static_cast<std::uint64_t>(run.last));
  }
}

SharedRoot::Open read_open(const run::Checkpoint::Get& get) {
  const auto number = [&get] { return static_cast<std::int64_t>(get()); };
  SharedRoot::Open open;
  open.depth = static_cast<std::uint32_t>(get());
  open.lower = number();
  open.best = number();
  for (std::uint64_t left = get(); left > 0; --left) {
    sorted::OpenThresholds run{};
    run.variable = static_cast<std::uint32_t>(get());
    for (sorted::ThresholdBounds* const end : {&run.low, &run.high})
      for (std::int64_t* const part : {&end->index, &end->true_side, &end->false_side}) *part = number();
    run.first = number();
    run.last = number();
    open.runs.push_back(run);
  }
  return open;
}

class OrderedSearch {
 public:
  OrderedSearch(const OrderedProblem& problem, run::Run& run, primal::Companion* companion,
                const tree::ResultTree* start)
      : problem_(problem),
        run_(run),
        companion_(companion),
        table_(run.limits().bytes),
        state_(run, table_),
        root_(problem, state_, run.limits().threads) {
    state_.bytes = problem_.rows.bytes_of_gains();
    if (companion_ != nullptr) companion_->on_poll([this] { report(); });
    if (start != nullptr) root_.adopt(*start);
    if (can_pack_pairs(problem_)) {
      const data::OrderedColumns& columns = problem_.columns;
      packing_.emplace(
          packing::PairSizes{columns.n_rows, columns.n_variables(), columns.n_columns},
          [this](run::WorkMeter& meter) { return pairs_of(problem_, root_.rows(), meter); }, schedule(), kEntriesOfUnit,
          run_, [this] { report(); });
      state_.pairs = &packing_->order();
    }
    workers_.emplace_back(problem_, state_, [this] {
      report();
      find_better_tree();
      pack_pairs();
      if (is_sorted_ && run_.checkpoint() != nullptr && run_.checkpoint()->is_due()) save();
    });
  }

  run::Outcome run() {
    report();
    const bool is_sorted = root_.sort_rows(workers_.front().meter());
    if (is_sorted) {
      load();
      is_sorted_ = true;
      report();
      find_better_tree();
      run_.guard([this] {
        solve_every_depth();
        is_done_ = !run_.stopped() || root_.is_closed();
      });
    } else if (companion_ == nullptr || companion_->n_found() == 0) {
      throw run::Stopped{};
    }
    Counters counters = root_.counters();
    for (OrderedWorker& worker : workers_) {
      worker.publish();
      counters += worker.counters();
    }
    if (companion_ != nullptr) counters.primal = companion_->n_found();
    if (is_sorted && run_.checkpoint() != nullptr) save();
    workers_.clear();
    tree::ResultTree tree = is_sorted
                                ? read_preorder_tree(root_.rows(), root_.preorder(), problem_.columns, problem_.costs)
                                : companion_->tree();
    const run::Progress last = progress();
    if (is_sorted) tree.cost = last.upper;
    const run::Status unless_proven = run_.limits().cutoff ? run::Status::cutoff : run::Status::guessed;
    return run_.finish(std::move(tree), last, counters, state_.table.size(),
                       is_done_ ? std::optional(unless_proven) : std::nullopt);
  }

 private:
  /// Smaller depths are solved first, so that there is a good tree when a limit stops the search. The last depth is the
  /// one that no better tree exceeds, or that no subproblem reached.
  void solve_every_depth() {
    OrderedWorker& worker = workers_.front();
    // Depth two is solved as a whole, not threshold by threshold; it also lists the thresholds for the next depth.
    std::uint32_t depth = std::min(2u, problem_.size.depth);
    root_.learn(worker.solve(root_.rows(), {depth, problem_.size.leaves}, root_.best()), depth);
    worker.was_cut_by_depth();
    for (bool is_first = true; !run_.stopped(); is_first = false) {
      const std::optional<std::uint32_t> next = next_depth(depth, root_.useful_depth());
      if (!next) return;
      const bool goes_on = can_go_on();
      depth = goes_on ? earlier_.depth : *next;
      root_.open(depth, is_first ? worker.two_level_thresholds() : root_.thresholds());
      if (goes_on)
        root_.go_on(earlier_);
      else if (depth == 3 && worker.can_narrow(root_.rows()))
        root_.narrow(worker);
      earlier_ = {};
      while (workers_.size() < run_.limits().threads) workers_.emplace_back(problem_, state_, [] {});
      while (!try_thresholds([this] { return is_time_for_steps(); })) {
        left_ = root_.open_now();
        raise_in_steps();
        if (run_.stopped() || root_.is_closed()) return;
        root_.go_on(*std::exchange(left_, std::nullopt));
      }
      bool is_cut = run_.stopped() || goes_on;  // the earlier search may have been cut
      for (OrderedWorker& each : workers_) is_cut |= each.was_cut_by_depth();
      if (!is_cut) return root_.close();
    }
  }

  /// Tries the thresholds that are open, on all threads. False if it is time for something else, which is asked between
  /// two of them.
  bool try_thresholds(const std::function<bool()>& is_time_to_leave) {
    run::on_threads(run_, run_.limits().threads, [&](std::uint32_t i) {
      root_.work(workers_[i], i, [&, i] {
        if (i != 0) return;
        report();
        if (is_time_to_leave()) root_.leave();
      });
    });
    return !root_.is_left();
  }

  /// Packings get as much of the work as the search where steps need them.
  packing::Schedule schedule() const {
    packing::Schedule schedule = problem_.pair_packing;
    if (root_.useful_depth() >= kLeastDepthOfSteps)
      schedule.units_if_far = schedule.units_if_near;
    else
      schedule.units_if_near /= 4;
    return schedule;
  }

  bool is_time_for_steps() {
    if (!packing_ || !packing_->is_settled() || !problem_.rows.reference.empty() || !is_turn_over()) return false;
    const std::uint32_t depth = root_.useful_depth();
    const bool is_near = packing_->bound() >= root_.best() - root_.best() / 4;
    return depth >= kLeastDepthOfSteps || (is_near && depth >= kLeastDepthIfNear);
  }

  /// Goes on with trees of any depth, of which little is asked: what packings prove of thresholds and of the sides of
  /// their sides adds up to bounds that no small depth reaches. Ends when the bound is that of the best tree, or it is
  /// the turn of single depths, which find other trees, and prove more where packings prove little.
  void raise_in_steps() {
    packing_->share_order();
    const Ticks step = std::max<Ticks>(1, problem_.costs.leaf / kStepsPerLeaf);
    for (OrderedWorker& worker : workers_) worker.ask_little(true);
    begin_turn();
    do {
      root_.open_step(step);
    } while (try_thresholds([this] { return is_turn_over(); }) && !run_.stopped() && !root_.is_closed());
    for (OrderedWorker& worker : workers_) worker.ask_little(false);
    begin_turn();
  }

  /// A turn has a part of the work so far: steps and single depths take turns.
  void begin_turn() {
    const std::uint64_t spent = workers_.front().meter().spent();
    end_of_turn_ = spent + spent / kTurnsPerWork;
  }
  bool is_turn_over() { return workers_.front().meter().spent() >= end_of_turn_; }

  /// Whether the runs of thresholds of an earlier search hold here: what they have closed costs at least its best tree.
  bool can_go_on() const {
    return earlier_.depth > 2 && root_.best() <= earlier_.best && root_.may_gain(earlier_.depth);
  }

  void load() {
    const run::Checkpoint* const checkpoint = run_.checkpoint();
    if (checkpoint == nullptr || !checkpoint->saved()) return;
    state_.has_guessed = checkpoint->saved()->has_guessed;
    checkpoint->read_body([this](const run::Checkpoint::Get& get) {
      earlier_ = read_open(get);
      state_.table.read_entries(get);
    });
    root_.adopt_lower(earlier_.lower);
  }

  void save() {
    const run::Progress now = progress();
    const tree::ResultTree tree =
        read_preorder_tree(root_.rows(), root_.best_preorder(), problem_.columns, problem_.costs);
    run_.checkpoint()->save({run_.seconds(), now.lower, state_.has_guessed, tree.column, tree.left, tree.right},
                            [this](const run::Checkpoint::Put& put) {
                              SharedRoot::Open open = left_ ? *left_ : root_.open_now();
                              open.lower = root_.interval().lower;
                              put_open(open.depth < earlier_.depth ? earlier_ : open, put);  // not gone on with yet
                              state_.table.put_entries(put);
                            });
  }

  run::Progress progress() const {
    const auto [lower, upper, n_leaves] = root_.interval();
    // What the search proves excludes what every tree loses.
    const Ticks floor = problem_.rows.floor;
    const bool has_guessed = state_.has_guessed.load(std::memory_order_relaxed);
    return {upper + floor, (has_guessed ? root_.lower_after_guesses(is_done_) : lower) + floor,
            state_.n_subproblems.load(std::memory_order_relaxed), state_.bytes.load(std::memory_order_relaxed),
            n_leaves};
  }

  void find_better_tree() {
    if (companion_ == nullptr) return;
    const std::uint64_t bytes_before = companion_->bytes();
    const bool is_better =
        companion_->improve(workers_.front().meter().spent(), state_.bytes.load(std::memory_order_relaxed));
    state_.bytes.fetch_add(companion_->bytes() - bytes_before, std::memory_order_relaxed);
    if (is_better) root_.adopt(companion_->tree());
  }

  void pack_pairs() {
    if (!packing_ || !is_sorted_) return;
    const std::uint64_t bytes_before = packing_->bytes();
    const bool has_risen =
        packing_->raise(workers_.front().meter().spent(), state_.bytes.load(std::memory_order_relaxed), root_.best());
    state_.bytes.fetch_add(packing_->bytes() - bytes_before, std::memory_order_relaxed);
    if (!has_risen) return;
    root_.adopt_lower(packing_->bound());
    report();
    if (root_.is_closed()) run_.stop(run::Status::optimal);
  }

  void report() { run_.report(progress()); }

  const OrderedProblem& problem_;
  run::Run& run_;
  primal::Companion* const companion_;
  OrderedTable table_;
  OrderedState state_;
  SharedRoot root_;
  std::optional<packing::RootPacking> packing_;
  std::deque<OrderedWorker> workers_;     // they stay where they are
  SharedRoot::Open earlier_;              // of the search that a checkpoint was read from
  std::optional<SharedRoot::Open> left_;  // a single depth, while it is the turn of steps
  std::uint64_t end_of_turn_ = 0;
  bool is_sorted_ = false, is_done_ = false;
};

}  // namespace

run::Outcome search_ordered(const OrderedProblem& problem, run::Run& run, primal::Companion* companion,
                            const tree::ResultTree* start) {
  return OrderedSearch(problem, run, companion, start).run();
}

}  // namespace hornbeam::ordered
