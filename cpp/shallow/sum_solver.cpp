#include "shallow/sum_solver.hpp"

#include <bit>

namespace hornbeam::shallow {

namespace {

constexpr std::uint64_t kWorkOfPairs = 64, kWorkOfTriples = 128;  // of a block of columns, in words of kernel work

/// From so many bits a row, or predictions, on, a sum for each prediction is faster than counts of each bit.
constexpr std::uint64_t kManyBits = 8;
constexpr std::uint32_t kManyPredictions = 16;

bool are_sums_faster(const rows::Problem& problem) {
  const models::Measures& measures = problem.model.measures();
  if (measures.has_two_sums() || (!measures.is_separable() && measures.n_predictions >= kManyPredictions)) return true;
  std::uint64_t n_bits = 0;
  for (std::uint32_t row = 0; row < problem.rows.n_rows; ++row)
    for (std::uint32_t t = 0; t < measures.n_targets; ++t)
      n_bits += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(problem.rows.weight(row)[t])));
  return n_bits >= kManyBits * problem.rows.n_rows;
}

}  // namespace

bool SumSolver::is_usable(const rows::Problem& problem) {
  const std::uint64_t n_columns = problem.rows.n_columns, most = problem.most_columns_of_pairs;
  return !problem.limits_rows() && !problem.tree.leaves && !problem.tree.is_rule_list && problem.bounds.pair_stage &&
         most > 0 && n_columns * n_columns * CodedRows::n_sums(problem.model.measures()) <= most * most &&
         are_sums_faster(problem) && CodedRows::fit(problem);
}

SumSolver::SumSolver(const rows::Problem& problem, const CodedRows& rows, const kernels::Kernels& kernels,
                     run::WorkMeter& meter)
    : problem_(problem),
      measures_(problem.model.measures()),
      rows_(rows),
      kernels_(kernels),
      meter_(meter),
      sums_(rows) {}

std::optional<table::KnownTree> SumSolver::solve_side(const rows::RowSet& parent, std::uint32_t column, bool side,
                                                      std::uint32_t levels) {
  side_numbers_.clear();
  for (const std::uint32_t number : parent.numbers)
    if (rows_.groups.test(parent.columns[column], number) == side) side_numbers_.push_back(number);
  return solve(side_numbers_, parent.columns, levels);
}

std::optional<table::KnownTree> SumSolver::solve(std::span<const std::uint32_t> numbers,
                                                 std::span<const std::uint32_t> columns, std::uint32_t levels) {
  numbers_ = numbers;
  columns_ = columns;
  sums_.open(numbers, columns);
  find_leaves();
  if (levels > 1) {
    if (!sums_.count_pairs(meter_)) return std::nullopt;
    find_stumps();
    if (levels == 2)
      find_two_levels();
    else if (!find_three_levels())
      return std::nullopt;
  }
  const ShallowTree best = best_tree();
  if (best.shape.leaves == 1) return table::KnownTree{};
  best_root_ = best.root;
  const Ticks total = baseline(best.root, false) + baseline(best.root, true);
  return table::KnownTree{best.cost + total, columns[best_root()], table::kUnlimited, best.shape};
}

/// Of several equally good roots, the first of the given columns.
ShallowTree SumSolver::best_tree() const {
  ShallowTree best = leaf(explained());
  for (std::uint32_t i = 0; i < best_.size(); ++i) {
    const ShallowTree tree = joined(best_[i][0], best_[i][1], i);
    const bool is_as_good = best.shape.leaves > 1 && tree.cost == best.cost && tree.shape == best.shape;
    if (is_as_good && sums_.column(i) < sums_.column(best.root)) best.root = i;
    best.improve(tree);
  }
  return best;
}

Below SumSolver::below_root(bool holds) const {
  const ShallowTree& tree = best_[best_root_][holds ? 1 : 0];
  const Ticks of_side = baseline(best_root_, holds);
  const std::uint32_t split = tree.shape.leaves > 1 ? columns_[sums_.column(tree.root)] : table::kNoSplit;
  return {{tree.cost + of_side, split, table::kUnlimited, tree.shape}, of_side - explained(best_root_, holds)};
}

