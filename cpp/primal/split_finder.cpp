#include "primal/split_finder.hpp"

#include <cmath>
#include <numeric>

namespace hornbeam::primal {

namespace {

constexpr std::size_t kMostCells = 512, kLeastCells = 32, kPointsPerCell = 4;
constexpr std::size_t kRefined = 4;  // variables whose cells are resolved

using Weights = std::vector<std::int64_t>;

// Scores of both sides of a split, by what each target weighs there. Lower is better.

/// Impurities are weighted by the mass of their side.
struct Gini {
  const std::vector<double>& mass;
  double impurity(const Weights& weight) const {
    double all = 0, squares = 0;
    for (std::size_t t = 0; t < weight.size(); ++t) {
      const double of_target = static_cast<double>(weight[t]) * mass[t];
      all += of_target;
      squares += of_target * of_target;
    }
    return all > 0 ? all - squares / all : 0;
  }
  double operator()(const Weights& a, const Weights& b) const { return impurity(a) + impurity(b); }
};

struct Entropy {
  const std::vector<double>& mass;
  static double information(double x) { return x > 0 ? x * std::log2(x) : 0; }
  double impurity(const Weights& weight) const {
    double all = 0, sum = 0;
    for (std::size_t t = 0; t < weight.size(); ++t) {
      const double of_target = static_cast<double>(weight[t]) * mass[t];
      all += of_target;
      sum += information(of_target);
    }
    return information(all) - sum;
  }
  double operator()(const Weights& a, const Weights& b) const { return impurity(a) + impurity(b); }
};

struct Loss {
  const models::LeafModel& model;
  double impurity(const Weights& weight) const { return static_cast<double>(model.least_loss_of_leaf(weight.data())); }
  double operator()(const Weights& a, const Weights& b) const { return impurity(a) + impurity(b); }
};

/// The numbers of the points, in place of weights.
struct SmallerSum {
  double operator()(const Weights& a, const Weights& b) const { return static_cast<double>(std::min(a[0], b[0])); }
};

std::vector<double> masses(const models::LeafModel& model) {
  std::vector<double> mass;
  mass.reserve(model.n_targets());
  for (std::uint32_t t = 0; t < model.n_targets(); ++t) mass.push_back(static_cast<double>(model.largest_cost(t)));
  return mass;
}

std::vector<std::uint32_t> first_numbers(std::size_t n) {
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

bool is_positive(const Weights& weight) {
  return std::any_of(weight.begin(), weight.end(), [](std::int64_t w) { return w > 0; });
}

}  // namespace

SplitFinder::SplitFinder(const Points& points, const models::LeafModel& model, std::uint64_t rows_per_leaf,
                         run::WorkMeter& meter)
    : points_(points),
      model_(model),
      rows_per_leaf_(rows_per_leaf),
      mass_(masses(model)),
      meter_(meter),
      all_variables_(first_numbers(points.variables.size())),
      variables_(all_variables_) {}

void SplitFinder::load(std::span<const std::uint32_t> points) {
  loaded_ = points;
  has_numbers_ = false;
  target_.resize(points.size());
  weight_.resize(points.size());
  rows_.resize(points.size());
  total_.assign(points_.n_targets, 0);
  total_rows_ = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint32_t point = points[i];
    target_[i] = points_.target[point];
    weight_[i] = points_.weight[point];
    rows_[i] = points_.row_count[point];
    total_[target_[i]] += weight_[i];
    total_rows_ += rows_[i];
  }
  meter_.add(points.size());
}

std::optional<SplitFinder::LeastSum> SplitFinder::least_sum(std::span<const std::uint32_t> points,
                                                            std::span<const std::int64_t> numbers) {
  loaded_ = points;
  has_numbers_ = true;
  target_.assign(points.size(), 0);
  weight_.assign(numbers.begin(), numbers.end());
  total_.assign(1, 0);
  for (const std::int64_t number : numbers) total_[0] += number;
  const auto found = best_by(SmallerSum{}, all_variables_);
  if (!found) return std::nullopt;
  LeastSum least{found->split, 0, 0};
  points_.variables[least.split.variable].with_condition(least.split.bin, [&](auto holds) {
    for (std::size_t i = 0; i < points.size(); ++i) (holds(points[i]) ? least.of_true : least.of_false) += numbers[i];
  });
  return least;
}

template <class Use>
decltype(auto) SplitFinder::with_score(Criterion criterion, Use use) const {
  switch (criterion) {
    case Criterion::gini: return use(Gini{mass_});
    case Criterion::entropy: return use(Entropy{mass_});
    case Criterion::loss: break;
  }
  return use(Loss{model_});
}

double SplitFinder::score_as_leaf(Criterion criterion) const {
  return with_score(criterion, [this](const auto& score) { return score.impurity(total_); });
}

std::optional<SplitFinder::Found> SplitFinder::best(Criterion criterion) {
  return with_score(criterion, [this](const auto& score) { return best_by(score, variables_); });
}

template <class Score>
std::optional<SplitFinder::Found> SplitFinder::best_by(const Score& score, std::span<const std::uint32_t> variables) {
  std::vector<Found> found;
  for (const std::uint32_t v : variables) {
    if (meter_.stopped()) break;
    const Cells cells = all_cells(v);
    fill(v, cells);
    if (const auto of_variable = scan(v, cells, score)) found.push_back(*of_variable);
  }
  const auto by_score = [](const Found& a, const Found& b) {
    return a.score != b.score ? a.score < b.score : a.split.variable < b.split.variable;
  };
  const std::size_t n = std::min(found.size(), kRefined);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n), found.end(), by_score);
  std::optional<Found> best;
  for (std::size_t i = 0; i < n; ++i) {
    if (shift_of(found[i].split.variable) > 0) {
      const Cells cells = cells_around(found[i].split);
      fill(found[i].split.variable, cells);
      if (const auto refined = scan(found[i].split.variable, cells, score)) found[i] = *refined;
    }
    if (!best || by_score(found[i], *best)) best = found[i];
  }
  return best;
}

