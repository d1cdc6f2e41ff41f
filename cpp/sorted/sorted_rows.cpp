#include "sorted/sorted_rows.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::sorted {

namespace {

constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

/// Resizes a vector without keeping its contents; it grows to exactly the size that is needed.
template <class T>
void remake(std::vector<T>& values, std::size_t size) {
  if (values.capacity() < size) values.clear();
  values.resize(size);
}

}  // namespace

std::uint64_t bytes_of(const std::vector<std::vector<Threshold>>& thresholds) {
  std::uint64_t bytes = 0;
  for (const std::vector<Threshold>& of_variable : thresholds) bytes += of_variable.capacity() * sizeof(Threshold);
  return bytes;
}

bool SortedRows::sort(const data::OrderedColumns& columns, const RowGains& rows, run::WorkMeter& meter) {
  columns_ = &columns;
  problem_ = &rows;
  n_rows_ = columns.n_rows;
  entries_.resize(offset(n_variables()));
  original_.resize(n_rows_);
  std::iota(original_.begin(), original_.end(), std::uint32_t{0});
  const std::vector<std::int64_t>&weights = rows.weights, &reference = rows.reference;
  const auto is_heavy = [](std::int64_t weight) { return weight != 1; };
  if (rows.has_sums() || std::any_of(weights.begin(), weights.end(), is_heavy)) weight_ = weights;
  gain_.reserve(rows.gains.size() + n_spare());
  gain_ = rows.gains;
  if (!gain_.empty()) gain_.resize(gain_.size() + n_spare());
  total_gain_.assign(rows.n_sums, 0);
  for (std::uint32_t row = 0; row < n_rows_; ++row) rows.add(row, total_gain_.data());
  weight_of_all_ = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  reference_loss_ = std::accumulate(reference.begin(), reference.end(), std::int64_t{0});
  std::vector<std::uint32_t> first;  // place of the next row of each bin: counting sort
  for (std::uint32_t v = 0; v < n_variables(); ++v) {
    if (!meter.spend(4 * std::uint64_t{n_rows_})) return false;
    const std::uint32_t* bins = columns.bins_of(v);
    first.assign(std::size_t{columns.n_thresholds[v]} + 2, 0);
    for (std::uint32_t row = 0; row < n_rows_; ++row) ++first[bins[row] + std::size_t{1}];
    for (std::size_t r = 1; r < first.size(); ++r) first[r] += first[r - 1];
    std::uint32_t* entry = &entries_[offset(v)];
    for (std::uint32_t row = 0; row < n_rows_; ++row) entry[first[bins[row]]++] = row << 8 | rows.class_of(row) << 1;
    for (const std::uint32_t end : first)  // now the end of each bin
      if (end > 0) entry[end - 1] |= 1;
  }
  return true;
}

/// The sums of a child that has the rows of these entries, and knows its gains.
void SortedRows::add_up(const std::uint32_t* begin, const std::uint32_t* end, SortedRows& child) const {
  child.weight_of_all_ = 0;
  if (gain_.empty())
    child.weight_of_all_ = std::accumulate(child.total_gain_.begin(), child.total_gain_.end(), std::int64_t{0});
  else
    for (const std::uint32_t* entry = begin; entry != end; ++entry) child.weight_of_all_ += weight_of(row_of(*entry));
  child.reference_loss_ = 0;
  if (problem_->reference.empty()) return;
  for (const std::uint32_t* entry = begin; entry != end; ++entry)
    child.reference_loss_ += problem_->reference[original_[row_of(*entry)]];
}

bool SortedRows::make_child(std::uint32_t variable, std::uint32_t n_true, bool side, SortedRows& child,
                            std::vector<std::uint32_t>& number, run::WorkMeter& meter) const {
  const std::uint32_t begin = side ? 0 : n_true, end = side ? n_true : n_rows_;
  child.columns_ = columns_;
  child.problem_ = problem_;
  child.n_rows_ = end - begin;
  child.total_gain_.assign(n_sums(), 0);
  remake(number, n_rows_);
  std::fill(number.begin(), number.end(), kAbsent);
  for (const std::uint32_t* entry = entries(variable) + begin; entry != entries(variable) + end; ++entry) {
    number[row_of(*entry)] = 0;
    add_gains(*entry, child.total_gain_.data());
  }
  add_up(entries(variable) + begin, entries(variable) + end, child);
  remake(child.original_, child.n_rows_);
  remake(child.weight_, weight_.empty() ? 0 : child.n_rows_);
  remake(child.gain_, n_gains(child.n_rows_));
  for (std::uint32_t row = 0, next = 0; row < n_rows_; ++row) {
    if (number[row] == kAbsent) continue;
    child.original_[next] = original_[row];
    if (!weight_.empty()) child.weight_[next] = weight_[row];
    if (!gain_.empty()) std::copy_n(&gain_[row * n_sums()], n_sums(), &child.gain_[next * n_sums()]);
    number[row] = next++;
  }
  if (has_sums()) child.weight_of_all_ = problem_->weigh(child.gain_, child.weight_);
  remake(child.entries_, child.offset(n_variables()));
  // Backwards, so that one register collects whether a bin ends between a row and the next one kept. A row that is not
  // kept is written nevertheless, without a branch, and overwritten by the next one.
  const std::uint32_t* new_number = number.data();
  std::uint32_t* to = child.entries_.data() + child.entries_.size() - 1;
  for (std::uint32_t v = n_variables(); v-- > 0;) {
    if (!meter.spend(n_rows_)) return false;
    const std::uint32_t *first = entries(v), *entry = first + n_rows_;
    std::uint32_t ends = 0;
    while (entry != first) {
      const std::uint32_t row = new_number[row_of(*--entry)], is_kept = row != kAbsent ? 1 : 0;
      ends |= *entry & 1;
      *to = row << 8 | (*entry & 254) | ends;
      to -= is_kept;
      ends &= is_kept - 1;
    }
  }
  return true;
}

Fingerprint SortedRows::fingerprint() const {
  Fingerprint all;
  for (const std::uint32_t row : original_) all ^= Fingerprint::of_row(row);
  return all;
}

void SortedRows::list_thresholds(std::uint32_t variable, std::vector<Threshold>& thresholds) const {
  thresholds.clear();
  thresholds.reserve(most_thresholds(variable));
  const std::uint32_t* entry = entries(variable);
  std::int64_t true_side = 0;
  for (std::uint32_t i = 0; i + 1 < n_rows_; ++i) {
    true_side += weight_of(row_of(entry[i]));
    if (ends_bin(entry[i])) thresholds.push_back({i + 1, true_side});
  }
}

std::uint32_t SortedRows::n_true_by(const ThresholdSplit& split) const {
  std::uint32_t low = 0, high = n_rows_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (bin(split.variable, middle) <= split.threshold)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace hornbeam::sorted
