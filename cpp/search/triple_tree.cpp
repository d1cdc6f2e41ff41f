#include "search/triple_tree.hpp"

#include <algorithm>
#include <array>

namespace hornbeam::search {

namespace {

// The value of a tree is what it costs and, below that, its number of leaves, of which there are eight at most.
constexpr int kLeafBits = 4;
constexpr Ticks kNone = Ticks{1} << 61;  // more than any value, and the sum of two does not overflow

/// A column, and whether it holds.
struct Step {
  std::uint32_t column;
  bool holds;
};

using Path = std::span<const Step>;

class Finder {
 public:
  Finder(const TripleCounts& counts, const TripleCosts& costs)
      : counts_(counts), costs_(costs), n_(counts.n_columns), n_targets_(counts.totals.size()) {}

  void add_subtree(std::vector<Step>& path, std::uint32_t n_levels, tree::ResultTree& tree) const {
    const std::vector<std::int64_t> rows = rows_of(path);
    std::uint32_t predicted = 0;
    for (std::uint32_t k = 1; k < costs_.n_predictions; ++k)
      if (loss_of(rows.data(), k) < loss_of(rows.data(), predicted)) predicted = k;
    const Best best = n_levels == 3 ? best_root() : best_of(path, n_levels);
    if (best.is_leaf) {
      tree.add_leaf(predicted);
      tree.cost += costs_.leaf_cost + loss_of(rows.data(), predicted);
      return;
    }
    tree.add_split(best.column, predicted, [&](bool side) {
      path.push_back({best.column, side});
      add_subtree(path, n_levels - 1, tree);
      path.pop_back();
    });
  }

 private:
  struct Best {
    Ticks value;
    bool is_leaf = true;
    std::uint32_t column = 0;
  };

  /// Of ascending columns.
  std::int64_t held(std::size_t target, std::size_t i, std::size_t j, std::size_t k) const {
    return counts_.held[target][(i * n_ + j) * n_ + k];
  }
  std::int64_t held(std::size_t target, std::size_t i, std::size_t j) const { return held(target, i, j, j); }
  std::int64_t held(std::size_t target, std::size_t i) const { return held(target, i, i, i); }

  /// Rows of each target at the end of a path of at most three columns, by inclusion and exclusion.
  std::vector<std::int64_t> rows_of(Path path) const {
    std::vector<std::int64_t> rows(n_targets_, 0);
    const auto n_subsets = std::uint32_t{1} << path.size();
    for (std::uint32_t subset = 0; subset < n_subsets; ++subset) {
      std::array<std::uint32_t, 3> columns{};
      std::size_t n = 0;
      bool counts = true, is_negative = false;
      for (std::size_t at = 0; at < path.size(); ++at) {
        if ((subset >> at & 1) != 0) {
          columns[n++] = path[at].column;
          is_negative ^= !path[at].holds;
        } else {
          counts &= !path[at].holds;
        }
      }
      if (!counts) continue;
      for (std::size_t at = n; 0 < n && at < columns.size(); ++at) columns[at] = columns[0];
      std::sort(columns.begin(), columns.end());
      for (std::size_t t = 0; t < n_targets_; ++t) {
        const std::int64_t there = n == 0 ? counts_.totals[t] : held(t, columns[0], columns[1], columns[2]);
        rows[t] += is_negative ? -there : there;
      }
    }
    return rows;
  }

  Ticks loss_of(const std::int64_t* rows, std::uint32_t prediction) const {
    Ticks loss = 0;
    for (std::size_t t = 0; t < n_targets_; ++t) loss += rows[t] * costs_.losses[t * costs_.n_predictions + prediction];
    return loss;
  }

  /// The values of leaves with the rows of N cells; rows[t * N + cell].
  template <std::size_t N>
  std::array<Ticks, N> leaves(const std::int64_t* rows, std::uint64_t rows_per_leaf) const {
    std::array<Ticks, N> least, n_rows{};
    least.fill(kNone);
    for (std::size_t t = 0; t < n_targets_; ++t)
      for (std::size_t c = 0; c < N; ++c) n_rows[c] += rows[t * N + c];
    for (std::size_t k = 0; k < costs_.n_predictions; ++k) {
      std::array<Ticks, N> loss{};
      for (std::size_t t = 0; t < n_targets_; ++t) {
        const Ticks each = costs_.losses[t * costs_.n_predictions + k];
        for (std::size_t c = 0; c < N; ++c) loss[c] += each * rows[t * N + c];
      }
      for (std::size_t c = 0; c < N; ++c) least[c] = std::min(least[c], loss[c]);
    }
    const auto fewest = static_cast<Ticks>(std::min<std::uint64_t>(rows_per_leaf, kLargestTotal));
    for (std::size_t c = 0; c < N; ++c)
      least[c] = n_rows[c] < fewest ? kNone : ((least[c] + costs_.leaf_cost) << kLeafBits) + 1;
    return least;
  }

  /// The best tree of at most two levels at the end of a path of a column, or of fewer levels there or further down.
  Best best_of(std::vector<Step>& path, std::uint32_t n_levels) const {
    Best best{leaves<1>(rows_of(path).data(), path.empty() ? 0 : fewest())[0]};
    for (std::uint32_t column = 0; n_levels > 0 && column < n_; ++column) {
      Ticks sum = 0;
      for (const bool side : {true, false}) {
        if (sum >= kNone) break;
        path.push_back({column, side});
        sum += best_of(path, n_levels - 1).value;
        path.pop_back();
      }
      if (sum < std::min(best.value, kNone)) best = {sum, false, column};
    }
    return best;
  }

