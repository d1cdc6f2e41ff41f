#include "posterior/posterior_tree.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "data/best_stump.hpp"

namespace hornbeam::posterior {

namespace {

/// The rows of a node, and columns: those that split its parent, until `keep_splits` is called.
struct Part {
  data::RowList rows;
  std::vector<std::uint32_t> columns;
};

/// What the parts of the rows cost, and which columns split them.
class Parts {
 public:
  Parts(const data::DistinctRows& data, PosteriorCosts& costs) : data_(data), costs_(costs) {}

  Part all() const {
    Part all{all_rows(data_), {}};
    all.columns.resize(data_.n_columns);
    std::iota(all.columns.begin(), all.columns.end(), 0u);
    return all;
  }

  table::SubproblemKey key_of(const Part& of, std::uint32_t depth) const {
    Fingerprint set;
    for (const std::uint32_t row : of.rows) set ^= data_.fingerprint(row, false);
    return {set, depth};
  }

  /// Rows are distinct, so only one row alone has no split.
  Ticks leaf_cost(const Ticks* counts, bool has_splits, std::uint32_t depth) {
    return costs_.likelihood(counts) + (has_splits ? costs_.at(depth).leaf : 0);
  }

  /// Of the columns that `keep_splits` has kept.
  Ticks split_cost(const Part& of, std::uint32_t depth) {
    return costs_.at(depth).split + costs_.log_of(static_cast<std::uint32_t>(of.columns.size()));
  }

  /// Drops the columns that do not split the rows; for most that do, a few words show it.
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

  bool may_be_split(const Part& of, std::uint32_t depth) const {
    return of.rows.size() > 1 && depth < costs_.max_depth();
  }

  /// The leaf, which costs that, or the best tree of two leaves: what is known of a pair that was never expanded.
  table::KnownTree leaf_or_stump(const Part& of, Ticks leaf, std::uint32_t depth) {
    const Ticks split = split_cost(of, depth);
    const Ticks leaf_cost = costs_.at(depth + 1).leaf;  // not paid for a single row, which has no split
    const data::StumpFinder stumps(data_, of.rows, [](std::uint32_t) { return 1; });
    const data::Stump best = stumps.find([&](const auto& true_side, const auto& false_side) {
      if (true_side.back() == 0 || false_side.back() == 0) return kInfinity;
      return split + costs_.likelihood(true_side.data()) + costs_.likelihood(false_side.data()) +
             (true_side.back() > 1 ? leaf_cost : 0) + (false_side.back() > 1 ? leaf_cost : 0);
    });
    if (best.cost < leaf) return {best.cost, best.column, table::kUnlimited, {2, 1}};
    return {leaf, table::kNoSplit, table::kUnlimited, {}};
  }

 private:
  std::vector<Word> mask_of(const Part& of) const {
    std::vector<Word> mask(data_.view().n_words, 0);
    for (const std::uint32_t row : of.rows) mask[row / kWordBits] |= Word{1} << (row % kWordBits);
    return mask;
  }

  const data::DistinctRows& data_;
  PosteriorCosts& costs_;
};

class TreeReader {
 public:
  TreeReader(const data::DistinctRows& data, PosteriorCosts& costs, const table::SubproblemTable& table, bool has_time)
      : data_(data), costs_(costs), parts_(data, costs), table_(table), has_time_(has_time) {}

  tree::ResultTree read() {
    tree_.cost = add_node(parts_.all(), 0, false);
    return std::move(tree_);
  }

 private:
  /// `may_be_leaf`: without time, the node is a leaf unless more is known.
  Ticks add_node(Part of, std::uint32_t depth, bool may_be_leaf) {
    const std::vector<Ticks> counts = data::target_weights(data_, of.rows);
    const std::uint32_t prediction = costs_.likeliest_class(counts.data());
    const Ticks leaf = parts_.leaf_cost(counts.data(), of.rows.size() > 1, depth);
    const auto add_leaf = [&] {
      tree_.add_leaf(prediction);
      return leaf;
    };
    if (!parts_.may_be_split(of, depth)) return add_leaf();
    std::optional<table::Interval> known = table_.find(parts_.key_of(of, depth));
    if (known && !known->has_tree()) known.reset();
    if (known ? known->tree.split == table::kNoSplit : may_be_leaf && !has_time_) return add_leaf();
    parts_.keep_splits(of);
    const std::uint32_t column = known ? known->tree.split : parts_.leaf_or_stump(of, leaf, depth).split;
    if (column == table::kNoSplit) return add_leaf();
    const bool has_leaves = !known || known->tree.shape.depth == 1;
    auto sides = data::partition(data_, of.rows, column);
    Ticks cost = parts_.split_cost(of, depth);
    tree_.add_split(column, prediction, [&](bool side) {
      cost += add_node({std::move(sides[side ? 1 : 0]), of.columns}, depth + 1, has_leaves);
    });
    return cost;
  }

  const data::DistinctRows& data_;
  PosteriorCosts& costs_;
  Parts parts_;
  const table::SubproblemTable& table_;
  const bool has_time_;
  tree::ResultTree tree_;
};

/// Records what is below a node first, so that whatever is in the table can be read off it. An entry is no worse than
/// what a pair without one stands for: (W2) of posterior/posterior_worker.hpp.
table::KnownTree record(Parts& parts, const data::DistinctRows& data, table::SubproblemTable& table,
                        const tree::ResultTree& tree, std::int32_t node, Part of, std::uint32_t depth) {
  const auto at = static_cast<std::size_t>(node);
  const table::SubproblemKey key = parts.key_of(of, depth);
  const std::vector<Ticks> counts = data::target_weights(data, of.rows);
  const Ticks leaf = parts.leaf_cost(counts.data(), of.rows.size() > 1, depth);
  table::KnownTree known{leaf, table::kNoSplit, table::kUnlimited, {}};
  if (parts.may_be_split(of, depth)) {
    parts.keep_splits(of);
    known = parts.leaf_or_stump(of, leaf, depth);
  }
  if (tree.column[at] >= 0) {
    const auto column = static_cast<std::uint32_t>(tree.column[at]);
    table::KnownTree given{parts.split_cost(of, depth), column, table::kUnlimited, {0, 2}};
    auto sides = data::partition(data, of.rows, column);
    for (const int x : {0, 1}) {
      const table::KnownTree side = record(parts, data, table, tree, x == 1 ? tree.left[at] : tree.right[at],
                                           {std::move(sides[x]), of.columns}, depth + 1);
      given.cost += side.cost;
      given.shape.leaves += side.shape.leaves;
    }
    if (given.better_than(known)) known = given;
  }
  return table.tighten(key, {0, known}).tree;
}

}  // namespace

tree::ResultTree read_posterior_tree(const data::DistinctRows& rows, PosteriorCosts& costs,
                                     const table::SubproblemTable& table, bool has_time) {
  return TreeReader(rows, costs, table, has_time).read();
}

table::KnownTree record_posterior_tree(const data::DistinctRows& rows, PosteriorCosts& costs,
                                       table::SubproblemTable& table, const tree::ResultTree& tree) {
  Parts parts(rows, costs);
  return record(parts, rows, table, tree, 0, parts.all(), 0);
}

}  // namespace hornbeam::posterior
