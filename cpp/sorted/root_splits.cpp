#include "sorted/root_splits.hpp"

#include <algorithm>

namespace hornbeam::sorted {

namespace {

std::size_t vectors(const SortedRows& rows) { return kernels::gain_vectors(static_cast<std::uint32_t>(rows.n_sums())); }

std::size_t scratch_vectors(const SortedRows& rows) {
  return kernels::gain_scan_scratch(static_cast<std::uint32_t>(rows.n_sums()), kernels::kMostRoots);
}

/// Vectors side by side as an array of numbers.
std::int64_t* numbers(kernels::TickVector* vectors) { return reinterpret_cast<std::int64_t*>(vectors); }
const std::int64_t* numbers(const kernels::TickVector* vectors) {
  return reinterpret_cast<const std::int64_t*>(vectors);
}

}  // namespace

void RootSplits::clear() {
  variables_.clear();
  first_root_.assign(1, 0);
  true_rows_.clear();
  true_weight_.clear();
}

void RootSplits::add(std::uint32_t variable, const Threshold& threshold) {
  if (variables_.empty() || variables_.back() != variable) {
    variables_.push_back(variable);
    first_root_.push_back(first_root_.back());
  }
  ++first_root_.back();
  true_rows_.push_back(static_cast<std::int32_t>(threshold.n_rows));
  true_weight_.push_back(threshold.weight);
}

bool RootSplits::mark(const SortedRows& rows, run::WorkMeter& meter) {
  const std::size_t n_vectors = vectors(rows), n_variables = variables_.size(), n_roots = true_rows_.size();
  true_side_.assign(n_roots * n_vectors, {});
  total_.assign(n_vectors, {});
  std::copy(rows.total_gain().begin(), rows.total_gain().end(), numbers(total_.data()));
  scratch_.resize(std::max(scratch_.size(), scratch_vectors(rows)));
  first_root_of_row_.resize(std::max(first_root_of_row_.size(), rows.n_rows() * n_variables));
  for (std::size_t i = 0; i < n_variables; ++i) {
    if (!meter.spend(2 * std::uint64_t{rows.n_rows()})) return false;
    const std::uint32_t* entry = rows.entries(variables_[i]);
    std::uint32_t row = 0;
    for (std::uint32_t r = first_root_[i]; r < first_root_[i + 1]; ++r) {
      kernels::TickVector* const sums = &true_side_[r * n_vectors];
      if (r > first_root_[i]) std::copy_n(sums - n_vectors, n_vectors, sums);
      for (; row < static_cast<std::uint32_t>(true_rows_[r]); ++row) {
        first_root_of_row_[row_of(entry[row]) * n_variables + i] = static_cast<std::uint16_t>(r);
        rows.add_gains(entry[row], numbers(sums));
      }
    }
    for (; row < rows.n_rows(); ++row)
      first_root_of_row_[row_of(entry[row]) * n_variables + i] = static_cast<std::uint16_t>(n_roots);
  }
  return true;
}

void RootSplits::copy_sums(std::size_t n_sums, std::size_t stride, std::vector<std::int64_t>& sums) const {
  sums.assign(n_sums * stride, 0);
  const std::size_t n_vectors = total_.size();
  for (std::size_t r = 0; r < true_rows_.size(); ++r)
    for (std::size_t k = 0; k < n_sums; ++k) sums[k * stride + r] = numbers(&true_side_[r * n_vectors])[k];
}

void RootSplits::scan(const SortedRows& rows, std::uint32_t variable, std::uint32_t least_rows,
                      const kernels::Kernels& kernels, std::vector<std::int64_t> (&least_loss)[2]) {
  kernels.scan_gains({rows.entries(variable),
                      rows.n_rows(),
                      rows.gains(),
                      rows.weights(),
                      static_cast<std::uint32_t>(rows.n_sums()),
                      static_cast<std::uint32_t>(true_rows_.size()),
                      static_cast<std::uint32_t>(variables_.size()),
                      first_root_.data(),
                      first_root_of_row_.data(),
                      true_side_.data(),
                      total_.data(),
                      true_weight_.data(),
                      rows.weight(),
                      least_rows,
                      true_rows_.data(),
                      {least_loss[0].data(), least_loss[1].data()},
                      scratch_.data()});
}

std::uint64_t RootSplits::scan_work(const SortedRows& rows) const {
  return std::uint64_t{rows.n_rows()} * (1 + variables_.size() + true_rows_.size() / 8);
}

std::uint64_t RootSplits::bytes() const {
  return first_root_of_row_.capacity() * sizeof(first_root_of_row_[0]) +
         (true_side_.capacity() + scratch_.capacity()) * sizeof(kernels::TickVector);
}

std::uint64_t RootSplits::growth_for(const SortedRows& rows) const {
  const std::size_t marks = std::size_t{rows.n_rows()} * rows.n_variables(), sums = kernels::kMostRoots * vectors(rows),
                    words = scratch_vectors(rows);
  const auto more = [](std::size_t needed, std::size_t kept) { return std::max(needed, kept) - kept; };
  return more(marks, first_root_of_row_.capacity()) * sizeof(first_root_of_row_[0]) +
         (more(sums, true_side_.capacity()) + more(words, scratch_.capacity())) * sizeof(kernels::TickVector);
}

}  // namespace hornbeam::sorted
