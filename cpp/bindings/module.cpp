// bindings/module.cpp
//
// WHAT    The border to Python: arrays in, dictionaries out; the GIL is released during the search and taken for the
//         callback and for signals.
// HOLDS   Nothing is converted quietly: arrays must have the exact type and layout.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/posterior.hpp"
#include "api/ranking.hpp"
#include "api/solve.hpp"
#include "bindings/arguments.hpp"
#include "bindings/rashomon.hpp"
#include "bindings/tables.hpp"

namespace {

using namespace hornbeam;

PosteriorSwitches posterior_switches_of(const nb::dict& given) {
  PosteriorSwitches switches;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    if (name != "parted_pairs") throw std::invalid_argument("switches: there is no bound of the name '" + name + "'");
    switches.parted_pairs = nb::cast<bool>(value);
  }
  return switches;
}

Policy policy_of(const std::string& name) {
  for (const Policy policy :
       {Policy::curiosity, Policy::objective, Policy::lower_bound, Policy::entropy, Policy::gini, Policy::fifo})
    if (name == name_of(policy)) return policy;
  throw std::invalid_argument("policy: there is none of the name '" + name + "'");
}

LeafSetBounds leaf_set_bounds_of(const nb::dict& given) {
  LeafSetBounds bounds;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    bool* const found = bounds.find(name);
    if (found == nullptr) throw std::invalid_argument("bounds: there is no bound of the name '" + name + "'");
    *found = nb::cast<bool>(value);
  }
  return bounds;
}

nb::dict to_dict(Outcome outcome, bool with_trace) {
  nb::dict statistics;
  statistics["subproblems"] = outcome.n_subproblems;
  statistics["table_entries"] = outcome.n_table_entries;
  statistics["bytes"] = outcome.bytes;
  statistics["seconds"] = outcome.seconds;
  nb::list trace;
  if (with_trace)
    for (const Progress& at : outcome.trace) trace.append(to_tuple(at));
  nb::dict result;
  result["upper"] = outcome.tree.cost;
  result["tree"] = to_dict(std::move(outcome.tree));
  result["lower"] = outcome.lower;
  result["status"] = name_of(outcome.status);
  result["statistics"] = statistics;
  result["trace"] = trace;
  return result;
}

/// `search(on_poll)` is the search, which runs without the GIL; `limits` are those that it will see.
template <class Limits, class SearchWith>
nb::dict run_polled(const nb::object& callback, double callback_interval, bool trace, Limits& limits,
                    SearchWith search) {
  require(callback_interval >= 0, "callback_interval: must be at least 0");
  Poll poll(callback, callback_interval);
  limits.interrupted = [&poll] { return poll.interrupted(); };
  Outcome outcome;
  {
    const nb::gil_scoped_release no_gil;
    outcome = search([&poll](const Progress& at) { return poll(at); });
  }
  return to_dict(std::move(outcome), trace);
}

/// `solve_input(input, on_poll)` is the search.
template <class SolveInput>
nb::dict solve_with(const Arguments& given, SolveInput solve_input) {
  Input input = input_of(given);
  return run_polled(given.callback, given.callback_interval, given.trace, input.limits,
                    [&](const auto& on_poll) { return solve_input(input, on_poll); });
}

nb::dict solve_packed(const ArrayIn<std::uint8_t, 2>& columns, std::int64_t n_rows,
                      const ArrayIn<std::int32_t, 1>& classes, const ArrayIn<std::int64_t, 1>& weights,
                      const ArrayIn<std::int64_t, 2>& costs, std::int64_t leaf_cost,
                      std::optional<std::int64_t> max_depth, std::optional<std::int64_t> max_leaves,
                      std::int64_t min_samples_leaf, std::optional<double> time_limit,
                      std::optional<std::int64_t> memory_limit, double gap_limit, std::int64_t n_threads,
                      const nb::dict& switches, const nb::object& callback, double callback_interval, bool trace,
                      const std::optional<ArrayIn<std::int32_t, 1>>& reference) {
  const PackedColumns packed = packed_columns(columns, n_rows);
  return solve_with({classes, weights, costs, leaf_cost, max_depth, max_leaves, min_samples_leaf, time_limit,
                     memory_limit, gap_limit, n_threads, switches, callback, callback_interval, trace,
                     reference ? std::span(reference->data(), reference->size()) : std::span<const std::int32_t>()},
                    [&](const Input& input, const auto& on_poll) { return solve(packed, input, on_poll); });
}

