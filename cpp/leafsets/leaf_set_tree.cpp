#include "leafsets/leaf_set_tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace hornbeam::leafsets {

namespace {

class Builder {
 public:
  explicit Builder(Leaves& leaves) : leaves_(leaves) {}

  tree::ResultTree build(std::span<const LeafId> set) {
    add(0, {set.begin(), set.end()});
    return std::move(tree_);
  }

 private:
  void add(LeafId node, std::vector<LeafId> set) {
    // Any column that all leaves below test may be the root: the leaves on one side of it are those of the whole tree,
    // restricted to that side.
    while (set.size() > 1) {
      const std::uint32_t column = common_column(node, set);
      const LeafId true_side = leaves_.side(node, column, true), false_side = leaves_.side(node, column, false);
      const auto middle = std::stable_partition(set.begin(), set.end(), [&](LeafId id) { return has(id, column); });
      std::vector<LeafId> others(middle, set.end());
      set.erase(middle, set.end());
      // A split with an empty side is left out: the tree continues with the other side.
      if (leaves_[true_side].n_rows > 0 && leaves_[false_side].n_rows > 0)
        return tree_.add_split(column, leaves_[node].prediction, [&](bool side) {
          side ? add(true_side, std::move(set)) : add(false_side, std::move(others));
        });
      const bool all_hold = leaves_[true_side].n_rows > 0;
      node = all_hold ? true_side : false_side;
      if (!all_hold) set = std::move(others);
    }
    tree_.add_leaf(leaves_[node].prediction);
  }

  bool has(LeafId leaf, std::uint32_t column) const {
    const auto& literals = leaves_[leaf].literals;
    return std::find(literals.begin(), literals.end(), 2 * column + 1) != literals.end();
  }

  std::uint32_t common_column(LeafId node, const std::vector<LeafId>& set) const {
    for (const std::uint32_t literal : leaves_[set[0]].literals) {
      const std::uint32_t column = literal / 2;
      if (!leaves_[node].tests(column) &&
          std::all_of(set.begin(), set.end(), [&](LeafId id) { return leaves_[id].tests(column); }))
        return column;
    }
    throw std::logic_error("a set of leaves is not a tree: please report this bug in hornbeam");
  }

  Leaves& leaves_;
  tree::ResultTree tree_;
};

class Reader {
 public:
  Reader(const tree::StartTree& tree, Leaves& leaves, std::uint64_t rows_per_leaf, std::optional<Ticks> leaf_cost)
      : tree_(tree), leaves_(leaves), least_rows_(static_cast<std::int64_t>(rows_per_leaf)), leaf_cost_(leaf_cost) {}

  struct Part {
    std::vector<LeafId> set;
    Ticks loss;
  };

  Part read(std::size_t node, LeafId leaf) {
    Part closed{{leaf}, leaves_[leaf].loss};
    if (tree_.column[node] < 0) return closed;
    const auto column = static_cast<std::uint32_t>(tree_.column[node]);
    if (leaves_[leaf].tests(column)) throw std::invalid_argument("start: a path to a leaf tests a column twice");
    const LeafId true_side = leaves_.side(leaf, column, true), false_side = leaves_.side(leaf, column, false);
    if (std::min(leaves_[true_side].n_rows, leaves_[false_side].n_rows) < least_rows_) return closed;
    Part open = read(static_cast<std::size_t>(tree_.left[node]), true_side);
    const Part other = read(static_cast<std::size_t>(tree_.right[node]), false_side);
    open.set.insert(open.set.end(), other.set.begin(), other.set.end());
    open.loss += other.loss;
    const bool pays = !leaf_cost_ || open.loss + *leaf_cost_ * static_cast<Ticks>(open.set.size() - 1) < closed.loss;
    return pays ? open : closed;
  }

 private:
  const tree::StartTree& tree_;
  Leaves& leaves_;
  std::int64_t least_rows_;
  std::optional<Ticks> leaf_cost_;
};

}  // namespace

tree::ResultTree tree_of(std::span<const LeafId> set, Leaves& leaves) { return Builder(leaves).build(set); }

std::vector<LeafId> leaves_of(const tree::StartTree& tree, Leaves& leaves, std::uint64_t rows_per_leaf,
                              std::optional<Ticks> leaf_cost) {
  if (tree.column.empty()) return {};
  return Reader(tree, leaves, rows_per_leaf, leaf_cost).read(0, 0).set;
}

}  // namespace hornbeam::leafsets
