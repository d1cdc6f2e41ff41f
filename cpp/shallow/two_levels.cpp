#include "shallow/two_levels.hpp"

#include <algorithm>
#include <bit>

#include "bounds/equivalent_points.hpp"
#include "bounds/support_condition.hpp"

namespace hornbeam::shallow {

namespace {

bool has_one_error_cost(const models::Measures& measures) {
  return measures.is_separable() &&
         std::all_of(measures.largest_cost, measures.largest_cost + measures.n_targets,
                     [&](Ticks error_cost) { return error_cost == measures.largest_cost[0] && error_cost > 0; });
}

}  // namespace

TwoLevelSolver::TwoLevelSolver(const rows::Problem& problem, const kernels::Kernels& kernels, run::WorkMeter& meter)
    : problem_(problem), kernels_(kernels), meter_(meter), counts_(problem.model.measures()) {
  std::int64_t weight = 0;
  for (const std::int64_t each : problem.rows.target_weight) weight += each;
  is_usable_ = has_one_error_cost(counts_) && counts_.n_targets <= kernels::kMostNarrowTargets &&
               weight < kernels::kNarrowInfinity / 4 && !problem.limits_rows() &&
               (!problem.tree.leaves || problem.tree.is_rule_list) && problem.bounds.pair_stage;
  if (!is_usable_) return;
  error_cost_ = counts_.largest_cost[0];
  ones_.assign(counts_.n_targets, 1);
  counts_.largest_cost = counts_.loss_unit = ones_.data();
}

std::optional<table::KnownTree> TwoLevelSolver::solve(const rows::RowSet& parent, std::uint32_t column, bool side,
                                                      Ticks upper) {
  if (!open(parent, column, side, upper)) return table::KnownTree{};
  return search_roots(parent, upper);
}

/// Lays out the side's rows and columns. False if no column can be the root of a tree that costs at most `upper`.
bool TwoLevelSolver::open(const rows::RowSet& parent, std::uint32_t column, bool side, Ticks upper) {
  gather(parent, column, side);
  measure(parent, column, side);
  choose_roots(parent, upper);
  if (roots_.empty()) return false;
  lay_out();
  return true;
}

/// Makes the tile of the side's slots.
void TwoLevelSolver::gather(const rows::RowSet& parent, std::uint32_t column, bool side) {
  const std::uint32_t n_words = parent.words_per_slot;
  stride_ = n_words * kWordBits;
  segments_.clear();
  n_words_ = n_class_words_ = 0;
  // At most as many words as in the parent, plus one for each segment, which is rounded up to whole words.
  const std::size_t most_words = parent.n_slot_words + parent.segments.size();
  if (tile_.size() < most_words * stride_) tile_.resize(most_words * stride_);
  for (const kernels::Segment& segment : parent.segments) {
    const std::uint32_t begin = n_words_;
    std::uint32_t n_in_word = 0;
    Word* block = &tile_[std::size_t{n_words_} * stride_];
    for (std::uint32_t w = segment.begin; w < segment.end; ++w) {
      Word chosen = parent.chosen(column, side, w, segment.valid(w));
      const Word* rows = &parent.slot_rows[std::size_t{w} * kWordBits * n_words];
      for (; chosen != 0; chosen &= chosen - 1) {
        const Word* row = rows + std::size_t{static_cast<std::uint32_t>(std::countr_zero(chosen))} * n_words;
        for (std::uint32_t k = 0; k < n_words; ++k) block[k * kWordBits + n_in_word] = row[k];
        if (++n_in_word == kWordBits) {
          n_in_word = 0;
          ++n_words_;
          block += stride_;
        }
      }
    }
    if (n_in_word > 0) {
      for (std::size_t k = 0; k < n_words; ++k)
        std::fill(block + k * kWordBits + n_in_word, block + (k + 1) * kWordBits, 0);
      ++n_words_;
    }
    if (n_words_ > begin) segments_.push_back({begin, n_words_, segment.target, segment.shift, 0});
    if (segment.target < counts_.n_targets) n_class_words_ = n_words_;
  }
  for (std::size_t i = 0; i < std::size_t{n_words_} * n_words; ++i) kernels_.transpose(&tile_[i * kWordBits]);
}

/// Weighs the classes on the true side of each column, and of the whole side.
void TwoLevelSolver::measure(const rows::RowSet& parent, std::uint32_t column, bool side) {
  const kernels::SlotTile slots{
      {tile_.data(), n_words_, stride_}, segments_.data(), static_cast<std::uint32_t>(segments_.size())};
  sums_.resize(std::size_t{counts_.size()} * stride_);
  scratch_.resize(std::max(scratch_.size(), kernels::kernel_scratch_words(slots, counts_)));
  kernels_.measure(slots, counts_, nullptr, sums_.data(), scratch_.data());
  total_.resize(counts_.size());
  for (std::uint32_t m = 0; m < counts_.size(); ++m) {
    const Ticks true_side = parent.sums[std::size_t{m} * parent.stride + column];
    total_[m] = (side ? true_side : parent.total[m] - true_side) / error_cost_;
  }
}

/// Sorts the columns into possible roots, most promising first, and others.
void TwoLevelSolver::choose_roots(const rows::RowSet& parent, Ticks upper) {
  roots_.clear();
  others_.clear();
  const std::uint32_t n_targets = counts_.n_targets;
  const Ticks threshold = problem_.threshold(), leaf_cost = problem_.leaf_cost;
  for (std::uint32_t c = 0; c < parent.n_columns; ++c) {
    std::int64_t weight[2] = {0, 0}, most[2] = {0, 0}, least_loss[2];
    for (std::uint32_t k = 0; k < n_targets; ++k) {
      const std::int64_t true_side = sums_[std::size_t{k} * stride_ + c], false_side = total_[k] - true_side;
      weight[1] += true_side;
      weight[0] += false_side;
      most[1] = std::max(most[1], true_side);
      most[0] = std::max(most[0], false_side);
    }
    least_loss[1] = sums_[std::size_t{n_targets} * stride_ + c];
    least_loss[0] = total_[n_targets] - least_loss[1];
    if (weight[0] + least_loss[0] == 0 || weight[1] + least_loss[1] == 0) continue;
    std::uint64_t loss = 0;  // of two leaves
    Ticks bound = 0;
    bool is_heavy = true;
    for (int x = 0; x < 2; ++x) {
      const std::int64_t lost_anyway = counts_.cancelled ? least_loss[x] : 0;
      is_heavy &= error_cost_ * (weight[x] + lost_anyway - least_loss[x]) >= threshold;
      const std::int64_t here = weight[x] - most[x] + lost_anyway;
      loss += static_cast<std::uint64_t>(here);
      bound += std::min(leaf_cost + error_cost_ * here,
                        bounds::cost_of_two_leaves_or_more(leaf_cost, error_cost_ * least_loss[x]));
    }
    if (is_heavy) (bound <= upper ? roots_ : others_).push_back({loss << 32 | c, bound});
  }
  std::sort(roots_.begin(), roots_.end(), [](const Root& a, const Root& b) { return a.order < b.order; });
}

/// Packs the columns into 32-bit lanes, roots first.
void TwoLevelSolver::lay_out() {
  const std::size_t n_roots = roots_.size();
  roots_.insert(roots_.end(), others_.begin(), others_.end());
  const auto n_columns = static_cast<std::uint32_t>(roots_.size());
  const std::uint32_t n_targets = counts_.n_targets, stride = padded_to_lanes(n_columns);
  const std::uint32_t n_narrow = 2 * n_class_words_;
  narrow_.resize(std::size_t{n_narrow + n_targets + 4} * stride);
  std::int32_t* words = narrow_.data();
  std::int32_t* sums = words + std::size_t{n_narrow} * stride;
  std::int32_t* stump_loss = sums + std::size_t{n_targets} * stride;
  bound_ = stump_loss + 3 * std::size_t{stride};
  for (std::uint32_t w = 0; w < n_class_words_; ++w) {
    const Word* from = &tile_[std::size_t{w} * stride_];
    std::int32_t* low = words + 2 * std::size_t{w} * stride;
    std::int32_t* high = low + stride;
    for (std::uint32_t i = 0; i < n_columns; ++i) {
      const Word word = from[roots_[i].column()];
      low[i] = static_cast<std::int32_t>(word);
      high[i] = static_cast<std::int32_t>(word >> 32);
    }
    for (std::uint32_t i = n_columns; i < stride; ++i) low[i] = high[i] = 0;
  }
  narrow_total_.resize(n_targets);
  for (std::uint32_t k = 0; k < n_targets; ++k) {
    for (std::uint32_t i = 0; i < stride; ++i)
      sums[std::size_t{k} * stride + i] =
          i < n_columns ? static_cast<std::int32_t>(sums_[std::size_t{k} * stride_ + roots_[i].column()]) : 0;
    narrow_total_[k] = static_cast<std::int32_t>(total_[k]);
  }
  std::fill(stump_loss, stump_loss + 2 * std::size_t{stride}, kernels::kNarrowInfinity);
  std::fill(bound_, bound_ + stride, -kernels::kNarrowInfinity);
  narrow_segments_.clear();
  for (const kernels::Segment& segment : segments_)
    if (segment.target < n_targets)
      narrow_segments_.push_back({2 * segment.begin, 2 * segment.end, segment.target, segment.shift, 0});
  blocks_.clear();
  left_in_block_.clear();
  for (std::uint32_t block = 0; block < stride; block += kNarrowLanes) {
    blocks_.push_back(block);
    left_in_block_.push_back(std::min(kNarrowLanes, n_columns - block));
  }
  mask_.resize(std::max<std::size_t>(mask_.size(), n_narrow));
  pairs_ = {words,
            n_narrow,
            stride,
            narrow_segments_.data(),
            static_cast<std::uint32_t>(narrow_segments_.size()),
            n_targets,
            sums,
            narrow_total_.data(),
            blocks_.data(),
            static_cast<std::uint32_t>(blocks_.size()),
            {stump_loss, stump_loss + stride},
            stump_loss + 2 * std::size_t{stride}};
  roots_.resize(n_roots);
}

/// Counts root after root. A block of columns that have all been roots is left out from then on: its pairs are counted.
std::optional<table::KnownTree> TwoLevelSolver::search_roots(const rows::RowSet& parent, Ticks upper) {
  table::KnownTree best;
  Ticks least = upper + 1;  // what a root must stay below
  const auto in_weight = [this](Ticks cost) { return static_cast<std::int32_t>(cost / error_cost_); };
  std::int32_t most_weight = in_weight(upper);
  for (std::uint32_t i = 0; i < roots_.size(); ++i) {
    if (roots_[i].bound >= least || bound_[i] > most_weight) continue;
    pairs_.n_blocks = static_cast<std::uint32_t>(blocks_.size());
    if (!meter_.spend(std::uint64_t{pairs_.n_words + 16} * pairs_.n_blocks * 4)) return std::nullopt;
    kernels_.pair_row(pairs_, i, mask_.data());
    const table::KnownTree tree = tree_of(parent, i);
    if (tree.cost <= upper && tree.better_than(best)) {
      best = tree;
      least = tree.cost;
      most_weight = in_weight(least - 1);
    }
    // Roots that send nearly the same rows to each side cannot be much better.
    kernels_.raise_by_distance(pairs_, in_weight(tree.cost), bound_);
    if (--left_in_block_[i / kNarrowLanes] == 0) std::erase(blocks_, i / kNarrowLanes * kNarrowLanes);
  }
  return best;
}

/// The best tree with this root, once all its pairs are counted.
table::KnownTree TwoLevelSolver::tree_of(const rows::RowSet& parent, std::uint32_t index) const {
  const Weighed rows[2] = {weigh(index, false), weigh(index, true)};
  const ShallowTree side[2] = {leaf_or_stump(rows[0], pairs_.stump_loss[0][index]),
                               leaf_or_stump(rows[1], pairs_.stump_loss[1][index])};
  const std::uint32_t column = parent.columns[roots_[index].column()];
  const auto tree_with = [&](const ShallowTree& tree, std::uint32_t leaves_of_true_side) {
    return table::KnownTree{tree.cost + lost_anyway(), column, leaves_of_true_side, tree.shape};
  };
  if (!problem_.tree.is_rule_list) return tree_with(joined(side[0], side[1], index), table::kUnlimited);
  const table::KnownTree true_leaf = tree_with(joined(side[0], leaf_of(rows[1]), index), 1),
                         false_leaf = tree_with(joined(leaf_of(rows[0]), side[1], index), table::kUnlimited);
  return true_leaf.better_than(false_leaf) ? true_leaf : false_leaf;
}

/// Weight and heaviest class on one side of a column.
TwoLevelSolver::Weighed TwoLevelSolver::weigh(std::uint32_t index, bool holds) const {
  Weighed found;
  for (std::uint32_t k = 0; k < counts_.n_targets; ++k) {
    const std::int64_t true_side = pairs_.sums[std::size_t{k} * pairs_.stride + index];
    found.add(holds ? true_side : total_[k] - true_side);
  }
  return found;
}

}  // namespace hornbeam::shallow
