// support/kept_problem.hpp
//
// WHAT    Problems, or draws of other tests, that failed a test once: made smaller, written, and read again from
//         tests/cpp/regressions.
// FLOW    support/main.cpp shrinks and writes the problem of a PROBLEM_TEST that fails, and the draws of a RANDOM_TEST;
//         what it writes is pasted into `regressions/<program>.txt`, which the program tests first from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "support/problem.hpp"
#include "support/random.hpp"

namespace hornbeam::testing {

struct KeptProblem {
  std::string test;
  std::uint64_t seed = 0;  // of what the test draws next to the problem
  TestProblem problem;
  std::optional<Draws> draws;  // of a test without a problem
};

/// A problem that still fails, although no row or column can be left out, and no cell, class, weight or leaf cost be
/// smaller. Costs and limits stay.
TestProblem shrunk(TestProblem problem, const std::function<bool(const TestProblem&)>& fails);

/// Draws that still fail, although none of them can be left out or be smaller. After 2,000 attempts, the fewest so far.
Draws shrunk(Draws draws, const std::function<bool(const Draws&)>& fails);

void write(std::ostream& out, const KeptProblem& kept);

/// All problems of a text. Throws std::runtime_error for a line that `write` does not make; lines may be empty or start
/// with #.
std::vector<KeptProblem> read_kept_problems(std::istream& in);

}  // namespace hornbeam::testing
