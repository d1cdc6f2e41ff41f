#include "search/search.hpp"

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "bounds/reference.hpp"
#include "kernels/kernels.hpp"
#include "run/watch.hpp"
#include "search/and_or_search.hpp"
#include "search/read_tree.hpp"

namespace hornbeam {

namespace {

class Search {
 public:
  Search(const Problem& problem, const SearchLimits& limits, StopSignal& stop,
         const std::function<bool(const Progress&)>& on_poll)
      : problem_(problem),
        limits_(limits),
        watch_(stop, on_poll, limits.gap),
        shared_{
            SubproblemTable(limits.threads > 1, limits.bytes), stop, 0, 0, limits.bytes, Claims(limits.threads > 1)} {
    shared_.frame_bytes = problem.rows.bytes();
  }

  Outcome run() {
    Frame root;
    AndOrSearch thread(problem_, shared_, kernels(), 0, [this] { poll(); });
    thread.open_root(root);
    root_key_ = root.key;
    sure_lower_ =
        std::min(problem_.leaf_cost + root.loss, cost_of_two_leaves_or_more(problem_.leaf_cost, root.least_loss));
    reference_loss_ = root.rows.whole.reference_loss;
    poll();
    thread.find_incumbent(root);
    poll();
    std::vector<Frame> roots(limits_.threads - 1, root);
    shared_.frame_bytes += roots.size() * root.counted_bytes;
    std::vector<std::thread> others;
    std::vector<std::exception_ptr> failures(limits_.threads);
    std::vector<Counters> counters(limits_.threads);
    for (std::uint32_t i = 1; i < limits_.threads; ++i)
      others.emplace_back([&, i] { help(i, roots[i - 1], failures[i], counters[i]); });
    run_guarded([&] { thread.solve(root, kInfinity); }, failures[0]);
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    poll();
    counters[0] = thread.counters();
    Outcome found = outcome(root.limits);
    for (const Counters& each : counters) found.counters += each;
    return found;
  }

 private:
  /// Runs one thread; running out of memory is a limit like any other, anything else a fault to report.
  template <class Work>
  void run_guarded(Work work, std::exception_ptr& failure) {
    try {
      work();
      shared_.stop.stop(Status::optimal);  // whoever comes back unstopped has closed the root
    } catch (const std::bad_alloc&) {
      shared_.stop.stop(Status::memory_limit);
    } catch (...) {
      failure = std::current_exception();
      shared_.stop.stop(Status::interrupted);
    }
  }

  void help(std::uint32_t number, Frame& root, std::exception_ptr& failure, Counters& counters) {
    std::optional<AndOrSearch> search;
    run_guarded([&] { search.emplace(problem_, shared_, kernels(), number, [] {}).solve(root, kInfinity); }, failure);
    if (search) counters = search->counters();
  }

  Progress progress() const {
    const Interval root = shared_.table.find(root_key_).value_or(Interval{});
    Ticks lower = root.lower;
    if (shared_.has_guessed)
      lower = root.lower < root.tree.cost ? sure_lower_
                                          : std::max(sure_lower_, bound_after_guesses(root.tree.cost, reference_loss_));
    return {shared_.stop.elapsed(), root.tree.cost,        lower, shared_.n_subproblems.load(std::memory_order_relaxed),
            shared_.bytes(),        root.tree.shape.leaves};
  }

  void poll() { watch_.look(progress()); }

  Outcome outcome(const NodeLimits& limits) {
    Outcome result;
    const Progress last = progress();
    result.tree = read_tree(problem_, shared_.table, limits);
    result.lower = last.lower;
    // A stop may come after the proof, and a proof just after a limit.
    const Ticks reached = shared_.table.find(root_key_).value_or(Interval{}).lower;
    const Status ended = last.lower >= result.tree.cost ? Status::optimal : Status::guessed;
    result.status = reached >= result.tree.cost ? ended : shared_.stop.reason().value_or(ended);
    result.n_subproblems = last.n_subproblems;
    result.n_table_entries = shared_.table.size();
    result.bytes = last.bytes;
    result.seconds = shared_.stop.elapsed();
    result.trace = watch_.take_trace();
    return result;
  }

  const Problem& problem_;
  const SearchLimits& limits_;
  Watch watch_;
  SharedState shared_;
  SubproblemKey root_key_;
  Ticks sure_lower_ = 0;  // of the root, whatever is guessed
  Ticks reference_loss_ = 0;
};

}  // namespace

Outcome search(const Problem& problem, const SearchLimits& limits, StopSignal& stop,
               const std::function<bool(const Progress&)>& on_poll) {
  return Search(problem, limits, stop, on_poll).run();
}

}  // namespace hornbeam
