#include "primal/greedy_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <queue>
#include <span>

#include "kernels/kernels.hpp"
#include "primal/binned_rows.hpp"
#include "primal/greedy_splits.hpp"

namespace hornbeam::primal {

namespace {

constexpr std::uint32_t kMostLevels = 64;  // of a tree without a limit
constexpr std::uint32_t kGroup = 4;        // columns whose patterns are counted together
constexpr std::uint32_t kPatterns = 1u << kGroup;
constexpr std::uint32_t kMostSortedRows = 1u << 14;  // whose sums a cache holds, so that their order costs little
constexpr std::uint64_t kAdditionsOfLeaf = 8;        // to find what a leaf loses, by two sums

/// Rows by their numbers, those of a node side by side, with the bits of each side by side.
class PackedRows {
 public:
  explicit PackedRows(const data::PackedColumns& columns)
      : columns_(columns), n_words_(words_for(columns.n_columns)), order_(columns.n_rows) {
    std::iota(order_.begin(), order_.end(), 0u);
    bits_.resize(std::size_t{words_for(columns.n_rows)} * kWordBits * n_words_);
    alignas(64) Word block[kWordBits];
    const std::size_t size = columns.bytes_per_column();
    for (std::size_t first = 0; first < size; first += sizeof(Word)) {
      for (std::uint32_t w = 0; w < n_words_; ++w) {
        std::fill(block, block + kWordBits, Word{0});
        for (std::uint32_t i = 0; i < std::min(kWordBits, columns.n_columns - w * kWordBits); ++i)
          std::memcpy(&block[i], columns.bytes + (w * kWordBits + i) * size + first,
                      std::min(sizeof(Word), size - first));
        kernels::kernels().transpose(block);
        for (std::uint32_t i = 0; i < kWordBits; ++i) bits_[(first * 8 + i) * n_words_ + w] = block[i];
      }
    }
  }

  std::uint32_t n_rows() const { return columns_.n_rows; }
  std::span<const std::uint32_t> rows(std::uint32_t begin, std::uint32_t end) const {
    return {order_.data() + begin, order_.data() + end};
  }

  void scan(std::uint32_t begin, std::uint32_t end, const GreedyWeights& weights, BestGreedySplit& best) {
    const std::uint32_t n_groups = (columns_.n_columns + kGroup - 1) / kGroup, size = weights.size();
    sums_.assign(std::size_t{n_groups} * kPatterns * size, 0);
    for (const std::uint32_t row : rows(begin, end)) {
      const Word* const bits = &bits_[std::size_t{row} * n_words_];
      for (std::uint32_t g = 0; g < n_groups; ++g) {
        const Word pattern = bits[g * kGroup / kWordBits] >> (g * kGroup % kWordBits) & (kPatterns - 1);
        weights.add_to(&sums_[(std::size_t{g} * kPatterns + pattern) * size], row);
      }
    }
    held_.resize(size);
    for (std::uint32_t column = 0; column < columns_.n_columns; ++column) {
      const std::int64_t* const of_group = &sums_[std::size_t{column / kGroup} * kPatterns * size];
      std::fill(held_.begin(), held_.end(), 0);
      for (std::uint32_t pattern = 0; pattern < kPatterns; ++pattern)
        if ((pattern >> column % kGroup & 1) != 0)
          for (std::uint32_t i = 0; i < size; ++i) held_[i] += of_group[pattern * size + i];
      best.consider(column, held_.data());
    }
  }

  /// Puts the rows where the column holds first; returns where the others begin.
  std::uint32_t split(std::uint32_t begin, std::uint32_t end, std::uint32_t column) {
    const auto middle = std::stable_partition(order_.begin() + begin, order_.begin() + end, [&](std::uint32_t row) {
      return (bits_[std::size_t{row} * n_words_ + column / kWordBits] >> column % kWordBits & 1) != 0;
    });
    return static_cast<std::uint32_t>(middle - order_.begin());
  }

 private:
  const data::PackedColumns& columns_;
  const std::size_t n_words_;
  std::vector<std::uint32_t> order_;
  std::vector<Word> bits_;
  std::vector<std::int64_t> sums_, held_;
};

/// Rows by their numbers, those of a node side by side, for each variable in the order of its bins.
class SortedRows {
 public:
  explicit SortedRows(const data::OrderedColumns& columns) : columns_(columns), is_held_(columns.n_rows) {
    for (std::uint32_t v = 0; v < columns.n_variables(); ++v) {
      const std::uint32_t* const bins = columns.bins_of(v);
      std::vector<std::uint32_t> next(columns.n_thresholds[v] + 2, 0);
      for (std::uint32_t row = 0; row < columns.n_rows; ++row) ++next[bins[row] + 1];
      std::partial_sum(next.begin(), next.end(), next.begin());
      std::vector<std::uint32_t>& order = order_.emplace_back(columns.n_rows);
      for (std::uint32_t row = 0; row < columns.n_rows; ++row) order[next[bins[row]]++] = row;
    }
  }

