#include "sorted/binned_roots.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sorted/row_records.hpp"

namespace hornbeam::sorted {

namespace {

constexpr std::uint32_t kSums = kernels::kBinSums;

/// So that the comparisons of all borders take about as long as the additions of all rows. Bins are numbered in 16
/// bits.
std::uint32_t most_borders(const SortedRows& rows) {
  constexpr std::uint32_t kMostBins = 1u << 16;
  const auto balanced = static_cast<std::uint32_t>(2 * std::sqrt(static_cast<double>(rows.n_rows())));
  return std::min(balanced, kMostBins / rows.n_variables() - kLanes);
}

}  // namespace

bool BinnedRoots::suits(const SortedRows& rows) {
  constexpr std::uint32_t kMostVariables = 1u << 8;
  return rows.has_sums() && rows.n_variables() <= kMostVariables;
}

/// All thresholds if they are few, else those that part the rows most evenly.
void BinnedRoots::choose_borders(const SortedRows& rows, const std::vector<std::vector<Threshold>>& thresholds) {
  const std::uint32_t n_variables = rows.n_variables(), most = most_borders(rows);
  borders_.resize(n_variables);
  first_bin_.assign(1, 0);
  for (std::uint32_t v = 0; v < n_variables; ++v) {
    std::vector<std::uint32_t>& borders = borders_[v];
    borders.clear();
    const auto n_thresholds = static_cast<std::uint32_t>(thresholds[v].size());
    const std::uint32_t n_steps = std::min(n_thresholds, most);
    for (std::uint32_t step = 1; step <= n_steps; ++step) {
      std::uint32_t border = step - 1;
      if (n_thresholds > most) {
        const std::uint64_t n_true = std::uint64_t{rows.n_rows()} * step / (most + 1);
        const auto at =
            std::lower_bound(thresholds[v].begin(), thresholds[v].end(), n_true,
                             [](const Threshold& threshold, std::uint64_t n) { return threshold.n_rows < n; });
        border = std::min(static_cast<std::uint32_t>(at - thresholds[v].begin()), n_thresholds - 1);
      }
      if (borders.empty() || borders.back() < border) borders.push_back(border);
    }
    const std::size_t n_bins = (borders.size() + kLanes) / kLanes * kLanes;
    first_bin_.push_back(first_bin_.back() + static_cast<std::uint32_t>(n_bins));
  }
}

/// Marks the bins with thresholds inside them.
void BinnedRoots::mark_wide_bins(const std::vector<std::vector<Threshold>>& thresholds) {
  no_threshold_inside_.assign(first_bin_.back(), kInfinity);
  for (std::size_t v = 0; v < borders_.size(); ++v) {
    const std::vector<std::uint32_t>& borders = borders_[v];
    std::size_t next = 0;  // the first threshold behind the border before
    for (std::size_t bin = 0; bin <= borders.size(); ++bin) {
      const std::size_t end = bin < borders.size() ? borders[bin] : thresholds[v].size();
      if (end > next) no_threshold_inside_[first_bin_[v] + bin] = 0;
      next = end + 1;
    }
  }
}

/// Writes the bin of each row, and its sums once.
void BinnedRoots::fill_bins(const SortedRows& rows, std::uint32_t variable, const std::vector<Threshold>& thresholds) {
  const std::uint32_t* const entry = rows.entries(variable);
  std::uint32_t i = 0;
  for (std::size_t bin = 0; bin <= borders_[variable].size(); ++bin) {
    const auto number = static_cast<std::uint16_t>(first_bin_[variable] + bin);
    const std::uint32_t end =
        bin < borders_[variable].size() ? thresholds[borders_[variable][bin]].n_rows : rows.n_rows();
    for (; i < end; ++i) {
      const std::uint32_t row = row_of(entry[i]);
      Ticks* const words = records_[row * record_size_].lanes;
      std::memcpy(reinterpret_cast<char*>(words + kSums) + variable * sizeof(number), &number, sizeof(number));
      if (variable > 0) continue;
      std::copy_n(&rows.gains()[row * rows.n_sums()], rows.n_sums(), words);
      words[kSums - 1] = 1;
    }
  }
}

kernels::BinnedRows BinnedRoots::binned_rows() const {
  return {entries_, rows_->n_rows(), records_.data(), record_size_, rows_->n_variables()};
}

bool BinnedRoots::open(const SortedRows& rows, const std::vector<std::vector<Threshold>>& thresholds,
                       std::uint32_t least_rows) {
  rows_ = &rows;
  least_rows_ = least_rows;
  choose_borders(rows, thresholds);
  mark_wide_bins(thresholds);
  record_size_ = record_size(rows, 1);
  if (records_.capacity() < rows.n_rows() * record_size_) records_.clear();  // so that it grows by no more
  records_.resize(std::max(records_.size(), rows.n_rows() * record_size_));
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    if (!meter_.spend(2 * std::uint64_t{rows.n_rows()})) return false;
    fill_bins(rows, v, thresholds[v]);
  }
  const std::size_t n_words = kSums * std::size_t{first_bin_.back()};
  scratch_.resize(n_words);
  passed_of_all_.assign(n_words, 0);
  if (!start(rows, 0)) return false;
  pass_to(rows.n_rows());
  std::copy_n(passed_, kSums, total_);
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v) {
    Ticks sum[kSums]{};
    for (std::size_t bin = first_bin_[v]; bin < first_bin_[v + 1]; ++bin)
      for (std::size_t k = 0; k < kSums; ++k) passed_of_all_[kSums * bin + k] = sum[k] += sums_[kSums * bin + k];
  }
  return true;
}

