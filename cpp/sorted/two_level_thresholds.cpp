#include "sorted/two_level_thresholds.hpp"

#include <algorithm>

namespace hornbeam::sorted {

namespace {

/// Work of scanning an entry for 32 trials, relative to only reading it.
constexpr std::uint64_t kScanWork = 8;

/// The narrowest lanes for all sums of weights and numbers of rows: StumpScan.
std::uint32_t lane_bytes(const SortedRows& rows) {
  if (rows.has_sums()) return 8;
  const std::int64_t largest = std::max<std::int64_t>(rows.weight(), rows.n_rows());
  return largest < std::int64_t{1} << 15 ? 2 : largest < std::int64_t{1} << 31 ? 4 : 8;
}

/// Whether several predictions gain on a row.
bool has_gains(const SortedRows& rows) { return rows.gains() != nullptr && !rows.has_sums(); }

/// How many roots one scan takes.
std::uint32_t most_trials(const SortedRows& rows) {
  return has_gains(rows) ? kernels::kMostRoots : kernels::kScanLanes;
}

std::size_t scratch_words(const SortedRows& rows) {
  const std::size_t n = rows.n_sums(), lanes = std::size_t{kernels::kScanLanes} * lane_bytes(rows);
  if (has_gains(rows)) return 0;
  if (rows.convex()) return 0;
  if (rows.has_sums()) return n + n * lanes / 4;
  return n <= 2 ? 0 : (n + rows.n_rows()) * lanes / 4;
}

template <class Formula>
TwoLevelResult best_stump_by(const Formula& formula, const SortedRows& rows, const LeafCosts& costs, Ticks bound) {
  TwoLevelResult best{bound, kInfinity, {}};
  Ticks relaxed = bound;
  const auto& total = rows.total_gain();
  std::vector<std::int64_t> true_side(total.size());
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    std::fill(true_side.begin(), true_side.end(), 0);
    const std::uint32_t* entry = rows.entries(v);
    for (std::uint32_t i = 0; i + 1 < rows.n_rows(); ++i) {
      rows.add_gains(entry[i], true_side.data());
      if (!ends_bin(entry[i])) continue;
      // What both sides gain is taken off the weight of all rows.
      const std::int64_t loss = formula.loss(rows.weight(), total.size(), [&](std::size_t k) { return true_side[k]; }) +
                                formula.loss(0, total.size(), [&](std::size_t k) { return total[k] - true_side[k]; });
      const Ticks cost = 2 * costs.leaf + costs.error_cost * loss;
      relaxed = std::min(relaxed, cost);
      if (cost < best.lower && costs.has_leaves(i + 1, rows.n_rows())) best = {cost, cost, rows.split_behind(v, i + 1)};
    }
  }
  best.relaxed = relaxed;
  return best;
}

/// The best tree below a root split, of which each side costs so much at least, and so much as a leaf.
TwoLevelResult best_below(const ThresholdSplit& root, const Ticks (&side_cost)[2], const Ticks (&as_leaf)[2],
                          std::uint32_t leaves) {
  Ticks cost[2] = {side_cost[0], side_cost[1]};
  if (leaves < 4 && cost[0] < as_leaf[0] && cost[1] < as_leaf[1]) {
    // Three leaves: the side that gains less from its second leaf does without.
    const int less = as_leaf[0] - cost[0] < as_leaf[1] - cost[1] ? 0 : 1;
    cost[less] = as_leaf[less];
  }
  const Ticks both = cost[0] + cost[1];
  return {both, both, root, {cost[0] < as_leaf[0], cost[1] < as_leaf[1]}};
}

}  // namespace

TwoLevelResult best_stump(const SortedRows& rows, const LeafCosts& costs, Ticks bound) {
  return rows.with_formula([&](const auto& formula) { return best_stump_by(formula, rows, costs, bound); });
}

