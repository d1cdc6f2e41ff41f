// rashomon/view_node.cpp: the part of TreeGraph that lists what may stand at the end of a path.
//
// HOLDS   A node of the graph lists its splits, if it is deep. Below a node that is not deep, no tree within the
//         budget has more than two levels, so its splits are counted again from its rows, without a node.
#include <algorithm>
#include <utility>

#include "data/row_list.hpp"
#include "rashomon/counts.hpp"
#include "rashomon/filtered_trees.hpp"
#include "rashomon/tree_graph.hpp"

namespace hornbeam::rashomon {

namespace {

void append(const WordCount& count, CostTable& table) { table.words.push_back(count.limbs()[0]); }

void append(const BigCount& count, CostTable& table) {
  Limbs words = count.limbs();
  words.resize(table.n_words);
  table.words.insert(table.words.end(), words.begin(), words.end());
}

/// The part of at most `most`.
template <class Count>
CostTable table_of(const Histogram<Count>& trees, Ticks most) {
  const auto end = std::find_if(trees.begin(), trees.end(), [most](const auto& each) { return each.cost > most; });
  CostTable table;
  for (auto each = trees.begin(); each != end; ++each)
    table.n_words = std::max(table.n_words, each->count.heap_bytes() / sizeof(std::uint64_t));
  for (auto each = trees.begin(); each != end; ++each) {
    table.costs.push_back(each->cost);
    append(each->count, table);
  }
  return table;
}

}  // namespace

template <class Count>
class TreeGraph<Count>::NodeViewer {
 public:
  /// Of all trees, or of those that pass a filter.
  NodeViewer(TreeGraph& graph, Ticks budget, FilteredGraph<Count>* filtered = nullptr)
      : graph_(graph),
        data_(graph.problem_.rows),
        budget_(budget),
        filtered_(filtered),
        rows_(&graph.root_),
        numbers_(data::all_rows(data_)),
        depth_(graph.problem_.depth),
        filter_depth_(filtered == nullptr ? table::kUnlimited : filtered->filter().depth) {}

  /// False if no tree of the set has this path.
  bool go(std::span<const PathStep> path) {
    for (const PathStep& step : path)
      if (std::min(depth_, filter_depth_) == 0 || !may_test(step.column) || !go(step)) return false;
    return true;
  }

  NodeView view(bool with_splits) {
    NodeView found;
    if (may_be_leaf(numbers_)) graph_.two_level_trees_.list_leaves(rows_->total.data(), budget_, found.leaves);
    // A node has all trees within its own budget, which no tree of the set exceeds here.
    const bool is_listed = node_ && (!with_splits || graph_.nodes_[*node_].is_deep);
    if (is_listed) {
      if (filtered_ != nullptr) budget_ = std::min(budget_, filtered_->most(*node_, filter_depth_));
      found.trees = table_of(trees_of(*node_, filter_depth_), budget_);
      if (!with_splits || filter_depth_ == 0) return found;
      for (const Split& split : graph_.nodes_[*node_].splits) add_split(split, found.splits);
    } else if (filtered_ != nullptr) {
      const auto add = [this, &found, with_splits](std::uint32_t first, Histogram<Count>(&sides)[2]) {
        const Histogram<Count>* const trees[2] = {&sides[0], &sides[1]};
        const auto at = std::find(rows_->columns.begin(), rows_->columns.end(), first) - rows_->columns.begin();
        if (with_splits) add_split(static_cast<std::uint32_t>(at), trees, found.splits);
      };
      const IndexedNode node = filtered_->index().list(*rows_, mask_of(numbers_), depth_, budget_);
      found.trees = table_of(filtered_->count_small(node, filter_depth_, budget_, add), budget_);
    } else {
      graph_.count_shallow(*rows_, depth_, budget_, [this, &found, with_splits](std::uint32_t at, bool has_trees) {
        const Histogram<Count>* const sides[2] = {&graph_.side_[0], &graph_.side_[1]};
        if (has_trees && with_splits) add_split(at, sides, found.splits);
      });
      found.trees = table_of(graph_.sum_.take(), budget_);
    }
    return found;
  }

 private:
  /// Goes to one side of a column, by the first of its copies on the rows here.
  bool go(const PathStep& step) {
    for (std::uint32_t at = 0; at < rows_->n_columns; ++at) {
      const std::uint32_t first = rows_->columns[at];
      if (rows_->copies[at] == 1 ? first != step.column : first > step.column) continue;
      const std::optional<bool> flipped = flip_between(first, step.column);
      if (!flipped) continue;
      const bool side = step.side != *flipped;
      if (!go_in_graph(first, side)) return false;
      graph_.maker_.make_slot_rows(*rows_);
      rows_ = &graph_.child_of(*rows_, at, side, level_++);
      numbers_ = std::move(data::partition(data_, numbers_, first)[side ? 1 : 0]);
      for (std::uint32_t* depth : {&depth_, &filter_depth_})
        if (*depth != table::kUnlimited) --*depth;
      return true;
    }
    return false;
  }

