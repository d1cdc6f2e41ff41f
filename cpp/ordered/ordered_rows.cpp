#include "ordered/ordered_rows.hpp"

#include <algorithm>
#include <numeric>

namespace hornbeam::ordered {

namespace {

constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

/// Resizes a vector without keeping its contents; it grows to exactly the size that is needed.
template <class T>
void remake(std::vector<T>& values, std::size_t size) {
  if (values.capacity() < size) values.clear();
  values.resize(size);
}

}  // namespace

bool OrderedRows::sort(const data::OrderedColumns& columns, std::span<const std::int32_t> classes,
                       std::span<const std::int64_t> weights, std::uint32_t n_classes, run::WorkMeter& meter) {
  columns_ = &columns;
  n_rows_ = columns.n_rows;
  entries_.resize(offset(n_variables()));
  original_.resize(n_rows_);
  std::iota(original_.begin(), original_.end(), std::uint32_t{0});
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight != 1; }))
    weight_.assign(weights.begin(), weights.end());
  class_weight_.assign(n_classes, 0);
  for (std::uint32_t row = 0; row < n_rows_; ++row)
    class_weight_[static_cast<std::size_t>(classes[row])] += weight_of(row);
  weight_of_all_ = std::accumulate(class_weight_.begin(), class_weight_.end(), std::int64_t{0});
  std::vector<std::uint32_t> first;  // place of the next row of each bin: counting sort
  for (std::uint32_t v = 0; v < n_variables(); ++v) {
    if (!meter.spend(4 * std::uint64_t{n_rows_})) return false;
    const std::uint32_t* bins = columns.bins_of(v);
    first.assign(std::size_t{columns.n_thresholds[v]} + 2, 0);
    for (std::uint32_t row = 0; row < n_rows_; ++row) ++first[bins[row] + std::size_t{1}];
    for (std::size_t r = 1; r < first.size(); ++r) first[r] += first[r - 1];
    std::uint32_t* entry = &entries_[offset(v)];
    for (std::uint32_t row = 0; row < n_rows_; ++row)
      entry[first[bins[row]]++] = row << 8 | static_cast<std::uint32_t>(classes[row]) << 1;
    for (const std::uint32_t end : first)  // now the end of each bin
      if (end > 0) entry[end - 1] |= 1;
  }
  return true;
}

bool OrderedRows::make_child(std::uint32_t variable, std::uint32_t n_true, bool side, OrderedRows& child,
                             std::vector<std::uint32_t>& number, run::WorkMeter& meter) const {
  const std::uint32_t begin = side ? 0 : n_true, end = side ? n_true : n_rows_;
  child.columns_ = columns_;
  child.n_rows_ = end - begin;
  child.class_weight_.assign(class_weight_.size(), 0);
  remake(number, n_rows_);
  std::fill(number.begin(), number.end(), kAbsent);
  for (const std::uint32_t* entry = entries(variable) + begin; entry != entries(variable) + end; ++entry) {
    number[row_of(*entry)] = 0;
    child.class_weight_[class_of(*entry)] += weight_of(row_of(*entry));
  }
  child.weight_of_all_ = std::accumulate(child.class_weight_.begin(), child.class_weight_.end(), std::int64_t{0});
  remake(child.original_, child.n_rows_);
  remake(child.weight_, weight_.empty() ? 0 : child.n_rows_);
  for (std::uint32_t row = 0, next = 0; row < n_rows_; ++row) {
    if (number[row] == kAbsent) continue;
    child.original_[next] = original_[row];
    if (!weight_.empty()) child.weight_[next] = weight_[row];
    number[row] = next++;
  }
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

Fingerprint OrderedRows::fingerprint() const {
  Fingerprint all;
  for (const std::uint32_t row : original_) all ^= Fingerprint::of_row(row);
  return all;
}

void OrderedRows::list_thresholds(std::uint32_t variable, std::uint32_t least_rows,
                                  std::vector<Threshold>& thresholds) const {
  thresholds.clear();
  thresholds.reserve(most_thresholds(variable));
  const std::uint32_t* entry = entries(variable);
  std::int64_t true_side = 0;
  for (std::uint32_t i = 0; i + least_rows < n_rows_; ++i) {
    true_side += weight_of(row_of(entry[i]));
    if (ends_bin(entry[i]) && i + 1 >= least_rows) thresholds.push_back({i + 1, true_side});
  }
}

std::uint32_t OrderedRows::n_true_by(const ThresholdSplit& split) const {
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

}  // namespace hornbeam::ordered
