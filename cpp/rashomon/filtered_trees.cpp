#include "rashomon/filtered_trees.hpp"

#include <algorithm>
#include <atomic>

#include "rashomon/counts.hpp"
#include "run/threads.hpp"

namespace hornbeam::rashomon {

namespace {

constexpr std::uint64_t kFilteredBetweenPolls = 64;
constexpr std::uint64_t kBytesOfWork = 4096;  // that count as the work of a node
constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};
constexpr std::size_t kPlacesAtOnce = 8;     // that a thread takes
constexpr std::size_t kPlacesOfThread = 32;  // for which one more thread is started

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
  find_budgets();
  run::WorkMeter meter = graph.filter_meter(run);
  visit(graph_.root_, 0, masks_.all(), graph_.problem_.depth, 0, meter);
  run.require(graph.bytes_with_filters());
}

template <class Count>
void FilterIndex<Count>::find_budgets() {
  std::vector<std::uint32_t> sides_first;
  std::vector<bool> is_listed(nodes_.size());
  list_sides_first(0, is_listed, sides_first);
  nodes_[0].budget = graph_.nodes_[0].budget;
  for (auto node = sides_first.rbegin(); node != sides_first.rend(); ++node) {
    const Ticks budget = nodes_[*node].budget;
    for (const Split& split : graph_.nodes_[*node].splits)
      if (const auto least = least_costs(split, budget))
        for (int x = 0; x < 2; ++x) {
          Ticks& of_side = nodes_[split.node[x]].budget;
          of_side = std::max(of_side, budget - (*least)[1 - x]);
        }
  }
}

template <class Count>
void FilterIndex<Count>::list_sides_first(std::uint32_t node, std::vector<bool>& is_listed,
                                          std::vector<std::uint32_t>& order) const {
  if (is_listed[node]) return;
  is_listed[node] = true;
  for (const Split& split : graph_.nodes_[node].splits)
    for (const std::uint32_t side : split.node) list_sides_first(side, is_listed, order);
  order.push_back(node);
}

template <class Count>
std::optional<std::array<Ticks, 2>> FilterIndex<Count>::least_costs(const Split& split, Ticks budget) const {
  const Histogram<Count>* const sides[2] = {&graph_.nodes_[split.node[0]].trees, &graph_.nodes_[split.node[1]].trees};
  if (sides[0]->empty() || sides[1]->empty()) return std::nullopt;
  const std::array<Ticks, 2> least{sides[0]->front().cost, sides[1]->front().cost};
  return least[0] + least[1] <= budget ? std::optional(least) : std::nullopt;
}