/// What a leaf explains; `sum(s)` is its sum number s.
template <class Sum>
Ticks SumSolver::explained_by(Sum sum) const {
  const kernels::SumColumns& columns = sums_.columns();
  return models::with_sums(measures_, [&](auto formula) {
    if constexpr (formula.kHasTwoSums) {
      const Ticks packed = sum(0);
      return formula.template explained<Ticks>(measures_, packed >> columns.shift,
                                               packed & ((Ticks{1} << columns.shift) - 1));
    } else {
      Ticks most = 0;
      for (std::size_t s = 0; s < columns.n_sums; ++s) most = std::max(most, sum(s));
      return most;
    }
  });
}

/// Of all rows.
Ticks SumSolver::explained() const {
  return explained_by([&](std::size_t s) { return sums_.columns().totals[s]; });
}

/// Of the rows on one side of a column.
Ticks SumSolver::explained(std::uint32_t root, bool holds) const {
  const kernels::SumColumns& columns = sums_.columns();
  return explained_by([&](std::size_t s) {
    const Ticks held = columns.sums[s * columns.stride + root];
    return holds ? held : columns.totals[s] - held;
  });
}

/// Over the rows on one side of a column.
Ticks SumSolver::baseline(std::uint32_t root, bool holds) const {
  const std::uint32_t column = columns_[sums_.column(root)];
  return models::with_sums(measures_, [&](auto formula) {
    Ticks sum = 0;
    for (const std::uint32_t number : numbers_)
      if (rows_.groups.test(column, number) == holds) sum += formula.baseline(measures_, problem_.rows.weight(number));
    return sum;
  });
}

/// The leaves on both sides of each column.
void SumSolver::find_leaves() {
  best_.clear();
  for (std::uint32_t i = 0; i < sums_.n_columns(); ++i)
    best_.push_back({leaf(explained(i, false)), leaf(explained(i, true))});
}

/// What leaves explain in the cells of all pairs, and the best stumps below each column.
void SumSolver::find_stumps() {
  const kernels::SumColumns& columns = sums_.columns();
  const std::size_t stride = columns.stride;
  leaves_.resize(std::max(leaves_.size(), std::size_t{4} * sums_.n_columns() * stride));
  for (auto& stumps : stumps_) stumps.assign(stride, 0);
  Ticks* const stumps[2] = {stumps_[0].data(), stumps_[1].data()};
  for (std::uint32_t i = 0; i < sums_.n_columns(); ++i) {
    kernels_.pair_sums(measures_, columns, i, &leaves_[std::size_t{4} * i * stride], stumps);
    meter_.add(kWorkOfPairs * columns.n_sums * (stride - i) / kLanes);
  }
}

void SumSolver::find_two_levels() {
  for (std::uint32_t i = 0; i < best_.size(); ++i)
    for (std::size_t x = 0; x < 2; ++x) best_[i][x].improve({2 * problem_.leaf_cost - stumps_[x][i], {2, 1}});
}

/// Finds the best tree of at most two levels on each side of each column. False if stopped.
bool SumSolver::find_three_levels() {
  const kernels::SumColumns& columns = sums_.columns();
  stumps_of_pairs_.assign(std::size_t{4} * sums_.n_columns() * columns.stride, 0);
  const bool is_done = sums_.each_triple(meter_, [&](std::uint32_t i, std::uint32_t j, kernels::TripleSums triples) {
    kernels_.triple_sums(measures_, columns, i, j, triples, stumps_of_pairs_.data());
    meter_.add(kWorkOfTriples * columns.n_sums * (columns.stride - j) / kLanes);
  });
  if (!is_done) return false;
  for (std::uint32_t i = 0; i < best_.size(); ++i) find_stumps_of_pairs(i);
  return true;
}

void SumSolver::find_stumps_of_pairs(std::uint32_t i) {
  const std::size_t stride = sums_.columns().stride;
  for (std::uint32_t j = i + 1; j < best_.size(); ++j) {
    // The four cells of the pair, with their best stumps, are the sides of j below i and also of i below j.
    ShallowTree cell[4];
    for (std::size_t c = 0; c < 4; ++c) {
      const std::size_t at = (4 * std::size_t{i} + c) * stride + j;
      cell[c] = leaf_or_stump(leaves_[at], stumps_of_pairs_[at]);
    }
    for (std::size_t x = 0; x < 2; ++x) {
      best_[i][x].improve(joined(cell[2 * x], cell[2 * x + 1], j));
      best_[j][x].improve(joined(cell[x], cell[2 + x], i));
    }
  }
}

}  // namespace hornbeam::shallow
