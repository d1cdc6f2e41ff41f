#include "posterior/split_scanner.hpp"

namespace hornbeam::posterior {

/// Gives the bounds the part of a side where each column g holds: `both` on the true side, the rest of g if `is_rest`.
template <int kClasses>
void SplitScanner::count_columns(const rows::RowSet& rows, const Ticks* both, bool is_rest, Side& side) const {
  const std::uint32_t n_classes = kClasses > 0 ? kClasses : costs_.n_classes();
  side.columns.splits.reset(side.n_rows);
  if constexpr (kClasses == 2) side.columns.staircase.reset(side.total[0], side.total[1]);
  side.n_splits = 0;
  for (std::uint32_t g = 0; g < rows.n_columns; ++g) {
    Ticks n = 0, first = 0, last = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      const std::size_t at = std::size_t{k} * rows.stride + g;
      last = is_rest ? rows.sums[at] - both[at] : both[at];
      if (k == 0) first = last;
      n += last;
    }
    if (n == 0 || n == side.n_rows) continue;
    side.n_splits += rows.copies[g];
    side.columns.splits.add(n, rows.copies[g]);
    if constexpr (kClasses == 2) side.columns.staircase.add(first, last);
  }
  side.columns.splits.finish(costs_.logs().data());
  if constexpr (kClasses == 2) side.columns.staircase.finish();
}

template <int kClasses>
std::uint32_t SplitScanner::scan_columns_as(const rows::RowSet& rows, const std::vector<Word>& pairs,
                                            std::uint32_t depth, std::vector<Ticks>& lower) {
  const std::uint32_t n_classes = kClasses > 0 ? kClasses : costs_.n_classes();
  Side& node = side_[0];
  node.total.assign(rows.total.begin(), rows.total.begin() + n_classes);
  node.n_rows = 0;
  for (const Ticks count : node.total) node.n_rows += count;
  count_columns<kClasses>(rows, rows.sums.data(), false, node);
  PairsLeft& left = node.columns.pairs;
  left = pairs_.count(pairs, node.pair_counts);
  if (left.n_pairs > 0) node.columns.rate = pairs_.rate(costs_, depth + 1, left.most_separated);
  const CellCosts<kClasses> cells(costs_, costs_.at(depth + 1), tables_);
  cells_.resize(2 * std::size_t{n_classes});
  lower.assign(rows.n_columns, 0);
  Ticks least = kInfinity;
  std::uint32_t best = 0;
  for (std::uint32_t g = 0; g < rows.n_columns; ++g) {
    Ticks n = 0, upper = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      cells_[k] = rows.sums[std::size_t{k} * rows.stride + g];
      cells_[n_classes + k] = node.total[k] - cells_[k];
      n += cells_[k];
    }
    const std::uint32_t c = rows.columns[g];
    const Ticks true_side = left.n_pairs > 0 ? left.true_side[c] : 0,
                false_side = left.n_pairs > 0 ? left.false_side[c] : 0;
    cells.add(cells_.data(), n, node.n_rows - n, true_side, node.columns, lower[g], upper, &counters_);
    cells.add(cells_.data() + n_classes, node.n_rows - n, n, false_side, node.columns, lower[g], upper, &counters_);
    if (upper < least) {
      least = upper;
      best = g;
    }
  }
  return best;
}

template <int kClasses>
void SplitScanner::scan_pairs_as(const rows::RowSet& rows, const std::vector<Word>& pairs, std::uint32_t column,
                                 std::uint32_t depth, SideBounds (&sides)[2]) {
  const std::uint32_t n_classes = kClasses > 0 ? kClasses : costs_.n_classes();
  const Ticks* both = maker_.pair_measures(rows, column);
  for (int x = 0; x < 2; ++x) {
    side_[x].total.resize(n_classes);
    side_[x].n_rows = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      const Ticks true_side = rows.sums[std::size_t{k} * rows.stride + column];
      side_[x].total[k] = x == 1 ? true_side : rows.total[k] - true_side;
      side_[x].n_rows += side_[x].total[k];
    }
    count_columns<kClasses>(rows, both, x == 0, side_[x]);
    PairsLeft& left = side_[x].columns.pairs;
    left = pairs_.count_side(pairs, rows.columns[column], x == 1, side_[x].pair_counts);
    if (left.n_pairs > 0) side_[x].columns.rate = pairs_.rate(costs_, depth + 2, left.most_separated);
  }
  const CellCosts<kClasses> cells(costs_, costs_.at(depth + 2), tables_);
  const DepthCosts& here = costs_.at(depth + 1);
  Ticks fixed[kClasses > 0 ? 2 * kClasses : 1];
  cells_.resize(2 * std::size_t{n_classes});
  Ticks* const cell = kClasses > 0 ? fixed : cells_.data();
  for (int x = 0; x < 2; ++x) {
    const Side& side = side_[x];
    const Ticks leaf = costs_.likelihood(side.total.data()) + (side.n_splits > 0 ? here.leaf : 0);
    sides[x] = {leaf, leaf, 1, table::kNoSplit};
    if (side.n_splits == 0 || here.split >= kInfinity) continue;
    Ticks least = kInfinity, most = kInfinity;
    std::uint32_t best = table::kNoSplit;
    for (std::uint32_t g = 0; g < rows.n_columns; ++g) {
      Ticks n = 0;
      for (std::uint32_t k = 0; k < n_classes; ++k) {
        const std::size_t at = std::size_t{k} * rows.stride + g;
        cell[k] = x == 1 ? both[at] : rows.sums[at] - both[at];
        cell[n_classes + k] = side.total[k] - cell[k];
        n += cell[k];
      }
      if (n == 0 || n == side.n_rows) continue;
      const PairsLeft& left = side.columns.pairs;
      const std::uint32_t c = rows.columns[g];
      const Ticks true_side = left.n_pairs > 0 ? left.true_side[c] : 0,
                  false_side = left.n_pairs > 0 ? left.false_side[c] : 0;
      Ticks lower = 0, upper = 0;
      cells.add(cell, n, side.n_rows - n, true_side, side.columns, lower, upper);
      cells.add(cell + n_classes, side.n_rows - n, n, false_side, side.columns, lower, upper);
      least = std::min(least, lower);
      if (upper < most) {
        most = upper;
        best = c;
      }
    }
    const Ticks split = here.split + costs_.log_of(side.n_splits);
    const bool pays = split + most < leaf;
    sides[x] = {std::min(leaf, split + least), std::min(leaf, split + most), pays ? 2u : 1u,
                pays ? best : table::kNoSplit};
  }
}

std::uint32_t SplitScanner::scan_columns(const rows::RowSet& rows, const std::vector<Word>& pairs, std::uint32_t depth,
                                         std::vector<Ticks>& lower) {
  if (costs_.n_classes() == 2) return scan_columns_as<2>(rows, pairs, depth, lower);
  return scan_columns_as<0>(rows, pairs, depth, lower);
}

void SplitScanner::scan_pairs(const rows::RowSet& rows, const std::vector<Word>& pairs, std::uint32_t column,
                              std::uint32_t depth, SideBounds (&sides)[2]) {
  if (costs_.n_classes() == 2)
    scan_pairs_as<2>(rows, pairs, column, depth, sides);
  else
    scan_pairs_as<0>(rows, pairs, column, depth, sides);
}

}  // namespace hornbeam::posterior
