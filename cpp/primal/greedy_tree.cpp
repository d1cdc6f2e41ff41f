#include "primal/greedy_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <queue>
#include <span>

#include "kernels/kernels.hpp"

namespace hornbeam::primal {

namespace {

constexpr std::uint32_t kMostDepth = 64;  // of a tree without a limit
constexpr std::uint32_t kGroup = 4;       // columns whose patterns are counted together
constexpr std::uint32_t kPatterns = 1u << kGroup;
constexpr std::uint64_t kAdditionsOfLeaf = 8;  // to find what a leaf loses, by two sums

/// What the rows of a leaf add up: the weight of each target, where two sums say what a leaf loses; otherwise what each
/// prediction loses, and the weight of all targets.
std::uint32_t n_sums(const models::LeafModel& model) {
  return model.measures().has_two_sums() ? model.n_targets() : model.n_predictions() + 1;
}

/// These sums of each row and, after them, how many rows it is. A split is allowed if both sides have enough rows and
/// some weight.
class Weights {
 public:
  Weights(std::uint32_t n_rows, const data::RowTargets& targets, const models::LeafModel& model,
          std::uint64_t rows_per_leaf)
      : model_(model),
        has_two_sums_(model.measures().has_two_sums()),
        n_sums_(n_sums(model)),
        rows_per_leaf_(static_cast<std::int64_t>(rows_per_leaf)),
        numbers_(std::size_t{n_rows} * size(), 0) {
    const std::uint32_t n_predictions = model.n_predictions();
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::int64_t* const numbers = &numbers_[row * size()];
      targets.for_each(row, [&](std::uint32_t target, std::int64_t weight) {
        if (has_two_sums_) {
          numbers[target] = weight;
          return;
        }
        const Ticks* const cost = model.measures().cost + std::size_t{target} * n_predictions;
        for (std::uint32_t k = 0; k < n_predictions; ++k) numbers[k] += weight * cost[k];
        numbers[n_predictions] += weight;
      });
      numbers[n_sums_] = targets.n_rows(row);
    }
  }

  std::uint32_t size() const { return n_sums_ + 1; }
  void add_to(std::int64_t* sums, std::uint32_t row) const {
    const std::int64_t* const from = &numbers_[std::size_t{row} * size()];
    // Survival has two targets and squared error three: these loops have no end to check.
    if (n_sums_ == 2) return add_all<3>(sums, from);
    if (n_sums_ == 3) return add_all<4>(sums, from);
    for (std::uint32_t i = 0; i < size(); ++i) sums[i] += from[i];
  }
  Ticks loss_of(const std::int64_t* sums) const {
    return has_two_sums_ ? model_.least_loss_of_leaf(sums) : *std::min_element(sums, sums + model_.n_predictions());
  }
  bool allows(const std::int64_t* one, const std::int64_t* other) const {
    const std::int64_t rows = std::min(one[n_sums_], other[n_sums_]);
    return rows >= std::max<std::int64_t>(1, rows_per_leaf_) && has_weight(one) && has_weight(other);
  }

 private:
  template <std::uint32_t kSize>
  static void add_all(std::int64_t* sums, const std::int64_t* from) {
    for (std::uint32_t i = 0; i < kSize; ++i) sums[i] += from[i];
  }
  bool has_weight(const std::int64_t* sums) const {
    const std::int64_t* const first = has_two_sums_ ? sums : sums + n_sums_ - 1;
    return std::any_of(first, sums + n_sums_, [](std::int64_t sum) { return sum > 0; });
  }

  const models::LeafModel& model_;
  const bool has_two_sums_;
  const std::uint32_t n_sums_;
  const std::int64_t rows_per_leaf_;
  std::vector<std::int64_t> numbers_;
};

struct Found {
  std::uint32_t column;
  Ticks loss;  // of both sides
};

/// The best of the splits that it is shown, given what all rows weigh.
class BestSplit {
 public:
  BestSplit(const Weights& weights, const std::vector<std::int64_t>& all)
      : weights_(weights), all_(all), others_(all.size()) {}