std::uint64_t TwoLevelThresholds::bytes() const {
  return bytes_of(thresholds_) + (open_.capacity() + next_.capacity()) * sizeof(OpenThresholds) +
         member_.capacity() * 4 + scratch_.capacity() * 8 + roots_.bytes() + bins_.bytes();
}

std::uint64_t TwoLevelThresholds::growth_for(const SortedRows& rows) const {
  const std::size_t members = std::max<std::size_t>(member_.capacity(), has_gains(rows) ? 0 : rows.n_rows());
  const std::size_t words = std::max(scratch_.capacity(), scratch_words(rows));
  std::uint64_t bytes = 4 * (members - member_.capacity()) + 8 * (words - scratch_.capacity());
  if (has_gains(rows)) bytes += roots_.growth_for(rows);
  if (is_binned(rows)) bytes += bins_.growth_for(rows);
  std::size_t n_thresholds = 0;
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    const std::size_t kept = v < thresholds_.size() ? thresholds_[v].capacity() : 0;
    bytes += sizeof(Threshold) * (std::max<std::size_t>(kept, rows.most_thresholds(v)) - kept);
    n_thresholds += rows.most_thresholds(v);
  }
  // Where no two open thresholds are neighbors, half of them are runs; a list that grows has room for as many again.
  for (const std::vector<OpenThresholds>* runs : {&open_, &next_})
    bytes += sizeof(OpenThresholds) * (std::max(n_thresholds, runs->capacity()) - runs->capacity());
  return bytes;
}

TwoLevelResult TwoLevelThresholds::solve(const SortedRows& rows, std::uint32_t leaves, Ticks bound) {
  const Ticks least = 2 * costs_.leaf;  // on the two sides of any threshold
  const TwoLevelResult nothing{least, kInfinity, {}, {}, least};
  if (least >= bound || !list_thresholds(rows)) return nothing;
  TwoLevelResult result{bound, kInfinity, {}};
  relaxed_ = bound;
  if (is_binned(rows) && !try_borders(rows, leaves, result)) return nothing;
  while (!open_.empty()) {
    choose_trials(rows);
    if (!try_thresholds(rows, result.lower)) {
      for (const OpenThresholds& run : open_) result.lower = std::min(result.lower, run.bound());
      break;
    }
    for (std::uint32_t i = 0; i < trials_.size(); ++i) {
      if (side_cost_[0][i] + side_cost_[1][i] >= result.lower) continue;
      const TwoLevelResult found =
          best_below(rows.split_behind(open_[trials_[i].run].variable, threshold_of(i).n_rows),
                     {side_cost_[0][i], side_cost_[1][i]}, {leaf_cost(rows, i, 0), leaf_cost(rows, i, 1)}, leaves);
      if (found.cost < result.lower) result = found;
    }
    divide_runs();
    close_runs(result.lower);
  }
  result.relaxed = std::min(result.lower, relaxed_);
  return result;
}

/// Tries the borders of bins of each variable, and opens the thresholds that remain. False if stopped.
bool TwoLevelThresholds::try_borders(const SortedRows& rows, std::uint32_t leaves, TwoLevelResult& best) {
  if (!bins_.open(rows, thresholds_, costs_.rows_per_leaf)) return false;
  next_.clear();
  for (const OpenThresholds& run : open_)
    if (!try_borders_of(rows, leaves, run, best)) return false;
  close_runs(best.lower);
  return true;
}

