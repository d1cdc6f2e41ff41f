#include "ordered/ordered_rows.hpp"

#include <algorithm>

namespace hornbeam {

namespace {

constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

}  // namespace

OrderedRows::OrderedRows(const RankedColumns& columns, std::span<const std::int32_t> classes,
                         std::span<const std::int64_t> weights, std::uint32_t n_classes)
    : n_rows_(columns.n_rows), n_variables_(columns.n_variables()) {
  entries_.resize(std::size_t{n_variables_} * n_rows_);
  ranks_.resize(entries_.size());
  if (std::any_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight != 1; }))
    for (const std::int64_t weight : weights) weight_.push_back(static_cast<std::int32_t>(weight));
  std::vector<std::uint32_t> first;
  for (std::uint32_t v = 0; v < n_variables_; ++v) {  // counting sort by rank
    const std::uint32_t* rank = columns.ranks_of(v);
    first.assign(std::size_t{columns.n_thresholds[v]} + 2, 0);
    for (std::uint32_t row = 0; row < n_rows_; ++row) ++first[rank[row] + 1];
    for (std::size_t r = 1; r < first.size(); ++r) first[r] += first[r - 1];
    for (std::uint32_t row = 0; row < n_rows_; ++row) {
      const std::size_t at = std::size_t{v} * n_rows_ + first[rank[row]]++;
      entries_[at] = row << 8 | static_cast<std::uint32_t>(classes[row]) << 1;
      ranks_[at] = rank[row];
    }
  }
  mark_last();
  weigh(n_classes);
}

/// Sets the lowest bit of the entries before a change of rank.
void OrderedRows::mark_last() {
  for (std::uint32_t v = 0; v < n_variables_; ++v) {
    std::uint32_t* entry = &entries_[std::size_t{v} * n_rows_];
    const std::uint32_t* rank = &ranks_[std::size_t{v} * n_rows_];
    for (std::uint32_t i = 0; i + 1 < n_rows_; ++i) entry[i] |= rank[i] != rank[i + 1] ? 1 : 0;
  }
}

void OrderedRows::weigh(std::uint32_t n_classes) {
  class_weight_.assign(n_classes, 0);
  weight_of_all_ = 0;
  for (std::uint32_t i = 0; i < n_rows_; ++i) {
    const std::uint32_t entry = entries_[i];
    class_weight_[(entry >> 1) & 127] += weight_of(entry >> 8);
  }
  for (const std::int32_t weight : class_weight_) weight_of_all_ += weight;
}

void OrderedRows::list_cuts(std::uint32_t variable, std::vector<Cut>& cuts) const {
  cuts.clear();
  const std::uint32_t* entry = entries(variable);
  std::int64_t held = 0;
  for (std::uint32_t i = 0; i + 1 < n_rows_; ++i) {
    held += weight_of(entry[i] >> 8);
    if (entry[i] & 1) cuts.push_back({i + 1, held});
  }
}

void OrderedRows::make_child(std::uint32_t variable, std::uint32_t n_held, bool side, OrderedRows& child,
                             std::vector<std::uint32_t>& spare) const {
  const std::uint32_t* order = entries(variable);
  const std::uint32_t begin = side ? 0 : n_held, end = side ? n_held : n_rows_;
  spare.assign(n_rows_, kAbsent);
  for (std::uint32_t i = begin; i < end; ++i) spare[order[i] >> 8] = 0;
  std::uint32_t n_kept = 0;
  child.weight_.clear();
  for (std::uint32_t row = 0; row < n_rows_; ++row) {
    if (spare[row] == kAbsent) continue;
    spare[row] = n_kept++;
    if (!weight_.empty()) child.weight_.push_back(weight_[row]);
  }
  child.n_rows_ = n_kept;
  child.n_variables_ = n_variables_;
  child.entries_.resize(std::size_t{n_variables_} * n_kept + 1);  // the pass below writes one behind the last
  child.ranks_.resize(child.entries_.size());
  for (std::uint32_t v = 0; v < n_variables_; ++v) {
    const std::uint32_t* entry = entries(v);
    const std::uint32_t* rank = ranks(v);
    std::size_t at = std::size_t{v} * n_kept;
    for (std::uint32_t i = 0; i < n_rows_; ++i) {
      const std::uint32_t row = spare[entry[i] >> 8];
      child.entries_[at] = row << 8 | (entry[i] & 254);
      child.ranks_[at] = rank[i];
      at += row != kAbsent ? 1 : 0;
    }
  }
  child.mark_last();
  child.weigh(static_cast<std::uint32_t>(class_weight_.size()));
}

}  // namespace hornbeam
