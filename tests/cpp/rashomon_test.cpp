// rashomon_test.cpp: rashomon/ against the number of trees of each cost, counted by plain recursion; numbers of any
// size against 128 bits.
#include "api/rashomon.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "rashomon/counts.hpp"
#include "rashomon/prefix_graph.hpp"
#include "rashomon/subset_sums.hpp"
#include "rashomon/tree_graph.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/solving.hpp"
#include "verify/score_ranking.hpp"

namespace hornbeam::testing::rashomon_test {

using namespace hornbeam::api;
using namespace hornbeam::data;
using namespace hornbeam::models;
using namespace hornbeam::rashomon;
using namespace hornbeam::run;
using namespace hornbeam::tree;
using namespace hornbeam::verify;

namespace {

using Wide = unsigned __int128;
using Counts = std::map<Ticks, std::uint64_t>;

BigCount big(Wide value) {
  return BigCount::of({static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)})
      .value_or(BigCount{});
}

const TreeFilter kNoFilter{{}, 0, 0};

/// How many trees that test allowed columns and have enough rows in each leaf cost how much, up to a bound.
class TreeCounter {
 public:
  TreeCounter(const TestProblem& problem, LeafRule leaf_rule, const TreeFilter& filter = kNoFilter, int loss_bits = 0)
      : problem_(problem), leaf_rule_(leaf_rule), filter_(filter), unit_(Ticks{1} << loss_bits) {}

  Counts count(const RowNumbers& rows, std::uint32_t depth, Ticks most) const {
    Counts counts;
    for (const auto& [cost, prediction] : leaves(rows))
      if (cost <= most && rows.size() >= filter_.rows_per_leaf) ++counts[cost];
    for (std::uint32_t column = 0; depth > 0 && column < problem_.n_columns; ++column) {
      const RowNumbers true_side = rows_where(problem_, rows, column, true),
                       false_side = rows_where(problem_, rows, column, false);
      const std::uint64_t least_rows =
          std::max<std::uint64_t>({1, problem_.limits.rows_per_leaf, filter_.rows_per_leaf});
      if (std::min(true_side.size(), false_side.size()) < least_rows) continue;
      if (!filter_.is_allowed.empty() && !filter_.is_allowed[column]) continue;
      const Counts of_false = count(false_side, depth - 1, most);
      for (const auto& [a, n] : count(true_side, depth - 1, most))
        for (const auto& [b, m] : of_false)
          if (a + b <= most) counts[a + b] += n * m;
      const auto x = leaves(true_side), y = leaves(false_side);
      if (leaf_rule_ == LeafRule::differ && x[0].second == y[0].second && x[0].first + y[0].first <= most)
        --counts[x[0].first + y[0].first];
    }
    std::erase_if(counts, [](const auto& each) { return each.second == 0; });
    return counts;
  }

 private:
  std::vector<std::pair<Ticks, std::uint32_t>> leaves(const RowNumbers& rows) const {
    std::vector<std::pair<Ticks, std::uint32_t>> found;
    for (std::uint32_t k = 0; k < problem_.n_predictions; ++k) {
      Ticks loss = 0;
      for (const std::uint32_t row : rows) loss += problem_.weights[row] * problem_.cost(problem_.classes[row], k);
      found.emplace_back(loss, k);
    }
    if (leaf_rule_ != LeafRule::any) found = {*std::min_element(found.begin(), found.end())};
    for (auto& [cost, prediction] : found) cost = problem_.leaf_cost + (cost + unit_ - 1) / unit_ * unit_;
    return found;
  }

