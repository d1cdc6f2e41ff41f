#include "posterior/posterior_tree.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam {

namespace {

using Rows = std::vector<std::uint32_t>;  // numbers of distinct rows

class TreeReader {
 public:
  TreeReader(const DistinctRows& data, PosteriorCosts& costs, const SubproblemTable& table)
      : data_(data), costs_(costs), table_(table) {}

  ResultTree read() {
    Rows all(data_.n_rows);
    std::iota(all.begin(), all.end(), 0u);
    tree_.cost = add_node(all, 0);
    return std::move(tree_);
  }

 private:
  std::vector<Ticks> counts_of(const Rows& rows) const {
    std::vector<Ticks> counts(data_.n_classes, 0);
    for (const std::uint32_t row : rows)
      for (std::uint32_t k = 0; k < counts.size(); ++k) counts[k] += data_.weight(row)[k];
    return counts;
  }

  /// Rows are distinct, so only one row alone has no split.
  Ticks leaf_cost(const Rows& rows, std::uint32_t depth) {
    return costs_.likelihood(counts_of(rows).data()) + (rows.size() > 1 ? costs_.at(depth).leaf : 0);
  }

  void part(const Rows& rows, std::uint32_t column, Rows (&side)[2]) const {
    side[0].clear();
    side[1].clear();
    for (const std::uint32_t row : rows) side[data_.test(column, row) ? 1 : 0].push_back(row);
  }

  std::uint32_t count_splits(const Rows& rows) const {
    std::uint32_t n_splits = 0;
    for (std::uint32_t c = 0; c < data_.n_columns; ++c)
      n_splits += std::any_of(rows.begin(), rows.end(),
                              [&](std::uint32_t row) { return data_.test(c, row) != data_.test(c, rows[0]); });
    return n_splits;
  }

  /// The best tree of at most two leaves: what is known of a pair that was never expanded.
  std::uint32_t best_stump(const Rows& rows, std::uint32_t depth, Ticks split) {
    Ticks least = leaf_cost(rows, depth);
    std::uint32_t best = kNoSplit;
    Rows side[2];
    for (std::uint32_t c = 0; c < data_.n_columns; ++c) {
      part(rows, c, side);
      if (side[0].empty() || side[1].empty()) continue;
      const Ticks cost = split + leaf_cost(side[0], depth + 1) + leaf_cost(side[1], depth + 1);
      if (cost >= least) continue;
      least = cost;
      best = c;
    }
    return best;
  }

  Ticks add_node(const Rows& rows, std::uint32_t depth) {
    const std::vector<Ticks> counts = counts_of(rows);
    const std::size_t node = tree_.column.size();
    tree_.column.push_back(-1);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.prediction.push_back(static_cast<std::int32_t>(costs_.likeliest_class(counts.data())));
    const Ticks leaf = leaf_cost(rows, depth);
    if (rows.size() == 1 || depth == costs_.max_depth()) return leaf;
    const Ticks split = costs_.at(depth).split + costs_.log_of(count_splits(rows));
    Fingerprint set;
    for (const std::uint32_t row : rows) set ^= data_.identity(row, false);
    const auto known = table_.find({set, depth, kUnlimited});
    const std::uint32_t column = known ? known->tree.split : best_stump(rows, depth, split);
    if (column == kNoSplit) return leaf;
    Rows side[2];
    part(rows, column, side);
    tree_.column[node] = static_cast<std::int32_t>(column);
    tree_.left[node] = static_cast<std::int32_t>(tree_.column.size());
    const Ticks true_cost = add_node(side[1], depth + 1);
    tree_.right[node] = static_cast<std::int32_t>(tree_.column.size());
    return split + true_cost + add_node(side[0], depth + 1);
  }

  const DistinctRows& data_;
  PosteriorCosts& costs_;
  const SubproblemTable& table_;
  ResultTree tree_;
};

}  // namespace

ResultTree read_posterior_tree(const DistinctRows& rows, PosteriorCosts& costs, const SubproblemTable& table) {
  return TreeReader(rows, costs, table).read();
}

}  // namespace hornbeam