nb::dict look_ahead_packed(const ArrayIn<std::uint8_t, 2>& columns, std::int64_t n_rows,
                           const ArrayIn<std::int32_t, 1>& classes, const ArrayIn<std::int64_t, 1>& weights,
                           const ArrayIn<std::int64_t, 2>& costs, std::int64_t leaf_cost, std::int64_t max_depth,
                           std::int64_t lookahead_depth, bool recursive, bool last_by_loss, bool keep_greedy,
                           std::int64_t min_samples_leaf, std::optional<double> time_limit,
                           std::optional<std::int64_t> memory_limit, std::int64_t n_threads, const nb::object& callback,
                           double callback_interval, bool trace) {
  require(lookahead_depth >= 1 && lookahead_depth <= 1024, "lookahead_depth: must be in [1, 1024]");
  const PackedColumns packed = packed_columns(columns, n_rows);
  const Lookahead lookahead{static_cast<std::uint32_t>(lookahead_depth), recursive, last_by_loss, keep_greedy};
  return solve_with(
      {classes, weights, costs, leaf_cost, max_depth, std::nullopt, min_samples_leaf, time_limit, memory_limit, 0.0,
       n_threads, nb::dict(), callback, callback_interval, trace},
      [&](const Input& input, const auto& on_poll) { return look_ahead(packed, input, lookahead, on_poll); });
}

using StartIn = std::optional<ArrayIn<std::int32_t, 2>>;

LeafSetOptions leaf_set_options(const std::string& policy, const nb::dict& bounds, const StartIn& start) {
  LeafSetOptions options{policy_of(policy), leaf_set_bounds_of(bounds), {}, false};
  if (start) {
    require(start->shape(0) == 3, "start: needs three arrays, of columns, left and right children");
    const std::size_t n_nodes = start->shape(1);
    const std::int32_t* first = start->data();
    options.start = {{first, n_nodes}, {first + n_nodes, n_nodes}, {first + 2 * n_nodes, n_nodes}};
  }
  return options;
}

nb::dict solve_leaf_sets_packed(const ArrayIn<std::uint8_t, 2>& columns, std::int64_t n_rows,
                                const ArrayIn<std::int32_t, 1>& classes, const ArrayIn<std::int64_t, 1>& weights,
                                const ArrayIn<std::int64_t, 2>& costs, std::int64_t leaf_cost,
                                std::optional<std::int64_t> max_depth, std::optional<std::int64_t> max_leaves,
                                std::int64_t min_samples_leaf, std::optional<double> time_limit,
                                std::optional<std::int64_t> memory_limit, double gap_limit, const std::string& policy,
                                const nb::dict& bounds, bool as_published, const StartIn& start,
                                const nb::object& callback, double callback_interval, bool trace) {
  const PackedColumns packed = packed_columns(columns, n_rows);
  LeafSetOptions options = leaf_set_options(policy, bounds, start);
  options.as_published = as_published;
  return solve_with(
      {classes, weights, costs, leaf_cost, max_depth, max_leaves, min_samples_leaf, time_limit, memory_limit, gap_limit,
       1, nb::dict(), callback, callback_interval, trace},
      [&](const Input& input, const auto& on_poll) { return solve_leaf_sets(packed, input, options, on_poll); });
}

nb::dict solve_ranking_packed(const ArrayIn<std::uint8_t, 2>& columns, std::int64_t n_rows,
                              const ArrayIn<std::int32_t, 1>& classes, const ArrayIn<std::int64_t, 1>& weights,
                              std::int64_t price, std::int64_t cut, std::int64_t leaf_cost,
                              std::optional<std::int64_t> max_depth, std::optional<std::int64_t> max_leaves,
                              std::int64_t min_samples_leaf, std::optional<double> time_limit,
                              std::optional<std::int64_t> memory_limit, double gap_limit, const std::string& policy,
                              const nb::dict& bounds, const StartIn& start, const nb::object& callback,
                              double callback_interval, bool trace) {
  const PackedColumns packed = packed_columns(columns, n_rows);
  const LeafSetOptions options = leaf_set_options(policy, bounds, start);
  const Limits limits = limits_of(max_depth, max_leaves, min_samples_leaf, time_limit, memory_limit, gap_limit, 1);
  RankingInput input{{classes.data(), classes.shape(0)},
                     {weights.data(), weights.shape(0)},
                     price,
                     cut,
                     leaf_cost,
                     limits.tree,
                     limits.search};
  return run_polled(callback, callback_interval, trace, input.limits,
                    [&](const auto& on_poll) { return solve_ranking(packed, input, options, on_poll); });
}