bool BinnedRoots::start(const SortedRows& rows, std::uint32_t variable) {
  if (!meter_.spend(std::uint64_t{rows.n_rows()} * (2 + rows.n_variables() / 2))) return false;
  entries_ = rows.entries(variable);
  sums_.assign(kSums * std::size_t{first_bin_.back()}, 0);
  std::fill_n(passed_, kSums, 0);
  n_passed_ = 0;
  return true;
}

void BinnedRoots::pass_to(std::uint32_t n_rows) {
  kernels_.add_to_bins(binned_rows(), n_passed_, n_rows, sums_.data(), passed_);
  n_passed_ = n_rows;
}

void BinnedRoots::compare(Losses& losses) {
  kernels_.binned_stumps({sums_.data(), passed_of_all_.data(), total_, first_bin_.data(), rows_->n_variables(),
                          no_threshold_inside_.data(), Ticks{least_rows_}, 1,
                          rows_->convex() ? rows_->convex()->buckets() : models::ConvexBuckets{}, scratch_.data(),
                          losses.least, losses.lower});
}

std::uint64_t BinnedRoots::bytes() const {
  return records_.capacity() * sizeof(records_[0]) +
         sizeof(Ticks) *
             (sums_.capacity() + passed_of_all_.capacity() + no_threshold_inside_.capacity() + scratch_.capacity());
}

std::uint64_t BinnedRoots::growth_for(const SortedRows& rows) const {
  const std::size_t n_records = rows.n_rows() * record_size(rows, 1);
  std::size_t n_bins = 0;
  for (std::uint32_t v = 0; v < rows.n_variables(); ++v)
    n_bins += std::min(rows.most_thresholds(v), most_borders(rows)) + std::size_t{kLanes};
  const auto more = [](std::size_t needed, std::size_t kept) { return std::max(needed, kept) - kept; };
  return sizeof(kernels::TickVector) * more(n_records, records_.capacity()) +
         sizeof(Ticks) * (more(n_bins * kSums, sums_.capacity()) + more(n_bins * kSums, passed_of_all_.capacity()) +
                          more(n_bins * kSums, scratch_.capacity()) + more(n_bins, no_threshold_inside_.capacity()));
}

}  // namespace hornbeam::sorted
