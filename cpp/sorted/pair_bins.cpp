#include "sorted/pair_bins.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "sorted/row_records.hpp"

namespace hornbeam::sorted {

namespace {

using kernels::kBinSums;

std::uint32_t rows_before(const std::vector<Threshold>& thresholds, std::int64_t place) {
  return place < 0 ? 0 : thresholds[static_cast<std::size_t>(place)].n_rows;
}

/// Joins the ranges with the least rows between them until there are at most so many.
void join_nearest(std::vector<Places>& open, const std::vector<Threshold>& thresholds, std::size_t most) {
  if (open.size() <= most) return;
  std::vector<std::uint32_t> gaps;
  for (std::size_t i = 1; i < open.size(); ++i)
    gaps.push_back(rows_before(thresholds, open[i].first) - rows_before(thresholds, open[i - 1].last));
  std::vector<std::uint32_t> sorted = gaps;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(open.size() - most), sorted.end());
  const std::uint32_t least = sorted[open.size() - most];
  std::vector<Places> joined{open.front()};
  for (std::size_t i = 1; i < open.size(); ++i) {
    if (gaps[i - 1] <= least)
      joined.back().last = open[i].last;
    else
      joined.push_back(open[i]);
  }
  open.swap(joined);
}

}  // namespace

/// The ends of the open ranges, and between these the thresholds that part their rows most evenly.
void PairBins::Bins::choose(const std::vector<std::vector<Threshold>>& thresholds,
                            std::vector<std::vector<Places>> open, std::uint32_t most) {
  const auto n_variables = static_cast<std::uint32_t>(thresholds.size());
  std::uint64_t n_open = 0;
  std::uint32_t needed = (kLanes + 1) * n_variables;
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    join_nearest(open[v], thresholds[v], std::max(most / n_variables / 4, 1u));
    needed += 2 * static_cast<std::uint32_t>(open[v].size());
    for (const Places& range : open[v])
      n_open += rows_before(thresholds[v], range.last) - rows_before(thresholds[v], range.first);
  }
  const std::uint64_t spare = most - std::min(most, needed);
  borders.assign(n_variables, {});
  first.assign(1, 0);
  no_threshold_inside.clear();
  is_exact = true;
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    std::vector<Ticks> outside;
    for (const Places& range : open[v]) {
      const std::uint32_t begin = rows_before(thresholds[v], range.first), end = rows_before(thresholds[v], range.last);
      const std::uint64_t n_steps = n_open == 0 ? 1 : 1 + spare * (end - begin) / n_open;
      borders[v].push_back(range.first);
      outside.push_back(kInfinity);  // what is between ranges is closed
      for (std::uint64_t step = 1; step <= n_steps; ++step) {
        const std::uint64_t n_true = begin + (end - begin) * step / n_steps;
        const auto at = std::lower_bound(thresholds[v].begin() + range.first, thresholds[v].begin() + range.last,
                                         n_true, [](const Threshold& one, std::uint64_t n) { return one.n_rows < n; });
        const std::int64_t border = static_cast<std::uint64_t>(range.size()) <= n_steps
                                        ? std::min(range.first + static_cast<std::int64_t>(step), range.last)
                                        : at - thresholds[v].begin();
        if (border <= borders[v].back()) continue;
        outside.push_back(border > borders[v].back() + 1 ? 0 : kInfinity);
        if (outside.back() == 0) is_exact = false;
        borders[v].push_back(border);
      }
    }
    outside.resize((borders[v].size() + kLanes) / kLanes * kLanes, kInfinity);
    no_threshold_inside.insert(no_threshold_inside.end(), outside.begin(), outside.end());
    first.push_back(static_cast<std::uint32_t>(no_threshold_inside.size()));
  }
  marked_borders.assign(n(), 0);
  marked_inside.assign(n(), 0);
}

/// Writes the bin of each row to one of the two lists, and its sums once.
void PairBins::fill_bins(std::uint32_t variable, const Bins& bins, std::size_t list) {
  const std::uint32_t* const entry = rows_->entries(variable);
  const std::size_t n_sums = rows_->n_sums(), place = list * rows_->n_variables() + variable;
  const std::vector<std::int64_t>& borders = bins.borders[variable];
  std::uint32_t i = 0;
  for (std::size_t bin = 0; bin <= borders.size(); ++bin) {
    const auto number = static_cast<std::uint16_t>(bins.first[variable] + bin);
    const std::uint32_t end =
        bin < borders.size() ? rows_before((*thresholds_)[variable], borders[bin]) : rows_->n_rows();
    for (; i < end; ++i) {
      const std::uint32_t row = row_of(entry[i]);
      Ticks* const words = records_[row * record_size_].lanes;
      std::memcpy(reinterpret_cast<char*>(words + kBinSums) + place * sizeof(number), &number, sizeof(number));
      if (place > 0) continue;
      std::copy_n(&rows_->gains()[row * n_sums], n_sums, words);
      words[kBinSums - 1] = 1;
    }
  }
}