nb::dict solve_ranked(const ArrayIn<std::uint32_t, 2>& ranks, const ArrayIn<std::uint32_t, 1>& n_thresholds,
                      const ArrayIn<std::int32_t, 1>& classes, const ArrayIn<std::int64_t, 1>& weights,
                      const ArrayIn<std::int64_t, 2>& costs, std::int64_t leaf_cost, std::int64_t max_depth,
                      std::optional<double> time_limit, std::optional<std::int64_t> memory_limit, double gap_limit,
                      std::int64_t n_threads, const nb::dict& switches, const nb::object& callback,
                      double callback_interval, bool trace) {
  require(ranks.shape(0) == n_thresholds.shape(0), "n_thresholds: one for each variable is needed");
  std::size_t n_columns = 0;
  for (std::size_t v = 0; v < n_thresholds.shape(0); ++v) n_columns += n_thresholds.data()[v];
  to_count(n_columns, "n_thresholds");
  const RankedColumns ranked(ranks.data(), {n_thresholds.data(), n_thresholds.shape(0)},
                             to_count(ranks.shape(1), "ranks"));
  return solve_with({classes, weights, costs, leaf_cost, max_depth, std::nullopt, 1, time_limit, memory_limit,
                     gap_limit, n_threads, switches, callback, callback_interval, trace},
                    [&](const Input& input, const auto& on_poll) { return solve(ranked, input, on_poll); });
}

nb::dict solve_posterior_packed(const ArrayIn<std::uint8_t, 2>& columns, std::int64_t n_rows,
                                const ArrayIn<std::int32_t, 1>& classes, const ArrayIn<std::int64_t, 1>& weights,
                                double alpha, double beta, const ArrayIn<double, 1>& rho, std::int64_t bits,
                                std::optional<std::int64_t> max_depth, std::optional<double> time_limit,
                                std::optional<std::int64_t> memory_limit, std::optional<std::int64_t> max_expansions,
                                const nb::dict& switches, const nb::object& callback, double callback_interval,
                                bool trace) {
  require(!max_depth || *max_depth >= 0, "max_depth: must be at least 0");
  require(!memory_limit || *memory_limit >= 0, "memory_limit: must be at least 0");
  require(!max_expansions || *max_expansions >= 1, "max_expansions: must be at least 1");
  require(bits >= 0, "bits: must be at least 0");
  const PackedColumns packed = packed_columns(columns, n_rows);
  PosteriorInput input{{classes.data(), classes.shape(0)},
                       {weights.data(), weights.shape(0)},
                       {alpha, beta, {rho.data(), rho.shape(0)}, static_cast<std::uint32_t>(bits)},
                       {std::nullopt, time_limit, std::nullopt, std::nullopt, {}},
                       posterior_switches_of(switches)};
  if (max_depth) input.limits.depth = static_cast<std::uint32_t>(std::min<std::int64_t>(*max_depth, 0xffffffffLL));
  if (memory_limit) input.limits.bytes = static_cast<std::uint64_t>(*memory_limit);
  if (max_expansions) input.limits.expansions = static_cast<std::uint64_t>(*max_expansions);
  return run_polled(callback, callback_interval, trace, input.limits,
                    [&](const auto& on_poll) { return solve_posterior(packed, input, on_poll); });
}

/// Numbers of any size cross the border as words, the lowest first.
}  // namespace

