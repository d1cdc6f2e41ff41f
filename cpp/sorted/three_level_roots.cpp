#include "sorted/three_level_roots.hpp"

#include <algorithm>
#include <cmath>

namespace hornbeam::sorted {

namespace {

constexpr double kLeastSteps = 4;          // of a run
constexpr double kLeastGain = 1.4;         // of a round, else the search goes on threshold by threshold
constexpr std::uint32_t kMostRoots = 400;  // compared in one walk
constexpr int kMostRounds = 6;

/// Comparing a root then costs about as much as passing a part of the rows; less in the first round, which closes most.
PairBins::Numbers numbers_of_bins(const SortedRows& rows, int round, std::uint64_t most_pairs) {
  constexpr double kLeastPairs = 1e6, kMostPairs = 1.6e7, kStumpsOfRoot = 3, kFirstShare = 0.01, kShare = 0.04;
  const double n_variables = rows.n_variables();
  const double pairs = n_variables * n_variables * rows.n_rows() * (round == 0 ? kFirstShare : kShare);
  const double limited = std::min(std::clamp(pairs, kLeastPairs, kMostPairs), static_cast<double>(most_pairs));
  const double roots = std::sqrt(limited / kStumpsOfRoot);
  return {static_cast<std::uint32_t>(roots), static_cast<std::uint32_t>(kStumpsOfRoot * roots)};
}

}  // namespace

std::uint64_t ThreeLevelRoots::bytes_for(const SortedRows& rows) {
  return PairBins::bytes_for(rows, numbers_of_bins(rows, 1, ~std::uint64_t{0}));
}

bool ThreeLevelRoots::suits(const SortedRows& rows, std::uint32_t leaves) {
  constexpr std::uint32_t kMostVariables = 1u << 5, kMostLeaves = 8;
  return rows.has_sums() && rows.n_variables() <= kMostVariables && leaves >= kMostLeaves;
}

std::uint32_t ThreeLevelRoots::rows_before(std::uint32_t variable, std::int64_t threshold) const {
  const std::vector<Threshold>& thresholds = (*thresholds_)[variable];
  if (threshold < 0) return 0;
  if (threshold >= std::ssize(thresholds)) return rows_->n_rows();
  return thresholds[static_cast<std::size_t>(threshold)].n_rows;
}

std::uint64_t ThreeLevelRoots::n_open(std::uint32_t variable) const {
  std::uint64_t n = 0;
  for (const OpenThresholds& run : variables_[variable].runs)
    n += rows_before(variable, run.last) - rows_before(variable, run.first) + 1;
  return n;
}

/// Compares a threshold; the walk must not have passed it.
bool ThreeLevelRoots::compare_at(std::uint32_t variable, std::int64_t threshold, Compared& found) {
  if (!bins_.pass_to(rows_before(variable, threshold))) return false;
  PairBins::Costs side[2];
  for (int x = 0; x < 2; ++x)
    if (!bins_.compare(x, side[x])) return false;
  const bool is_threshold = threshold >= 0 && threshold < std::ssize((*thresholds_)[variable]);
  found = {{threshold, side[1].lower, side[0].lower}, is_threshold ? side[0].least + side[1].least : kInfinity};
  if (found.least < best_) {
    best_ = found.least;
    better_ = {rows_->split_behind(variable, rows_before(variable, threshold)), {side[0].split, side[1].split}};
  }
  return true;
}

/// As far as the bound between two thresholds may close the run between them, or half the distance that the bins
/// cannot tell.
std::int64_t ThreeLevelRoots::next_threshold(const OpenThresholds& run, const Compared* before,
                                             const Compared& here) const {
  const std::uint32_t n_here = rows_before(run.variable, here.bounds.index);
  double loss_of_row = static_cast<double>(best_) / rows_->n_rows();
  if (before != nullptr && n_here > rows_before(run.variable, before->bounds.index)) {
    const double rows = n_here - rows_before(run.variable, before->bounds.index);
    loss_of_row =
        std::max(static_cast<double>(before->bounds.false_side - here.bounds.false_side) / rows, loss_of_row / 16);
  }
  const Ticks lower = here.bounds.true_side + here.bounds.false_side;
  double cost = 0.95 * static_cast<double>(lower - best_);
  if (here.least < kInfinity) cost = std::max(cost, static_cast<double>(here.least - lower) / 2);
  const double least = std::max<double>(static_cast<double>(n_open(run.variable)) / kMostRoots, 1);
  const std::uint32_t n_of_run = rows_before(run.variable, run.high.index) - rows_before(run.variable, run.low.index);
  const double n_next =
      n_here + std::max(std::min(loss_of_row > 0 ? cost / loss_of_row : 0.0, n_of_run / kLeastSteps), least);
  const std::vector<Threshold>& thresholds = (*thresholds_)[run.variable];
  if (n_next >= rows_before(run.variable, run.high.index)) return run.high.index;
  const auto at = std::lower_bound(thresholds.begin(), thresholds.end(), n_next,
                                   [](const Threshold& one, double n) { return one.n_rows < n; });
  return std::clamp<std::int64_t>(at - thresholds.begin(), here.bounds.index + 1, run.high.index);
}

/// Compares thresholds of each run.
bool ThreeLevelRoots::walk(std::uint32_t variable, std::vector<std::vector<Compared>>& compared) {
  if (!bins_.start(variable)) return false;
  for (const OpenThresholds& run : variables_[variable].runs) {
    std::vector<Compared>& here = compared.emplace_back();
    const bool follows = compared.size() > 1 && compared[compared.size() - 2].back().bounds.index == run.low.index;
    if (follows)
      here.push_back(compared[compared.size() - 2].back());
    else if (!compare_at(variable, run.low.index, here.emplace_back()))
      return false;
    while (here.back().bounds.index < run.high.index) {
      const std::int64_t next = next_threshold(run, here.size() > 1 ? &here[here.size() - 2] : nullptr, here.back());
      if (!compare_at(variable, next, here.emplace_back())) return false;
    }
  }
  return true;
}

/// Marks the thresholds below the roots that are left.
bool ThreeLevelRoots::mark(std::uint32_t variable) {
  if (!bins_.start(variable)) return false;
  const OpenThresholds* before = nullptr;
  const auto mark_end = [&](const OpenThresholds& run) {
    return bins_.pass_to(rows_before(variable, run.high.index)) && bins_.mark(0, best_ - run.low.true_side);
  };
  for (const OpenThresholds& run : variables_[variable].runs) {
    if (before != nullptr && !mark_end(*before)) return false;
    if (!bins_.pass_to(rows_before(variable, run.low.index)) || !bins_.mark(1, best_ - run.high.false_side))
      return false;
    before = &run;
  }
  if (before != nullptr && !mark_end(*before)) return false;
  variables_[variable].below = bins_.marked();
  return true;
}

/// One round for one variable. False if stopped.
bool ThreeLevelRoots::narrow_variable(std::uint32_t variable, bool marks) {
  Variable& here = variables_[variable];
  std::vector<std::vector<Compared>> compared;
  if (!walk(variable, compared)) return false;
  if (better_) incumbent_->improve(*better_);
  better_.reset();
  best_ = incumbent_->best();
  std::vector<OpenThresholds> runs;
  for (std::size_t r = 0; r < compared.size(); ++r) {
    const OpenThresholds& run = here.runs[r];
    for (std::size_t i = 0; i + 1 < compared[r].size(); ++i) {
      const Compared &low = compared[r][i], &high = compared[r][i + 1];
      const bool is_open = low.bounds.true_side + low.bounds.false_side < best_;
      OpenThresholds part{variable, low.bounds, high.bounds, std::max(run.first, low.bounds.index + (is_open ? 0 : 1)),
                          std::min(run.last, high.bounds.index - 1)};
      const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(part.size(), 0));
      if (!part.is_empty()) part.close((*thresholds_)[variable], costs_.error_cost, best_);
      if (!part.is_empty()) runs.push_back(part);
      n_closed_ += size - static_cast<std::uint64_t>(std::max<std::int64_t>(part.size(), 0));
    }
  }
  here.runs = std::move(runs);
  return here.runs.empty() || !marks || mark(variable);
}

