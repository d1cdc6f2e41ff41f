#include "primal/near_optimal.hpp"

#include <optional>
#include <utility>

#include "primal/primal_search.hpp"

namespace hornbeam::primal {

run::Outcome search_near_optimal(Points points, const models::LeafModel& model, Ticks leaf_penalty,
                                 const TreeLimits& limits, std::uint64_t work, std::uint64_t idle_rounds,
                                 run::Run& run) {
  std::optional<PrimalSearch> search;
  const auto progress = [&] {
    return run::Progress{search->cost(), leaf_penalty, 0, search->bytes(), search->n_leaves()};
  };
  const auto report = [&] { run.report(progress()); };
  search.emplace(std::move(points), model, leaf_penalty, limits, run, report);
  report();
  search->work_up_to(work, idle_rounds);
  return run.finish(search->tree(), progress(), {}, 0, run.reason().value_or(run::Status::heuristic));
}

}  // namespace hornbeam::primal