  std::uint32_t n_rows() const { return columns_.n_rows; }
  std::span<const std::uint32_t> rows(std::uint32_t begin, std::uint32_t end) const {
    return {order_[0].data() + begin, order_[0].data() + end};
  }

  void scan(std::uint32_t begin, std::uint32_t end, const GreedyWeights& weights, BestGreedySplit& best) {
    for (std::uint32_t v = 0; v < columns_.n_variables(); ++v) {
      const std::uint32_t *const bins = columns_.bins_of(v), *const order = order_[v].data();
      held_.assign(weights.size(), 0);
      for (std::uint32_t i = begin; i + 1 < end; ++i) {
        weights.add_to(held_.data(), order[i]);
        const std::uint32_t bin = bins[order[i]];
        if (bin != bins[order[i + 1]]) best.consider(columns_.first_column[v] + bin, held_.data());
      }
    }
  }

  std::uint32_t split(std::uint32_t begin, std::uint32_t end, std::uint32_t column) {
    for (const std::uint32_t row : rows(begin, end)) is_held_[row] = columns_.test(column, row) ? 1 : 0;
    std::uint32_t middle = begin;
    for (std::vector<std::uint32_t>& order : order_) {
      others_.clear();
      middle = begin;
      for (std::uint32_t i = begin; i < end; ++i) {
        if (is_held_[order[i]] != 0)
          order[middle++] = order[i];
        else
          others_.push_back(order[i]);
      }
      std::copy(others_.begin(), others_.end(), order.begin() + middle);
    }
    return middle;
  }

 private:
  const data::OrderedColumns& columns_;
  std::vector<std::vector<std::uint32_t>> order_;  // by variable
  std::vector<std::uint8_t> is_held_;              // by row
  std::vector<std::uint32_t> others_;
  std::vector<std::int64_t> held_;
};

template <class Rows>
class Growth {
 public:
  Growth(Rows rows, const GreedyWeights& weights, Ticks leaf_penalty, const TreeLimits& limits)
      : rows_(std::move(rows)),
        weights_(weights),
        leaf_penalty_(leaf_penalty),
        most_depth_(std::min(limits.depth.value_or(kMostLevels), kMostLevels)) {
    add(0, rows_.n_rows(), 0);
    for (std::uint32_t n_leaves = 1; !open_.empty() && (!limits.leaves || n_leaves < *limits.leaves); ++n_leaves) {
      const OpenLeaf next = open_.top();
      open_.pop();
      split(next);
    }
    // Children stand after their parents.
    for (std::size_t i = nodes_.size(); i-- > 0;) prune(nodes_[i], limits.is_rule_list);
  }

  GreedyTree tree() const {
    GreedyTree tree;
    add_to(tree, 0);
    return tree;
  }

 private:
  struct Node {
    std::uint32_t begin, end, depth;
    Ticks loss;  // as a leaf
    std::uint32_t column = 0;
    std::array<std::size_t, 2> child{};  // where the column holds first; 0: a leaf
    Ticks cost = 0;
  };
  struct OpenLeaf {
    Ticks gain;
    std::size_t node;
    std::uint32_t column;
    /// The first of several in a queue: the largest gain, then the node that was made first.
    friend bool operator<(const OpenLeaf& a, const OpenLeaf& b) {
      return a.gain != b.gain ? a.gain < b.gain : a.node > b.node;
    }
  };

  std::size_t add(std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
    std::vector<std::int64_t> all(weights_.size(), 0);
    for (const std::uint32_t row : rows_.rows(begin, end)) weights_.add_to(all.data(), row);
    const std::size_t number = nodes_.size();
    const Ticks loss = weights_.loss_of(all.data());
    nodes_.push_back({begin, end, depth, loss});
    // One leaf more has to gain its penalty.
    if (depth == most_depth_ || loss <= leaf_penalty_) return number;
    BestGreedySplit best(weights_, all);
    rows_.scan(begin, end, weights_, best);
    if (const GreedySplit* const found = best.found()) open_.push({loss - found->loss, number, found->column});
    return number;
  }

  void split(const OpenLeaf& leaf) {
    const auto [begin, end, depth] =
        std::array{nodes_[leaf.node].begin, nodes_[leaf.node].end, nodes_[leaf.node].depth};
    const std::uint32_t middle = rows_.split(begin, end, leaf.column);
    const std::size_t held = add(begin, middle, depth + 1), others = add(middle, end, depth + 1);
    nodes_[leaf.node].column = leaf.column;
    nodes_[leaf.node].child = {held, others};
  }

  Ticks cost_of_leaf(const Node& node) const { return node.loss + leaf_penalty_; }