  /// False if the node lists its splits, and this is none of them.
  bool go_in_graph(std::uint32_t first, bool side) {
    if (!node_ || !graph_.nodes_[*node_].is_deep) {
      node_.reset();
      return true;
    }
    const std::vector<Split>& splits = graph_.nodes_[*node_].splits;
    const auto split = std::find_if(splits.begin(), splits.end(), [&](const Split& s) { return s.column == first; });
    if (split == splits.end()) return false;
    node_ = split->node[side ? 1 : 0];
    return true;
  }

  /// Whether a column holds where another one fails, on the rows here; nothing if they make different splits.
  std::optional<bool> flip_between(std::uint32_t first, std::uint32_t other) const {
    const bool flipped = data_.test(first, numbers_[0]) != data_.test(other, numbers_[0]);
    const bool is_same = std::all_of(numbers_.begin(), numbers_.end(), [&](std::uint32_t row) {
      return (data_.test(first, row) != data_.test(other, row)) == flipped;
    });
    return is_same ? std::optional(flipped) : std::nullopt;
  }

  void add_split(const Split& split, std::vector<SplitView>& splits) {
    const std::uint32_t depth = filter_depth_ == table::kUnlimited ? filter_depth_ : filter_depth_ - 1;
    const Histogram<Count>* const sides[2] = {&trees_of(split.node[0], depth), &trees_of(split.node[1], depth)};
    const auto at = std::find(rows_->columns.begin(), rows_->columns.end(), split.column) - rows_->columns.begin();
    add_split(static_cast<std::uint32_t>(at), sides, splits);
  }

  void add_split(std::uint32_t at, const Histogram<Count>* const (&trees)[2], std::vector<SplitView>& splits) {
    if (trees[0]->empty() || trees[1]->empty() || trees[0]->front().cost + trees[1]->front().cost > budget_) return;
    SplitView split;
    split.copies.push_back({rows_->columns[at], false});
    for (std::uint32_t other = rows_->columns[at] + 1;
         split.copies.size() < rows_->copies[at] && other < data_.n_columns; ++other)
      if (const std::optional<bool> flipped = flip_between(rows_->columns[at], other))
        split.copies.push_back({other, *flipped});
    std::erase_if(split.copies, [this](const SplitView::Copy& copy) { return !may_test(copy.column); });
    if (split.copies.empty()) return;
    const auto rows = data::partition(data_, numbers_, rows_->columns[at]);
    for (int x = 0; x < 2; ++x) {
      const Ticks most = budget_ - trees[1 - x]->front().cost;
      split.trees[x] = table_of(*trees[x], most);
      if (may_be_leaf(rows[x]))
        graph_.two_level_trees_.list_leaves(graph_.two_level_trees_.side_of(*rows_, at, x == 1), most, split.leaves[x]);
    }
    splits.push_back(std::move(split));
  }

  const Histogram<Count>& trees_of(std::uint32_t node, std::uint32_t depth) {
    return filtered_ == nullptr ? graph_.nodes_[node].trees : filtered_->trees(node, depth);
  }
  bool may_test(std::uint32_t column) const { return filtered_ == nullptr || filtered_->filter().is_allowed[column]; }
  bool may_be_leaf(const data::RowList& rows) const {
    return filtered_ == nullptr || filtered_->index().count_rows(mask_of(rows)) >= filtered_->filter().rows_per_leaf;
  }
  Mask mask_of(const data::RowList& rows) const {
    Mask mask(words_for(data_.n_rows));
    for (const std::uint32_t row : rows) mask[row / kWordBits] |= Word{1} << (row % kWordBits);
    return mask;
  }

  TreeGraph& graph_;
  const data::DistinctRows& data_;
  Ticks budget_;
  FilteredGraph<Count>* const filtered_;
  rows::RowSet* rows_;
  data::RowList numbers_;
  std::optional<std::uint32_t> node_ = 0;  // none below a node that is not deep
  std::uint32_t depth_, filter_depth_;     // that are left
  std::size_t level_ = 0;
};

template <class Count>
std::optional<NodeView> TreeGraph<Count>::view(std::span<const PathStep> path, Ticks budget, bool with_splits) {
  NodeViewer viewer(*this, budget);
  if (!viewer.go(path)) return std::nullopt;
  return viewer.view(with_splits);
}

template <class Count>
std::optional<NodeView> FilteredGraph<Count>::view(std::span<const PathStep> path, Ticks budget, bool with_splits) {
  typename TreeGraph<Count>::NodeViewer viewer(graph_, budget, this);
  if (!viewer.go(path)) return std::nullopt;
  return viewer.view(with_splits);
}

template std::optional<NodeView> TreeGraph<WordCount>::view(std::span<const PathStep>, Ticks, bool);
template std::optional<NodeView> TreeGraph<BigCount>::view(std::span<const PathStep>, Ticks, bool);
template std::optional<NodeView> FilteredGraph<WordCount>::view(std::span<const PathStep>, Ticks, bool);
template std::optional<NodeView> FilteredGraph<BigCount>::view(std::span<const PathStep>, Ticks, bool);

}  // namespace hornbeam::rashomon