std::vector<Split> SplitFinder::candidates(std::size_t most, Criterion impurity) {
  const std::size_t n_variables = variables_.size();
  if (n_variables == 0) return {};
  const std::size_t n_even = most > 2 * n_variables ? most / n_variables - 1 : 0;
  std::vector<Found> by_impurity, by_loss;
  std::vector<Split> even;
  for (const std::uint32_t v : variables_) {
    if (meter_.stopped()) break;
    const Cells cells = all_cells(v);
    fill(v, cells);
    const auto found = with_score(impurity, [&](const auto& score) { return scan(v, cells, score); });
    if (found) by_impurity.push_back(*found);
    if (const auto of_loss = scan(v, cells, Loss{model_})) by_loss.push_back(*of_loss);
    add_even_splits(v, cells, n_even, even);
  }
  const auto by_score = [](const Found& a, const Found& b) { return a.score < b.score; };
  std::stable_sort(by_impurity.begin(), by_impurity.end(), by_score);
  std::stable_sort(by_loss.begin(), by_loss.end(), by_score);
  std::vector<Split> chosen;
  for (std::size_t i = 0; i < by_impurity.size(); ++i) {
    for (const Split& split : {by_impurity[i].split, by_loss[i].split}) {
      if (chosen.size() == most) return chosen;
      if (std::find(chosen.begin(), chosen.end(), split) == chosen.end()) chosen.push_back(split);
    }
  }
  for (const Split& split : even)
    if (chosen.size() < most && std::find(chosen.begin(), chosen.end(), split) == chosen.end()) chosen.push_back(split);
  return chosen;
}

