#include "primal/near_optimal.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "primal/primal_search.hpp"

namespace hornbeam::primal {

namespace {

/// The exact search solves so many subproblems as if each read all rows, in about a tenth of a second. A table of more
/// rows than that gets no exact search.
constexpr std::uint64_t kReadByExactSearch = 1u << 23;

std::uint64_t subproblems_of(const ExactSearch& exact, const Points& points) {
  if (!exact.search) return 0;
  const std::uint64_t n_rows = exact.reads_points
                                   ? points.size()
                                   : std::reduce(points.row_count.begin(), points.row_count.end(), std::uint64_t{0});
  return kReadByExactSearch / (n_rows * points.variables.size() + 1);
}

class NearOptimalSearch {
 public:
  NearOptimalSearch(Points points, const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits,
                    const ExactSearch& exact, run::Run& run)
      : run_(run),
        exact_(exact),
        most_subproblems_(subproblems_of(exact, points)),
        lower_(leaf_penalty),
        search_(std::move(points), model, leaf_penalty, limits, run, [this] { report(); }) {}

  run::Outcome search(std::uint64_t work, std::uint64_t idle_rounds) {
    report();
    if (most_subproblems_ > 0) {
      search_.work_up_to(work, 0);
      search_exactly();
    }
    if (lower_ < search_.cost()) search_.work_up_to(work, idle_rounds);
    return run_.finish(search_.tree(), progress(), counters_, n_table_entries_,
                       run_.reason().value_or(run::Status::heuristic));
  }

 private:
  /// Its tree is the next start, and its bound holds even if it is stopped.
  void search_exactly() {
    run::SearchLimits limits;
    limits.bytes = run_.limits().bytes;
    run::Run part(limits, [this](const run::Progress& now) {
      n_subproblems_ = now.n_subproblems;
      run_.count_bytes(search_.bytes() + now.bytes);
      report();
      return run_.stopped() || n_subproblems_ > most_subproblems_;
    });
    part.guard([&] {
      const run::Outcome found = exact_.search(search_.points(), search_.tree(), part);
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
  const ExactSearch& exact_;
  const std::uint64_t most_subproblems_;
  Ticks lower_;
  PrimalSearch search_;
};

}  // namespace

run::Outcome search_near_optimal(Points points, const models::LeafModel& model, Ticks leaf_penalty,
                                 const TreeLimits& limits, std::uint64_t work, std::uint64_t idle_rounds,
                                 const ExactSearch& exact, run::Run& run) {
  return NearOptimalSearch(std::move(points), model, leaf_penalty, limits, exact, run).search(work, idle_rounds);
}

}  // namespace hornbeam::primal