bool PairBins::open(const SortedRows& rows, const std::vector<std::vector<Threshold>>& thresholds, const Open& open,
                    const Numbers& most) {
  rows_ = &rows;
  thresholds_ = &thresholds;
  roots_.choose(thresholds, open.roots, most.roots);
  stumps_.choose(thresholds, open.stumps, most.stumps);
  record_size_ = record_size(rows, 2);
  records_.resize(rows.n_rows() * record_size_);
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    if (!meter_.spend(4 * std::uint64_t{rows.n_rows()})) return false;
    fill_bins(v, stumps_, 0);
    fill_bins(v, roots_, 1);
  }
  for (AlignedVector<Ticks>* words : {&held_, &everywhere_, &scratch_})
    words->assign(kBinSums * std::size_t{stumps_.n()}, 0);
  if (!start(0) || !pass_to(rows.n_rows())) return false;
  all_ = passed_;
  return true;
}

bool PairBins::start(std::uint32_t variable) {
  entries_ = rows_->entries(variable);
  passed_.assign(kBinSums * std::size_t{roots_.n()} * stumps_.n(), 0);
  n_passed_ = 0;
  return !meter_.stopped();
}

bool PairBins::pass_to(std::uint32_t n_rows) {
  constexpr std::uint32_t kRowsBetweenPolls = 1u << 14;
  const std::uint64_t n_pairs = std::uint64_t{rows_->n_variables()} * rows_->n_variables();
  while (n_passed_ < n_rows) {
    const std::uint32_t end = std::min(n_rows, n_passed_ + kRowsBetweenPolls);
    if (!meter_.spend((end - n_passed_) * n_pairs / 2)) return false;
    kernels_.add_to_bin_pairs({entries_, rows_->n_rows(), records_.data(), record_size_, rows_->n_variables()},
                              n_passed_, end, stumps_.n(), passed_.data());
    n_passed_ = end;
  }
  return true;
}

Ticks PairBins::leaf_cost(const Ticks* sums) const {
  return costs_.leaf_cost(rows_->with_formula([&](const auto& formula) {
    return formula.loss(sums[2], rows_->n_sums(), [&](std::size_t k) { return sums[k]; });
  }));
}

/// Adds the rows of a bin to those where the root below holds.
void PairBins::pass_bin(int side, std::uint32_t bin) {
  const std::size_t n_words = kBinSums * std::size_t{stumps_.n()}, at = bin * n_words;
  kernels_.add_words(held_.data(), (side == 1 ? passed_ : all_).data() + at, side == 1 ? nullptr : passed_.data() + at,
                     n_words);
}

/// Adds up the bins of each variable on one side of the root. False if stopped.
bool PairBins::begin_side(int side) {
  if (!meter_.spend(2 * std::uint64_t{roots_.n()} * stumps_.n())) return false;
  std::fill(held_.begin(), held_.end(), 0);
  for (std::uint32_t bin = 0; bin < roots_.first[1]; ++bin) pass_bin(side, bin);  // each row is in one of them
  for (std::uint32_t v = 0; v < rows_->n_variables(); ++v) {
    std::fill_n(total_, kBinSums, 0);
    for (std::size_t bin = stumps_.first[v]; bin < stumps_.first[v + 1]; ++bin)
      for (std::size_t k = 0; k < kBinSums; ++k)
        everywhere_[kBinSums * bin + k] = total_[k] += held_[kBinSums * bin + k];
  }
  return true;
}

kernels::BinnedStumps PairBins::stumps(Ticks* least, Ticks* lower) {
  return {held_.data(),
          everywhere_.data(),
          total_,
          stumps_.first.data(),
          rows_->n_variables(),
          stumps_.no_threshold_inside.data(),
          Ticks{costs_.rows_per_leaf},
          1,
          rows_->convex() ? rows_->convex()->buckets() : models::ConvexBuckets{},
          scratch_.data(),
          least,
          lower};
}

bool PairBins::compare(int side, Costs& found) {
  if (!begin_side(side)) return false;
  found = {kInfinity, leaf_cost(total_), {}};
  if (total_[kBinSums - 1] >= costs_.rows_per_leaf) found.least = found.lower;
  for (std::uint32_t v = 0; v < rows_->n_variables(); ++v) compare_variable(side, v, found);
  return true;
}