/// Splits that share the weight evenly, of the cells that are filled.
void SplitFinder::add_even_splits(std::uint32_t variable, const Cells& cells, std::size_t n_splits,
                                  std::vector<Split>& splits) const {
  if (points_.variables[variable].is_nominal()) return;
  const auto all = static_cast<std::size_t>(std::accumulate(total_.begin(), total_.end(), std::int64_t{0}));
  std::size_t so_far = 0, n_passed = 0;
  std::uint64_t rows = 0;
  for (std::uint32_t cell = 0; cell + 1 < cells.size() && n_passed < n_splits; ++cell) {
    for (std::size_t t = 0; t < total_.size(); ++t) so_far += static_cast<std::size_t>(sums_[cell * total_.size() + t]);
    if (rows_per_leaf_ > 1) rows += row_sums_[cell];
    if (so_far * (n_splits + 1) < all * (n_passed + 1)) continue;
    const bool is_allowed = rows_per_leaf_ == 1 || std::min(rows, total_rows_ - rows) >= rows_per_leaf_;
    if (so_far < all && is_allowed) splits.push_back({variable, cells.last_bin(cell)});
    while (n_passed < n_splits && so_far * (n_splits + 1) >= all * (n_passed + 1)) ++n_passed;
  }
}

/// Neighboring bins share a cell where there would be many more cells than points.
std::uint32_t SplitFinder::shift_of(std::uint32_t variable) const {
  const std::size_t most = std::clamp(loaded_.size() / kPointsPerCell, kLeastCells, kMostCells);
  std::uint32_t shift = 0;
  if (points_.variables[variable].is_nominal()) return shift;
  while (points_.variables[variable].n_conditions() >> shift > 2 * most) ++shift;
  return shift;
}

SplitFinder::Cells SplitFinder::all_cells(std::uint32_t variable) const {
  return {0, points_.variables[variable].n_conditions(), shift_of(variable)};
}

SplitFinder::Cells SplitFinder::cells_around(const Split& split) const {
  const std::uint32_t width = 1u << shift_of(split.variable), after = split.bin + 1;
  return {after - std::min(after, width), std::min(after + width, points_.variables[split.variable].n_conditions()), 0};
}

void SplitFinder::fill(std::uint32_t variable, const Cells& cells) {
  const std::size_t n_targets = total_.size(), n_points = loaded_.size(), n_cells = cells.size();
  const bool limits_rows = rows_per_leaf_ > 1 && !has_numbers_;
  sums_.assign(n_cells * n_targets, 0);
  if (limits_rows) row_sums_.assign(n_cells, 0);
  points_.variables[variable].with_bins([&](const auto* bins) {
    for (std::size_t i = 0; i < n_points; ++i) {
      const std::size_t cell = cells.of(bins[loaded_[i]]);
      sums_[cell * n_targets + target_[i]] += weight_[i];
      if (limits_rows) row_sums_[cell] += rows_[i];
    }
  });
  meter_.spend(n_points + n_cells * n_targets);
}

/// The best split between two of the cells that are filled.
template <class Score>
std::optional<SplitFinder::Found> SplitFinder::scan(std::uint32_t variable, const Cells& cells, const Score& score) {
  const std::size_t n_targets = total_.size();
  const bool is_nominal = points_.variables[variable].is_nominal();
  std::optional<Found> best;
  on_true_.assign(n_targets, 0);
  on_false_ = total_;
  std::uint64_t rows_on_true = 0;
  for (std::uint32_t cell = 0; cell + 1 < cells.size(); ++cell) {
    if (is_nominal) {
      on_true_.assign(n_targets, 0);
      on_false_ = total_;
      rows_on_true = 0;
    }
    bool is_empty = true;
    for (std::size_t t = 0; t < n_targets; ++t) {
      const std::int64_t sum = sums_[cell * n_targets + t];
      on_true_[t] += sum;
      on_false_[t] -= sum;
      is_empty &= sum == 0;
    }
    if (is_empty || (cell == 0 && cells.first == 0)) continue;
    if (!has_numbers_) {
      if (rows_per_leaf_ > 1) {
        rows_on_true += row_sums_[cell];
        if (std::min(rows_on_true, total_rows_ - rows_on_true) < rows_per_leaf_) continue;
      }
      if (!is_positive(on_false_)) continue;
    }
    const double found = score(on_true_, on_false_);
    if (!best || found < best->score) best = Found{{variable, cells.last_bin(cell)}, found};
  }
  return best;
}

}  // namespace hornbeam::primal
