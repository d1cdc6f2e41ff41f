// allocation_test.cpp: wherever memory runs out, a search ends with a valid interval or with std::bad_alloc, and the
// leak checker of the address sanitizer finds nothing.
#include "api/posterior.hpp"
#include "api/ranking.hpp"
#include "api/rashomon.hpp"
#include "api/solve.hpp"
#include "support/allocations.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::allocation_test {

using namespace hornbeam::api;
using namespace hornbeam::leafsets;
using namespace hornbeam::rashomon;
using namespace hornbeam::run;
using namespace hornbeam::tree;

namespace {

TestProblem shallow_problem(Random& draw) {
  TestProblem problem = hard_problem(draw, {30, 30, 6, 6});
  problem.leaf_cost = 1;
  problem.limits.depth = 3;
  return problem;
}

/// Why a search may have ended.
void check_status(Status found, Status finished) {
  CHECK(found == Status::optimal || found == Status::memory_limit || found == finished);
}

void check_outcome(const TestProblem& problem, const Outcome& outcome, Ticks optimum) {
  check_interval(problem, outcome, optimum);
  check_status(outcome.status, Status::optimal);
}

}  // namespace

RANDOM_TEST(a_search_of_columns_survives_any_failing_allocation, 1) {
  const TestProblem problem = hard_problem(draw, {30, 30, 6, 6});
  const Ticks optimum = Oracle(problem).best();
  for (const std::uint32_t threads : {1, 3}) {
    PackedInput input = problem.input();
    input.limits.threads = threads;
    fail_each_allocation([&] { return solve(input, never); },
                         [&](const Outcome& outcome) { check_outcome(problem, outcome, optimum); });
  }
}

RANDOM_TEST(a_search_of_ranks_survives_any_failing_allocation, 1) {
  OrderedTestProblem problem = random_ordered(draw, {40, 3, 10});
  problem.size.depth = 4;
  const TestProblem plain = problem.plain();
  const Ticks optimum = Oracle(plain).best();
  for (const std::uint32_t threads : {1, 3}) {
    Input input = problem.input(plain);
    input.limits.threads = threads;
    fail_each_allocation([&] { return solve(problem.columns(), input, never); },
                         [&](const Outcome& outcome) { check_outcome(plain, outcome, optimum); });
  }
}

RANDOM_TEST(a_lookahead_search_survives_any_failing_allocation, 1) {
  const TestProblem problem = shallow_problem(draw);
  const Ticks optimum = Oracle(problem).best();
  const PackedInput input = problem.input();
  for (const bool is_recursive : {false, true})
    fail_each_allocation([&] { return solve_lookahead(input.columns, input, {1, is_recursive, false, false}, never); },
                         [&](const Outcome& outcome) {
                           check_interval(problem, outcome, optimum);
                           check_status(outcome.status, Status::heuristic);
                         });
}

RANDOM_TEST(a_search_over_sets_of_leaves_survives_any_failing_allocation, 1) {
  const TestProblem problem = shallow_problem(draw);
  const Ticks optimum = Oracle(problem).best();
  const PackedInput input = problem.input();
  fail_each_allocation([&] { return solve_leaf_sets(input.columns, input, {}, never); },
                       [&](const Outcome& outcome) { check_outcome(problem, outcome, optimum); });
  const RankingInput ranking{
      problem.classes, problem.weights, 4, std::int64_t{1} << kFalsePositiveBits, 5, problem.limits, {}};
  const Ticks best = solve_ranking(input.columns, ranking, {}, never).lower;
  fail_each_allocation([&] { return solve_ranking(input.columns, ranking, {}, never); },
                       [&](const Outcome& outcome) {
                         CHECK(outcome.lower <= best && best <= outcome.tree.cost);
                         check_status(outcome.status, Status::optimal);
                       });
}

