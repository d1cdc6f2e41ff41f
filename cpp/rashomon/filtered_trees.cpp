#include "rashomon/filtered_trees.hpp"

#include <algorithm>

#include "rashomon/counts.hpp"

namespace hornbeam::rashomon {

namespace {

constexpr std::uint64_t kFilteredBetweenPolls = 64;
constexpr std::uint64_t kBytesOfWork = 4096;  // that count as the work of a node
constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

}  // namespace

template <class Count>
FilterIndex<Count>::FilterIndex(TreeGraph<Count>& graph, run::Run& run)
    : graph_(graph),
      data_(graph.problem_.rows),
      masks_(data_),
      lattice_(data_, graph.problem_.model, graph.problem_.kind),
      held_(graph.filter_bytes_) {
  held_.add(graph.nodes_.size() * sizeof(IndexedNode) + masks_.bytes());
  run.require(graph.bytes_with_filters());
  nodes_.resize(graph.nodes_.size());
  run::WorkMeter meter = graph.filter_meter(run);
  visit(graph_.root_, 0, masks_.all(), graph_.problem_.depth, 0, meter);
  run.require(graph.bytes_with_filters());
}

template <class Count>
void FilterIndex<Count>::visit(rows::RowSet& rows, std::uint32_t node, const Mask& mask, std::uint32_t depth,
                               std::size_t level, run::WorkMeter& meter) {
  meter.require(1);
  const auto& known = graph_.nodes_[node];
  if (!known.is_deep) {
    nodes_[node] = list(rows, mask, depth, known.budget);
    count_bytes(nodes_[node], meter);
    return;
  }
  IndexedNode& found = nodes_[node];
  found.rows = found.least_rows = count_rows(mask);
  graph_.two_level_trees_.list_leaves(rows.total.data(), known.budget, found.leaves);
  graph_.maker_.make_slot_rows(rows);
  for (const auto& split : known.splits) add_copies(mask, split.column, split.copies, found);
  count_bytes(found, meter);
  for (const auto& split : known.splits)
    for (const bool side : {false, true}) {
      if (nodes_[split.node[side ? 1 : 0]].rows != 0) continue;
      Mask narrow = mask;
      masks_.narrow(narrow, split.column, side);
      const auto at = std::find(rows.columns.begin(), rows.columns.end(), split.column) - rows.columns.begin();
      visit(graph_.child_of(rows, static_cast<std::uint32_t>(at), side, level), split.node[side ? 1 : 0], narrow,
            one_less(depth), level + 1, meter);
    }
}

template <class Count>
void FilterIndex<Count>::count_bytes(const IndexedNode& node, run::WorkMeter& meter) {
  held_.add(node.heap_bytes());
  meter.require(node.heap_bytes() / kBytesOfWork);
}

template <class Count>
IndexedNode FilterIndex<Count>::list(const rows::RowSet& rows, const Mask& mask, std::uint32_t levels,
                                     Ticks budget) const {
  IndexedNode found;
  found.rows = found.least_rows = count_rows(mask);
  TwoLevelTrees& small = graph_.two_level_trees_;
  small.list_leaves(rows.total.data(), budget, found.leaves);
  std::vector<std::uint32_t> place_of(rows.n_columns, kNoPlace);
  const auto place = [&](std::uint32_t at) {  // only columns that some tree tests have one
    if (place_of[at] == kNoPlace) {
      place_of[at] = static_cast<std::uint32_t>(found.copy_ends.size());
      add_copies(mask, rows.columns[at], rows.copies[at], found);
    }
    return place_of[at];
  };
  for (std::uint32_t at = 0; levels > 0 && at < rows.n_columns; ++at) {
    if (!small.list_sides(rows, at, levels, budget)) continue;
    IndexedNode::Split& split = found.splits.emplace_back(IndexedNode::Split{place(at), {0, 0}});
    for (int x = 0; x < 2; ++x) {
      Mask side = mask;
      masks_.narrow(side, rows.columns[at], x == 1);
      const std::uint32_t n_rows = count_rows(side);
      split.n_trees[x] = static_cast<std::uint32_t>(small.trees(x).size());
      for (const OneLevelTree& tree : small.trees(x)) {
        found.predictions.push_back({tree.prediction[0], tree.prediction[1]});
        if (tree.column == table::kNoSplit) {
          found.trees.push_back({tree.cost, SmallTree::kLeaf + tree.prediction[0], n_rows});
        } else {
          const std::uint32_t of_true_side = count_rows(side, rows.columns[tree.column]);
          found.trees.push_back({tree.cost, place(tree.column), std::min(of_true_side, n_rows - of_true_side)});
        }
      }
    }
  }
  for (const SmallTree& tree : found.trees) found.least_rows = std::min(found.least_rows, tree.rows);
  return found;
}

template <class Count>
void FilterIndex<Count>::add_copies(const Mask& mask, std::uint32_t first, std::uint32_t n_copies,
                                    IndexedNode& node) const {
  const std::vector<RowMasks::Copy> copies = masks_.copies_of(mask, first, n_copies);
  node.copies.insert(node.copies.end(), copies.begin(), copies.end());
  node.copy_ends.push_back(static_cast<std::uint32_t>(node.copies.size()));
}

template <class Count>
std::uint32_t FilterIndex<Count>::count_rows(const Mask& mask) const {
  std::int64_t n_rows = 0;
  RowMasks::for_each_row(mask, [&](std::uint32_t row) { n_rows += data_.row_count[row]; });
  return static_cast<std::uint32_t>(n_rows);
}

template <class Count>
std::uint32_t FilterIndex<Count>::count_rows(const Mask& mask, std::uint32_t column) const {
  std::int64_t n_rows = 0;
  const Word* const holds = masks_.column(column);
  for (std::uint32_t w = 0; w < mask.size(); ++w)
    for_each_bit(mask[w] & holds[w], word_at(w), [&](std::size_t row) { n_rows += data_.row_count[row]; });
  return static_cast<std::uint32_t>(n_rows);
}

template <class Count>
FilteredGraph<Count>::FilteredGraph(TreeGraph<Count>& graph, const FilterIndex<Count>& index, TreeFilter filter,
                                    run::Run& run)
    : graph_(graph), index_(index), filter_(std::move(filter)), held_(graph.filter_bytes_), sum_(index.lattice()) {
  // No tree tests a column twice on one path.
  if (filter_.depth >= graph.problem_.rows.n_columns) filter_.depth = table::kUnlimited;
  if (filter_.depth != table::kUnlimited) n_depths_ = filter_.depth + 1;
  held_.add(graph.nodes_.size() * n_depths_ * sizeof(typename decltype(known_)::value_type));
  run.require(graph.bytes_with_filters());
  known_.assign(graph.nodes_.size() * n_depths_, nullptr);
  run::WorkMeter meter = graph.filter_meter(run);
  meter_ = &meter;
  trees(0, filter_.depth);
  meter_ = nullptr;
  run.require(graph.bytes_with_filters());
}

template <class Count>
const Histogram<Count>& FilteredGraph<Count>::trees(std::uint32_t node, std::uint32_t depth) {
  const Histogram<Count>*& known = known_[node * n_depths_ + (depth == table::kUnlimited ? 0 : depth)];
  if (known == nullptr) known = &find(node, depth);
  return *known;
}

template <class Count>
const Histogram<Count>& FilteredGraph<Count>::find(std::uint32_t node, std::uint32_t depth) {
  if (passes(node, depth)) return graph_.nodes_[node].trees;
  if (meter_ != nullptr) meter_->require(1);
  const Histogram<Count>& found = counted_.emplace_back(
      graph_.nodes_[node].is_deep ? count_deep(node, depth)
                                  : count_small(index_[node], depth, graph_.nodes_[node].budget, [](auto...) {}));
  const std::uint64_t bytes = sizeof(found) + found.capacity() * sizeof(CostCount<Count>);
  held_.add(bytes);
  if (meter_ != nullptr) meter_->require(bytes / kBytesOfWork);
  return found;
}

template <class Count>
bool FilteredGraph<Count>::passes(std::uint32_t number, std::uint32_t depth) {
  const IndexedNode& node = index_[number];
  if (node.least_rows < filter_.rows_per_leaf) return false;
  if (!std::ranges::all_of(node.copies, [&](const auto& copy) { return filter_.is_allowed[copy.column]; }))
    return false;
  if (!graph_.nodes_[number].is_deep) return depth > 1 || node.splits.empty();
  return depth > 0 && std::ranges::all_of(graph_.nodes_[number].splits, [&](const auto& split) {
           return std::ranges::all_of(split.node, [&](std::uint32_t side) {
             return &trees(side, one_less(depth)) == &graph_.nodes_[side].trees;
           });
         });
}

template <class Count>
Histogram<Count> FilteredGraph<Count>::count_deep(std::uint32_t number, std::uint32_t depth) {
  const auto& known = graph_.nodes_[number];
  const IndexedNode& node = index_[number];
  // The sides come first: they use `sum_`, too.
  for (std::size_t at = 0; depth > 0 && at < known.splits.size(); ++at)
    if (n_allowed(node, at) > 0)
      for (const std::uint32_t side : known.splits[at].node) trees(side, one_less(depth));
  sum_.begin(known.budget);
  add_leaves(node);
  for (std::size_t at = 0; depth > 0 && at < known.splits.size(); ++at) {
    const Count copies(n_allowed(node, at));
    if (copies.is_zero()) continue;
    const auto& sides = known.splits[at].node;
    sum_.add_products(trees(sides[1], one_less(depth)), trees(sides[0], one_less(depth)), copies);
    if (std::min(index_[sides[0]].rows, index_[sides[1]].rows) < filter_.rows_per_leaf) continue;
    for (const TrivialSplits::Pair& pair :
         trivial_splits(graph_.problem_.kind, graph_.nodes_[sides[0]].leaves, graph_.nodes_[sides[1]].leaves))
      sum_.subtract(pair.cost[0] + pair.cost[1], copies);
  }
  return sum_.take();
}

template <class Count>
void FilteredGraph<Count>::add_leaves(const IndexedNode& node) {
  if (node.rows < filter_.rows_per_leaf) return;
  for (const TreeLeaf& leaf : node.leaves) sum_.add(leaf.cost, Count(1));
}

template <class Count>
std::uint32_t FilteredGraph<Count>::n_allowed(const IndexedNode& node, std::size_t place) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      node.copies_at(place), [&](const RowMasks::Copy& copy) { return filter_.is_allowed[copy.column]; }));
}