  void consider(std::uint32_t column, const std::int64_t* where_true) {
    for (std::size_t i = 0; i < all_.size(); ++i) others_[i] = all_[i] - where_true[i];
    if (!weights_.allows(where_true, others_.data())) return;
    const Ticks loss = weights_.loss_of(where_true) + weights_.loss_of(others_.data());
    if (loss < best_.loss) best_ = {column, loss};
  }
  /// Null if none is allowed.
  const Found* found() const { return best_.loss < kInfinity ? &best_ : nullptr; }

 private:
  const Weights& weights_;
  const std::vector<std::int64_t>& all_;
  std::vector<std::int64_t> others_;
  Found best_{0, kInfinity};
};

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

  void scan(std::uint32_t begin, std::uint32_t end, const Weights& weights, BestSplit& best) {
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

  void scan(std::uint32_t begin, std::uint32_t end, const Weights& weights, BestSplit& best) {
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
  Growth(Rows rows, const Weights& weights, Ticks leaf_penalty, const TreeLimits& limits)
      : rows_(std::move(rows)),
        weights_(weights),
        leaf_penalty_(leaf_penalty),
        most_depth_(std::min(limits.depth.value_or(kMostDepth), kMostDepth)) {
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
    BestSplit best(weights_, all);
    rows_.scan(begin, end, weights_, best);
    if (const Found* const found = best.found()) open_.push({loss - found->loss, number, found->column});
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
  const Weights& weights_;
  const Ticks leaf_penalty_;
  const std::uint32_t most_depth_;
  std::vector<Node> nodes_;
  std::priority_queue<OpenLeaf> open_;
};

template <class Rows, class Columns>
GreedyTree grow(const Columns& columns, const data::RowTargets& targets, const models::LeafModel& model,
                Ticks leaf_penalty, const TreeLimits& limits) {
  if (columns.n_columns == 0) return {{-1}, {-1}, {-1}};
  const Weights weights(columns.n_rows, targets, model, limits.rows_per_leaf);
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
  const std::uint64_t n_rows = columns.n_rows, n_columns = columns.n_columns, size = n_sums(model) + 1,
                      n_levels = levels(columns.n_rows, limits),
                      n_nodes = std::min(n_rows, std::uint64_t{1} << std::min<std::uint64_t>(n_levels, 63));
  const std::uint64_t of_rows = n_levels * n_rows * (n_columns / kGroup + 1) * size,
                      of_nodes = n_nodes * n_columns * (kPatterns * size + 2 * additions_of_leaf(model));
  return {of_rows + of_nodes, n_rows * (n_columns / 8 + sizeof(Word) + sizeof(std::uint32_t) + size * sizeof(Ticks))};
}

GreedyWork greedy_work(const data::OrderedColumns& columns, const models::LeafModel& model, const TreeLimits& limits) {
  const std::uint64_t n_rows = columns.n_rows, n_variables = columns.n_variables(), size = n_sums(model) + 1;
  // Many sums are added and compared as vectors.
  const std::uint64_t of_split =
      model.measures().has_two_sums() ? 3 * size + 2 * kAdditionsOfLeaf : kAdditionsOfLeaf + 2 * size;
  return {levels(columns.n_rows, limits) * n_rows * n_variables * of_split,
          n_rows * ((n_variables + 1) * sizeof(std::uint32_t) + 1 + size * sizeof(Ticks))};
}

GreedyTree greedy_tree(const data::PackedColumns& columns, const data::RowTargets& targets,
                       const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits) {
  return grow<PackedRows>(columns, targets, model, leaf_penalty, limits);
}

GreedyTree greedy_tree(const data::OrderedColumns& columns, const data::RowTargets& targets,
                       const models::LeafModel& model, Ticks leaf_penalty, const TreeLimits& limits) {
  return grow<SortedRows>(columns, targets, model, leaf_penalty, limits);
}

}  // namespace hornbeam::primal
