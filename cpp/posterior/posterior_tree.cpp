#include "posterior/posterior_tree.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam {

namespace {

/// The rows of a node, and columns: those that split the node above until `keep_splits` is called.
struct Part {
  std::vector<std::uint32_t> rows;  // numbers of distinct rows
  std::vector<std::uint32_t> columns;
};

class TreeReader {
 public:
  TreeReader(const DistinctRows& data, PosteriorCosts& costs, const SubproblemTable& table, bool has_time)
      : data_(data), costs_(costs), table_(table), has_time_(has_time), n_classes_(data.n_classes) {}

  ResultTree read() {
    Part all;
    all.rows.resize(data_.n_rows);
    std::iota(all.rows.begin(), all.rows.end(), 0u);
    all.columns.resize(data_.n_columns);
    std::iota(all.columns.begin(), all.columns.end(), 0u);
    tree_.cost = add_node(std::move(all), 0, false);
    return std::move(tree_);
  }

 private:
  std::vector<Ticks> counts_of(const std::vector<std::uint32_t>& rows) const {
    std::vector<Ticks> counts(n_classes_, 0);
    for (const std::uint32_t row : rows)
      for (std::uint32_t k = 0; k < n_classes_; ++k) counts[k] += data_.weight(row)[k];
    return counts;
  }

  /// Rows are distinct, so only one row alone has no split.
  Ticks leaf_cost(const Ticks* counts, bool has_splits, std::uint32_t depth) {
    return costs_.likelihood(counts) + (has_splits ? costs_.at(depth).leaf : 0);
  }

  Part part(const Part& whole, std::uint32_t column, bool side) const {
    Part one{{}, whole.columns};
    for (const std::uint32_t row : whole.rows)
      if (data_.test(column, row) == side) one.rows.push_back(row);
    return one;
  }

  /// Whether words side by side are cheaper to read than single rows.
  bool is_large(const Part& of) const { return 8 * of.rows.size() >= data_.view().n_words; }

  std::vector<Word> mask_of(const Part& of) const {
    std::vector<Word> mask(data_.view().n_words, 0);
    for (const std::uint32_t row : of.rows) mask[row / kWordBits] |= Word{1} << (row % kWordBits);
    return mask;
  }

  /// Forgets the columns that do not split the rows; most that do are known by a few words.
  void keep_splits(Part& of) const {
    const std::vector<Word> mask = mask_of(of);
    std::vector<std::uint32_t> words;
    for (std::uint32_t w = 0; w < mask.size(); ++w)
      if (mask[w] != 0) words.push_back(w);
    std::erase_if(of.columns, [&](std::uint32_t c) {
      Word holds = 0, fails = 0;
      for (const std::uint32_t w : words) {
        const Word bits = data_.bits[std::size_t{w} * data_.stride + c];
        holds |= mask[w] & bits;
        fails |= mask[w] & ~bits;
        if (holds != 0 && fails != 0) return false;
      }
      return true;
    });
  }

  /// By class and column, and at last by column alone: the rows that each column holds of a node.
  std::vector<std::vector<Ticks>> counts_of_columns(const Part& of) const {
    std::vector<std::vector<Ticks>> counts(n_classes_ + 1, std::vector<Ticks>(data_.stride, 0));
    if (!is_large(of)) {
      for (const std::uint32_t c : of.columns)
        for (const std::uint32_t row : of.rows) {
          if (!data_.test(c, row)) continue;
          for (std::uint32_t k = 0; k < n_classes_; ++k) counts[k][c] += data_.weight(row)[k];
          ++counts[n_classes_][c];
        }
      return counts;
    }
    add_counts(mask_of(of), 1, counts[n_classes_]);
    for (std::uint32_t k = 0; k < n_classes_; ++k) {
      std::int64_t bits_of_all = 0;
      for (const std::uint32_t row : of.rows) bits_of_all |= data_.weight(row)[k];
      for (std::uint32_t bit = 0; bits_of_all >> bit != 0; ++bit) {
        Part slice;
        for (const std::uint32_t row : of.rows)
          if ((data_.weight(row)[k] >> bit & 1) != 0) slice.rows.push_back(row);
        const std::vector<Word> mask = mask_of(slice);
        add_counts(mask, Ticks{1} << bit, counts[k]);
      }
    }
    return counts;
  }