  /// The best that is left of a subtree whose sides are pruned; of a rule list, one side is a leaf.
  void prune(Node& node, bool is_rule_list) {
    node.cost = cost_of_leaf(node);
    if (node.child[0] == 0) return;
    std::array<Node*, 2> side{&nodes_[node.child[0]], &nodes_[node.child[1]]};
    if (is_rule_list) {
      const auto loses = [this](const Node* one) { return cost_of_leaf(*one) - one->cost; };
      Node& leaf = *side[loses(side[0]) < loses(side[1]) ? 0 : 1];
      leaf.cost = cost_of_leaf(leaf);
      leaf.child = {0, 0};
    }
    const Ticks below = side[0]->cost + side[1]->cost;
    if (below < node.cost)
      node.cost = below;
    else
      node.child = {0, 0};
  }

  std::int32_t add_to(GreedyTree& tree, std::size_t number) const {
    const Node& node = nodes_[number];
    const auto at = static_cast<std::int32_t>(tree.column.size());
    for (std::vector<std::int32_t>* of : {&tree.column, &tree.left, &tree.right}) of->push_back(-1);
    if (node.child[0] == 0) return at;
    tree.column[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(node.column);
    const std::int32_t left = add_to(tree, node.child[0]), right = add_to(tree, node.child[1]);
    tree.left[static_cast<std::size_t>(at)] = left;
    tree.right[static_cast<std::size_t>(at)] = right;
    return at;
  }

  Rows rows_;
  const GreedyWeights& weights_;
  const Ticks leaf_penalty_;
  const std::uint32_t most_depth_;
  std::vector<Node> nodes_;
  std::priority_queue<OpenLeaf> open_;
};

GreedyTree single_leaf() { return {{-1}, {-1}, {-1}}; }

template <class Rows, class Columns>
GreedyTree grow(const Columns& columns, const data::RowTargets& targets, const models::LeafModel& model,
                Ticks leaf_penalty, const TreeLimits& limits) {
  const GreedyWeights weights(columns.n_rows, targets, model, limits.rows_per_leaf);
  return Growth<Rows>(Rows(columns), weights, leaf_penalty, limits).tree();
}

/// Rarely more, if all leaves are pure.
std::uint64_t levels(std::uint32_t n_rows, const TreeLimits& limits) {
  const std::uint32_t most = 2 * static_cast<std::uint32_t>(std::bit_width(n_rows));
  return std::min(limits.depth.value_or(most), most);
}

std::uint64_t additions_of_leaf(const models::LeafModel& model) {
  return model.measures().has_two_sums() ? kAdditionsOfLeaf : model.n_predictions();
}

}  // namespace

GreedyWork greedy_work(const data::PackedColumns& columns, const models::LeafModel& model, const TreeLimits& limits) {
  const std::uint64_t n_rows = columns.n_rows, n_columns = columns.n_columns, size = greedy_sums(model) + 1,
                      n_levels = levels(columns.n_rows, limits),
                      n_nodes = std::min(n_rows, std::uint64_t{1} << std::min<std::uint64_t>(n_levels, 63));
  const std::uint64_t of_rows = n_levels * n_rows * (n_columns / kGroup + 1) * size,
                      of_nodes = n_nodes * n_columns * (kPatterns * size + 2 * additions_of_leaf(model));
  return {of_rows + of_nodes, n_rows * (n_columns / 8 + sizeof(Word) + sizeof(std::uint32_t) + size * sizeof(Ticks))};
}

GreedyWork greedy_work(const data::OrderedColumns& columns, const models::LeafModel& model, const TreeLimits& limits) {
  const std::uint64_t n_rows = columns.n_rows, n_variables = columns.n_variables(), size = greedy_sums(model) + 1,
                      n_levels = levels(columns.n_rows, limits);
  if (n_rows > kMostSortedRows) return BinnedRows::work(columns, n_levels, size, additions_of_leaf(model));
  // Many sums are added and compared as vectors.
  const std::uint64_t of_split =
      model.measures().has_two_sums() ? 3 * size + 2 * kAdditionsOfLeaf : kAdditionsOfLeaf + 2 * size;
  return {n_levels * n_rows * n_variables * of_split,
          n_rows * ((n_variables + 1) * sizeof(std::uint32_t) + 1 + size * sizeof(Ticks))};
}

GreedyTree greedy_tree(const data::PackedColumns& columns, const data::RowTargets& targets,
                       const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits) {
  if (columns.n_columns == 0) return single_leaf();
  return grow<PackedRows>(columns, targets, model, leaf_penalty, limits);
}

GreedyTree greedy_tree(const data::OrderedColumns& columns, const data::RowTargets& targets,
                       const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits) {
  if (columns.n_columns == 0) return single_leaf();
  if (columns.n_rows <= kMostSortedRows) return grow<SortedRows>(columns, targets, model, leaf_penalty, limits);
  return grow<BinnedRows>(columns, targets, model, leaf_penalty, limits);
}

}  // namespace hornbeam::primal