template <class Count>
void FilterIndex<Count>::visit(rows::RowSet& rows, std::uint32_t node, const Mask& mask, std::uint32_t depth,
                               std::size_t level, run::WorkMeter& meter) {
  meter.require(1);
  const auto& known = graph_.nodes_[node];
  IndexedNode& found = nodes_[node];
  if (!known.is_deep) {
    const Ticks budget = found.budget;
    found = list(rows, mask, depth, budget);
    found.budget = budget;
    count_bytes(found, meter);
    return;
  }
  found.rows = found.least_rows = count_rows(mask);
  graph_.two_level_trees_.list_leaves(rows.total.data(), known.budget, found.leaves);
  graph_.maker_.make_slot_rows(rows);
  for (const Split& split : known.splits) {
    if (least_costs(split, found.budget))
      add_copies(mask, split.column, split.copies, found);
    else
      found.copy_ends.push_back(static_cast<std::uint32_t>(found.copies.size()));
  }
  count_bytes(found, meter);
  for (const RowMasks::Copy& copy : found.copies) found.columns |= column_bit(copy.column);
  for (std::size_t at = 0; at < known.splits.size(); ++at)
    for (const bool side : {false, true}) {
      const Split& split = known.splits[at];
      if (found.copies_at(at).empty()) continue;
      const IndexedNode& below = nodes_[split.node[side ? 1 : 0]];
      if (below.rows == 0) {
        Mask narrow = mask;
        masks_.narrow(narrow, split.column, side);
        const auto column = std::find(rows.columns.begin(), rows.columns.end(), split.column) - rows.columns.begin();
        visit(graph_.child_of(rows, static_cast<std::uint32_t>(column), side, level), split.node[side ? 1 : 0], narrow,
              one_less(depth), level + 1, meter);
      }
      found.columns |= below.columns;
      found.least_rows = std::min(found.least_rows, below.least_rows);
      found.levels = std::max(found.levels, below.levels + 1);
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
  for (const SmallTree& tree : found.trees) {
    found.least_rows = std::min(found.least_rows, tree.rows);
    found.levels = std::max<std::uint32_t>(found.levels, tree.is_leaf() ? 1 : 2);
  }
  for (const RowMasks::Copy& copy : found.copies) found.columns |= column_bit(copy.column);
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
    : graph_(graph), index_(index), filter_(std::move(filter)), held_(graph.filter_bytes_) {
  scratch_.emplace_back(index.lattice());
  // No tree tests a column twice on one path.
  if (filter_.depth >= graph.problem_.rows.n_columns) filter_.depth = table::kUnlimited;
  if (filter_.depth != table::kUnlimited) n_depths_ = filter_.depth + 1;
  for (std::uint32_t column = 0; column < filter_.is_allowed.size(); ++column)
    if (!filter_.is_allowed[column]) forbidden_ |= column_bit(column);
  held_.add(graph.nodes_.size() * n_depths_ * sizeof(Found));
  run.require(graph.bytes_with_filters());
  found_.resize(graph.nodes_.size() * n_depths_);
  run::WorkMeter meter = graph.filter_meter(run);
  const Place root{0, filter_.depth};
  std::vector<Place> sides_first;
  if (find_least(root, sides_first, meter) <= index_[0].budget) {
    found_[number_of(root)].budget = index_[0].budget;
    std::for_each(sides_first.rbegin(), sides_first.rend(), [this](const Place& place) { give_budgets(place); });
    for (const std::vector<Place>& places : rounds_of(sides_first)) count_round(places, run);
  }
  run.require(graph.bytes_with_filters());
}

template <class Count>
const Histogram<Count>& FilteredGraph<Count>::trees(std::uint32_t node, std::uint32_t depth) const {
  const Histogram<Count>* const trees = found_[number_of({node, depth})].trees;
  if (trees != nullptr) return *trees;
  return passes({node, depth}) ? graph_.nodes_[node].trees : none_;  // below a node that passes as well
}

template <class Count>
Ticks FilteredGraph<Count>::most(std::uint32_t node, std::uint32_t depth) const {
  return passes({node, depth}) ? index_[node].budget : found_[number_of({node, depth})].budget;
}

template <class Count>
Ticks FilteredGraph<Count>::find_least(const Place& place, std::vector<Place>& sides_first, run::WorkMeter& meter) {
  Found& found = found_[number_of(place)];
  if (found.least >= 0) return found.least;
  const IndexedNode& node = index_[place.node];
  if (node.rows == 0) return found.least = kInfinity;
  if (passes(place)) {
    found.trees = &graph_.nodes_[place.node].trees;
    return found.least = least_of_all(place.node);
  }
  meter.require(1);
  Ticks least = kInfinity;
  if (node.rows >= filter_.rows_per_leaf)
    for (const TreeLeaf& leaf : node.leaves) least = std::min(least, leaf.cost);
  if (place.depth > 0 && graph_.nodes_[place.node].is_deep)
    least = std::min(least, least_of_splits(place, sides_first, meter));
  else if (place.depth > 0 && least > least_of_all(place.node))  // often a leaf is the cheapest tree
    least = std::min(least, least_of_small(node, place.depth));
  if (least > node.budget) least = kInfinity;
  if (least < kInfinity) sides_first.push_back(place);
  return found.least = least;
}

template <class Count>
Ticks FilteredGraph<Count>::least_of_all(std::uint32_t node) const {
  const Histogram<Count>& trees = graph_.nodes_[node].trees;
  return trees.empty() ? kInfinity : trees.front().cost;
}

/// Of a deep node.
template <class Count>
Ticks FilteredGraph<Count>::least_of_splits(const Place& place, std::vector<Place>& sides_first,
                                            run::WorkMeter& meter) {
  const auto& splits = graph_.nodes_[place.node].splits;
  Ticks least = kInfinity;
  for (std::size_t at = 0; at < splits.size(); ++at) {
    if (n_allowed(index_[place.node], at) == 0) continue;
    const Ticks of_false_side = find_least(place.side(splits[at], 0), sides_first, meter);
    if (of_false_side < kInfinity)
      least = std::min(least, of_false_side + find_least(place.side(splits[at], 1), sides_first, meter));
  }
  return least;
}

template <class Count>
Ticks FilteredGraph<Count>::least_of_small(const IndexedNode& node, std::uint32_t depth) {
  Scratch& scratch = scratch_.front();
  find_allowed(node, scratch.allowed);
  Ticks least = kInfinity;
  const SmallTree* next = node.trees.data();
  for (const IndexedNode::Split& split : node.splits) {
    Ticks sum = scratch.allowed[split.place] == 0 ? kInfinity : 0;
    for (const std::uint32_t n_trees : split.n_trees) {
      const SmallTree* const end = next + n_trees;
      const SmallTree* const first =
          std::find_if(next, end, [&](const SmallTree& tree) { return n_passing(tree, depth, scratch) > 0; });
      sum = first == end ? kInfinity : std::min(sum + first->cost, kInfinity);
      next = end;
    }
    least = std::min(least, sum);
  }
  return least;
}

/// Whether it is in a tree of at most this budget that passes.
template <class Count>
bool FilteredGraph<Count>::is_used(const Place& place, const Split& split, Ticks budget) const {
  const Ticks least[2] = {found_[number_of(place.side(split, 0))].least, found_[number_of(place.side(split, 1))].least};
  return least[0] >= 0 && least[1] >= 0 && least[0] + least[1] <= budget;
}

/// To both sides of each split.
template <class Count>
void FilteredGraph<Count>::give_budgets(const Place& place) {
  const Ticks budget = found_[number_of(place)].budget;
  const auto& splits = graph_.nodes_[place.node].splits;
  for (std::size_t at = 0; place.depth > 0 && at < splits.size(); ++at) {
    if (n_allowed(index_[place.node], at) == 0 || !is_used(place, splits[at], budget)) continue;
    for (int x = 0; x < 2; ++x) {
      Ticks& of_side = found_[number_of(place.side(splits[at], x))].budget;
      of_side = std::max(of_side, budget - found_[number_of(place.side(splits[at], 1 - x))].least);
    }
  }
}

template <class Count>
auto FilteredGraph<Count>::rounds_of(std::span<const Place> sides_first) -> std::vector<std::vector<Place>> {
  std::vector<std::vector<Place>> rounds;
  for (const Place& place : sides_first) {
    Found& found = found_[number_of(place)];
    if (found.budget < 0) continue;
    if (place.depth > 0)
      for (const Split& split : graph_.nodes_[place.node].splits)
        for (int x = 0; x < 2; ++x)
          found.round = std::max(found.round, found_[number_of(place.side(split, x))].round + 1);
    if (rounds.size() <= found.round) rounds.resize(found.round + std::size_t{1});
    rounds[found.round].push_back(place);
  }
  return rounds;
}

template <class Count>
void FilteredGraph<Count>::count_round(std::span<const Place> places, run::Run& run) {
  const std::size_t first = counted_.size();
  counted_.resize(first + places.size());
  const auto n_threads =
      static_cast<std::uint32_t>(std::min<std::size_t>(run.limits().threads, 1 + places.size() / kPlacesOfThread));
  while (scratch_.size() < n_threads) scratch_.emplace_back(index_.lattice());
  std::atomic<std::size_t> next{0};
  run::on_threads(run, n_threads, [&](std::uint32_t thread) {
    run::WorkMeter meter = graph_.filter_meter(run, thread);
    for (std::size_t begin = next.fetch_add(kPlacesAtOnce); begin < places.size();
         begin = next.fetch_add(kPlacesAtOnce))
      for (std::size_t i = begin; i < std::min(begin + kPlacesAtOnce, places.size()); ++i)
        count(places[i], counted_[first + i], scratch_[thread], meter);
  });
  if (run.stopped()) throw run::Stopped{};
}

template <class Count>
void FilteredGraph<Count>::count(const Place& place, Histogram<Count>& trees, Scratch& scratch, run::WorkMeter& meter) {
  Found& found = found_[number_of(place)];
  meter.require(1);
  const auto& known = graph_.nodes_[place.node];
  trees = known.is_deep
              ? count_deep(place, found.budget, scratch)
              : count_small(index_[place.node], place.depth, found.budget, &known.trees, scratch, [](auto...) {});
  found.trees = &trees;
  const std::uint64_t bytes = sizeof(trees) + trees.capacity() * sizeof(CostCount<Count>);
  held_.add(bytes);
  meter.require(bytes / kBytesOfWork);
}

template <class Count>
bool FilteredGraph<Count>::passes(const Place& place) const {
  const IndexedNode& node = index_[place.node];
  return node.rows > 0 && (node.columns & forbidden_) == 0 && node.least_rows >= filter_.rows_per_leaf &&
         node.levels <= place.depth;
}

template <class Count>
Histogram<Count> FilteredGraph<Count>::count_deep(const Place& place, Ticks budget, Scratch& scratch) {
  const auto& known = graph_.nodes_[place.node];
  const IndexedNode& node = index_[place.node];
  SubsetSums<Count>& sum = scratch.sum;
  sum.begin(budget, &known.trees);
  add_leaves(node, sum);
  for (std::size_t at = 0; place.depth > 0 && at < known.splits.size(); ++at) {
    const Count copies(n_allowed(node, at));
    if (copies.is_zero() || !is_used(place, known.splits[at], budget)) continue;
    const auto& sides = known.splits[at].node;
    sum.add_products(trees(sides[1], one_less(place.depth)), trees(sides[0], one_less(place.depth)), copies);
    if (node.least_rows < filter_.rows_per_leaf &&
        std::min(index_[sides[0]].rows, index_[sides[1]].rows) < filter_.rows_per_leaf)
      continue;
    for (const TrivialSplits::Pair& pair :
         trivial_splits(graph_.problem_.kind, graph_.nodes_[sides[0]].leaves, graph_.nodes_[sides[1]].leaves))
      sum.subtract(pair.cost[0] + pair.cost[1], copies);
  }
  return sum.take();
}

template <class Count>
void FilteredGraph<Count>::add_leaves(const IndexedNode& node, SubsetSums<Count>& sum) const {
  if (node.rows < filter_.rows_per_leaf) return;
  for (const TreeLeaf& leaf : node.leaves) sum.add(leaf.cost, Count(1));
}

template <class Count>
std::uint32_t FilteredGraph<Count>::n_allowed(const IndexedNode& node, std::size_t place) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      node.copies_at(place), [&](const RowMasks::Copy& copy) { return filter_.is_allowed[copy.column]; }));
}