std::vector<OpenThresholds> ThreeLevelRoots::narrow(const SortedRows& rows,
                                                    const std::vector<std::vector<Threshold>>& thresholds,
                                                    const Incumbent& incumbent) {
  rows_ = &rows;
  thresholds_ = &thresholds;
  incumbent_ = &incumbent;
  best_ = incumbent.best();
  const std::uint32_t n_variables = rows.n_variables();
  std::vector<std::vector<Places>> all(n_variables);
  for (std::uint32_t v = 0; v < n_variables; ++v)
    if (!thresholds[v].empty()) all[v] = {{0, std::ssize(thresholds[v]) - 1}};
  variables_.assign(n_variables, {});
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    variables_[v].below = {all, all};
    if (!thresholds[v].empty()) variables_[v].runs = {all_open(v, thresholds[v], costs_.leaf)};
  }
  const PairBins::Open everything{all, all};
  bool goes_on = bins_.open(rows, thresholds, everything, numbers_of_bins(rows, 0, most_pairs_));
  for (std::uint32_t v = 0; goes_on && v < n_variables; ++v) goes_on = narrow_variable(v, false);
  for (int round = 1; goes_on && round < kMostRounds; ++round) {
    for (std::uint32_t v = 0; goes_on && v < n_variables; ++v) {
      if (variables_[v].runs.empty() || variables_[v].is_done) continue;
      const std::uint64_t before = n_open(v);
      goes_on = bins_.open(rows, thresholds, variables_[v].below, numbers_of_bins(rows, round, most_pairs_)) &&
                narrow_variable(v, true);
      variables_[v].is_done = kLeastGain * static_cast<double>(n_open(v)) > static_cast<double>(before);
    }
  }
  std::vector<OpenThresholds> runs;
  for (const Variable& variable : variables_) runs.insert(runs.end(), variable.runs.begin(), variable.runs.end());
  return runs;
}

}  // namespace hornbeam::sorted
