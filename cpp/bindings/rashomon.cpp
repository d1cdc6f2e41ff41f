// bindings/rashomon.cpp
//
// WHAT    The sets of near-optimal trees.
#include "bindings/rashomon.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "api/rashomon.hpp"
#include "bindings/problems.hpp"
#include "bindings/reliance.hpp"

namespace hornbeam::bindings {

namespace {

rashomon::LeafRule leaf_rule_of(const std::string& name) {
  if (name == "differ") return rashomon::LeafRule::differ;
  if (name == "best") return rashomon::LeafRule::best;
  if (name == "any_differ") return rashomon::LeafRule::any_differ;
  api::require(name == "any", "leaf_rule: must be 'differ', 'best', 'any' or 'any_differ'");
  return rashomon::LeafRule::any;
}

std::unique_ptr<api::RashomonSet> rashomon_set(const PackedColumnsIn& given, const AdditiveProblem& problem,
                                               const SearchOptions& options, std::int64_t optimum, std::int64_t bound,
                                               const std::string& leaf_rule,
                                               std::optional<std::int64_t> lookahead_depth, std::int64_t greedy_depth,
                                               std::int64_t leaf_bits, int loss_bits, CallbackIn callback,
                                               double callback_interval) {
  options.check(SearchOptions::kTreeSet);
  api::Input input = problem.input(options);
  std::optional<rashomon::PrefixRule> rule;
  if (lookahead_depth) {
    api::require(*lookahead_depth >= 1 && *lookahead_depth <= 1024, "lookahead_depth: must be in [1, 1024]");
    api::require(greedy_depth >= 0 && greedy_depth <= 0xffffffffLL, "greedy_depth: must be in [0, 2^32)");
    api::require(leaf_bits >= 0 && leaf_bits < kCostBits, "leaf_bits: must be in [0, 52)");
    rule = {static_cast<std::uint32_t>(*lookahead_depth), static_cast<std::uint32_t>(greedy_depth),
            (Ticks{1} << leaf_bits) - 1};
  }
  Poll poll(std::move(callback), callback_interval);
  input.limits.interrupted = [&poll] { return poll.interrupted(); };
  const nb::gil_scoped_release no_gil;
  return std::make_unique<api::RashomonSet>(given.columns, input, optimum, bound,
                                            api::TreeRule{leaf_rule_of(leaf_rule), loss_bits}, rule,
                                            [&poll](const run::Progress& at) { return poll(at); });
}

SetOut describe(const api::RashomonSet& set) {
  nb::list costs, counts;
  for (const rashomon::CostCount<rashomon::Limbs>& each : set.trees().histogram()) {
    costs.append(each.cost);
    counts.append(each.count);
  }
  const rashomon::TreeSetStatistics found = set.trees().statistics();
  nb::dict statistics;
  statistics["subproblems"] = found.n_subproblems;
  statistics["expansions"] = found.n_expansions;
  statistics["splits"] = found.n_splits;
  statistics["costs"] = found.n_costs;
  statistics["bytes"] = found.bytes;
  statistics["seconds"] = set.seconds();
  SetOut result;
  result["costs"] = costs;
  result["counts"] = counts;
  result["complete_up_to"] = set.trees().complete_up_to();
  result["status"] = name_of(set.status());
  result["statistics"] = statistics;
  result["bounds"] = to_dict(found.counters, kTreeSets);
  result["prefixes"] = nb::cast(found.n_prefixes);
  return result;
}

TreeOut read_tree_of(api::RashomonSet& set, std::int64_t cost, const std::vector<std::uint64_t>& rank) {
  tree::ResultTree tree;
  {
    const nb::gil_scoped_release no_gil;
    tree = set.tree(cost, {rank.begin(), rank.end()});
  }
  return to_dict(std::move(tree));
}

nb::tuple to_tuple(rashomon::CostTable table) {
  const std::size_t n_costs = table.costs.size();
  return nb::make_tuple(to_array(std::move(table.costs)),
                        to_array<std::uint64_t, nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>>(
                            std::move(table.words), {n_costs, table.n_words}));
}

nb::list to_list(const std::vector<rashomon::TreeLeaf>& leaves) {
  nb::list list;
  for (const rashomon::TreeLeaf& leaf : leaves) list.append(nb::make_tuple(leaf.cost, leaf.prediction));
  return list;
}

/// Of all trees of a set, or of those that pass a filter.
template <class Set>
NodeViewOut view_of(Set& set, const std::vector<std::pair<std::uint32_t, bool>>& path, std::int64_t budget,
                    bool with_splits) {
  std::vector<rashomon::PathStep> steps;
  steps.reserve(path.size());
  for (const auto& [column, side] : path) steps.push_back({column, side});
  std::optional<rashomon::NodeView> found;
  {
    const nb::gil_scoped_release no_gil;
    found = set.view(steps, budget, with_splits);
  }
  if (!found) return nb::borrow<NodeViewOut>(nb::none());
  nb::list splits;
  for (rashomon::SplitView& split : found->splits) {
    nb::list copies;
    for (const rashomon::SplitView::Copy& copy : split.copies) copies.append(nb::make_tuple(copy.column, copy.flipped));
    nb::dict each;
    each["copies"] = copies;
    each["trees"] = nb::make_tuple(to_tuple(std::move(split.trees[0])), to_tuple(std::move(split.trees[1])));
    each["leaves"] = nb::make_tuple(to_list(split.leaves[0]), to_list(split.leaves[1]));
    splits.append(each);
  }
  const nb::dict view;
  view["trees"] = to_tuple(std::move(found->trees));
  view["leaves"] = to_list(found->leaves);
  view["splits"] = splits;
  return nb::borrow<NodeViewOut>(view);
}

std::optional<std::unique_ptr<api::FilteredSet>> filter_set(api::RashomonSet& set, std::vector<bool> is_allowed,
                                                            std::optional<std::uint32_t> max_depth,
                                                            std::uint64_t min_samples_leaf,
                                                            std::optional<std::uint64_t> memory_limit,
                                                            std::uint32_t n_threads, CallbackIn callback,
                                                            double callback_interval) {
  Poll poll(std::move(callback), callback_interval);
  const nb::gil_scoped_release no_gil;
  std::unique_ptr<api::FilteredSet> found = set.filtered(
      {std::move(is_allowed), max_depth.value_or(table::kUnlimited), min_samples_leaf},
      {.bytes = memory_limit, .threads = n_threads}, [&poll](const run::Progress& at) { return poll(at); });
  if (!found) return std::nullopt;
  return found;
}

using WordsOut = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<3>>;

/// Numbers of any size, in `n_columns` for each row, as words.
WordsOut to_words(rashomon::VoteCounts numbers, std::size_t n_columns) {
  std::size_t n_words = 1;
  for (const rashomon::Limbs& number : numbers) n_words = std::max(n_words, number.size());
  std::vector<std::uint64_t> words;
  words.reserve(numbers.size() * n_words);
  for (rashomon::Limbs& number : numbers) {
    number.resize(n_words);
    words.insert(words.end(), number.begin(), number.end());
  }
  return to_array<std::uint64_t, WordsOut>(std::move(words), {numbers.size() / n_columns, n_columns, n_words});
}

std::optional<WordsOut> votes_of(api::FilteredSet& set, const PackedColumnsIn& rows, std::int64_t budget,
                                 std::optional<std::uint32_t> max_leaves, std::int64_t leaf_mask, CallbackIn callback,
                                 double callback_interval) {
  Poll poll(std::move(callback), callback_interval);
  std::optional<rashomon::VoteCounts> counts;
  {
    const nb::gil_scoped_release no_gil;
    counts =
        set.votes(rows.columns, {budget, max_leaves, leaf_mask}, [&poll](const run::Progress& at) { return poll(at); });
  }
  if (!counts) return std::nullopt;
  const std::size_t n_columns = counts->size() / rows.columns.n_rows;
  return to_words(std::move(*counts), n_columns);
}

using SpreadOut = std::tuple<ArrayOut<std::uint32_t>, ArrayOut<std::uint32_t>, WordsOut>;

std::optional<SpreadOut> spread_of(api::FilteredSet& set, const PackedColumnsIn& rows, std::int64_t budget,
                                   CallbackIn callback, double callback_interval) {
  Poll poll(std::move(callback), callback_interval);
  std::optional<rashomon::PredictionSpread> spread;
  {
    const nb::gil_scoped_release no_gil;
    spread = set.spread(rows.columns, {budget, std::nullopt, 0}, [&poll](const run::Progress& at) { return poll(at); });
  }
  if (!spread) return std::nullopt;
  return SpreadOut(to_array(std::move(spread->low)), to_array(std::move(spread->high)),
                   to_words(std::move(spread->sum), 1));
}

RankingOut best_ranking_of(api::RashomonSet& set, std::int64_t half_pair_cost, std::int64_t max_false_positives,
                           std::int64_t leaf_cost, std::int64_t below, const SearchOptions& options,
                           CallbackIn callback, double callback_interval) {
  options.check(SearchOptions::kRankingOfSet);
  Poll poll(std::move(callback), callback_interval);
  api::BestRanking best;
  {
    const nb::gil_scoped_release no_gil;
    best = set.best_ranking({half_pair_cost, max_false_positives, leaf_cost}, below, options.tree_limits().leaves,
                            options.search_limits(), [&poll](const run::Progress& at) { return poll(at); });
  }
  RankingOut result;
  result["tree"] = best.found.tree ? nb::object(to_dict(std::move(*best.found.tree))) : nb::none();
  result["leaf_sets"] = best.found.n_leaf_sets;
  result["status"] = name_of(best.status);
  return result;
}

}  // namespace

void add_rashomon_sets(nb::module_& module) {
  const nb::class_<api::RashomonSet> set_type(module, "RashomonSet", "All trees within a bound; made by rashomon_set.");
  const nb::class_<api::FilteredSet> filtered_type(module, "FilteredSet",
                                                   "The trees of a set that pass a filter; made by filter_set.");
  add_reliance(module);
  module.def(
      "rashomon_set", &rashomon_set, nb::arg("columns"), nb::arg("problem"), nb::arg("options"), nb::arg("optimum"),
      nb::arg("bound"), nb::arg("leaf_rule") = "differ", nb::arg("lookahead_depth") = nb::none(),
      nb::arg("greedy_depth") = 0, nb::arg("leaf_bits") = 0, nb::arg("loss_bits") = 0, nb::arg("callback") = nb::none(),
      nb::arg("callback_interval") = 0.1,
      "Find all trees that cost at most `bound`, the loss of each leaf rounded up to a multiple of 2^loss_bits, or "
      "those of RESPLIT; see api/rashomon.hpp.");
  module.def("describe_set", &describe, nb::arg("trees"),
             "LeafModel, how many trees have each (words of 64 bits, the lowest first), and what is complete.");
  module.def("read_tree", &read_tree_of, nb::arg("trees"), nb::arg("cost"), nb::arg("rank"),
             "Tree number `rank` (words of 64 bits, the lowest first) of those that cost `cost`.");
  module.def(
      "filter_set", &filter_set, nb::keep_alive<0, 1>(), nb::arg("trees"), nb::arg("is_allowed"),
      nb::arg("max_depth") = nb::none(), nb::arg("min_samples_leaf") = 0, nb::arg("memory_limit") = nb::none(),
      nb::arg("n_threads") = 1, nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
      "The trees that test only allowed columns, and obey limits, counted by `n_threads` threads, which does not "
      "change the result; None if the callback returned True. MemoryError if the set and all that filters keep of it "
      "need more bytes than `memory_limit`.");
  module.def("view_node", &view_of<api::RashomonSet>, nb::arg("trees"), nb::arg("path"), nb::arg("budget"),
             nb::arg("with_splits"),
             "What may stand at the end of a path of (column, whether it holds), None if no tree has it; see "
             "rashomon/tree_set.hpp.");
  module.def("view_node", &view_of<api::FilteredSet>, nb::arg("trees"), nb::arg("path"), nb::arg("budget"),
             nb::arg("with_splits"), "The same of the trees that pass a filter.");
  module.def("count_votes", &votes_of, nb::arg("trees"), nb::arg("rows"), nb::arg("budget"),
             nb::arg("max_leaves") = nb::none(), nb::arg("leaf_mask") = 0, nb::arg("callback") = nb::none(),
             nb::arg("callback_interval") = 0.1,
             "How many trees of at most `budget` ticks and `max_leaves`, which the bits of `leaf_mask` count, predict "
             "each class for each row: words of 64 bits, the lowest first; None if the callback returned True.");
  module.def("spread_of_predictions", &spread_of, nb::arg("trees"), nb::arg("rows"), nb::arg("budget"),
             nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
             "Least, largest and sum (words of 64 bits, the lowest first) of what the trees of at most `budget` ticks "
             "predict for each row; None if the callback returned True.");
  module.def("best_ranking", &best_ranking_of, nb::arg("trees"), nb::arg("half_pair_cost"),
             nb::arg("max_false_positives"), nb::arg("leaf_cost"), nb::arg("below"), nb::arg("options"),
             nb::arg("callback") = nb::none(), nb::arg("callback_interval") = 0.1,
             "The tree of a set whose leaves rank best, None if it costs `below` or more; see api/rashomon.hpp.");
}

}  // namespace hornbeam::bindings
