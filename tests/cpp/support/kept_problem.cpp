#include "support/kept_problem.hpp"

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace hornbeam::testing {

using namespace hornbeam::models;

namespace {

constexpr std::uint64_t kMostAttempts = 2'000;  // to make draws smaller

void complete(TestProblem& problem) { problem.pack(); }
void complete(Draws&) {}

/// Takes every simplification with which a case still fails.
template <class Case>
class Shrinker {
 public:
  Shrinker(Case& failing, const std::function<bool(const Case&)>& fails, std::uint64_t most_attempts)
      : failing_(failing), fails_(fails), attempts_left_(most_attempts) {}

  /// Calls `round(*this)` until it makes nothing smaller.
  template <class Round>
  void repeat(const Round& round) {
    do {
      is_smaller_ = false;
      round(*this);
    } while (is_smaller_);
  }

  const Case& failing() const { return failing_; }

  template <class Change>
  bool accept(const Change& change) {
    if (attempts_left_ == 0) return false;
    --attempts_left_;
    Case smaller = failing_;
    change(smaller);
    complete(smaller);
    if (!fails_(smaller)) return false;
    failing_ = std::move(smaller);
    return is_smaller_ = true;
  }

  /// Runs of items, shorter and shorter ones: `erase(each, first, n)` leaves out so many.
  template <class Size, class Erase>
  void leave_out(const Size& size, std::size_t least, const Erase& erase) {
    for (std::size_t n = size(failing_) - least; n > 0; n /= 2)
      for (std::size_t first = 0; first + n <= size(failing_) && n + least <= size(failing_);)
        if (!accept([&](Case& each) { erase(each, first, n); })) first += n;
  }

  /// Tries the least number, then halves the distance to it, then takes steps of one.
  template <class Number>
  void lower(const Number& number, std::uint64_t least) {
    const auto set = [&](std::uint64_t value) {
      return accept([&](Case& each) {
        auto& at = *number(each);
        at = static_cast<std::remove_reference_t<decltype(at)>>(value);
      });
    };
    const auto now = [&] { return static_cast<std::uint64_t>(*number(failing_)); };
    if (now() == least || set(least)) return;
    while (now() - least > 1 && set(least + (now() - least) / 2)) {
    }
    if (now() - least > 1) set(now() - 1);
  }

 private:
  Case& failing_;
  const std::function<bool(const Case&)>& fails_;
  std::uint64_t attempts_left_;
  bool is_smaller_ = false;
};

void simplify(Shrinker<TestProblem>& shrinker) {
  const auto n_rows = [](const TestProblem& problem) { return std::size_t{problem.n_rows()}; };
  shrinker.leave_out(n_rows, 1, [](TestProblem& problem, std::size_t first, std::size_t n) {
    const auto leave_out = [&](auto& each) {
      const auto begin = each.begin() + static_cast<std::ptrdiff_t>(first);
      each.erase(begin, begin + static_cast<std::ptrdiff_t>(n));
    };
    leave_out(problem.rows);
    leave_out(problem.classes);
    leave_out(problem.weights);
  });
  for (std::uint32_t column = shrinker.failing().n_columns; column-- > 0;)
    shrinker.accept([column](TestProblem& problem) {
      --problem.n_columns;
      for (std::vector<bool>& row : problem.rows) row.erase(row.begin() + column);
    });
  shrinker.lower([](auto& problem) { return &problem.leaf_cost; }, 0);
  for (std::size_t row = 0; row < shrinker.failing().rows.size(); ++row) {
    shrinker.lower([row](auto& problem) { return &problem.weights[row]; }, 1);
    shrinker.lower([row](auto& problem) { return &problem.classes[row]; }, 0);
    for (std::uint32_t column = 0; column < shrinker.failing().n_columns; ++column)
      if (shrinker.failing().rows[row][column])
        shrinker.accept([&](TestProblem& problem) { problem.rows[row][column] = false; });
  }
}

void simplify(Shrinker<Draws>& shrinker) {
  shrinker.leave_out(std::size<Draws>, 0, [](Draws& draws, std::size_t first, std::size_t n) {
    const auto begin = draws.begin() + static_cast<std::ptrdiff_t>(first);
    draws.erase(begin, begin + static_cast<std::ptrdiff_t>(n));
  });
  for (std::size_t i = 0; i < shrinker.failing().size(); ++i) shrinker.lower([i](auto& draws) { return &draws[i]; }, 0);
}

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
  else if (name == "draws")
    for (kept.draws.emplace(); line && !line.eof();) line >> kept.draws->emplace_back();
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
  Shrinker shrinker(problem, fails, ~std::uint64_t{0});
  shrinker.repeat([](Shrinker<TestProblem>& each) { simplify(each); });
  return problem;
}

Draws shrunk(Draws draws, const std::function<bool(const Draws&)>& fails) {
  Shrinker shrinker(draws, fails, kMostAttempts);
  shrinker.repeat([](Shrinker<Draws>& each) { simplify(each); });
  return draws;
}

void write(std::ostream& out, const KeptProblem& kept) {
  const TestProblem& problem = kept.problem;
  out << "test " << kept.test << '\n';
  if (kept.draws) {
    out << "draws";
    for (const std::uint64_t each : *kept.draws) out << ' ' << each;
    out << '\n';
    return;
  }
  out << "seed " << kept.seed << '\n';
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
  for (KeptProblem& each : all)
    if (!each.draws) each.problem.pack();
  return all;
}

}  // namespace hornbeam::testing