  const TestProblem& problem_;
  const LeafRule leaf_rule_;
  const TreeFilter& filter_;
  const Ticks unit_;
};

bool every_class_costs(const TestProblem& problem) {
  for (std::uint32_t c = 0; c < problem.n_classes; ++c) {
    const auto row = problem.costs.begin() + static_cast<std::ptrdiff_t>(c) * problem.n_predictions;
    if (*std::max_element(row, row + problem.n_predictions) == 0) return false;
  }
  return true;
}

TestProblem problem_of_depth(Random& draw) {
  TestProblem problem = random_problem(draw, {1, 12, 0, 4});
  problem.limits = {draw.below(4) + 1, std::nullopt, draw.percent(30) ? 2u : 1u};
  return problem;
}

/// As deep as plain recursion can go on so many columns.
TestProblem wide_problem_of_depth(Random& draw) {
  TestProblem problem = wide_problem(draw, {4, 20, 9, 20});
  problem.limits = {problem.n_columns < 12 ? draw.size_between(2, 3) : draw.size_between(1, 2), std::nullopt,
                    draw.percent(30) ? 2u : 1u};
  return problem;
}

LeafRule random_rule(Random& draw) { return draw.choose<LeafRule>({LeafRule::differ, LeafRule::best, LeafRule::any}); }

Ticks random_bound(Random& draw, const TestProblem& problem) {
  const Ticks optimum = testing::Oracle(problem).best(), loss = largest_loss(problem, all_rows(problem));
  return optimum + draw.choose<Ticks>({0, problem.leaf_cost, 2 * problem.leaf_cost, loss / 8, loss / 2, 2 * loss});
}

/// The number of trees of each cost; reads the first 50 of each, of which no two may be equal.
Counts read_each_once(RashomonSet& set) {
  Counts found;
  std::set<std::vector<std::int32_t>> read;
  std::uint64_t n_trees = 0;
  for (const auto& [cost, count] : set.trees().histogram()) {
    found[cost] = count.at(0);
    for (std::uint64_t rank = 0; rank < std::min<std::uint64_t>(count[0], 50); ++rank, ++n_trees) {
      const ResultTree tree = set.tree(cost, {rank});  // scored again in there
      std::vector<std::int32_t> nodes = tree.column;
      for (std::size_t node = 0; node < nodes.size(); ++node)
        if (nodes[node] < 0) nodes[node] -= tree.prediction[node];
      read.insert(nodes);
    }
    CHECK_THROWS(std::invalid_argument, set.tree(cost, count));
  }
  CHECK_EQUAL(read.size(), n_trees);
  return found;
}

/// The set has the trees that plain recursion counts, each once.
void check_histogram(const TestProblem& problem, Random& draw) {
  if (!every_class_costs(problem)) return;
  const Ticks bound = random_bound(draw, problem);
  if (bound >= kLargestTotal) return;
  const TreeRule rule{random_rule(draw), draw.choose<int>({0, 0, 1, 3, 6})};
  const Counts expected = TreeCounter(problem, rule.leaf_rule, kNoFilter, rule.loss_bits)
                              .count(all_rows(problem), problem.limits.depth.value_or(0), bound);
  const testing::PackedInput input = problem.input();
  RashomonSet set(input.columns, input, testing::Oracle(problem).best(), bound, rule, std::nullopt, never);
  CHECK_EQUAL(name_of(set.status()), name_of(Status::optimal));
  CHECK_EQUAL(set.trees().complete_up_to(), bound);
  CHECK(read_each_once(set) == expected);
}

Counts counts_of(const CostTable& table) {
  Counts counts;
  for (std::size_t i = 0; i < table.costs.size(); ++i) counts[table.costs[i]] = table.words[i * table.n_words];
  return counts;
}

/// The trees of a view are its leaves, and the pairs of sides of its splits.
Counts counts_of_parts(const NodeView& view, LeafRule leaf_rule, Ticks budget) {
  Counts counts;
  for (const TreeLeaf& leaf : view.leaves) ++counts[leaf.cost];
  for (const SplitView& split : view.splits) {
    const std::uint64_t n_copies = split.copies.size();
    for (const auto& [a, n] : counts_of(split.trees[0]))
      for (const auto& [b, m] : counts_of(split.trees[1]))
        if (a + b <= budget) counts[a + b] += n * m * n_copies;
    for (const TreeLeaf& a : split.leaves[0])
      for (const TreeLeaf& b : split.leaves[1])
        if (leaf_rule == LeafRule::differ && a.prediction == b.prediction && a.cost + b.cost <= budget)
          counts[a.cost + b.cost] -= n_copies;
  }
  std::erase_if(counts, [](const auto& each) { return each.second == 0; });
  return counts;
}

/// All columns of a split make the same one of these rows.
void check_copies(const TestProblem& problem, const SplitView& split, const RowNumbers& rows) {
  const RowNumbers first = rows_where(problem, rows, split.copies[0].column, !split.copies[0].flipped);
  for (const SplitView::Copy& copy : split.copies)
    CHECK(rows_where(problem, rows, copy.column, !copy.flipped) == first);
}

/// Follows the nodes of a tree of the set: what may stand at each is what plain recursion counts on its rows, within
/// what the cheapest trees on the other sides leave.
void check_views(const TestProblem& problem, Random& draw) {
  if (!every_class_costs(problem)) return;
  const Ticks bound = random_bound(draw, problem);
  if (bound >= kLargestTotal) return;
  const LeafRule leaf_rule = random_rule(draw);
  const testing::PackedInput input = problem.input();
  RashomonSet set(input.columns, input, 0, bound, TreeRule{leaf_rule}, std::nullopt, never);
  const auto histogram = set.trees().histogram();
  const std::uint32_t no_column = problem.n_columns;
  CHECK_THROWS(std::invalid_argument, set.view(std::vector<PathStep>{{no_column, true}}, bound, true));
  if (histogram.empty()) return;
  const auto& [cost, count] = histogram[draw.below(static_cast<std::uint32_t>(histogram.size()))];
  const ResultTree tree = set.tree(cost, {count[0] - 1});
  const TreeCounter counter(problem, leaf_rule);
  RowNumbers rows = all_rows(problem);
  std::vector<PathStep> path;
  Ticks budget = bound;
  std::uint32_t depth = problem.limits.depth.value_or(0);
  for (std::int32_t node = 0;; --depth) {
    const std::optional<NodeView> view = set.view(path, budget, true);
    const std::optional<NodeView> without_splits = set.view(path, budget, false);
    CHECK(view.has_value());
    const Counts expected = counter.count(rows, depth, budget);
    CHECK(counts_of(view->trees) == expected);
    CHECK(counts_of(without_splits->trees) == expected);
    CHECK(without_splits->splits.empty());
    CHECK(counts_of_parts(*view, leaf_rule, budget) == expected);
    for (const SplitView& split : view->splits) check_copies(problem, split, rows);
    const std::int32_t split_on = tree.column[static_cast<std::size_t>(node)];
    if (split_on < 0) break;
    const auto column = static_cast<std::uint32_t>(split_on);
    const bool side = draw.percent(50);
    budget -= counter.count(rows_where(problem, rows, column, !side), depth - 1, budget).begin()->first;
    rows = rows_where(problem, rows, column, side);
    path.push_back({column, side});
    node = (side ? tree.left : tree.right)[static_cast<std::size_t>(node)];
  }
}

/// RESPLIT has only trees of the set, each once.
void check_resplit(const TestProblem& problem, Random& draw) {
  if (!every_class_costs(problem) || problem.n_classes < 2) return;
  const Ticks bound = random_bound(draw, problem);
  if (bound >= kLargestTotal) return;
  const std::uint32_t depth = problem.limits.depth.value_or(0);
  const LeafRule leaf_rule = random_rule(draw);
  const Counts every = TreeCounter(problem, leaf_rule).count(all_rows(problem), depth, bound);
  const testing::PackedInput input = problem.input();
  const PrefixRule rule{draw.below(depth) + 1, depth, 0};
  RashomonSet set(input.columns, input, testing::Oracle(problem).best(), bound, TreeRule{leaf_rule}, rule, never);
  CHECK_EQUAL(set.trees().complete_up_to(), bound);
  for (const auto& [cost, n_trees] : read_each_once(set)) {
    const auto known = every.find(cost);
    CHECK(known != every.end() && n_trees <= known->second);
  }
}

TreeFilter random_filter(Random& draw, const TestProblem& problem) {
  TreeFilter filter{
      {}, draw.choose<std::uint32_t>({0, 1, 2, 3, table::kUnlimited}), draw.choose<std::uint64_t>({0, 2, 3})};
  for (std::uint32_t column = 0; column < problem.n_columns; ++column) filter.is_allowed.push_back(draw.percent(70));
  return filter;
}

/// Follows random conditions: the trees of a graph that pass a filter are those of plain recursion.
template <class Count>
void check_filter(const TestProblem& problem, Random& draw) {
  if (!every_class_costs(problem)) return;
  const Ticks bound = random_bound(draw, problem);
  if (bound >= kLargestTotal) return;
  const LeafRule leaf_rule = random_rule(draw);
  const testing::PackedInput input = problem.input();
  Run run({.threads = draw.size_between(1, 3)});
  const LeafModel costs(problem.n_classes, problem.n_predictions, problem.costs, true,
                        problem.limits.rows_per_leaf > 1);
  TreeGraph<Count> graph(std::make_shared<const TreeSetProblem>(
                             TreeSetProblem{DistinctRows(input.columns, input.losses.targets, run),
                                            costs,
                                            {problem.leaf_cost, problem.limits.rows_per_leaf, leaf_rule},
                                            problem.limits.depth.value_or(0)}),
                         run);
  graph.build(0, bound);
  const TreeFilter filter = random_filter(draw, problem);
  const std::unique_ptr<FilteredTrees> filtered = graph.filtered(filter, run);
  const TreeCounter counter(problem, leaf_rule, filter);
  RowNumbers rows = all_rows(problem);
  std::vector<PathStep> path;
  Ticks budget = bound;
  std::uint32_t depth = problem.limits.depth.value_or(0), filter_depth = filter.depth;
  for (;;) {
    const Counts expected = counter.count(rows, std::min(depth, filter_depth), budget);
    const std::optional<NodeView> view = filtered->view(path, budget, true);
    const std::optional<NodeView> without_splits = filtered->view(path, budget, false);
    CHECK_EQUAL(view.has_value(), without_splits.has_value());
    CHECK(expected.empty() || view.has_value());
    if (!view) return;
    CHECK(counts_of(view->trees) == expected);
    CHECK(counts_of(without_splits->trees) == expected);
    CHECK(counts_of_parts(*view, leaf_rule, budget) == expected);
    for (const SplitView& split : view->splits) check_copies(problem, split, rows);
    if (view->splits.empty()) return;
    const auto& splits = view->splits;
    const auto& copies = splits[draw.below(static_cast<std::uint32_t>(splits.size()))].copies;
    const std::uint32_t column = copies[draw.below(static_cast<std::uint32_t>(copies.size()))].column;
    CHECK(filter.is_allowed[column]);
    const bool side = draw.percent(50);
    --depth;
    if (filter_depth != table::kUnlimited) --filter_depth;
    budget -=
        counter.count(rows_where(problem, rows, column, !side), std::min(depth, filter_depth), budget).begin()->first;
    rows = rows_where(problem, rows, column, side);
    path.push_back({column, side});
  }
}

}  // namespace

