#include "primal/split_finder.hpp"

#include <cmath>
#include <numeric>

#include "primal/sample.hpp"

namespace hornbeam::primal {

namespace {

constexpr std::size_t kMostCells = 512, kLeastCells = 32, kPointsPerCell = 4;
constexpr std::size_t kFiner = 8;    // times as many cells
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
  if (model.measures().is_squared_error()) return mass;
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
  has_numbers_ = false;
  all_.points = points;
  all_.clear(points_.n_targets, points_.are_joint);
  for (const std::uint32_t point : points) {
    if (points_.are_joint)
      all_.add_joint(points_.weights_of(point).data(), points_.row_count[point]);
    else
      all_.add(points_.target[point], points_.weight[point], points_.row_count[point]);
  }
  all_.rows_per_leaf = rows_per_leaf_;
  meter_.add(points.size());
  load_sample();
}

std::optional<SplitFinder::LeastSum> SplitFinder::least_sum(std::span<const std::uint32_t> points,
                                                            std::span<const std::int64_t> numbers) {
  has_numbers_ = true;
  all_.points = points;
  all_.clear(1, false);
  for (const std::int64_t number : numbers) all_.add(0, number, 0);
  all_.rows_per_leaf = 1;
  load_sample();
  const auto found = best_by(SmallerSum{}, all_variables_);
  if (!found) return std::nullopt;
  LeastSum least{found->split, 0, 0};
  points_.variables[least.split.variable].with_condition(least.split.bin, [&](auto holds) {
    for (std::size_t i = 0; i < points.size(); ++i) (holds(points[i]) ? least.of_true : least.of_false) += numbers[i];
  });
  return least;
}

void SplitFinder::load_sample() {
  const std::size_t n_points = all_.points.size();
  if (n_points <= kMostSeen) return;
  sampled_points_.clear();
  sample_.clear(static_cast<std::uint32_t>(all_.total.size()), all_.are_joint);
  for_each_sampled(n_points, kMostSeen, [this](std::size_t i) {
    sampled_points_.push_back(all_.points[i]);
    if (all_.are_joint)
      sample_.add_joint(&all_.weight[i * all_.total.size()], all_.rows[i]);
    else
      sample_.add(all_.target[i], all_.weight[i], all_.rows[i]);
  });
  sample_.points = sampled_points_;
  sample_.rows_per_leaf = std::max<std::uint64_t>(1, all_.rows_per_leaf * kMostSeen / n_points);
}

std::span<const SplitFinder::Criterion> SplitFinder::impurities() const {
  static constexpr Criterion kOfClasses[] = {Criterion::gini, Criterion::entropy}, kOfNumbers[] = {Criterion::loss};
  return mass_.empty() ? std::span<const Criterion>(kOfNumbers) : std::span<const Criterion>(kOfClasses);
}

template <class Use>
decltype(auto) SplitFinder::with_score(Criterion criterion, Use use) const {
  if (mass_.empty()) return use(Loss{model_});
  switch (criterion) {
    case Criterion::gini: return use(Gini{mass_});
    case Criterion::entropy: return use(Entropy{mass_});
    case Criterion::loss: break;
  }
  return use(Loss{model_});
}

double SplitFinder::score_as_leaf(Criterion criterion) const {
  return with_score(criterion, [this](const auto& score) { return score.impurity(all_.total); });
}

std::optional<SplitFinder::Found> SplitFinder::best(Criterion criterion) {
  return with_score(criterion, [this](const auto& score) { return best_by(score, variables_); });
}

template <class Score>
std::optional<SplitFinder::Found> SplitFinder::best_by(const Score& score, std::span<const std::uint32_t> variables) {
  const auto best_of = [&](const Loaded& loaded, std::uint32_t variable, const Cells& cells) {
    fill(loaded, variable, cells);
    return scan(loaded, variable, cells, score);
  };
  std::vector<Found> found;
  for (const std::uint32_t v : variables) {
    if (meter_.stopped()) break;
    if (const auto of_variable = best_of(seen(), v, all_cells(v))) found.push_back(*of_variable);
  }
  const auto by_score = [](const Found& a, const Found& b) {
    return a.score != b.score ? a.score < b.score : a.split.variable < b.split.variable;
  };
  const std::size_t n = std::min(found.size(), kRefined);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n), found.end(), by_score);
  std::optional<Found> best;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t variable = found[i].split.variable;
    std::optional<Found> refined = found[i];
    if (&seen() != &all_) refined = best_of(all_, variable, all_cells(variable));
    if (refined && shift_of(variable) > 0)
      if (const auto finer = best_of(all_, variable, cells_around(refined->split))) refined = finer;
    if (refined && (!best || by_score(*refined, *best))) best = refined;
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
    fill(seen(), v, cells);
    const auto found = with_score(impurity, [&](const auto& score) { return scan(seen(), v, cells, score); });
    if (found) by_impurity.push_back(*found);
    if (const auto of_loss = scan(seen(), v, cells, Loss{model_})) by_loss.push_back(*of_loss);
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

