#include "primal/near_optimal.hpp"

#include <algorithm>
#include <utility>

#include "primal/primal_search.hpp"

namespace hornbeam::primal {

namespace {

/// The exact search solves so many subproblems as if each read all points, in about a tenth of a second. A table of
/// more points than that gets no exact search.
constexpr std::uint64_t kReadByExactSearch = 1u << 23;

class NearOptimalSearch {
 public:
  NearOptimalSearch(Points points, const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits,
                    run::Run& run)
      : run_(run),
        most_subproblems_(kReadByExactSearch / (std::uint64_t{points.size()} * points.variables.size() + 1)),
        lower_(leaf_penalty),
        search_(std::move(points), model, leaf_penalty, limits, run, [this] { report(); }) {}

  run::Outcome search(std::uint64_t work, std::uint64_t idle_rounds, const ExactSearch& exact) {
    report();
    if (exact && most_subproblems_ > 0) {
      search_.work_up_to(work, 0);
      search_exactly(exact);
    }
    if (lower_ < search_.cost()) search_.work_up_to(work, idle_rounds);
    return run_.finish(search_.tree(), progress(), counters_, n_table_entries_,
                       run_.reason().value_or(run::Status::heuristic));
  }

 private:
  /// Its tree is the next start, and its bound holds even if it is stopped.
  void search_exactly(const ExactSearch& exact) {
    run::SearchLimits limits;
    limits.bytes = run_.limits().bytes;
    run::Run part(limits, [this](const run::Progress& now) {
      n_subproblems_ = now.n_subproblems;
      run_.count_bytes(search_.bytes() + now.bytes);
      report();
      return run_.stopped() || n_subproblems_ > most_subproblems_;
    });
    part.guard([&] {
      const run::Outcome found = exact(search_.points(), search_.tree(), part);
      n_subproblems_ = found.n_subproblems;
      n_table_entries_ = found.n_table_entries;
      counters_ = found.counters;
      lower_ = std::max(lower_, found.lower);
      if (found.tree.cost < search_.cost()) search_.start_from(found.tree);
    });
  }

  run::Progress progress() const {
    return {search_.cost(), lower_, n_subproblems_, search_.bytes(), search_.n_leaves()};
  }
  void report() { run_.report(progress()); }

  Counters counters_;  // of the exact search, as the next two
  std::uint64_t n_subproblems_ = 0, n_table_entries_ = 0;
  run::Run& run_;
  const std::uint64_t most_subproblems_;
  Ticks lower_;
  PrimalSearch search_;
};

}  // namespace

run::Outcome search_near_optimal(Points points, const models::LeafModel& model, Ticks leaf_penalty,
                                 const TreeLimits& limits, std::uint64_t work, std::uint64_t idle_rounds,
                                 const ExactSearch& exact, run::Run& run) {
  return NearOptimalSearch(std::move(points), model, leaf_penalty, limits, run).search(work, idle_rounds, exact);
}

}  // namespace hornbeam::primal
