// bindings/module.cpp
//
// WHAT    The interface to Python: arrays in, dictionaries out; the GIL is released during the search and acquired for
//         the callback and for signals.
// HOLDS   Nothing is converted silently: arrays must have the exact type and layout.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "api/rashomon.hpp"
#include "bindings/counters.hpp"
#include "bindings/ordered_subproblems.hpp"
#include "bindings/problems.hpp"
#include "bindings/rashomon.hpp"
#include "bindings/subproblems.hpp"
#include "bindings/tables.hpp"

namespace {

using namespace hornbeam::bindings;
using namespace hornbeam;

/// The last arguments of every search function.
struct Reporting {
  CallbackIn callback;
  double interval;
  bool trace;
};

/// `input` holds the limits that the search will see; `search(on_poll)` runs without the GIL and tells the counters of
/// `searches`.
template <class AnyInput, class SearchWith>
OutcomeOut run_polled(AnyInput& input, unsigned searches, const Reporting& reporting, SearchWith search) {
  Poll poll(reporting.callback, reporting.interval);
  input.limits.interrupted = [&poll] { return poll.interrupted(); };
  run::Outcome outcome;
  {
    const nb::gil_scoped_release no_gil;
    outcome = search([&poll](const run::Progress& at) { return poll(at); });
  }
  return to_dict(std::move(outcome), searches, reporting.trace);
}

using StartIn = std::optional<ArrayIn<std::int32_t, 2>>;

tree::StartTree start_tree_of(const StartIn& start) {
  if (!start) return {};
  api::require(start->shape(0) == 3, "start: needs three arrays, of columns, left and right children");
  const std::size_t n_nodes = start->shape(1);
  const std::int32_t* first = start->data();
  return {{first, n_nodes}, {first + n_nodes, n_nodes}, {first + 2 * n_nodes, n_nodes}};
}

OutcomeOut solve_packed_columns(const PackedColumnsIn& given, const AdditiveProblem& problem,
                                const SearchOptions& options, search::EarlierSearches* earlier, const StartIn& start,
                                const CheckpointListenerIn& on_checkpoint, CallbackIn callback,
                                double callback_interval, bool trace) {
  options.check(SearchOptions::kBits);
  api::Input input = problem.input(options);
  input.start = start_tree_of(start);
  input.checkpoint = with_listener(input.checkpoint, on_checkpoint);
  return run_polled(input, kExact, {std::move(callback), callback_interval, trace},
                    [&](const auto& on_poll) { return api::solve(given.columns, input, on_poll, earlier); });
}

OutcomeOut solve_ordered_columns(const OrderedColumnsIn& given, const AdditiveProblem& problem,
                                 const SearchOptions& options, const StartIn& start,
                                 const CheckpointListenerIn& on_checkpoint, CallbackIn callback,
                                 double callback_interval, bool trace) {
  options.check(SearchOptions::kOrdered);
  api::Input input = problem.input(options);
  input.start = start_tree_of(start);
  input.checkpoint = with_listener(input.checkpoint, on_checkpoint);
  return run_polled(input, kExact, {std::move(callback), callback_interval, trace},
                    [&](const auto& on_poll) { return api::solve(given.columns, input, on_poll); });
}

OutcomeOut near_optimal_columns(const OrderedColumnsIn& given, const AdditiveProblem& problem,
                                const SearchOptions& options, std::uint64_t work, std::uint64_t idle_rounds,
                                bool exact_if_small, CallbackIn callback, double callback_interval, bool trace) {
  options.check(SearchOptions::kBits);
  api::Input input = problem.input(options);
  api::require(input.reference.empty(), "reference: not for near-optimal trees");
  api::require(input.checkpoint.path.empty(), "checkpoint: not for near-optimal trees");
  api::require(!input.tree.is_rule_list, "rule_list: not for near-optimal trees");
  const unsigned shown = exact_if_small ? kExact : 0;
  return run_polled(input, shown, {std::move(callback), callback_interval, trace}, [&](const auto& on_poll) {
    return api::near_optimal(given.columns, input, work, idle_rounds, exact_if_small, on_poll);
  });
}

OutcomeOut solve_lookahead_columns(const PackedColumnsIn& given, const AdditiveProblem& problem,
                                   const SearchOptions& options, std::int64_t lookahead_depth, bool recursive,
                                   bool last_by_loss, bool keep_greedy, CallbackIn callback, double callback_interval,
                                   bool trace) {
  options.check(SearchOptions::kLookahead);
  api::require(lookahead_depth >= 1 && lookahead_depth <= 1024, "lookahead_depth: must be in [1, 1024]");
  const lookahead::Lookahead lookahead{static_cast<std::uint32_t>(lookahead_depth), recursive, last_by_loss,
                                       keep_greedy};
  api::Input input = problem.input(options);
  api::require(input.reference.empty(), "reference: not for lookahead");
  return run_polled(
      input, kExact | kLookahead, {std::move(callback), callback_interval, trace},
      [&](const auto& on_poll) { return api::solve_lookahead(given.columns, input, lookahead, on_poll); });
}

leafsets::Policy policy_of(const std::string& name) {
  for (const leafsets::Policy policy : leafsets::kPolicies)
    if (name == name_of(policy)) return policy;
  throw std::invalid_argument("policy: there is no policy '" + name + "'");
}

leafsets::LeafSetOptions leaf_set_options(const SearchOptions& options, const std::string& policy, const StartIn& start,
                                          std::uint64_t seed) {
  options.check(SearchOptions::kLeaves);
  leafsets::LeafSetOptions found{policy_of(policy), options.bounds_of(kLeafSets), {}, options.expansion_limit(), seed};
  found.start = start_tree_of(start);
  return found;
}

OutcomeOut solve_by_leaf_sets(const PackedColumnsIn& given, const AdditiveProblem& problem,
                              const SearchOptions& options, const std::string& policy, const StartIn& start,
                              std::uint64_t seed, CallbackIn callback, double callback_interval, bool trace) {
  const leafsets::LeafSetOptions of_leaves = leaf_set_options(options, policy, start, seed);
  api::Input input = problem.input(options.without_bounds());
  api::require(input.reference.empty(), "reference: not for sets of leaves");
  return run_polled(input, kLeafSets, {std::move(callback), callback_interval, trace}, [&](const auto& on_poll) {
    return api::solve_leaf_sets(given.columns, input, of_leaves, on_poll);
  });
}

OutcomeOut solve_ranking_columns(const PackedColumnsIn& given, const RankingProblem& problem,
                                 const SearchOptions& options, const std::string& policy, const StartIn& start,
                                 std::uint64_t seed, CallbackIn callback, double callback_interval, bool trace) {
  const leafsets::LeafSetOptions of_leaves = leaf_set_options(options, policy, start, seed);
  api::RankingInput input = problem.input(options);
  return run_polled(input, kLeafSets, {std::move(callback), callback_interval, trace},
                    [&](const auto& on_poll) { return api::solve_ranking(given.columns, input, of_leaves, on_poll); });
}

OutcomeOut solve_posterior_columns(const PackedColumnsIn& given, const PosteriorProblem& problem,
                                   const SearchOptions& options, const CheckpointListenerIn& on_checkpoint,
                                   CallbackIn callback, double callback_interval, bool trace) {
  options.check(SearchOptions::kMapTree);
  api::PosteriorInput input = problem.input(options);
  input.checkpoint = with_listener(input.checkpoint, on_checkpoint);
  return run_polled(input, kPosterior, {std::move(callback), callback_interval, trace},
                    [&](const auto& on_poll) { return api::solve_posterior(given.columns, input, on_poll); });
}

/// Of each search: its switches with their defaults, and all that it counts.
void add_bounds(const nb::module_& module) {
  std::map<std::string, std::map<std::string, bool>> switches;
  std::map<std::string, std::vector<std::string>> counters;
  constexpr std::pair<const char*, unsigned> kSearches[] = {{"exact", kExact},
                                                            {"leaf_sets", kLeafSets},
                                                            {"posterior", kPosterior},
                                                            {"lookahead", kLookahead},
                                                            {"tree_sets", kTreeSets}};
  const Bounds defaults;
  for (const auto& [search, flag] : kSearches) {
    for (const BoundRow& row : kBounds) {
      if ((row.searches & flag) == 0) continue;
      counters[search].emplace_back(row.name);
      if (row.flag != nullptr) switches[search][row.name] = defaults.*row.flag;
    }
  }
  module.attr("BOUNDS") = nb::cast(switches);
  module.attr("COUNTERS") = nb::cast(counters);
}

double most_nats_of(std::int64_t n_rows, std::uint32_t n_columns, double alpha, double beta,
                    const ArrayIn<double, 1>& rho) {
  api::require(rho.size() > 0, "rho: there must be at least one class");
  const auto deepest = static_cast<std::uint32_t>(std::min<std::int64_t>(n_rows, n_columns));
  return posterior::most_nats({alpha, beta, span_of(rho), 0}, n_rows, n_columns, deepest);
}

/// The limits of the searches that Python needs.
void add_constants(const nb::module_& module) {
  std::vector<std::string> policies;
  for (const leafsets::Policy policy : leafsets::kPolicies) policies.emplace_back(name_of(policy));
  module.attr("POLICIES") = nb::cast(policies);
  module.attr("COST_BITS") = kCostBits;
  module.attr("SQUARED_ERROR_BITS") = api::kSquaredErrorBits;
  module.attr("FALSE_POSITIVE_BITS") = leafsets::kFalsePositiveBits;
  module.attr("POSTERIOR_BITS") = posterior::kPosteriorBits;
  module.attr("POSTERIOR_HORIZON") = posterior::kPosteriorHorizon;
  module.attr("MOST_THREADS") = run::kMostThreads;
  module.attr("MOST_ORDERED_ROWS") = ordered::kMostOrderedRows;
}

/// A search whose memory runs out ends with what it has; this is for one that has nothing yet.
void name_memory_limit(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const api::MemoryLimitReached& reached) {
    PyErr_SetString(PyExc_MemoryError, reached.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError,
                    "Memory ran out before there was a result. Use fewer rows or columns, or set memory_limit to less "
                    "than the free memory.");
  }
}