RANDOM_TEST(a_posterior_search_survives_any_failing_allocation, 1) {
  const TestProblem problem = hard_problem(draw, {30, 30, 6, 6});
  const std::vector<double> rho{2.5, 2.5};
  const PosteriorInput input{problem.classes, problem.weights, {0.95, 0.5, rho, 30}, {}};
  const Ticks optimum = solve_posterior(problem.columns(), input, never).lower;
  fail_each_allocation([&] { return solve_posterior(problem.columns(), input, never); },
                       [&](const Outcome& outcome) {
                         CHECK(outcome.lower <= optimum && optimum <= outcome.tree.cost);
                         check_status(outcome.status, Status::optimal);
                       });
}

RANDOM_TEST(a_set_of_trees_survives_any_failing_allocation, 1) {
  const TestProblem problem = shallow_problem(draw);
  const PackedInput input = problem.input();
  const Ticks optimum = Oracle(problem).best(), bound = optimum + 2;
  const auto make = [&](const std::optional<PrefixRule>& rule) {
    return std::make_shared<RashomonSet>(input.columns, input, optimum, bound, TreeRule{LeafRule::best}, rule, never);
  };
  for (const std::optional<PrefixRule>& rule : {std::optional<PrefixRule>(), std::optional(PrefixRule{1, 3, 0})}) {
    const std::shared_ptr<RashomonSet> all = make(rule);
    const auto histogram = all->trees().histogram();
    fail_each_allocation([&] { return make(rule); },
                         [&](const std::shared_ptr<RashomonSet>& set) {
                           check_status(set->status(), Status::optimal);
                           if (set->trees().complete_up_to() < bound) return;
                           CHECK_EQUAL(set->trees().histogram().size(), histogram.size());
                         });
    if (histogram.empty()) continue;
    const auto& [cost, count] = histogram.back();
    fail_each_allocation([&, cost = cost] { return all->tree(cost, {0}); },
                         [&, cost = cost](const ResultTree& tree) { CHECK_EQUAL(cost_of_tree(problem, tree), cost); });
    if (rule) continue;
    const std::vector<std::int32_t> groups{0, 0, 1, 1, 2, 2};
    const std::vector<std::int64_t> shares(problem.n_rows(), 1);
    const RelianceRange range = all->reliance({groups, shares}, never).value().at(1);
    fail_each_allocation([&] { return all->reliance({groups, shares}, never).value(); },
                         [&](const std::vector<RelianceRange>& found) {
                           CHECK(found.at(1).least == range.least && found.at(1).largest == range.largest);
                         });
    // Memory that runs out is an error, and is not taken for a callback that stops.
    const rashomon::TreeFilter filter{std::vector<bool>(6, true), table::kUnlimited};
    fail_each_allocation([&] { return all->filtered(filter, {}, never); },
                         [&](const std::unique_ptr<FilteredSet>& found) { CHECK(found != nullptr); });
    const std::unique_ptr<FilteredSet> trees = all->filtered(filter, {}, never);
    fail_each_allocation([&] { return trees->votes(input.columns, {bound, {}}, never); },
                         [&](const std::optional<rashomon::VoteCounts>& found) { CHECK(found.has_value()); });
    fail_each_allocation([&] { return trees->sums_of_reliance({groups, shares}, {bound, {}}, never); },
                         [&](const std::optional<std::vector<RelianceSum>>& found) { CHECK(found.has_value()); });
    const AucObjective auc{4, std::int64_t{1} << 20, 1};
    const Ticks best = all->best_ranking(auc, kInfinity, {}, {}, never).found.tree->cost;
    fail_each_allocation([&] { return all->best_ranking(auc, kInfinity, {}, {}, never); },
                         [&](const BestRanking& found) {
                           check_status(found.status, Status::optimal);
                           if (found.status == Status::optimal) CHECK_EQUAL(found.found.tree->cost, best);
                         });
  }
}

}  // namespace hornbeam::testing::allocation_test