RANDOM_TEST(sums_below_known_ones_are_those_of_a_sum_by_cost, 1000) {
  const Ticks unit = (2 * Ticks{draw.below(50)} + 1) << 8, leaf = (Ticks{100 + draw.below(200)} << 8) + 1;
  Run run;
  const std::uint8_t bits = 1;
  const std::vector<std::int32_t> targets{0, 1};
  const std::vector<std::int64_t> weights{1, 1};
  const DistinctRows rows({&bits, 1, 2}, {targets, weights, 2}, run);
  const CostLattice lattice(rows, LeafModel(2, 2, {0, unit, unit, 0}, true, false), {leaf, 1, LeafRule::differ});
  const Ticks most = 8 * leaf + draw.below(80) * unit;
  CHECK(lattice.size(most) > 0);
  const auto histogram = [&] {
    std::map<Ticks, WordCount> counts;
    const std::uint32_t n = draw.below(60);
    const int bits_less = draw.choose<int>({36, 58});  // some numbers of more than half a word, or none
    for (std::uint32_t i = 0; i < n; ++i)
      counts[(1 + draw.below(4)) * leaf + draw.below(30) * unit] = WordCount((draw.word() >> bits_less) + 1);
    Histogram<WordCount> found;
    for (const auto& [cost, count] : counts) found.push_back({cost, count});
    return found;
  };
  const Histogram<WordCount> a = histogram(), b = histogram(), other = histogram();
  const WordCount copies(1 + draw.below(3));
  HistogramSum<WordCount> plain;
  const auto add_all = [&](auto& sums, auto... limit) {
    sums.add(leaf, WordCount(7));
    sums.add_products(a, b, copies, limit...);
    if (!a.empty() && !b.empty() && a[0].cost + b[0].cost <= most) sums.subtract(a[0].cost + b[0].cost, copies);
  };
  add_all(plain, most);
  const Histogram<WordCount> expected = plain.take();
  add_all(plain, most);
  plain.add_products(other, a, WordCount(1), most);
  const Histogram<WordCount> known = plain.take();
  SubsetSums<WordCount> sums(lattice);
  for (const Histogram<WordCount>* const all : {&known, static_cast<const Histogram<WordCount>*>(nullptr), &known}) {
    sums.begin(most, all);
    add_all(sums);
    const Histogram<WordCount> found = sums.take();
    CHECK(std::ranges::equal(found, expected,
                             [](const auto& x, const auto& y) { return x.cost == y.cost && x.count == y.count; }));
  }
}