template <class Count>
void FilteredGraph<Count>::find_allowed(const IndexedNode& node, std::vector<std::uint32_t>& allowed) const {
  allowed.clear();
  for (std::size_t place = 0; place < node.copy_ends.size(); ++place) allowed.push_back(n_allowed(node, place));
}

template <class Count>
bool FilteredGraph<Count>::must_differ() const {
  const LeafRule rule = graph_.problem_.kind.leaf_rule;
  return rule == LeafRule::differ || rule == LeafRule::any_differ;
}

template <class Count>
run::WorkMeter TreeGraph<Count>::filter_meter(run::Run& run, std::uint32_t thread) const {
  return run::WorkMeter(run, kFilteredBetweenPolls, [this, &run, thread] {
    if (thread == 0)
      run.report({0, 0, 0, bytes_with_filters(), 0});
    else
      run.check(bytes_with_filters());
  });
}

template <class Count>
std::unique_ptr<FilteredTrees> TreeGraph<Count>::filtered(const TreeFilter& filter, run::Run& run) {
  if (!filter_index_) filter_index_ = std::make_shared<const FilterIndex<Count>>(*this, run);
  return std::make_unique<FilteredGraph<Count>>(*this, *filter_index_, filter, run);
}

template run::WorkMeter TreeGraph<WordCount>::filter_meter(run::Run&, std::uint32_t) const;
template run::WorkMeter TreeGraph<BigCount>::filter_meter(run::Run&, std::uint32_t) const;
template class FilterIndex<WordCount>;
template class FilterIndex<BigCount>;
template class FilteredGraph<WordCount>;
template class FilteredGraph<BigCount>;
template std::unique_ptr<FilteredTrees> TreeGraph<WordCount>::filtered(const TreeFilter&, run::Run&);
template std::unique_ptr<FilteredTrees> TreeGraph<BigCount>::filtered(const TreeFilter&, run::Run&);

}  // namespace hornbeam::rashomon
