// shallow/three_levels.cpp: the part of TwoLevelSolver that finds the best tree of depth at most three of few columns.
//
// WHAT    With few columns it costs less to count all triples at once than to solve both sides of every root: a pair of
//         columns is counted once for both of its roots and both of its sides, and no side is gathered or laid out.
// HOLDS   The result is exact, as in shallow/two_levels. The count of a triple gives those of all its eight cells,
//         since the counts of pairs and of columns are known (inclusion and exclusion).
// COST    columns^2 / 2 x (columns / 16) x (words + about 60) vector steps, whatever the bounds: see kFewColumns.
// SOURCE  Counting by inclusion and exclusion: [demirovic2022murtree] for pairs; triples: ours.
#include "shallow/two_levels.hpp"

namespace hornbeam::shallow {

std::optional<table::KnownTree> TwoLevelSolver::solve_three_levels(const rows::RowSet& parent, std::uint32_t column,
                                                                   bool side, Ticks upper) {
  if (!open(parent, column, side, upper)) return table::KnownTree{};
  if (!search_triples()) return std::nullopt;
  table::KnownTree best;
  for (std::uint32_t i = 0; i < roots_.size(); ++i) {
    const ShallowTree tree = joined(shallow_[i][0], shallow_[i][1], i);
    const table::KnownTree known{tree.cost + lost_anyway(), parent.columns[roots_[i].column()], table::kUnlimited,
                                 tree.shape};
    if (known.cost > upper || !known.better_than(best)) continue;
    best = known;
    best_root_ = i;
  }
  return best;
}

Below TwoLevelSolver::below_root(const rows::RowSet& parent, bool holds) const {
  const ShallowTree& tree = shallow_[best_root_][holds ? 1 : 0];
  const Weighed rows = weigh(best_root_, holds);
  Ticks lost = 0;
  if (counts_.cancelled) {
    const Ticks true_side = sums_[std::size_t{counts_.n_targets} * stride_ + roots_[best_root_].column()];
    lost = error_cost_ * (holds ? true_side : total_[counts_.n_targets] - true_side);
  }
  return {{tree.cost + lost, parent.columns[column_of(tree.root)], table::kUnlimited, tree.shape},
          error_cost_ * (rows.weight - rows.most) + lost};
}

/// Finds the best tree of at most two levels on each side of each root. False if stopped.
bool TwoLevelSolver::search_triples() {
  const auto n_columns = static_cast<std::uint32_t>(roots_.size() + others_.size());
  const std::size_t stride = pairs_.stride, n_counts = std::size_t{n_columns} * counts_.n_targets * stride;
  triples_.resize(n_counts + 4 * stride);
  const kernels::TripleRow rows{pairs_, n_columns, triples_.data(), triples_.data() + n_counts};
  shallow_.clear();
  for (std::uint32_t i = 0; i < n_columns; ++i) {
    kernels_.count_pairs(rows, i, mask_.data());
    shallow_.push_back({leaf_of(weigh(i, false)), leaf_of(weigh(i, true))});
  }
  for (std::uint32_t i = 0; i < roots_.size(); ++i) {
    if (!meter_.spend(std::uint64_t{pairs_.n_words + 16} * pairs_.n_blocks * 4 * (n_columns - i))) return false;
    kernels_.triple_row(rows, i, mask_.data());
    for (std::uint32_t j = i + 1; j < n_columns; ++j) {
      // The four cells of the pair, with their best stumps, are the sides of j below i and also of i below j.
      ShallowTree cell[4];
      for (std::uint32_t c = 0; c < 4; ++c)
        cell[c] = leaf_or_stump(weigh_cell(rows, i, j, c), rows.stump_loss[c * stride + j]);
      for (std::size_t x = 0; x < 2; ++x) {
        shallow_[i][x].improve(joined(cell[2 * x], cell[2 * x + 1], j));
        shallow_[j][x].improve(joined(cell[x], cell[2 + x], i));
      }
    }
  }
  return true;
}

/// Weight and heaviest class where columns i and j hold or not.
TwoLevelSolver::Weighed TwoLevelSolver::weigh_cell(const kernels::TripleRow& rows, std::uint32_t i, std::uint32_t j,
                                                   std::uint32_t cell) const {
  Weighed found;
  for (std::uint32_t k = 0; k < counts_.n_targets; ++k) {
    const std::size_t row = std::size_t{k} * pairs_.stride;
    const std::int64_t both = rows.counts[(std::size_t{i} * counts_.n_targets + k) * pairs_.stride + j];
    const std::int64_t of_i = pairs_.sums[row + i] - both, of_j = pairs_.sums[row + j] - both;
    found.add(cell == 3 ? both : cell == 2 ? of_i : cell == 1 ? of_j : total_[k] - of_i - of_j - both);
  }
  return found;
}

}  // namespace hornbeam::shallow
