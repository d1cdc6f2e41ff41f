#include "bindings/subproblems.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <tuple>

#include "api/subproblems.hpp"
#include "bindings/problems.hpp"

namespace hornbeam::bindings {

namespace {

using Words = std::vector<std::uint64_t>;
using PathIn = std::vector<std::pair<std::uint32_t, bool>>;
using SplitsIn = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>;

// NOLINTBEGIN(readability-redundant-member-init): in the macro of nanobind
class SubproblemOut : public nb::dict {
  NB_OBJECT_DEFAULT(SubproblemOut, nb::dict, "SubproblemOutcome", PyDict_Check)
};
// NOLINTEND(readability-redundant-member-init)

std::unique_ptr<api::Subproblems> subproblems(const PackedColumnsIn& given, const AdditiveProblem& problem,
                                              const SearchOptions& options, std::uint64_t work_of_news) {
  options.check(SearchOptions::kBits);
  const api::Input input = problem.input(options);
  const nb::gil_scoped_release no_gil;
  try {
    return std::make_unique<api::Subproblems>(given.columns, input, work_of_news);
  } catch (const run::Stopped&) {
    throw std::bad_alloc();
  }
}

std::optional<std::uint32_t> limit_out(std::uint32_t limit) {
  return limit == table::kUnlimited ? std::nullopt : std::optional(limit);
}

nb::tuple side_out(const search::OpenSplit::Side& side) {
  Words words;
  side.key.put_words([&words](std::uint64_t word) { words.push_back(word); });
  return nb::make_tuple(nb::bytes(words.data(), words.size() * sizeof(std::uint64_t)), limit_out(side.key.depth),
                        limit_out(side.key.leaves), side.lower, side.upper);
}

nb::tuple split_out(const search::OpenSplit& split) {
  const auto& [column, least, most] = split.name;
  const nb::object sides =
      split.has_sides ? nb::object(nb::make_tuple(side_out(split.side[0]), side_out(split.side[1]))) : nb::none();
  return nb::make_tuple(nb::make_tuple(column, least, most), split.lower, sides);
}

SubproblemOut solve(api::Subproblems& problem, const PathIn& path, std::optional<std::uint32_t> max_depth,
                    std::optional<std::uint32_t> max_leaves, std::int64_t budget, const std::optional<SplitsIn>& splits,
                    std::optional<double> seconds, CallbackIn callback, double callback_interval) {
  search::Subproblem subproblem{
      {}, {max_depth.value_or(table::kUnlimited), max_leaves.value_or(table::kUnlimited)}, budget, std::nullopt};
  for (const auto& [column, holds] : path) subproblem.path.push_back({column, holds});
  if (splits) {
    subproblem.splits.emplace();
    for (const auto& [column, least, most] : *splits) subproblem.splits->push_back({column, least, most});
  }
  Poll poll(std::move(callback), callback_interval);
  run::Status status = run::Status::optimal;
  search::SubproblemOutcome found;
  {
    const nb::gil_scoped_release no_gil;
    found = problem.solve(subproblem, seconds, [&poll](const run::Progress& at) { return poll(at); }, status);
  }
  nb::list open;
  for (const search::OpenSplit& split : found.open) open.append(split_out(split));
  SubproblemOut result;
  result["lower"] = found.lower;
  result["upper"] = found.upper;
  result["tree_cost"] = found.tree.column.empty() ? found.upper : found.tree.cost;
  result["tree"] = found.tree.column.empty() ? nb::object(nb::none()) : nb::object(to_dict(std::move(found.tree)));
  result["open"] = found.is_open ? nb::object(open) : nb::object(nb::none());
  result["status"] = name_of(status);
  result["subproblems"] = found.n_subproblems;
  result["counters"] = to_dict(found.counters, kExact);
  result["bytes"] = problem.search().bytes();
  return result;
}

ArrayOut<std::uint64_t> take_news(api::Subproblems& problem) { return to_array(problem.search().take_news()); }

void read_news(api::Subproblems& problem, const ArrayIn<std::uint64_t, 1>& news) {
  problem.search().read_news({news.data(), news.size()});
}

}  // namespace

void add_subproblems(const nb::module_& module) {
  nb::class_<api::Subproblems>(module, "Subproblems",
                               "Subproblems of one problem, which share what they prove; see api/subproblems.hpp.")
      .def(nb::new_(&subproblems), nb::arg("columns"), nb::arg("problem"), nb::arg("options"),
           nb::arg("work_of_news") = std::uint64_t{1} << 20)
      .def("solve", &solve, nb::arg("path"), nb::arg("max_depth").none(), nb::arg("max_leaves").none(),
           nb::arg("budget"), nb::arg("splits").none() = nb::none(), nb::arg("seconds").none() = nb::none(),
           nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
           "Raise the lower bound of the rows at the end of a path of columns and their values to a budget, for some "
           "splits or all.")
      .def("take_news", &take_news,
           "Lower bounds that took long to prove since the last call, for `read_news`: six words each. The bit c % 64 "
           "of "
           "the first word tells that the column c is on the path to the subproblem.")
      .def("read_news", &read_news, nb::arg("news").noconvert(), "Adopt what others have proven of the same problem.");
}

}  // namespace hornbeam::bindings