/// Of the cells that are filled: splits that share the weight evenly, or the heaviest categories.
void SplitFinder::add_even_splits(std::uint32_t variable, const Cells& cells, std::size_t n_splits,
                                  std::vector<Split>& splits) const {
  const Weights& total = seen().total;
  const std::uint64_t total_rows = seen().total_rows, rows_per_leaf = seen().rows_per_leaf;
  // Of the three sums of squared error, the first is the weight.
  const std::size_t n_weights = mass_.empty() ? 1 : total.size();
  const auto weight_in = [n_weights](const std::int64_t* sums) {
    return static_cast<std::size_t>(std::accumulate(sums, sums + n_weights, std::int64_t{0}));
  };
  const auto weight_of = [&](std::uint32_t cell) { return weight_in(&sums_[cell * total.size()]); };
  const auto is_allowed = [&](std::uint64_t rows) {
    return rows_per_leaf == 1 || std::min(rows, total_rows - rows) >= rows_per_leaf;
  };
  const auto rows_of = [&](std::uint32_t cell) { return rows_per_leaf == 1 ? 0 : row_sums_[cell]; };
  const std::size_t all = weight_in(total.data());
  if (points_.variables[variable].is_nominal()) {
    std::vector<std::uint32_t> heaviest;
    for (std::uint32_t cell = 0; cell + 1 < cells.size(); ++cell)
      if (weight_of(cell) > 0 && weight_of(cell) < all && is_allowed(rows_of(cell))) heaviest.push_back(cell);
    std::stable_sort(heaviest.begin(), heaviest.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return weight_of(a) > weight_of(b); });
    heaviest.resize(std::min(heaviest.size(), n_splits));
    for (const std::uint32_t cell : heaviest) splits.push_back({variable, cells.last_bin(cell)});
    return;
  }
  std::size_t so_far = 0, n_passed = 0;
  std::uint64_t rows = 0;
  for (std::uint32_t cell = 0; cell + 1 < cells.size() && n_passed < n_splits; ++cell) {
    so_far += weight_of(cell);
    rows += rows_of(cell);
    if (so_far * (n_splits + 1) < all * (n_passed + 1)) continue;
    if (so_far < all && is_allowed(rows)) splits.push_back({variable, cells.last_bin(cell)});
    while (n_passed < n_splits && so_far * (n_splits + 1) >= all * (n_passed + 1)) ++n_passed;
  }
}

/// Neighboring bins share a cell where there would be many more cells than points.
std::uint32_t SplitFinder::shift_of(std::uint32_t variable) const {
  const std::size_t finer = is_fine_ ? kFiner : 1;
  const std::size_t most = finer * std::clamp(all_.points.size() / kPointsPerCell, kLeastCells, kMostCells);
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

void SplitFinder::fill(const Loaded& loaded, std::uint32_t variable, const Cells& cells) {
  const std::size_t n_targets = loaded.total.size(), n_points = loaded.points.size(), n_cells = cells.size();
  const bool limits_rows = loaded.rows_per_leaf > 1;
  sums_.assign(n_cells * n_targets, 0);
  if (limits_rows) row_sums_.assign(n_cells, 0);
  points_.variables[variable].with_bins([&](const auto* bins) {
    for (std::size_t i = 0; i < n_points; ++i) {
      const std::size_t cell = cells.of(bins[loaded.points[i]]);
      if (loaded.are_joint)
        for (std::size_t t = 0; t < n_targets; ++t) sums_[cell * n_targets + t] += loaded.weight[i * n_targets + t];
      else
        sums_[cell * n_targets + loaded.target[i]] += loaded.weight[i];
      if (limits_rows) row_sums_[cell] += loaded.rows[i];
    }
  });
  meter_.spend(n_points + n_cells * n_targets);
}

/// The best split between two of the cells that are filled.
template <class Score>
std::optional<SplitFinder::Found> SplitFinder::scan(const Loaded& loaded, std::uint32_t variable, const Cells& cells,
                                                    const Score& score) {
  const std::size_t n_targets = loaded.total.size();
  const bool is_nominal = points_.variables[variable].is_nominal();
  std::optional<Found> best;
  on_true_.assign(n_targets, 0);
  on_false_ = loaded.total;
  std::uint64_t rows_on_true = 0;
  for (std::uint32_t cell = 0; cell + 1 < cells.size(); ++cell) {
    if (is_nominal) {
      on_true_.assign(n_targets, 0);
      on_false_ = loaded.total;
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
      if (loaded.rows_per_leaf > 1) {
        rows_on_true += row_sums_[cell];
        if (std::min(rows_on_true, loaded.total_rows - rows_on_true) < loaded.rows_per_leaf) continue;
      }
      if (!is_positive(on_false_)) continue;
    }
    const double found = score(on_true_, on_false_);
    if (!best || found < best->score) best = Found{{variable, cells.last_bin(cell)}, found};
  }
  return best;
}

}  // namespace hornbeam::primal
