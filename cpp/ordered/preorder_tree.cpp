#include "ordered/preorder_tree.hpp"

#include <algorithm>

#include "sorted/two_level_thresholds.hpp"

namespace hornbeam::ordered {

namespace {

class PreorderReader {
 public:
  PreorderReader(const data::OrderedColumns& columns, const sorted::LeafCosts& costs)
      : columns_(columns), costs_(costs) {}

  /// Writes the subtree that begins at `next`, and moves on behind it.
  void read(const sorted::SortedRows& rows, PreorderTree::const_iterator& next) {
    const PreorderNode planned = *next++;
    if (planned.kind == PreorderNode::Kind::stump) {
      const PreorderTree stump = stump_tree(rows);
      PreorderTree::const_iterator begin = stump.begin();
      return read(rows, begin);
    }
    const std::uint32_t prediction = rows.prediction();
    if (planned.kind == PreorderNode::Kind::leaf) return tree.add_leaf(prediction);
    const sorted::ThresholdSplit& split = planned.split;
    tree.add_split(columns_.first_column[split.variable] + split.threshold, prediction, [&](bool side) {
      sorted::SortedRows child;
      std::vector<std::uint32_t> number;
      rows.make_child(split.variable, rows.n_true_by(split), side, child, number, unlimited_);
      read(child, next);
    });
  }

  tree::ResultTree tree;

 private:
  /// The best stump; the leaf, should none be better.
  PreorderTree stump_tree(const sorted::SortedRows& rows) const {
    const PreorderTree leaf{{PreorderNode::Kind::leaf}};
    const sorted::TwoLevelResult stump = sorted::best_stump(rows, costs_, costs_.leaf_cost(rows.loss()));
    return stump.cost < kInfinity ? join(stump.root, leaf, leaf) : leaf;
  }

  const data::OrderedColumns& columns_;
  const sorted::LeafCosts& costs_;
  run::Run never_stopped_;
  run::WorkMeter unlimited_{never_stopped_};
};

}  // namespace

PreorderTree join(const sorted::ThresholdSplit& root, const PreorderTree& true_side, const PreorderTree& false_side) {
  PreorderTree preorder{{PreorderNode::Kind::split, root}};
  preorder.insert(preorder.end(), true_side.begin(), true_side.end());
  preorder.insert(preorder.end(), false_side.begin(), false_side.end());
  return preorder;
}

std::uint32_t count_leaves(const PreorderTree& preorder) {
  std::uint32_t n_leaves = 0;
  for (const PreorderNode& node : preorder)
    n_leaves += node.kind == PreorderNode::Kind::leaf ? 1 : node.kind == PreorderNode::Kind::stump ? 2 : 0;
  return n_leaves;
}

std::uint32_t depth_of(const PreorderTree& preorder) {
  std::uint32_t deepest = 0;
  std::vector<std::uint32_t> splits_above{0};  // of the subtrees that are still to come
  for (const PreorderNode& node : preorder) {
    const std::uint32_t here = splits_above.back();
    splits_above.pop_back();
    if (node.kind == PreorderNode::Kind::split) splits_above.insert(splits_above.end(), 2, here + 1);
    deepest = std::max(deepest, here + (node.kind == PreorderNode::Kind::leaf ? 0 : 1));
  }
  return deepest;
}

void put_preorder(const PreorderTree& preorder, const std::function<void(std::uint64_t)>& put) {
  put(preorder.size());
  for (const PreorderNode& node : preorder)
    put(std::uint64_t{node.split.variable} << 34 | std::uint64_t{node.split.threshold} << 2 |
        static_cast<std::uint64_t>(node.kind));  // a variable has a column of the table: there are far below 2^30
}

PreorderTree read_preorder(const std::function<std::uint64_t()>& get) {
  PreorderTree preorder;
  for (std::uint64_t left = get(); left > 0; --left) {
    const std::uint64_t word = get();
    preorder.push_back({static_cast<PreorderNode::Kind>(word & 3),
                        {static_cast<std::uint32_t>(word >> 34), static_cast<std::uint32_t>(word >> 2)}});
  }
  return preorder;
}

PreorderTree preorder_of(const tree::ResultTree& tree, const data::OrderedColumns& columns) {
  PreorderTree preorder;
  for (const std::int32_t column : tree.column) {
    if (column < 0) {
      preorder.push_back({PreorderNode::Kind::leaf});
      continue;
    }
    const auto number = static_cast<std::uint32_t>(column);
    const std::uint32_t variable = columns.variable_of(number);
    preorder.push_back({PreorderNode::Kind::split, {variable, number - columns.first_column[variable]}});
  }
  return preorder;
}

tree::ResultTree read_preorder_tree(const sorted::SortedRows& rows, const PreorderTree& preorder,
                                    const data::OrderedColumns& columns, const sorted::LeafCosts& costs) {
  PreorderReader reader(columns, costs);
  PreorderTree::const_iterator next = preorder.begin();
  reader.read(rows, next);
  return std::move(reader.tree);
}

}  // namespace hornbeam::ordered
