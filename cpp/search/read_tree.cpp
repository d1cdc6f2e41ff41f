#include "search/read_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace hornbeam {

namespace {

using Rows = std::vector<std::uint32_t>;

/// Whose counts stay in the nearest cache.
constexpr std::uint32_t kColumnsOfBlock = 256;

/// Words counted, in all, to split leaves of the known tree: what comes after a stop must not take long.
constexpr std::uint64_t kMostWorkOnLeaves = std::uint64_t{1} << 27;

/// Some distinct rows and what is known of them; `set` and `base_loss` only where they may be split.
struct Part {
  Rows rows;
  std::vector<std::int64_t> weight;  // of each class
  Fingerprint set;
  Ticks base_loss = 0;
};

class TreeReader {
 public:
  TreeReader(const Problem& problem, const SubproblemTable& table) : problem_(problem), table_(table) {}

  ResultTree read(const NodeLimits& limits) {
    Rows all(problem_.rows.n_rows);
    std::iota(all.begin(), all.end(), 0u);
    tree_.cost = add_node(part_of(std::move(all), !limits.only_leaf()), limits, kUnlimited);
    return std::move(tree_);
  }

 private:
  Ticks loss_of(const std::vector<std::int64_t>& weight) const {
    return problem_.costs.loss_of(weight.data(), problem_.costs.best_prediction(weight.data()));
  }

  Part part_of(Rows rows, bool may_be_split) const {
    Part part{std::move(rows), std::vector<std::int64_t>(problem_.rows.n_classes), {}, 0};
    for (const std::uint32_t row : part.rows)
      for (std::uint32_t c = 0; c < part.weight.size(); ++c) part.weight[c] += problem_.rows.weight(row)[c];
    if (!may_be_split) return part;
    for (const std::uint32_t row : part.rows) {
      part.set ^= problem_.rows.identity(row, problem_.limits_rows());
      if (problem_.costs.n_loss_prices() > 0)
        part.base_loss += problem_.costs.least_loss_of_leaf(problem_.rows.weight(row));
    }
    return part;
  }

  /// The two sides of a split; only the rows of the smaller one are looked at again.
  std::array<Part, 2> sides_of(const Part& whole, std::uint32_t column, bool may_be_split) const {
    Rows rows[2];
    for (const std::uint32_t row : whole.rows) rows[problem_.rows.test(column, row) ? 1 : 0].push_back(row);
    const int smaller = rows[1].size() < rows[0].size() ? 1 : 0;
    std::array<Part, 2> side;
    side[smaller] = part_of(std::move(rows[smaller]), may_be_split);
    Part& larger = side[1 - smaller] = {std::move(rows[1 - smaller]), whole.weight, whole.set, whole.base_loss};
    for (std::uint32_t c = 0; c < larger.weight.size(); ++c) larger.weight[c] -= side[smaller].weight[c];
    larger.set ^= side[smaller].set;
    larger.base_loss -= side[smaller].base_loss;
    return side;
  }

  /// Rows of one word of the data whose count number `target` (a class's weight or, behind the classes, the number of
  /// rows) has the bit `shift`.
  struct Plane {
    std::size_t word;
    std::uint32_t target, shift;
    Word rows;
  };

  /// Numbers of rows are counted only where they are limited.
  std::vector<Plane> planes_of(const Rows& rows) const {
    const DistinctRows& data = problem_.rows;
    const std::uint32_t n_targets = data.n_classes + (problem_.limits_rows() ? 1 : 0);
    std::vector<Plane> planes;
    constexpr std::size_t kNowhere = ~std::size_t{0};
    std::vector<std::size_t> place(std::size_t{data.n_classes + 1} * kWordBits, kNowhere);  // of target and shift
    std::size_t first = 0;                                                                  // plane of the word
    for (std::uint32_t row : rows) {
      const std::size_t word = row / kWordBits;
      if (first == planes.size() || planes[first].word != word) first = planes.size();
      for (std::uint32_t target = 0; target < n_targets; ++target) {
        auto count =
            static_cast<std::uint64_t>(target < data.n_classes ? data.weight(row)[target] : data.row_count[row]);
        for (; count != 0; count &= count - 1) {
          const auto shift = static_cast<std::uint32_t>(std::countr_zero(count));
          std::size_t& at = place[std::size_t{target} * kWordBits + shift];
          if (at < first || at == kNowhere) {
            at = planes.size();
            planes.push_back({word, target, shift, 0});
          }
          planes[at].rows |= Word{1} << (row % kWordBits);
        }
      }
    }
    return planes;
  }

