// ordered_subproblems_test.cpp: api/ordered_subproblems against brute force, wherever its searches are stopped.
#include "api/ordered_subproblems.hpp"

#include <algorithm>
#include <vector>

#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/ordered.hpp"
#include "support/solving.hpp"

namespace hornbeam::testing::ordered_subproblems_test {

using namespace hornbeam::ordered;

namespace {

/// The least cost of a subproblem, from what is left whenever its search is stopped.
class StoppedSearches {
 public:
  StoppedSearches(api::OrderedSubproblems& search, Random& draw) : search_(search), draw_(draw) {}

  Ticks least(const OrderedSubproblem& subproblem, std::int64_t most_polls) {
    std::int64_t left = draw_.between(0, most_polls);
    run::Status status = run::Status::interrupted;
    const OrderedOutcome outcome =
        search_.solve(subproblem, std::nullopt, [&](const run::Progress&) { return left-- == 0; }, status);
    if (outcome.levels.empty()) {
      CHECK_EQUAL(name_of(status), name_of(run::Status::interrupted));
      return least(subproblem, 2 * most_polls + 1);
    }
    Ticks best = outcome.found.cost;
    CHECK(outcome.found.lower <= best);
    const OpenLevel& open = outcome.levels.front();
    OrderedSubproblem rest = subproblem;
    rest.runs = open.runs;
    const std::int64_t more = 2 * most_polls + 1;
    if (open.stopped && !open.stopped->has_sides) rest.runs->push_back(open.stopped->run);
    if (!rest.runs->empty()) best = std::min(best, least(rest, more));
    if (open.stopped && open.stopped->has_sides) {
      Ticks both = 0;
      for (const int x : {0, 1}) {
        const KnownSubproblem& side = open.stopped->side[x];
        OrderedSubproblem below{subproblem.path, side.size, kInfinity, std::nullopt};
        below.path.push_back({open.stopped->column, x == 1});
        const Ticks cost = least(below, more);
        CHECK(side.lower <= cost && cost <= side.cost);
        both += cost;
      }
      best = std::min(best, both);
    }
    return best;
  }

 private:
  api::OrderedSubproblems& search_;
  Random& draw_;
};

}  // namespace

RANDOM_TEST(what_stopped_searches_leave_contains_the_optimum, 2000) {
  const OrderedTestProblem problem = random_ordered(draw, {14, 3, 5});
  const TestProblem plain = problem.plain();
  const data::OrderedColumns columns = problem.columns();
  api::OrderedSubproblems search(columns, problem.input(plain), 1);
  StoppedSearches searches(search, draw);
  const OrderedSubproblem whole{{}, problem.size, kInfinity, std::nullopt};
  CHECK_EQUAL(searches.least(whole, 10) + search.floor(), Oracle(plain).best());
}

RANDOM_TEST(a_bound_below_the_optimum_is_proven, 1000) {
  const OrderedTestProblem problem = random_ordered(draw, {14, 3, 5});
  const TestProblem plain = problem.plain();
  const data::OrderedColumns columns = problem.columns();
  api::OrderedSubproblems search(columns, problem.input(plain));
  const Ticks optimum = Oracle(plain).best() - search.floor(), bound = draw.between(1, optimum + 2);
  run::Status status = run::Status::interrupted;
  const OrderedOutcome outcome = search.solve({{}, problem.size, bound, std::nullopt}, std::nullopt, never, status);
  CHECK_EQUAL(name_of(status), name_of(run::Status::optimal));
  CHECK(std::min(bound, optimum) <= outcome.found.lower && outcome.found.lower <= optimum);
  CHECK(bound <= optimum || outcome.found.cost == optimum);
}

}  // namespace hornbeam::testing::ordered_subproblems_test