RANDOM_TEST(big_numbers_count_as_128_bits_do, 2000) {
  const auto random = [&] { return Wide{draw.word() >> draw.below(64)} << draw.below(50) | (draw.word() >> 32); };
  const Wide a = random(), b = random(), small = draw.word() >> draw.below(63), other = draw.word() >> 1;
  BigCount sum = big(a);
  sum += big(b);
  CHECK(sum == big(a + b));
  CHECK(big(small) * big(other) == big(small * other));
  CHECK((big(a) < big(b)) == (a < b));
  CHECK((big(a) == big(b)) == (a == b));
  sum -= big(b);
  CHECK(sum == big(a));
  if (b == 0) return;
  const auto [quotient, rest] = big(a).divided_by(big(b));
  CHECK(quotient == big(a / b));
  CHECK(rest == big(a % b));
}

TEST(numbers_of_one_word_throw_when_they_overflow) {
  const WordCount most(~std::uint64_t{0});
  WordCount sum = most;
  CHECK_THROWS(CountOverflow, sum += WordCount(1));
  CHECK_THROWS(CountOverflow, static_cast<void>(most * WordCount(2)));
  CHECK(!WordCount::of({1, 1}).has_value());
  CHECK(WordCount::of({7, 0}) == WordCount(7));
}

