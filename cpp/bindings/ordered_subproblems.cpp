#include "bindings/ordered_subproblems.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/unique_ptr.h>

#include <array>
#include <memory>

#include "api/ordered_subproblems.hpp"
#include "bindings/problems.hpp"

namespace hornbeam::bindings {

namespace {

using PathIn = std::vector<std::pair<std::uint32_t, bool>>;
using Run = std::array<std::int64_t, 9>;  // variable, first, last, and index and bounds of both ends
using RunsIn = std::vector<Run>;

// NOLINTBEGIN(readability-redundant-member-init): in the macro of nanobind
class OrderedOut : public nb::dict {
  NB_OBJECT_DEFAULT(OrderedOut, nb::dict, "OrderedOutcome", PyDict_Check)
};
// NOLINTEND(readability-redundant-member-init)

/// With the arrays that the problem reads.
struct Searched {
  Searched(OrderedColumnsIn of_problem, const api::Input& input, std::uint64_t work_between_polls)
      : given(std::move(of_problem)), problem(given.columns, input, work_between_polls) {}
  OrderedColumnsIn given;
  api::OrderedSubproblems problem;
};

std::unique_ptr<Searched> ordered_subproblems(const OrderedColumnsIn& given, const AdditiveProblem& problem,
                                              const SearchOptions& options, std::uint64_t work_between_polls) {
  options.check(SearchOptions::kOrdered);
  const api::Input input = problem.input(options);
  try {
    return std::make_unique<Searched>(given, input, work_between_polls);
  } catch (const run::Stopped&) {
    throw std::bad_alloc();
  }
}

nb::tuple run_out(const sorted::OpenThresholds& run) {
  return nb::make_tuple(run.variable, run.first, run.last, run.low.index, run.low.true_side, run.low.false_side,
                        run.high.index, run.high.true_side, run.high.false_side);
}

sorted::OpenThresholds run_in(const Run& run) {
  return {static_cast<std::uint32_t>(run[0]), {run[3], run[4], run[5]}, {run[6], run[7], run[8]}, run[1], run[2]};
}

nb::object tree_out(tree::ResultTree& tree) {
  return tree.column.empty() ? nb::object(nb::none()) : nb::object(to_dict(std::move(tree)));
}

nb::tuple side_out(ordered::KnownSubproblem& side) {
  return nb::make_tuple(side.size.depth, side.size.leaves, side.lower, side.cost, tree_out(side.tree));
}

nb::tuple level_out(ordered::OpenLevel& level) {
  nb::list runs;
  for (const sorted::OpenThresholds& run : level.runs) runs.append(run_out(run));
  nb::object stopped = nb::none();
  if (level.stopped) {
    auto& [run, has_sides, column, side, last_side] = *level.stopped;
    nb::object sides = nb::none();
    if (has_sides) sides = nb::make_tuple(side_out(side[0]), side_out(side[1]));
    stopped = nb::make_tuple(run_out(run), column, sides, last_side);
  }
  return nb::make_tuple(level.bound, runs, stopped);
}

OrderedOut solve_ordered(Searched& searched, const PathIn& path, std::optional<std::uint32_t> max_depth,
                         std::optional<std::uint32_t> max_leaves, std::int64_t budget,
                         const std::optional<RunsIn>& splits, std::optional<double> seconds, CallbackIn callback,
                         double callback_interval) {
  ordered::OrderedSubproblem subproblem{
      {},
      {max_depth.value_or(ordered::kAnyDepth), max_leaves.value_or(ordered::kAnyLeaves)},
      std::min(budget, kInfinity),
      std::nullopt};
  for (const auto& [column, holds] : path) subproblem.path.push_back({column, holds});
  if (splits) {
    subproblem.runs.emplace();
    for (const Run& run : *splits) subproblem.runs->push_back(run_in(run));
  }
  Poll poll(std::move(callback), callback_interval);
  run::Status status = run::Status::optimal;
  ordered::OrderedOutcome found;
  {
    const nb::gil_scoped_release no_gil;
    found = searched.problem.solve(subproblem, seconds, [&poll](const run::Progress& at) { return poll(at); }, status);
  }
  nb::list levels;
  for (ordered::OpenLevel& level : found.levels) levels.append(level_out(level));
  OrderedOut result;
  result["lower"] = found.found.lower;
  result["upper"] = found.found.cost;
  result["tree"] = tree_out(found.found.tree);
  result["levels"] = levels;
  result["is_cut"] = found.is_cut;
  result["status"] = name_of(status);
  result["subproblems"] = found.n_subproblems;
  result["counters"] = to_dict(found.counters, kExact);
  result["bytes"] = searched.problem.bytes();
  return result;
}

nb::tuple next_depth(const Searched& searched, std::uint32_t known, std::int64_t best) {
  const ordered::OrderedProblem& problem = searched.problem.problem();
  return nb::make_tuple(ordered::next_depth(known, problem.useful_depth(best)),
                        ordered::bound_of_deeper_trees(known, problem.costs.leaf, best));
}

}  // namespace

void add_ordered_subproblems(const nb::module_& module) {
  nb::class_<Searched>(module, "OrderedSubproblems",
                       "Subproblems of one problem whose columns are thresholds; see ordered/ordered_subproblems.hpp.")
      .def(nb::new_(&ordered_subproblems), nb::arg("columns"), nb::arg("problem"), nb::arg("options"),
           nb::arg("work_between_polls") = ordered::kWorkBetweenPolls)
      .def_prop_ro(
          "floor", [](const Searched& searched) { return searched.problem.floor(); },
          "What every tree loses, in ticks: the costs of subproblems are without it.")
      .def("next_depth", &next_depth, nb::arg("known"), nb::arg("best"),
           nb::sig("def next_depth(self, known: int, best: int) -> tuple[int | None, int]"),
           "Return the depth to search after all trees of the known depth, none of which costs less than the best, and "
           "a lower bound of deeper trees; None if no deeper tree costs less.")
      .def("solve", &solve_ordered, nb::arg("path"), nb::arg("max_depth").none(), nb::arg("max_leaves").none(),
           nb::arg("budget"), nb::arg("splits").none() = nb::none(), nb::arg("seconds").none() = nb::none(),
           nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
           "Find the best tree that costs less than a budget for the rows at the end of a path of columns and their "
           "values, with some runs of thresholds as roots or with all.");
}

}  // namespace hornbeam::bindings