/// The same for one variable, all of whose thresholds are open.
bool TwoLevelThresholds::try_borders_of(const SortedRows& rows, std::uint32_t leaves, OpenThresholds run,
                                        TwoLevelResult& best) {
  const std::vector<Threshold>& thresholds = thresholds_[run.variable];
  if (!bins_.start(rows, run.variable)) return false;
  for (const std::uint32_t border : bins_.borders(run.variable)) {
    if (closes_thresholds_ && run.true_bound(thresholds, costs_.error_cost, border) +
                                      run.false_bound(thresholds, costs_.error_cost, border) >=
                                  best.lower)
      continue;
    const Threshold& threshold = thresholds[border];
    bins_.pass_to(threshold.n_rows);
    Ticks as_leaf[2], cost[2], lower[2];
    BinnedRoots::Losses losses;
    for (int side = 0; side < 2; ++side) {
      as_leaf[side] = leaf_cost(rows, threshold.weight, side, [&](std::size_t k) { return bins_.sum(k); });
      losses.least[side] = losses.lower[side] = costs_.loss_of_stump(as_leaf[side]);
    }
    bins_.compare(losses);
    for (int side = 0; side < 2; ++side) {
      cost[side] = std::min(as_leaf[side], costs_.stump_cost(losses.least[side]));
      lower[side] = std::min(cost[side], costs_.stump_cost(losses.lower[side]));
    }
    if (!costs_.has_leaves(threshold.n_rows, rows.n_rows())) cost[0] = kInfinity;
    if (cost[0] + cost[1] < best.lower) {
      const TwoLevelResult found = best_below(rows.split_behind(run.variable, threshold.n_rows), cost, as_leaf, leaves);
      if (found.cost < best.lower) best = found;
    }
    // A threshold stays open if its best stump may be inside a bin, or if a stump of too few rows is better.
    const Ticks both = lower[0] + lower[1];
    if (both < cost[0] + cost[1] && (!closes_thresholds_ || both < best.lower)) continue;
    relaxed_ = std::min(relaxed_, both);
    const auto [before, after] = run.divide({border, lower[1], lower[0]});
    next_.push_back(before);
    run = after;
  }
  next_.push_back(run);
  return true;
}

/// Lists all thresholds and opens them. False if stopped.
bool TwoLevelThresholds::list_thresholds(const SortedRows& rows) {
  thresholds_.resize(rows.n_variables());
  open_.clear();
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    if (!meter_.spend(rows.n_rows())) return false;
    rows.list_thresholds(v, thresholds_[v]);
    if (!thresholds_[v].empty()) open_.push_back(all_open(v, thresholds_[v], costs_.leaf));
  }
  return true;
}

/// Chooses the middle of each run, and more thresholds of long runs if there are few; if there are many runs, those of
/// lowest bound. A scan takes the same time for one trial as for the most.
void TwoLevelThresholds::choose_trials(const SortedRows& rows) {
  trials_.clear();
  const std::uint32_t most = most_trials(rows);
  const auto by_bound = [](const OpenThresholds& a, const OpenThresholds& b) { return a.bound() < b.bound(); };
  if (open_.size() > most) std::nth_element(open_.begin(), open_.begin() + most, open_.end(), by_bound);
  const auto n_runs = static_cast<std::uint32_t>(std::min<std::size_t>(open_.size(), most));
  const auto in_order = [](const OpenThresholds& a, const OpenThresholds& b) {
    return a.variable != b.variable ? a.variable < b.variable : a.first < b.first;
  };
  if (has_gains(rows)) std::sort(open_.begin(), open_.begin() + n_runs, in_order);
  std::int64_t n_thresholds = 0;
  for (std::uint32_t i = 0; i < n_runs; ++i) n_thresholds += open_[i].size();
  std::int64_t spare = most - n_runs;
  for (std::uint32_t i = 0; i < n_runs; ++i) {
    const std::int64_t size = open_[i].size();
    const std::int64_t extra = std::min({size - 1, spare, (most - n_runs) * size / n_thresholds});
    spare -= extra;
    const std::int64_t n = 1 + extra;
    for (std::int64_t j = 0; j < n; ++j) trials_.push_back({i, open_[i].first + (2 * j + 1) * size / (2 * n)});
  }
}

