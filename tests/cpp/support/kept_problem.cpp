#include "support/kept_problem.hpp"

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace hornbeam::testing {

using namespace hornbeam::models;

namespace {

/// Takes every simplification with which the problem still fails.
class Shrinker {
 public:
  Shrinker(TestProblem& problem, const std::function<bool(const TestProblem&)>& fails)
      : problem_(problem), fails_(fails) {}

  /// False if nothing could be made smaller.
  bool run() {
    is_smaller_ = false;
    for (std::uint32_t n = problem_.n_rows(); n > 0; n /= 2) leave_out_rows(n);
    for (std::uint32_t column = problem_.n_columns; column-- > 0;) leave_out_column(column);
    lower([](TestProblem& problem) { return &problem.leaf_cost; }, 0);
    for (std::size_t row = 0; row < problem_.rows.size(); ++row) {
      lower([row](TestProblem& problem) { return &problem.weights[row]; }, 1);
      lower([row](TestProblem& problem) { return &problem.classes[row]; }, 0);
      for (std::uint32_t column = 0; column < problem_.n_columns; ++column)
        if (problem_.rows[row][column]) accept([&](TestProblem& problem) { problem.rows[row][column] = false; });
    }
    return is_smaller_;
  }

 private:
  template <class Change>
  bool accept(const Change& change) {
    TestProblem smaller = problem_;
    change(smaller);
    smaller.pack();
    if (!fails_(smaller)) return false;
    problem_ = std::move(smaller);
    return is_smaller_ = true;
  }

  void leave_out_rows(std::uint32_t n) {
    for (std::uint32_t first = 0; first + n <= problem_.n_rows() && n < problem_.n_rows();) {
      const auto leave_out = [first, n](auto& each) { each.erase(each.begin() + first, each.begin() + first + n); };
      const bool is_gone = accept([&](TestProblem& problem) {
        leave_out(problem.rows);
        leave_out(problem.classes);
        leave_out(problem.weights);
      });
      if (!is_gone) first += n;
    }
  }

  void leave_out_column(std::uint32_t column) {
    accept([column](TestProblem& problem) {
      --problem.n_columns;
      for (std::vector<bool>& row : problem.rows) row.erase(row.begin() + column);
    });
  }

  /// Tries the least number, then halves the distance to it, then takes steps of one.
  template <class Number>
  void lower(const Number& number, std::int64_t least) {
    const auto set = [&](std::int64_t value) {
      return accept([&](TestProblem& problem) {
        auto& at = *number(problem);
        at = static_cast<std::remove_reference_t<decltype(at)>>(value);
      });
    };
    const auto now = [&] { return static_cast<std::int64_t>(*number(problem_)); };
    if (now() == least || set(least)) return;
    while (now() - least > 1 && set(least + (now() - least) / 2)) {
    }
    if (now() - least > 1) set(now() - 1);
  }

  TestProblem& problem_;
  const std::function<bool(const TestProblem&)>& fails_;
  bool is_smaller_ = false;
};

void write_limit(std::ostream& out, const char* name, std::optional<std::uint32_t> limit) {
  if (limit) out << name << ' ' << *limit << '\n';
}

std::vector<bool> cells_of(const std::string& text) {
  std::vector<bool> cells;
  for (const char each : text) {
    if (each != '0' && each != '1') throw std::runtime_error("a cell is neither 0 nor 1: " + text);
    cells.push_back(each == '1');
  }
  return cells;
}

void read_row(std::istringstream& line, TestProblem& problem) {
  std::string cells;
  line >> problem.classes.emplace_back() >> problem.weights.emplace_back();
  if (line && !(line >> std::ws).eof()) line >> cells;
  problem.rows.push_back(cells_of(cells));
  problem.n_columns = static_cast<std::uint32_t>(problem.rows[0].size());
  if (problem.rows.back().size() != problem.n_columns) throw std::runtime_error("a row has another length: " + cells);
}

void read_costs(std::istringstream& line, TestProblem& problem) {
  line >> problem.n_classes >> problem.n_predictions;
  problem.costs.resize(std::size_t{problem.n_classes} * problem.n_predictions);
  for (Ticks& cost : problem.costs) line >> cost;
}

void read_line(const std::string& name, std::istringstream& line, KeptProblem& kept) {
  TestProblem& problem = kept.problem;
  if (name == "seed")
    line >> kept.seed;
  else if (name == "leaf_cost")
    line >> problem.leaf_cost;
  else if (name == "depth")
    line >> problem.limits.depth.emplace();
  else if (name == "leaves")
    line >> problem.limits.leaves.emplace();
  else if (name == "rows_per_leaf")
    line >> problem.limits.rows_per_leaf;
  else if (name == "costs")
    read_costs(line, problem);
  else if (name == "row")
    read_row(line, problem);
  else
    throw std::runtime_error("a kept problem has no such line: " + line.str());
}

}  // namespace

TestProblem shrunk(TestProblem problem, const std::function<bool(const TestProblem&)>& fails) {
  Shrinker shrinker(problem, fails);
  while (shrinker.run()) {
  }
  return problem;
}

void write(std::ostream& out, const KeptProblem& kept) {
  const TestProblem& problem = kept.problem;
  out << "test " << kept.test << "\nseed " << kept.seed << '\n';
  out << "costs " << problem.n_classes << ' ' << problem.n_predictions;
  for (const Ticks cost : problem.costs) out << ' ' << cost;
  out << "\nleaf_cost " << problem.leaf_cost << '\n';
  write_limit(out, "depth", problem.limits.depth);
  write_limit(out, "leaves", problem.limits.leaves);
  out << "rows_per_leaf " << problem.limits.rows_per_leaf << '\n';
  for (std::size_t row = 0; row < problem.rows.size(); ++row) {
    out << "row " << problem.classes[row] << ' ' << problem.weights[row] << ' ';
    for (const bool cell : problem.rows[row]) out << (cell ? '1' : '0');
    out << '\n';
  }
}

std::vector<KeptProblem> read_kept_problems(std::istream& in) {
  std::vector<KeptProblem> all;
  for (std::string text; std::getline(in, text);) {
    std::istringstream line(text);
    std::string name;
    if (!(line >> name) || name[0] == '#') continue;
    if (name == "test") {
      line >> all.emplace_back().test;
    } else {
      if (all.empty()) throw std::runtime_error("a kept problem starts with its test, not with: " + text);
      read_line(name, line, all.back());
    }
    if (!line || !(line >> std::ws).eof()) throw std::runtime_error("a line of a kept problem is malformed: " + text);
  }
  for (KeptProblem& each : all) each.problem.pack();
  return all;
}

}  // namespace hornbeam::testing