template <class Count>
bool FilteredGraph<Count>::must_differ() const {
  const LeafRule rule = graph_.problem_.kind.leaf_rule;
  return rule == LeafRule::differ || rule == LeafRule::any_differ;
}

template <class Count>
run::WorkMeter TreeGraph<Count>::filter_meter(run::Run& run) const {
  return run::WorkMeter(run, kFilteredBetweenPolls, [this, &run] { run.report({0, 0, 0, bytes_with_filters(), 0}); });
}

template <class Count>
std::unique_ptr<FilteredTrees> TreeGraph<Count>::filtered(const TreeFilter& filter, run::Run& run) {
  if (!filter_index_) filter_index_ = std::make_shared<const FilterIndex<Count>>(*this, run);
  return std::make_unique<FilteredGraph<Count>>(*this, *filter_index_, filter, run);
}

template run::WorkMeter TreeGraph<WordCount>::filter_meter(run::Run&) const;
template run::WorkMeter TreeGraph<BigCount>::filter_meter(run::Run&) const;
template class FilterIndex<WordCount>;
template class FilterIndex<BigCount>;
template class FilteredGraph<WordCount>;
template class FilteredGraph<BigCount>;
template std::unique_ptr<FilteredTrees> TreeGraph<WordCount>::filtered(const TreeFilter&, run::Run&);
template std::unique_ptr<FilteredTrees> TreeGraph<BigCount>::filtered(const TreeFilter&, run::Run&);

}  // namespace hornbeam::rashomon
