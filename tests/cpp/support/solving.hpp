// support/solving.hpp
//
// WHAT    Checks of what `solve` returns, against the optimum and the raw rows.
#pragma once

#include "api/solve.hpp"
#include "support/check.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"

namespace hornbeam::testing {

inline bool never(const run::Progress&) { return false; }

/// The meter of a run that is never stopped.
inline run::WorkMeter& always() {
  static run::Run run;
  static run::WorkMeter meter(run);
  return meter;
}

/// The optimum is in the interval, and the tree attains its upper end within the limits.
inline void check_interval(const TestProblem& problem, const run::Outcome& outcome, Ticks optimum) {
  CHECK(outcome.lower <= optimum);
  CHECK(optimum <= outcome.tree.cost);
  CHECK_EQUAL(cost_of_tree(problem, outcome.tree), outcome.tree.cost);
  CHECK((outcome.status == run::Status::optimal) <= (outcome.lower == outcome.tree.cost));
}

inline void check_proven(const TestProblem& problem, const run::Outcome& outcome, Ticks optimum) {
  CHECK_EQUAL(name_of(outcome.status), name_of(run::Status::optimal));
  CHECK_EQUAL(outcome.tree.cost, optimum);
  CHECK_EQUAL(outcome.lower, optimum);
  check_interval(problem, outcome, optimum);
}

}  // namespace hornbeam::testing
