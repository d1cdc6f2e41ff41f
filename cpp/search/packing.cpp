#include "search/packing.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/fingerprint.hpp"

namespace hornbeam::search {

namespace {

constexpr std::uint8_t kForbidden = 255;  // Kernels::row_distances

/// Words of rows to compare beyond which a set is not packed: on the largest, searching costs less.
constexpr std::size_t kMostWords = 1 << 22;

}  // namespace

PairPacker::PairPacker(const rows::Problem& problem, const kernels::Kernels& kernels)
    : problem_(problem),
      kernels_(kernels),
      measures_(problem.model.measures()),
      is_usable_(problem.bounds.packing && measures_.cancelled && problem.leaf_cost > 0) {}

void PairPacker::find_columns(const rows::RowSet& rows) {
  const Ticks threshold = problem_.threshold(), all = rows.total[0] + rows.total[1];
  allowed_.assign(rows.words_per_slot, 0);
  total_capacity_ = 0;
  for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
    const Ticks true_side = rows.sums[c] + rows.sums[rows.stride + c];
    if (true_side < threshold || all - true_side < threshold) continue;
    allowed_[c / kWordBits] |= Word{1} << (c % kWordBits);
    total_capacity_ += problem_.leaf_cost;
  }
  capacity_.assign(rows.n_columns, problem_.leaf_cost);
  full_.assign(rows.words_per_slot, 0);
}

void PairPacker::find_rows(const rows::RowSet& rows) {
  const std::uint32_t n_words = rows.words_per_slot;
  for (int k = 0; k < 2; ++k) {
    bits_[k].clear();
    left_[k].clear();
  }
  for (const kernels::Segment& segment : rows.segments) {
    if (segment.target > 1) continue;
    for (std::uint32_t i = 0; i < segment.n_slots; ++i) {
      const Word* row = &rows.slot_rows[(std::size_t{segment.begin} * kWordBits + i) * n_words];
      for (std::uint32_t w = 0; w < n_words; ++w) bits_[segment.target].push_back(row[w] & allowed_[w]);
      left_[segment.target].push_back(measures_.largest_cost[0] << segment.shift);
    }
  }
  for (int k = 0; k < 2; ++k) merge_equal(k, n_words);
}

/// Adds up rows of one class that are equal on the allowed columns.
void PairPacker::merge_equal(int k, std::size_t n_words) {
  std::vector<Word>& bits = bits_[k];
  std::vector<Ticks>& left = left_[k];
  index_.reset(left.size());
  std::uint32_t n_kept = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Word* row = &bits[i * n_words];
    Word hash = 0;
    for (std::size_t w = 0; w < n_words; ++w) hash = mix(hash ^ row[w]);
    const std::uint32_t number = index_.find_or_add(
        hash, n_kept, [&](std::size_t known) { return std::equal(row, row + n_words, &bits[known * n_words]); });
    if (number < n_kept) {
      left[number] += left[i];
      continue;
    }
    std::copy(row, row + n_words, &bits[std::size_t{n_kept} * n_words]);
    left[n_kept++] = left[i];
  }
  bits.resize(std::size_t{n_kept} * n_words);
  left.resize(n_kept);
}

Ticks PairPacker::pack(const rows::RowSet& rows, Ticks needed, Ticks enough) {
  n_words_ = rows.words_per_slot;
  Ticks weight[2];  // of the rows of each class
  for (int k = 0; k < 2; ++k) weight[k] = rows.total[static_cast<std::size_t>(k)];
  first_ = weight[1] < weight[0] ? 1 : 0;
  Ticks left = weight[first_];
  work_ = 0;
  if (left < needed || rows.n_columns == 0) return 0;
  find_columns(rows);
  find_rows(rows);
  const std::size_t n_rows = left_[first_].size();
  const std::size_t n_to_compare = n_rows * left_[1 - first_].size() * n_words_;
  if (n_to_compare > kMostWords) return 0;
  turn_others();
  work_ = 2 * n_to_compare;
  nearest_.resize(n_rows);
  order_.resize(n_rows);
  for (std::size_t a = 0; a < n_rows; ++a) {
    nearest_[a] = kernels_.least_row_distance(&bits_[first_][a * n_words_], others());
    order_[a] = static_cast<std::uint32_t>(a);
  }
  std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return nearest_[a] < nearest_[b]; });
  Ticks packed = 0;
  for (const std::uint32_t a : order_) {
    // Every pair from here on uses at least the distance of this row in capacity: if even that cannot reach `needed`,
    // the packing would be in vain.
    const Ticks possible = nearest_[a] == 0 ? left : std::min(left, total_capacity_ / nearest_[a]);
    if (packed + possible < needed || n_others_ == 0) return packed;
    left -= left_[first_][a];
    packed += pack_row(a);
    if (packed >= enough) return packed;
  }
  return packed;
}