  std::uint64_t fewest() const { return std::max<std::uint64_t>(1, costs_.rows_per_leaf); }

  /// Of a tree of at most three levels.
  Best best_root() const {
    Best best{leaves<1>(counts_.totals.data(), 0)[0]};
    std::vector<std::array<Ticks, 2>> sides = leaves_of_sides();
    improve_by_pairs(sides, stumps_of_pairs());
    // The depth of a tree below its root follows from its number of leaves; only of four leaves it is not the same.
    const auto depth = [](Ticks value) { return std::min<Ticks>(2, (value & ((Ticks{1} << kLeafBits) - 1)) - 1); };
    Ticks least_depth = 0;
    for (std::uint32_t root = 0; root < n_; ++root) {
      const auto& [failed, held] = sides[root];
      if (std::max(failed, held) >= kNone || failed + held > best.value) continue;
      const Ticks its_depth = std::max(depth(failed), depth(held));
      if (failed + held == best.value && (best.is_leaf || its_depth >= least_depth)) continue;
      best = {failed + held, false, root};
      least_depth = its_depth;
    }
    return best;
  }

  std::vector<std::array<Ticks, 2>> leaves_of_sides() const {
    std::vector<std::array<Ticks, 2>> sides;
    std::vector<std::int64_t> rows(2 * n_targets_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t t = 0; t < n_targets_; ++t) {
        rows[2 * t + 1] = held(t, i);
        rows[2 * t] = counts_.totals[t] - rows[2 * t + 1];
      }
      sides.push_back(leaves<2>(rows.data(), fewest()));
    }
    return sides;
  }

  /// The best stump in each cell of columns i < j, cell 2 * (i holds) + (j holds), at [i * n_columns + j].
  std::vector<std::array<Ticks, 4>> stumps_of_pairs() const {
    std::vector<std::array<Ticks, 4>> stumps(n_ * n_, {kNone, kNone, kNone, kNone});
    std::vector<std::int64_t> rows(8 * n_targets_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i + 1; j < n_; ++j) {
        for (std::size_t k = j + 1; k < n_; ++k) {
          for (std::size_t t = 0; t < n_targets_; ++t) count_cells(t, i, j, k, &rows[8 * t]);
          const std::array<Ticks, 8> leaf = leaves<8>(rows.data(), fewest());
          std::array<Ticks, 4>&of_ij = stumps[i * n_ + j], &of_ik = stumps[i * n_ + k], &of_jk = stumps[j * n_ + k];
          for (std::size_t c = 0; c < 4; ++c) {
            of_ij[c] = std::min(of_ij[c], leaf[2 * c] + leaf[2 * c + 1]);
            of_ik[c] = std::min(of_ik[c], leaf[4 * (c / 2) + c % 2] + leaf[4 * (c / 2) + 2 + c % 2]);
            of_jk[c] = std::min(of_jk[c], leaf[c] + leaf[4 + c]);
          }
        }
      }
    }
    return stumps;
  }

  /// Rows in the cells of columns i < j < k: cell 4 * (i holds) + 2 * (j holds) + (k holds).
  void count_cells(std::size_t t, std::size_t i, std::size_t j, std::size_t k, std::int64_t* rows) const {
    const std::int64_t ij = held(t, i, j), ik = held(t, i, k), jk = held(t, j, k);
    rows[7] = held(t, i, j, k);
    rows[6] = ij - rows[7];
    rows[5] = ik - rows[7];
    rows[4] = held(t, i) - ij - rows[5];
    rows[3] = jk - rows[7];
    rows[2] = held(t, j) - ij - rows[3];
    rows[1] = held(t, k) - ik - rows[3];
    rows[0] = counts_.totals[t] - held(t, i) - held(t, j) + ij - rows[1];
  }

  /// Lowers the values on the sides of each column to those of the best trees of two levels there.
  void improve_by_pairs(std::vector<std::array<Ticks, 2>>& sides,
                        const std::vector<std::array<Ticks, 4>>& stumps) const {
    std::vector<std::int64_t> rows(4 * n_targets_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i + 1; j < n_; ++j) {
        for (std::size_t t = 0; t < n_targets_; ++t) {
          rows[4 * t + 3] = held(t, i, j);
          rows[4 * t + 2] = held(t, i) - rows[4 * t + 3];
          rows[4 * t + 1] = held(t, j) - rows[4 * t + 3];
          rows[4 * t] = counts_.totals[t] - held(t, i) - rows[4 * t + 1];
        }
        std::array<Ticks, 4> best = leaves<4>(rows.data(), fewest());
        for (std::size_t c = 0; c < 4; ++c) best[c] = std::min({best[c], stumps[i * n_ + j][c], kNone});
        for (std::size_t x = 0; x < 2; ++x) {
          sides[i][x] = std::min(sides[i][x], best[2 * x] + best[2 * x + 1]);
          sides[j][x] = std::min(sides[j][x], best[x] + best[2 + x]);
        }
      }
    }
  }

  const TripleCounts& counts_;
  const TripleCosts& costs_;
  const std::size_t n_, n_targets_;
};

}  // namespace

tree::ResultTree best_tree(const TripleCounts& counts, const TripleCosts& costs, std::uint32_t n_levels) {
  tree::ResultTree tree;
  std::vector<Step> path;
  Finder(counts, costs).add_subtree(path, n_levels, tree);
  return tree;
}

}  // namespace hornbeam::search
