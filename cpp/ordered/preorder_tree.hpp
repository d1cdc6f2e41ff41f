// ordered/preorder_tree.hpp
//
// WHAT    A tree that the ordered search found, and how it becomes a result.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ordered/ordered_problem.hpp"
#include "sorted/sorted_rows.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::ordered {

/// A node of a tree that was found. Which columns the best stump splits on is found again at the end.
struct PreorderNode {
  enum class Kind { leaf, stump, split } kind;
  sorted::ThresholdSplit split{};
};

/// A tree in pre-order, true sides first.
using PreorderTree = std::vector<PreorderNode>;

PreorderTree join(const sorted::ThresholdSplit& root, const PreorderTree& true_side, const PreorderTree& false_side);
std::uint32_t count_leaves(const PreorderTree& preorder);
std::uint32_t depth_of(const PreorderTree& preorder);

/// For files: `put` gets words, and `read_preorder` reads as many.
void put_preorder(const PreorderTree& preorder, const std::function<void(std::uint64_t)>& put);
PreorderTree read_preorder(const std::function<std::uint64_t()>& get);

/// What is found of one subproblem.
struct OrderedResult {
  Ticks lower = 0;         // of all trees that cost less than the bound given
  Ticks cost = kInfinity;  // of the tree `preorder` if it costs less than that
  PreorderTree preorder;
  /// As `lower`, if leaves may have any number of rows: what bounds sides of more rows. And up to which depth it holds.
  Ticks relaxed = 0;
  std::uint32_t relaxed_depth = 0;
};

/// The splits of a tree on columns.
PreorderTree preorder_of(const tree::ResultTree& tree, const data::OrderedColumns& columns);

/// The tree of a preorder for these rows, its cost left out.
tree::ResultTree read_preorder_tree(const sorted::SortedRows& rows, const PreorderTree& preorder,
                                    const data::OrderedColumns& columns, const sorted::LeafCosts& costs);

}  // namespace hornbeam::ordered