/// Defines a search function: its own arguments, and those of Reporting.
template <class Function, class... Arguments>
void add_search(nb::module_& module, const char* name, Function function, const char* about,
                const Arguments&... arguments) {
  module.def(name, function, nb::arg("columns"), nb::arg("problem"), nb::arg("options"), arguments...,
             nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1, nb::arg("trace") = false, about);
}

}  // namespace

NB_MODULE(_core, module) {
  if (!kernels::runs_here())
    throw nb::import_error("hornbeam needs a processor that counts bits (x86-64-v2, since 2008).");
  nb::register_exception_translator(name_memory_limit);
  module.doc() = "The search of hornbeam: exact costs in, a tree with a proven interval out.";
  add_tables(module);
  add_counters(module);
  add_options(module);
  add_problems(module);
  add_bounds(module);
  add_constants(module);
  const auto policy = nb::arg("policy") = "curiosity";
  const auto start = nb::arg("start").noconvert().none() = nb::none();
  const auto seed = nb::arg("seed") = std::uint64_t{0};
  const auto on_checkpoint = nb::arg("on_checkpoint") = nb::none();
  nb::class_<search::EarlierSearches>(module, "EarlierSearches",
                                      "What searches of one problem with other leaf costs have proven.")
      .def(nb::init<>())
      .def_prop_ro("bytes", &search::EarlierSearches::bytes);
  add_search(module, "solve", &solve_packed_columns, "Find a tree of least cost; see api/solve.hpp.",
             nb::arg("earlier").none() = nb::none(), start, on_checkpoint);
  add_search(module, "solve", &solve_ordered_columns, "The same for thresholds of ordered variables.", start,
             on_checkpoint);
  add_search(module, "near_optimal", &near_optimal_columns,
             "Find a tree by primal heuristics; see primal/primal_search.hpp.", nb::arg("work") = ~std::uint64_t{0},
             nb::arg("idle_rounds") = ~std::uint64_t{0}, nb::arg("exact_if_small") = false);
  add_search(module, "solve_lookahead", &solve_lookahead_columns,
             "Find a tree by lookahead search; see lookahead/lookahead_search.hpp.", nb::arg("lookahead_depth"),
             nb::arg("recursive"), nb::arg("last_by_loss") = false, nb::arg("keep_greedy") = false);
  add_search(module, "solve_leaf_sets", &solve_by_leaf_sets,
             "Find a tree of least cost by a search over sets of leaves; see leafsets/leaf_set_search.hpp.", policy,
             start, seed);
  add_search(module, "solve_ranking", &solve_ranking_columns,
             "Find a tree whose leaves rank best; see api/ranking.hpp.", policy, start, seed);
  add_search(module, "solve_posterior", &solve_posterior_columns,
             "Find the tree of largest posterior probability; see api/posterior.hpp.", on_checkpoint);
  module.def("most_nats", &most_nats_of, nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("alpha"), nb::arg("beta"),
             nb::arg("rho").noconvert(), "Nats that no tree on so many rows and columns costs under the BCART prior.");
  add_rashomon_sets(module);
  add_subproblems(module);
  add_ordered_subproblems(module);
}