NB_MODULE(_core, module) {
  if (!runs_here()) throw nb::import_error("hornbeam needs a processor that counts bits (x86-64-v2, since 2008).");
  module.doc() = "The search of hornbeam: exact costs in, a tree with a proven interval out.";
  add_tables(module);
  module.def("solve", &solve_packed, nb::arg("columns").noconvert(), nb::arg("n_rows"), nb::arg("classes").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("costs").noconvert(), nb::arg("leaf_cost"),
             nb::arg("max_depth") = nb::none(), nb::arg("max_leaves") = nb::none(), nb::arg("min_samples_leaf") = 1,
             nb::arg("time_limit") = nb::none(), nb::arg("memory_limit") = nb::none(), nb::arg("gap_limit") = 0.0,
             nb::arg("n_threads") = 1, nb::arg("switches") = nb::dict(), nb::arg("callback") = nb::none(),
             nb::arg("callback_interval") = 0.1, nb::arg("trace") = false,
             nb::arg("reference").noconvert().none() = nb::none(),
             "Find a tree of least cost; see hornbeam._core's stub for types and api/solve.hpp for what they mean.");
  module.def("look_ahead", &look_ahead_packed, nb::arg("columns").noconvert(), nb::arg("n_rows"),
             nb::arg("classes").noconvert(), nb::arg("weights").noconvert(), nb::arg("costs").noconvert(),
             nb::arg("leaf_cost"), nb::arg("max_depth"), nb::arg("lookahead_depth"), nb::arg("recursive"),
             nb::arg("last_by_loss") = false, nb::arg("keep_greedy") = false, nb::arg("min_samples_leaf") = 1,
             nb::arg("time_limit") = nb::none(), nb::arg("memory_limit") = nb::none(), nb::arg("n_threads") = 1,
             nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1, nb::arg("trace") = false,
             "Find a tree by lookahead search; see lookahead/lookahead_search.hpp.");
  module.def("solve_leaf_sets", &solve_leaf_sets_packed, nb::arg("columns").noconvert(), nb::arg("n_rows"),
             nb::arg("classes").noconvert(), nb::arg("weights").noconvert(), nb::arg("costs").noconvert(),
             nb::arg("leaf_cost"), nb::arg("max_depth") = nb::none(), nb::arg("max_leaves") = nb::none(),
             nb::arg("min_samples_leaf") = 1, nb::arg("time_limit") = nb::none(), nb::arg("memory_limit") = nb::none(),
             nb::arg("gap_limit") = 0.0, nb::arg("policy") = "curiosity", nb::arg("bounds") = nb::dict(),
             nb::arg("as_published") = false, nb::arg("start").noconvert().none() = nb::none(),
             nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1, nb::arg("trace") = false,
             "Find a tree of least cost by a search over sets of leaves; see leafsets/leaf_set_search.hpp.");
  module.def("solve_ranking", &solve_ranking_packed, nb::arg("columns").noconvert(), nb::arg("n_rows"),
             nb::arg("classes").noconvert(), nb::arg("weights").noconvert(), nb::arg("price"), nb::arg("cut"),
             nb::arg("leaf_cost"), nb::arg("max_depth") = nb::none(), nb::arg("max_leaves") = nb::none(),
             nb::arg("min_samples_leaf") = 1, nb::arg("time_limit") = nb::none(), nb::arg("memory_limit") = nb::none(),
             nb::arg("gap_limit") = 0.0, nb::arg("policy") = "curiosity", nb::arg("bounds") = nb::dict(),
             nb::arg("start").noconvert().none() = nb::none(), nb::arg("callback") = nb::none(),
             nb::arg("callback_interval") = 0.1, nb::arg("trace") = false,
             "Find a tree whose leaves rank best; see api/ranking.hpp.");
  module.def("solve_ranked", &solve_ranked, nb::arg("ranks").noconvert(), nb::arg("n_thresholds").noconvert(),
             nb::arg("classes").noconvert(), nb::arg("weights").noconvert(), nb::arg("costs").noconvert(),
             nb::arg("leaf_cost"), nb::arg("max_depth"), nb::arg("time_limit") = nb::none(),
             nb::arg("memory_limit") = nb::none(), nb::arg("gap_limit") = 0.0, nb::arg("n_threads") = 1,
             nb::arg("switches") = nb::dict(), nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
             nb::arg("trace") = false,
             "The same for columns that are thresholds of ranked variables: threshold t of variable v holds in the "
             "rows where ranks[v] <= t.");
  module.def("solve_posterior", &solve_posterior_packed, nb::arg("columns").noconvert(), nb::arg("n_rows"),
             nb::arg("classes").noconvert(), nb::arg("weights").noconvert(), nb::arg("alpha"), nb::arg("beta"),
             nb::arg("rho").noconvert(), nb::arg("bits"), nb::arg("max_depth") = nb::none(),
             nb::arg("time_limit") = nb::none(), nb::arg("memory_limit") = nb::none(),
             nb::arg("max_expansions") = nb::none(), nb::arg("switches") = nb::dict(), nb::arg("callback") = nb::none(),
             nb::arg("callback_interval") = 0.1, nb::arg("trace") = false,
             "Find the tree of largest posterior probability; costs are ticks of 2^-bits nats; see api/posterior.hpp.");
  add_rashomon_sets(module);
}