/// Lowers what is found by the trees whose root is of this variable, and notes what their sides cost at least.
void PairBins::compare_variable(int side, std::uint32_t variable, Costs& found) {
  const std::vector<std::int64_t>& borders = roots_.borders[variable];
  std::fill(held_.begin(), held_.end(), 0);
  low_.assign(borders.size(), {});
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const auto bin = static_cast<std::uint32_t>(roots_.first[variable] + i);
    pass_bin(side, bin);
    Ticks sums[2][kBinSums]{}, as_leaf[2], least_loss[2], lower_loss[2], least[2];
    for (std::size_t at = 0; at < kBinSums * std::size_t{stumps_.first[1]}; ++at) sums[1][at % kBinSums] += held_[at];
    for (std::size_t k = 0; k < kBinSums; ++k) sums[0][k] = total_[k] - sums[1][k];
    for (int x = 0; x < 2; ++x) {
      as_leaf[x] = leaf_cost(sums[x]);
      least_loss[x] = lower_loss[x] = costs_.loss_of_stump(as_leaf[x]);
    }
    kernels_.binned_stumps(stumps(least_loss, lower_loss));
    for (int x = 0; x < 2; ++x) {
      least[x] = std::min(as_leaf[x], costs_.stump_cost(least_loss[x]));
      low_[i][x] = std::min(as_leaf[x], costs_.stump_cost(lower_loss[x]));
    }
    found.lower = std::min(found.lower, low_[i][0] + low_[i][1]);
    const bool is_short = std::min(sums[0][kBinSums - 1], sums[1][kBinSums - 1]) < costs_.rows_per_leaf;
    if (!is_short && least[0] + least[1] < found.least) {
      found.least = least[0] + least[1];
      found.split = rows_->split_behind(variable, rows_before((*thresholds_)[variable], borders[i]));
    }
    // A root inside the bin: its true side has the rows before, its false side those behind.
    if (roots_.no_threshold_inside[bin] == 0) found.lower = std::min(found.lower, low_[i - 1][1] + low_[i][0]);
  }
}

bool PairBins::mark(int side, Ticks bound) {
  if (!begin_side(side)) return false;
  for (std::uint32_t v = 0; v < rows_->n_variables(); ++v) mark_variable(side, v, bound);
  return true;
}

/// Marks the thresholds of the trees whose root is of this variable.
void PairBins::mark_variable(int side, std::uint32_t variable, Ticks bound) {
  Costs found;
  compare_variable(side, variable, found);
  if (found.lower >= bound) return;
  const std::uint32_t begin = roots_.first[variable];
  std::vector<std::array<Ticks, 2>> limit(low_.size(), {0, 0});  // of the cost of the sides, in such a tree
  for (std::size_t i = 0; i < low_.size(); ++i) {
    if (low_[i][0] + low_[i][1] < bound) {
      roots_.marked_borders[begin + i] = -1;
      for (int x = 0; x < 2; ++x) limit[i][x] = std::max(limit[i][x], bound - low_[i][1 - x]);
    }
    if (roots_.no_threshold_inside[begin + i] == 0 && low_[i - 1][1] + low_[i][0] < bound) {
      roots_.marked_inside[begin + i] = -1;
      limit[i - 1][1] = std::max(limit[i - 1][1], bound - low_[i][0]);
      limit[i][0] = std::max(limit[i][0], bound - low_[i - 1][1]);
    }
  }
  std::fill(held_.begin(), held_.end(), 0);
  for (std::size_t i = 0; i < limit.size(); ++i) {
    pass_bin(side, static_cast<std::uint32_t>(begin + i));
    if (limit[i][0] == 0 && limit[i][1] == 0) continue;
    Ticks none[2] = {0, 0};
    kernels_.binned_marks(stumps(none, none), {{costs_.loss_of_stump(limit[i][0]), costs_.loss_of_stump(limit[i][1])},
                                               stumps_.marked_borders.data(),
                                               stumps_.marked_inside.data()});
  }
}

PairBins::Open PairBins::marked() const {
  Open open;
  for (std::uint32_t v = 0; v < rows_->n_variables(); ++v) {
    open.roots.push_back(roots_.marked(v));
    open.stumps.push_back(stumps_.marked(v));
  }
  return open;
}

std::vector<Places> PairBins::Bins::marked(std::uint32_t variable) const {
  std::vector<Places> places;
  const auto add = [&](std::int64_t begin, std::int64_t last) {
    if (begin > last) return;
    if (!places.empty() && places.back().last + 1 == begin)
      places.back().last = last;
    else
      places.push_back({begin, last});
  };
  for (std::size_t i = 0; i < borders[variable].size(); ++i) {
    const std::size_t bin = first[variable] + i;
    if (i > 0 && marked_inside[bin] != 0) add(borders[variable][i - 1] + 1, borders[variable][i] - 1);
    if (marked_borders[bin] != 0) add(borders[variable][i], borders[variable][i]);
  }
  return places;
}

std::uint64_t PairBins::bytes_for(const SortedRows& rows, const Numbers& most) {
  const std::uint64_t padding = std::uint64_t{2} * kLanes * rows.n_variables();
  return sizeof(kernels::TickVector) * rows.n_rows() * record_size(rows, 2) +
         sizeof(Ticks) * 2 * kBinSums * (most.roots + padding) * (most.stumps + padding);
}

}  // namespace hornbeam::sorted