PROBLEM_TEST(the_number_of_trees_of_each_cost_is_that_of_plain_recursion, 1000, problem_of_depth(draw)) {
  check_histogram(problem, draw);
}

PROBLEM_TEST(the_number_of_trees_of_each_cost_on_wide_problems_is_that_of_plain_recursion, 60,
             wide_problem_of_depth(draw)) {
  check_histogram(problem, draw);
}

PROBLEM_TEST(what_may_stand_at_a_node_is_what_plain_recursion_counts_there, 600, problem_of_depth(draw)) {
  check_views(problem, draw);
}

PROBLEM_TEST(what_may_stand_at_a_node_of_wide_problems_is_what_plain_recursion_counts, 60,
             wide_problem_of_depth(draw)) {
  check_views(problem, draw);
}

PROBLEM_TEST(the_trees_that_pass_a_filter_are_those_of_plain_recursion, 1000, problem_of_depth(draw)) {
  check_filter<WordCount>(problem, draw);
}

PROBLEM_TEST(the_trees_of_wide_problems_that_pass_a_filter_are_those_of_plain_recursion, 60,
             wide_problem_of_depth(draw)) {
  check_filter<BigCount>(problem, draw);
}

PROBLEM_TEST(a_set_counted_in_numbers_of_any_size_is_the_same, 300, problem_of_depth(draw)) {
  if (!every_class_costs(problem)) return;
  const Ticks bound = random_bound(draw, problem);
  const testing::PackedInput input = problem.input();
  Run run;
  const LeafModel costs(problem.n_classes, problem.n_predictions, problem.costs, true,
                        problem.limits.rows_per_leaf > 1);
  const TreeSetProblem of_set{DistinctRows(input.columns, input.losses.targets, run),
                              costs,
                              {problem.leaf_cost, problem.limits.rows_per_leaf, random_rule(draw)},
                              problem.limits.depth.value_or(0)};
  TreeGraph<WordCount> in_words(std::make_shared<const TreeSetProblem>(of_set), run);
  TreeGraph<BigCount> in_any_size(std::make_shared<const TreeSetProblem>(of_set), run);
  in_words.build(0, bound);
  in_any_size.build(0, bound);
  const auto words = in_words.histogram(), any_size = in_any_size.histogram();
  CHECK_EQUAL(words.size(), any_size.size());
  for (std::size_t i = 0; i < std::min(words.size(), any_size.size()); ++i) {
    CHECK_EQUAL(words[i].cost, any_size[i].cost);
    CHECK(words[i].count == any_size[i].count);
    const Limbs rank{words[i].count[0] - 1};
    const ResultTree a = in_words.tree(words[i].cost, rank), b = in_any_size.tree(words[i].cost, rank);
    CHECK(a.column == b.column && a.prediction == b.prediction);
  }
  const auto seen = in_words.view({}, bound, true), seen_in_any_size = in_any_size.view({}, bound, true);
  CHECK(seen && seen_in_any_size && counts_of(seen->trees) == counts_of(seen_in_any_size->trees));
  RelianceProblem group;
  for (std::uint32_t c = 0; c < problem.n_columns; ++c) group.is_in_group.push_back(draw.percent(40));
  for (std::uint32_t row = 0; row < of_set.rows.n_rows; ++row) group.shares.push_back(draw.below(4));
  if (words.empty()) return;
  const RelianceRange a = in_words.reliance(group, run), b = in_any_size.reliance(group, run);
  CHECK(a.least == b.least && a.largest == b.largest && a.least <= a.largest);
  CHECK(WordCount::of(a.n_avoiding) == WordCount::of(b.n_avoiding));
}