  void add_counts(const std::vector<Word>& mask, Ticks weight, std::vector<Ticks>& counts) const {
    static constexpr Ticks kOne = 1;
    const Measures measures{true, false, false, 1, 1, 0, &kOne, nullptr, nullptr, nullptr};
    const TileView tile = data_.view();
    const Segment segment{0, tile.n_words, 0, 0, data_.n_rows};
    const SlotTile slots{tile, &segment, 1, mask.data()};
    AlignedVector<Ticks> found(std::size_t{measures.size()} * tile.stride);
    AlignedVector<Word> scratch(kernel_scratch_words(slots, measures));
    kernels().measure(slots, measures, nullptr, found.data(), scratch.data());
    for (std::uint32_t c = 0; c < tile.stride; ++c) counts[c] += weight * found[c];
  }

  /// The best tree of at most two leaves: what is known of a pair that was never expanded.
  std::uint32_t best_stump(const Part& of, const std::vector<Ticks>& total, std::uint32_t depth, Ticks split) {
    Ticks least = leaf_cost(total.data(), true, depth);
    std::uint32_t best = kNoSplit;
    const std::vector<std::vector<Ticks>> held = counts_of_columns(of);
    std::vector<Ticks> side(n_classes_), other(n_classes_);
    for (const std::uint32_t c : of.columns) {
      for (std::uint32_t k = 0; k < n_classes_; ++k) {
        side[k] = held[k][c];
        other[k] = total[k] - side[k];
      }
      // Without the leaves' prices, which fall away for a row alone, this is a bound.
      Ticks cost = split + costs_.likelihood(side.data()) + costs_.likelihood(other.data());
      if (cost >= least) continue;
      const auto n_rows = static_cast<std::size_t>(held[n_classes_][c]);
      for (const std::size_t n : {n_rows, of.rows.size() - n_rows})
        if (n > 1) cost += costs_.at(depth + 1).leaf;
      if (cost >= least) continue;
      least = cost;
      best = c;
    }
    return best;
  }

  /// `may_be_leaf`: without time, the node is a leaf unless more is known.
  Ticks add_node(Part of, std::uint32_t depth, bool may_be_leaf) {
    const std::vector<Ticks> counts = counts_of(of.rows);
    const std::size_t node = tree_.column.size();
    tree_.column.push_back(-1);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.prediction.push_back(static_cast<std::int32_t>(costs_.likeliest_class(counts.data())));
    const Ticks leaf = leaf_cost(counts.data(), of.rows.size() > 1, depth);
    if (of.rows.size() == 1 || depth == costs_.max_depth()) return leaf;
    Fingerprint set;
    for (const std::uint32_t row : of.rows) set ^= data_.identity(row, false);
    const auto known = table_.find({set, depth, kUnlimited});
    if (known ? known->tree.split == kNoSplit : may_be_leaf && !has_time_) return leaf;
    keep_splits(of);
    const Ticks split = costs_.at(depth).split + costs_.log_of(static_cast<std::uint32_t>(of.columns.size()));
    const std::uint32_t column = known ? known->tree.split : best_stump(of, counts, depth, split);
    if (column == kNoSplit) return leaf;
    const bool has_leaves = !known || known->tree.shape.depth == 1;
    tree_.column[node] = static_cast<std::int32_t>(column);
    tree_.left[node] = static_cast<std::int32_t>(tree_.column.size());
    const Ticks true_cost = add_node(part(of, column, true), depth + 1, has_leaves);
    tree_.right[node] = static_cast<std::int32_t>(tree_.column.size());
    return split + true_cost + add_node(part(of, column, false), depth + 1, has_leaves);
  }

  const DistinctRows& data_;
  PosteriorCosts& costs_;
  const SubproblemTable& table_;
  const bool has_time_;
  const std::uint32_t n_classes_;
  ResultTree tree_;
};

}  // namespace

ResultTree read_posterior_tree(const DistinctRows& rows, PosteriorCosts& costs, const SubproblemTable& table,
                               bool has_time) {
  return TreeReader(rows, costs, table, has_time).read();
}

}  // namespace hornbeam