/// Sets a bit for each trial in the rows where it holds, and adds up their gains. False if stopped.
bool TwoLevelThresholds::mark_members(const SortedRows& rows) {
  const std::size_t n_sums = rows.n_sums();
  member_.assign(rows.n_rows(), 0);
  true_side_.assign(n_sums * stride_, 0);
  std::vector<std::int64_t> count(n_sums);
  std::vector<std::uint32_t> of_variable;
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    of_variable.clear();
    std::uint32_t left = 0;  // bits of the trials whose threshold is still ahead
    for (std::uint32_t i = 0; i < trials_.size(); ++i) {
      if (open_[trials_[i].run].variable != v) continue;
      of_variable.push_back(i);
      left |= std::uint32_t{1} << i;
    }
    if (of_variable.empty()) continue;
    if (!meter_.spend(rows.n_rows())) return false;
    std::sort(of_variable.begin(), of_variable.end(),
              [&](std::uint32_t a, std::uint32_t b) { return trials_[a].threshold < trials_[b].threshold; });
    std::fill(count.begin(), count.end(), 0);
    // One walk for all trials of the variable: a row before a threshold is on the true side of it and of all later
    // ones.
    const std::uint32_t* entry = rows.entries(v);
    std::uint32_t row = 0;
    for (const std::uint32_t i : of_variable) {
      for (const std::uint32_t end = thresholds_[v][static_cast<std::size_t>(trials_[i].threshold)].n_rows; row < end;
           ++row) {
        member_[row_of(entry[row])] |= left;
        rows.add_gains(entry[row], count.data());
      }
      left &= ~(std::uint32_t{1} << i);
      for (std::size_t k = 0; k < n_sums; ++k) true_side_[k * stride_ + i] = count[k];
    }
  }
  return true;
}

/// Finds the costs of the two sides of each trial, of which those that matter cost less than `best`. False if stopped.
bool TwoLevelThresholds::try_thresholds(const SortedRows& rows, Ticks best) {
  stride_ = most_trials(rows);
  true_rows_.assign(stride_, 0);
  true_weight_.assign(stride_, 0);
  for (std::uint32_t i = 0; i < trials_.size(); ++i) {
    true_rows_[i] = static_cast<std::int32_t>(threshold_of(i).n_rows);
    true_weight_[i] = threshold_of(i).weight;
  }
  if (!mark_trials(rows) || !scan(rows, 1, relaxed_cost_)) return false;
  for (int side = 0; side < 2; ++side) side_cost_[side] = relaxed_cost_[side];
  if (costs_.rows_per_leaf == 1) return true;
  bool may_be_better = false;
  for (std::uint32_t i = 0; i < trials_.size(); ++i)
    may_be_better |=
        relaxed_cost_[0][i] + relaxed_cost_[1][i] < best && costs_.has_leaves(threshold_of(i).n_rows, rows.n_rows());
  if (may_be_better && !scan(rows, costs_.rows_per_leaf, side_cost_)) return false;
  for (std::uint32_t i = 0; i < trials_.size(); ++i)
    if (!costs_.has_leaves(threshold_of(i).n_rows, rows.n_rows())) side_cost_[0][i] = kInfinity;
  return true;
}

/// Adds up the rows where each trial holds. False if stopped.
bool TwoLevelThresholds::mark_trials(const SortedRows& rows) {
  if (!has_gains(rows)) return mark_members(rows);
  roots_.clear();
  for (std::uint32_t i = 0; i < trials_.size(); ++i) roots_.add(open_[trials_[i].run].variable, threshold_of(i));
  if (!roots_.mark(rows, meter_)) return false;
  roots_.copy_sums(rows.n_sums(), stride_, true_side_);
  return true;
}