/// Lays the rows of the other class side by side.
void PairPacker::turn_others() {
  const std::vector<Word>& bits = bits_[1 - first_];
  n_others_ = static_cast<std::uint32_t>(left_[1 - first_].size());
  stride_ = padded_to_lanes(std::max(n_others_, 1u));
  other_words_.assign(n_words_ * stride_, 0);
  for (std::size_t b = 0; b < n_others_; ++b)
    for (std::size_t w = 0; w < n_words_; ++w) other_words_[w * stride_ + b] = bits[b * n_words_ + w];
  for (std::size_t b = n_others_; b < stride_ && n_others_ > 0; ++b)  // copies of a row do not change a least distance
    for (std::size_t w = 0; w < n_words_; ++w) other_words_[w * stride_ + b] = bits[w];
  distances_.resize(stride_);
}

void PairPacker::find_distances(std::size_t a) {
  kernels_.row_distances(&bits_[first_][a * n_words_], others(), full_.data(), distances_.data());
}

/// Gives the weight of a row to pairs with the rows nearest to it.
Ticks PairPacker::pack_row(std::size_t a) {
  find_distances(a);
  Ticks packed = 0;
  spent_.clear();
  while (left_[first_][a] > 0) {
    const auto end = distances_.begin() + n_others_;
    const std::uint8_t nearest = *std::min_element(distances_.begin(), end);
    if (nearest == kForbidden) break;
    const auto b = static_cast<std::size_t>(std::find(distances_.begin(), end, nearest) - distances_.begin());
    packed += take(a, b);
    distances_[b] = kForbidden;
    if (left_[1 - first_][b] == 0) spent_.push_back(static_cast<std::uint32_t>(b));
  }
  forget_spent();
  return packed;
}

/// Gives a pair all the weight that is left for it.
Ticks PairPacker::take(std::size_t a, std::size_t b) {
  const Word* x = &bits_[first_][a * n_words_];
  Ticks weight = std::min(left_[first_][a], left_[1 - first_][b]), n_columns = 0;
  const auto for_each_column = [&](auto visit) {
    for (std::size_t w = 0; w < n_words_; ++w)
      for (Word word = x[w] ^ other_words_[w * stride_ + b]; word != 0; word &= word - 1)
        visit(w, static_cast<std::size_t>(std::countr_zero(word)));
  };
  for_each_column([&](std::size_t w, std::size_t bit) {
    weight = std::min(weight, capacity_[w * kWordBits + bit]);
    ++n_columns;
  });
  if (weight == 0) return 0;
  for_each_column([&](std::size_t w, std::size_t bit) {
    Ticks& capacity = capacity_[w * kWordBits + bit];
    capacity -= weight;
    if (capacity == 0) full_[w] |= Word{1} << bit;
  });
  total_capacity_ -= weight * n_columns;
  left_[first_][a] -= weight;
  left_[1 - first_][b] -= weight;
  return weight;
}

/// Removes the rows of the other class that have no weight left; the last row of the tile takes the place of each.
void PairPacker::forget_spent() {
  std::sort(spent_.begin(), spent_.end(), std::greater<>());
  for (const std::uint32_t b : spent_) {
    --n_others_;
    left_[1 - first_][b] = left_[1 - first_][n_others_];
    for (std::size_t w = 0; w < n_words_; ++w) other_words_[w * stride_ + b] = other_words_[w * stride_ + n_others_];
  }
}

}  // namespace hornbeam::search
