#include "ordered/two_level_cuts.hpp"

#include <algorithm>

namespace hornbeam {

TwoLevelResult TwoLevelCuts::solve(const OrderedRows& rows, Ticks bound) {
  TwoLevelResult result{bound, kInfinity, {}};
  const Ticks least = 2 * costs_.leaf;  // on the two sides of any cut
  if (least >= bound) return {least, kInfinity, {}};
  cuts_.resize(rows.n_variables());
  open_.clear();
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    rows.list_cuts(v, cuts_[v]);
    const auto n_cuts = static_cast<std::int64_t>(cuts_[v].size());
    if (n_cuts == 0) continue;
    const Ticks leaf = costs_.leaf;
    open_.push_back({v, {-1, leaf, leaf}, {n_cuts, leaf, leaf}, 0, n_cuts - 1});
  }
  Ticks best = bound;
  while (!open_.empty()) {
    const std::uint64_t work = std::uint64_t{rows.n_rows()} * rows.n_variables() * 8;
    if (!goes_on_(work)) {
      for (const OpenCuts& run : open_) result.lower = std::min(result.lower, run.bound());
      return result;
    }
    choose_trials(rows);
    try_cuts(rows);
    for (std::uint32_t i = 0; i < trials_.size(); ++i) {
      const Ticks cost = side_cost_[0][i] + side_cost_[1][i];
      if (cost >= best) continue;
      const std::uint32_t v = open_[trials_[i].run].variable;
      const std::uint32_t n_held = cuts_[v][static_cast<std::size_t>(trials_[i].cut)].n_rows;
      result = {cost, cost, {v, rows.ranks(v)[n_held - 1]}};
      best = cost;
    }
    divide_runs();
    open_.clear();
    for (OpenCuts run : next_) {
      if (closes_cuts_) run.close(cuts_[run.variable], costs_.price, best);
      if (!run.is_empty()) open_.push_back(run);
    }
  }
  result.lower = best;
  return result;
}

/// The middle of each run, more of long ones while there are few; the runs of lowest bound if there are many.
void TwoLevelCuts::choose_trials(const OrderedRows&) {
  trials_.clear();
  const auto by_bound = [](const OpenCuts& a, const OpenCuts& b) { return a.bound() < b.bound(); };
  if (open_.size() > kScanLanes) std::nth_element(open_.begin(), open_.begin() + kScanLanes, open_.end(), by_bound);
  const auto n_runs = static_cast<std::uint32_t>(std::min<std::size_t>(open_.size(), kScanLanes));
  std::int64_t n_cuts = 0;
  for (std::uint32_t i = 0; i < n_runs; ++i) n_cuts += open_[i].size();
  std::int64_t spare = kScanLanes - n_runs;
  for (std::uint32_t i = 0; i < n_runs; ++i) {
    const std::int64_t size = open_[i].size();
    const std::int64_t extra = std::min({size - 1, spare, (kScanLanes - n_runs) * size / n_cuts});
    spare -= extra;
    const std::int64_t n = 1 + extra;
    for (std::int64_t j = 0; j < n; ++j) trials_.push_back({i, open_[i].first + (2 * j + 1) * size / (2 * n)});
  }
}

/// Sets a bit for each trial in the rows where it holds, and weighs their classes.
void TwoLevelCuts::mark_members(const OrderedRows& rows) {
  const auto n_classes = static_cast<std::uint32_t>(rows.class_weight().size());
  member_.assign(rows.n_rows(), 0);
  held_.assign(std::size_t{n_classes} * kScanLanes, 0);
  std::vector<std::int32_t> count(n_classes);
  std::vector<std::uint32_t> of_variable;
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    of_variable.clear();
    std::uint32_t left = 0;  // bits of the trials whose cut is still ahead
    for (std::uint32_t i = 0; i < trials_.size(); ++i) {
      if (open_[trials_[i].run].variable != v) continue;
      of_variable.push_back(i);
      left |= std::uint32_t{1} << i;
    }
    if (of_variable.empty()) continue;
    std::sort(of_variable.begin(), of_variable.end(),
              [&](std::uint32_t a, std::uint32_t b) { return trials_[a].cut < trials_[b].cut; });
    std::fill(count.begin(), count.end(), 0);
    const std::uint32_t* entry = rows.entries(v);
    std::uint32_t row = 0;
    for (const std::uint32_t i : of_variable) {
      for (const std::uint32_t end = cuts_[v][static_cast<std::size_t>(trials_[i].cut)].n_rows; row < end; ++row) {
        member_[entry[row] >> 8] |= left;
        count[(entry[row] >> 1) & 127] += rows.weight_of(entry[row] >> 8);
      }
      left &= ~(std::uint32_t{1} << i);
      for (std::uint32_t k = 0; k < n_classes; ++k) held_[k * kScanLanes + i] = count[k];
    }
  }
}

void TwoLevelCuts::try_cuts(const OrderedRows& rows) {
  mark_members(rows);
  const auto n_classes = static_cast<std::uint32_t>(rows.class_weight().size());
  const bool is_narrow = rows.weight() < (1 << 15);
  for (auto& losses : least_loss_) losses.assign(kScanLanes, is_narrow ? (1 << 15) - 1 : 1 << 30);
  if (n_classes > 2) scratch_.resize((std::size_t{n_classes} + rows.n_rows()) * kScanLanes);
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    if (cuts_[v].empty()) continue;
    kernels_.scan_stumps({rows.entries(v),
                          rows.n_rows(),
                          member_.data(),
                          rows.weights(),
                          is_narrow,
                          n_classes,
                          held_.data(),
                          rows.class_weight().data(),
                          {least_loss_[0].data(), least_loss_[1].data()},
                          scratch_.data()});
  }
  for (int side = 0; side < 2; ++side) {
    side_cost_[side].resize(trials_.size());
    for (std::uint32_t i = 0; i < trials_.size(); ++i) side_cost_[side][i] = side_cost(rows, i, side);
  }
}

Ticks TwoLevelCuts::side_cost(const OrderedRows& rows, std::uint32_t trial, int side) const {
  const std::vector<std::int32_t>& total = rows.class_weight();
  std::int64_t all = 0, most = 0;
  for (std::uint32_t k = 0; k < total.size(); ++k) {
    const std::int64_t held = held_[k * kScanLanes + trial], here = side == 1 ? held : total[k] - held;
    all += here;
    most = std::max(most, here);
  }
  return std::min(costs_.leaf + costs_.price * (all - most), 2 * costs_.leaf + costs_.price * least_loss_[side][trial]);
}

/// Replaces each run that was tried by the runs between its trials.
void TwoLevelCuts::divide_runs() {
  next_.clear();
  std::size_t i = 0;
  for (std::uint32_t r = 0; r < open_.size(); ++r) {
    OpenCuts rest = open_[r];
    for (; i < trials_.size() && trials_[i].run == r; ++i) {
      const CutBounds tried{trials_[i].cut, side_cost_[1][i], side_cost_[0][i]};
      next_.push_back({rest.variable, rest.low, tried, rest.first, tried.index - 1});
      rest.low = tried;
      rest.first = tried.index + 1;
    }
    next_.push_back(rest);
  }
}

}  // namespace hornbeam