PROBLEM_TEST(the_tree_that_ranks_best_is_the_best_of_all_trees_of_the_set, 600, problem_of_depth(draw)) {
  if (problem.n_classes != 2 || !every_class_costs(problem)) return;
  const Ticks bound = random_bound(draw, problem);
  const testing::PackedInput input = problem.input();
  std::int64_t weight[2] = {0, 0};
  for (std::size_t row = 0; row < input.losses.targets.target.size(); ++row)
    weight[input.losses.targets.target[row]] += input.losses.targets.weights[row];
  if (bound >= kLargestTotal || weight[0] == 0 || weight[1] == 0 || weight[0] + weight[1] >= 1 << 20) return;
  RashomonSet set(input.columns, input, testing::Oracle(problem).best(), bound, TreeRule{LeafRule::best}, std::nullopt,
                  never);
  const std::int64_t max_false_positives = draw.percent(50) ? weight[0] << 20 : (weight[0] << 20) / 3 + 1;
  const std::optional<std::uint32_t> most_leaves = draw.percent(30) ? std::optional(2u) : std::nullopt;
  Ticks least = kInfinity;
  for (const auto& [cost, count] : set.trees().histogram())
    for (std::uint64_t rank = 0; rank < count.at(0); ++rank) {
      if (rank == 2000) return;
      const ResultTree tree = set.tree(cost, {rank});
      if (most_leaves && (tree.column.size() + 1) / 2 > *most_leaves) continue;
      least = std::min(least, score_ranking({tree.column, tree.left, tree.right, tree.prediction}, tree.leaf_of_row,
                                            input.losses.targets.target, input.losses.targets.weights, 4,
                                            max_false_positives, problem.leaf_cost));
    }
  const Ticks below = draw.percent(20) ? least : kInfinity;
  const BestRanking best = set.best_ranking({4, max_false_positives, problem.leaf_cost}, below, most_leaves, {}, never);
  CHECK_EQUAL(name_of(best.status), name_of(Status::optimal));
  CHECK_EQUAL(best.found.tree ? best.found.tree->cost : below, least);
}

PROBLEM_TEST(resplit_has_a_part_of_the_set_without_a_tree_twice, 600, problem_of_depth(draw)) {
  check_resplit(problem, draw);
}

PROBLEM_TEST(resplit_has_a_part_of_the_set_of_wide_problems_without_a_tree_twice, 60, wide_problem_of_depth(draw)) {
  check_resplit(problem, draw);
}

PROBLEM_TEST(resplit_counted_in_numbers_of_any_size_is_the_same, 300, problem_of_depth(draw)) {
  if (!every_class_costs(problem) || problem.n_classes < 2) return;
  const Ticks best = testing::Oracle(problem).best(), bound = random_bound(draw, problem);
  const testing::PackedInput input = problem.input();
  Run run;
  const LeafModel costs(problem.n_classes, problem.n_predictions, problem.costs, true,
                        problem.limits.rows_per_leaf > 1);
  const std::uint32_t depth = problem.limits.depth.value_or(0);
  const TreeSetProblem of_set{DistinctRows(input.columns, input.losses.targets, run),
                              costs,
                              {problem.leaf_cost, problem.limits.rows_per_leaf, random_rule(draw)},
                              depth};
  const PrefixRule rule{draw.below(depth) + 1, depth, 0};
  PrefixGraph<WordCount> in_words(std::make_shared<const TreeSetProblem>(of_set), rule, run);
  PrefixGraph<BigCount> in_any_size(std::make_shared<const TreeSetProblem>(of_set), rule, run);
  in_words.build(best, bound);
  in_any_size.build(best, bound);
  const auto words = in_words.histogram(), any_size = in_any_size.histogram();
  CHECK_EQUAL(words.size(), any_size.size());
  for (std::size_t i = 0; i < std::min(words.size(), any_size.size()); ++i) {
    CHECK_EQUAL(words[i].cost, any_size[i].cost);
    CHECK(words[i].count == any_size[i].count);
    const Limbs rank{words[i].count[0] - 1};
    const ResultTree a = in_words.tree(words[i].cost, rank), b = in_any_size.tree(words[i].cost, rank);
    CHECK(a.column == b.column && a.prediction == b.prediction);
  }
}

}  // namespace hornbeam::testing::rashomon_test