  /// The best tree with two leaves: bounds from bounds/pair_stage.hpp stand for such trees without an entry. None if
  /// the rows are a leaf of the known tree, and looking at many such has been work enough.
  KnownTree best_stump(const Rows& rows, const std::vector<std::int64_t>& weight, bool is_leaf) {
    KnownTree best;
    const DistinctRows& data = problem_.rows;
    const std::vector<Plane> planes = planes_of(rows);
    if (is_leaf) {
      const std::uint64_t work = planes.size() * std::uint64_t{data.n_columns};
      if (work_on_leaves_ + work > kMostWorkOnLeaves) return best;
      work_on_leaves_ += work;
    }
    std::int64_t n_all = 0;
    for (std::uint32_t row : rows) n_all += data.row_count[row];
    const auto least_rows = static_cast<std::int64_t>(problem_.tree.rows_per_leaf);
    std::vector<std::int64_t> of_block(std::size_t{data.n_classes + 1} * kColumnsOfBlock);
    std::vector<std::int64_t> held(data.n_classes + 1), failed(data.n_classes);  // rows held are the last count
    for (std::uint32_t first = 0; first < data.n_columns; first += kColumnsOfBlock) {
      const std::uint32_t n_columns = std::min(kColumnsOfBlock, data.n_columns - first);
      std::fill(of_block.begin(), of_block.end(), 0);
      // Words of one row of the data lie side by side, so that the columns are the inner loop.
      for (const Plane& plane : planes) {
        const Word* bits = &data.bits[plane.word * data.stride + first];
        std::int64_t* counts = &of_block[std::size_t{plane.target} * kColumnsOfBlock];
        for (std::uint32_t c = 0; c < n_columns; ++c)
          counts[c] += std::int64_t{std::popcount(plane.rows & bits[c])} << plane.shift;
      }
      for (std::uint32_t c = 0; c < n_columns; ++c) {
        for (std::size_t target = 0; target < held.size(); ++target)
          held[target] = of_block[target * kColumnsOfBlock + c];
        if (problem_.limits_rows() && (held.back() < least_rows || n_all - held.back() < least_rows)) continue;
        for (std::uint32_t k = 0; k < data.n_classes; ++k) failed[k] = weight[k] - held[k];
        const KnownTree stump{2 * problem_.leaf_cost + loss_of(held) + loss_of(failed), first + c, 1, {2, 1}};
        if (stump.better_than(best)) best = stump;
      }
    }
    return best;
  }

  KnownTree best_known(const Part& part, const NodeLimits& limits, Ticks loss, bool is_leaf) {
    KnownTree best{problem_.leaf_cost + loss, kNoSplit, kUnlimited, {1, 0}};
    if (loss - part.base_loss <= problem_.leaf_cost) return best;  // no tree is better: q bounds them all
    // An entry is made when a subproblem is expanded, with its best stump or better.
    const auto known = table_.find({part.set, limits.depth, limits.leaves});
    const KnownTree tree = known ? known->tree : best_stump(part.rows, part.weight, is_leaf);
    return tree.better_than(best) ? tree : best;
  }

  /// `depth` is that of the tree known, where it is.
  Ticks add_node(const Part& part, const NodeLimits& wide_limits, std::uint32_t depth) {
    const std::uint32_t prediction = problem_.costs.best_prediction(part.weight.data());
    const Ticks loss = problem_.costs.loss_of(part.weight.data(), prediction);
    const NodeLimits limits = wide_limits.without_idle_limits(problem_.leaf_cost, loss, part.base_loss);
    KnownTree best;  // no split
    if (!wide_limits.only_leaf()) best = best_known(part, limits, loss, depth == 0);

    const std::size_t node = tree_.column.size();
    tree_.column.push_back(-1);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.prediction.push_back(static_cast<std::int32_t>(prediction));
    if (best.split == kNoSplit) return problem_.leaf_cost + loss;

    NodeLimits side_limits[2];
    for (int x = 0; x < 2; ++x) {
      side_limits[x].depth = limits.depth_of_side();
      if (limits.leaves != kUnlimited)
        side_limits[x].leaves = x == 1 ? best.leaves_of_true_side : limits.leaves - best.leaves_of_true_side;
    }
    const auto side = sides_of(part, best.split, !side_limits[0].only_leaf() || !side_limits[1].only_leaf());
    tree_.column[node] = static_cast<std::int32_t>(best.split);
    tree_.left[node] = static_cast<std::int32_t>(tree_.column.size());
    const std::uint32_t depth_below = best.shape.depth - 1;
    const Ticks true_cost = add_node(side[1], side_limits[1], depth_below);
    tree_.right[node] = static_cast<std::int32_t>(tree_.column.size());
    return true_cost + add_node(side[0], side_limits[0], depth_below);
  }

  const Problem& problem_;
  const SubproblemTable& table_;
  std::uint64_t work_on_leaves_ = 0;
  ResultTree tree_;
};

}  // namespace

ResultTree read_tree(const Problem& problem, const SubproblemTable& table, const NodeLimits& limits) {
  return TreeReader(problem, table).read(limits);
}

}  // namespace hornbeam