/// Finds what the two sides of each trial cost as a leaf or as a stump whose leaves have so many rows. False if
/// stopped.
bool TwoLevelThresholds::scan(const SortedRows& rows, std::uint32_t least_rows, std::vector<Ticks> (&side_cost)[2]) {
  // Only stumps that cost less than a leaf are of interest.
  for (int side = 0; side < 2; ++side) {
    least_loss_[side].assign(stride_, rows.weight());
    for (std::uint32_t i = 0; i < trials_.size(); ++i)
      least_loss_[side][i] = costs_.loss_of_stump(leaf_cost(rows, i, side));
  }
  scratch_.resize(std::max(scratch_.size(), scratch_words(rows)));
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    if (thresholds_[v].empty()) continue;
    if (!meter_.spend(has_gains(rows) ? roots_.scan_work(rows) : kScanWork * rows.n_rows())) return false;
    if (has_gains(rows))
      roots_.scan(rows, v, least_rows, kernels_, least_loss_);
    else
      kernels_.scan_stumps(stump_scan(rows, v, least_rows));
  }
  for (int side = 0; side < 2; ++side) {
    side_cost[side].resize(trials_.size());
    for (std::uint32_t i = 0; i < trials_.size(); ++i)
      side_cost[side][i] = std::min(leaf_cost(rows, i, side), costs_.stump_cost(least_loss_[side][i]));
  }
  return true;
}

/// Of the stumps on one variable.
kernels::StumpScan TwoLevelThresholds::stump_scan(const SortedRows& rows, std::uint32_t variable,
                                                  std::uint32_t least_rows) {
  return {rows.entries(variable),
          rows.n_rows(),
          member_.data(),
          rows.weights(),
          lane_bytes(rows),
          static_cast<std::uint32_t>(rows.n_sums()),
          true_side_.data(),
          rows.total_gain().data(),
          least_rows,
          true_rows_.data(),
          {least_loss_[0].data(), least_loss_[1].data()},
          scratch_.data(),
          rows.gains(),
          rows.weight(),
          rows.convex() ? rows.convex()->buckets() : models::ConvexBuckets{}};
}

/// The cost of one side of a root split as a leaf, by the sums of the true side.
template <class SumOf>
Ticks TwoLevelThresholds::leaf_cost(const SortedRows& rows, std::int64_t true_weight, int side, SumOf true_sum) const {
  const std::vector<std::int64_t>& total = rows.total_gain();
  const auto sum_of = [&](std::size_t k) { return side == 1 ? true_sum(k) : total[k] - true_sum(k); };
  const std::int64_t weight = side == 1 ? true_weight : rows.weight() - true_weight;
  return costs_.leaf_cost(
      rows.with_formula([&](const auto& formula) { return formula.loss(weight, total.size(), sum_of); }));
}

/// The same of a trial.
Ticks TwoLevelThresholds::leaf_cost(const SortedRows& rows, std::uint32_t trial, int side) const {
  return leaf_cost(rows, true_weight_[trial], side, [&](std::size_t k) { return true_side_[k * stride_ + trial]; });
}

/// Replaces each run that was tried by the runs between its trials.
void TwoLevelThresholds::divide_runs() {
  next_.clear();
  std::size_t i = 0;
  for (std::uint32_t r = 0; r < open_.size(); ++r) {
    OpenThresholds rest = open_[r];
    for (; i < trials_.size() && trials_[i].run == r; ++i) {
      relaxed_ = std::min(relaxed_, relaxed_cost_[0][i] + relaxed_cost_[1][i]);
      const auto [before, after] = rest.divide({trials_[i].threshold, relaxed_cost_[1][i], relaxed_cost_[0][i]});
      next_.push_back(before);
      rest = after;
    }
    next_.push_back(rest);
  }
}

/// Opens the runs that may hold a threshold of less than `best`.
void TwoLevelThresholds::close_runs(Ticks best) {
  open_.clear();
  for (OpenThresholds run : next_) {
    if (closes_thresholds_ && !run.is_empty())
      n_closed_ += run.close(thresholds_[run.variable], costs_.error_cost, best);
    if (!run.is_empty()) open_.push_back(run);
  }
}

}  // namespace hornbeam::sorted
