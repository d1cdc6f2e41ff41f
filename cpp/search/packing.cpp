#include "search/packing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/fingerprint.hpp"
#include "bounds/packing_blocks.hpp"

namespace hornbeam::search {

namespace {

constexpr std::uint8_t kForbidden = 255;  // Kernels::row_distances

/// Merging a row takes as long as comparing about so many words.
constexpr std::uint64_t kWordsToMerge = 32;

constexpr std::uint64_t kManyClasses = 16;  // times as few words are many with more than two classes

}  // namespace

PairPacker::PairPacker(const rows::Problem& problem, const kernels::Kernels& kernels)
    : problem_(problem),
      kernels_(kernels),
      measures_(problem.model.measures()),
      is_usable_(problem.bounds.packing && !measures_.is_squared_error() && measures_.n_predictions > 1 &&
                 problem.leaf_cost > 0) {}

bool PairPacker::may_need_blocks(const rows::RowSet& rows) const {
  std::uint64_t n_slots[2] = {0, 0};
  for (const kernels::Segment& segment : rows.segments)
    if (segment.target < measures_.n_targets) n_slots[segment.target == 0 ? 0 : 1] += segment.n_slots;
  if (!measures_.cancelled) n_slots[0] = n_slots[1] = (n_slots[0] + n_slots[1]) / 2;
  // `words_per_slot` is known only once there are slot rows.
  const std::uint64_t words = n_slots[0] * n_slots[1] * words_for(rows.n_columns);
  return words * (measures_.n_targets > 2 ? kManyClasses : 1) > problem_.block_packing.most_words;
}

void PairPacker::find_columns(const rows::RowSet& rows) {
  allowed_.assign(std::max<std::size_t>(rows.words_per_slot, words_for(rows.n_columns)), 0);
  columns_.clear();
  for_each_packed_column(problem_, rows, [&](std::uint32_t c, Ticks lighter) {
    allowed_[c / kWordBits] |= Word{1} << (c % kWordBits);
    columns_.emplace_back(lighter, c);
  });
  total_capacity_ = problem_.leaf_cost * static_cast<Ticks>(columns_.size());
  capacity_.assign(rows.n_columns, 0);
  for (const auto& [lighter, c] : columns_) capacity_[c] = problem_.leaf_cost;
  full_.assign(rows.words_per_slot, 0);
}

/// Calls `visit(segment)` for each slot, and appends the slot's bits of the allowed columns to what it returns.
template <class Visit>
void PairPacker::for_each_slot(const rows::RowSet& rows, Visit visit) const {
  const std::uint32_t n_words = rows.words_per_slot;
  for (const kernels::Segment& segment : rows.segments) {
    if (segment.target >= measures_.n_targets) continue;
    for (std::uint32_t i = 0; i < segment.n_slots; ++i) {
      const Word* row = &rows.slot_rows[(std::size_t{segment.begin} * kWordBits + i) * n_words];
      std::vector<Word>& bits = visit(segment);
      for (std::uint32_t w = 0; w < n_words; ++w) bits.push_back(row[w] & allowed_[w]);
    }
  }
}

/// Keeps the first of equal rows. Calls `visit(row, kept, is_first)` with the number of each row and of the one kept.
template <class Visit>
void PairPacker::merge_equal(std::vector<Word>& bits, Visit visit) {
  const std::size_t n_rows = bits.size() / n_words_;
  index_.reset(n_rows);
  std::uint32_t n_kept = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const Word* row = &bits[i * n_words_];
    Word hash = 0;
    for (std::size_t w = 0; w < n_words_; ++w) hash = mix(hash ^ row[w]);
    const std::uint32_t kept = index_.find_or_add(
        hash, n_kept, [&](std::size_t known) { return std::equal(row, row + n_words_, &bits[known * n_words_]); });
    const bool is_first = kept == n_kept;
    if (is_first) std::copy(row, row + n_words_, &bits[std::size_t{n_kept++} * n_words_]);
    visit(i, kept, is_first);
  }
  bits.resize(std::size_t{n_kept} * n_words_);
}

/// Two classes of one cost: rows of one class that are equal on the allowed columns are one row.
void PairPacker::find_rows(const rows::RowSet& rows) {
  for (int k = 0; k < 2; ++k) {
    bits_[k].clear();
    left_[k].clear();
  }
  for_each_slot(rows, [&](const kernels::Segment& segment) -> std::vector<Word>& {
    left_[segment.target].push_back(measures_.largest_cost[0] << segment.shift);
    return bits_[segment.target];
  });
  for (int k = 0; k < 2; ++k) {
    std::vector<Ticks>& left = left_[k];
    merge_equal(bits_[k], [&](std::size_t row, std::size_t kept, bool is_first) {
      left[kept] = left[row] + (is_first ? 0 : left[kept]);
    });
    left.resize(bits_[k].size() / n_words_);
  }
}

/// Any costs: rows of any class that are equal on the allowed columns are one group.
void PairPacker::find_groups(const rows::RowSet& rows) {
  const std::size_t n_targets = measures_.n_targets;
  std::vector<std::pair<std::uint32_t, std::int64_t>> slots;  // target and weight
  group_bits_.clear();
  group_weight_.clear();
  for_each_slot(rows, [&](const kernels::Segment& segment) -> std::vector<Word>& {
    slots.emplace_back(segment.target, std::int64_t{1} << segment.shift);
    return group_bits_;
  });
  merge_equal(group_bits_, [&](std::size_t slot, std::size_t group, bool is_first) {
    if (is_first) group_weight_.resize(group_weight_.size() + n_targets, 0);
    group_weight_[group * n_targets + slots[slot].first] += slots[slot].second;
  });
}

/// The first side has the groups whose best prediction is the one of the most weight; the weight of a group is what any
/// other prediction loses there beyond the best one. Returns what all groups lose with the best ones.
Ticks PairPacker::find_sides() {
  const models::LeafModel& model = problem_.model;
  const std::size_t n_groups = group_bits_.size() / n_words_;
  std::vector<std::uint32_t> best(n_groups);
  std::vector<Ticks> net(n_groups), of_prediction(measures_.n_predictions, 0);
  Ticks lost = 0;
  for (std::size_t g = 0; g < n_groups; ++g) {
    const std::int64_t* weight = &group_weight_[g * measures_.n_targets];
    best[g] = model.best_prediction(weight);
    const Ticks least = model.loss_of(weight, best[g]);
    net[g] = kInfinity;
    for (std::uint32_t k = 0; k < measures_.n_predictions; ++k)
      if (k != best[g]) net[g] = std::min(net[g], model.loss_of(weight, k) - least);
    of_prediction[best[g]] += net[g];
    lost += least;
  }
  const auto heaviest =
      static_cast<std::uint32_t>(std::max_element(of_prediction.begin(), of_prediction.end()) - of_prediction.begin());
  for (int k = 0; k < 2; ++k) {
    bits_[k].clear();
    left_[k].clear();
  }
  for (std::size_t g = 0; g < n_groups; ++g) {
    if (net[g] == 0) continue;
    const int k = best[g] == heaviest ? 0 : 1;
    const Word* row = &group_bits_[g * n_words_];
    bits_[k].insert(bits_[k].end(), row, row + n_words_);
    left_[k].push_back(net[g]);
  }
  return lost;
}

Ticks PairPacker::pack(const rows::RowSet& rows, Ticks needed, Ticks enough, bool may_use_blocks) {
  n_words_ = rows.words_per_slot;
  work_ = 0;
  is_in_blocks_ = false;
  capacity_.clear();
  if (rows.n_columns == 0) return 0;
  Ticks packed = 0;
  Ticks weight[2];  // of the rows of each class
  if (measures_.cancelled) {
    for (int k = 0; k < 2; ++k) weight[k] = rows.total[static_cast<std::size_t>(k)];
    if (std::min(weight[0], weight[1]) < needed) return 0;
    find_columns(rows);
    find_rows(rows);
  } else {
    find_columns(rows);
    find_groups(rows);
    packed = std::max<Ticks>(0, find_sides() - problem_.model.least_loss(rows.total.data()));
    for (int k = 0; k < 2; ++k) weight[k] = std::accumulate(left_[k].begin(), left_[k].end(), Ticks{0});
  }
  first_ = weight[1] < weight[0] ? 1 : 0;
  Ticks left = weight[first_];
  const std::size_t n_rows = left_[0].size() + left_[1].size();
  is_in_blocks_ = left_[0].size() * left_[1].size() * n_words_ > problem_.block_packing.most_words;
  if (is_in_blocks_) work_ = kWordsToMerge * n_rows * n_words_;
  if (packed + left < needed || (is_in_blocks_ && !may_use_blocks)) return packed;
  make_blocks();
  find_order();
  for (const std::uint32_t a : order_) {
    // Every pair from here on uses at least the distance of this row in capacity: if even that cannot reach `needed`,
    // the packing would be in vain.
    const Ticks possible = nearest_[a] == 0 ? left : std::min(left, total_capacity_ / nearest_[a]);
    if (packed + possible < needed) return packed;
    left -= left_[first_][a];
    packed += pack_row(a);
    if (packed >= enough) return packed;
  }
  return packed;
}

/// Halves the rows by the most balanced columns until the pairs of each block take at most its share of the words. Rows
/// without a partner in their block are left out.
void PairPacker::make_blocks() {
  const std::size_t n_rows = left_[0].size() + left_[1].size();
  std::vector<std::uint32_t> sorted[2];
  for (int k = 0; k < 2; ++k) {
    sorted[k].resize(left_[k].size());
    std::iota(sorted[k].begin(), sorted[k].end(), 0);
  }
  if (is_in_blocks_) std::sort(columns_.begin(), columns_.end(), std::greater<>());
  blocks_.clear();
  order_.clear();
  block_of_.resize(left_[first_].size());
  other_words_.clear();
  others_left_.clear();
  using Rows = std::span<std::uint32_t>;
  const auto halve = [&](const auto& again, Rows rows, Rows others, std::size_t at) -> void {
    if (rows.empty() || others.empty()) return;
    const std::uint64_t share =
        bounds::most_words_of_block(problem_.block_packing.most_words, rows.size() + others.size(), n_rows);
    if (!is_in_blocks_ || rows.size() * others.size() * n_words_ <= share || at == columns_.size())
      return add_block(rows, others);
    const std::uint32_t column = columns_[at].second;
    const auto first_half = [&](Rows each, int k) {
      const auto holds = [&](std::uint32_t row) {
        return (bits_[k][row * n_words_ + column / kWordBits] >> (column % kWordBits) & 1) != 0;
      };
      return static_cast<std::size_t>(std::partition(each.begin(), each.end(), holds) - each.begin());
    };
    const std::size_t n = first_half(rows, first_), n_others = first_half(others, 1 - first_);
    again(again, rows.first(n), others.first(n_others), at + 1);
    again(again, rows.subspan(n), others.subspan(n_others), at + 1);
  };
  halve(halve, sorted[first_], sorted[1 - first_], 0);
  distances_.resize(others_left_.size());
}

/// Lays the rows of the other class side by side.
void PairPacker::add_block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> others) {
  const auto n_others = static_cast<std::uint32_t>(others.size());
  const Block block{others_left_.size(), n_others, padded_to_lanes(n_others)};
  for (const std::uint32_t a : rows) block_of_[a] = static_cast<std::uint32_t>(blocks_.size());
  order_.insert(order_.end(), rows.begin(), rows.end());
  blocks_.push_back(block);
  others_left_.resize(block.first + block.stride);
  other_words_.resize((block.first + block.stride) * n_words_);
  for (std::size_t i = 0; i < block.stride; ++i) {
    const std::uint32_t b = others[i < n_others ? i : 0];  // copies of a row do not change a least distance
    others_left_[block.first + i] = left_[1 - first_][b];
    for (std::size_t w = 0; w < n_words_; ++w)
      other_words_[block.first * n_words_ + w * block.stride + i] = bits_[1 - first_][b * n_words_ + w];
  }
  work_ += 2 * std::uint64_t{rows.size()} * block.stride * n_words_;
}

/// Lists the rows of the first class, those with a near row of the other class first.
void PairPacker::find_order() {
  nearest_.resize(left_[first_].size());
  std::vector<std::size_t> place(n_words_ * kWordBits + 2, 0);  // of the next row at each distance
  for (const std::uint32_t a : order_) {
    nearest_[a] = kernels_.least_row_distance(&bits_[first_][a * n_words_], view(blocks_[block_of_[a]]));
    ++place[static_cast<std::size_t>(nearest_[a]) + 1];
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> ordered(order_.size());
  for (const std::uint32_t a : order_) ordered[place[static_cast<std::size_t>(nearest_[a])]++] = a;
  order_.swap(ordered);
}

/// Gives the weight of a row to pairs with the rows nearest to it. None is nearer than `nearest_`, so a row at that
/// distance is taken before the rows behind it are compared.
Ticks PairPacker::pack_row(std::size_t a) {
  Block& block = blocks_[block_of_[a]];
  const auto least = static_cast<std::uint8_t>(std::min<Ticks>(nearest_[a], kForbidden - 1));
  Ticks packed = 0;
  spent_.clear();
  std::uint32_t n_compared = 0;
  while (left_[first_][a] > 0) {
    // Compilers turn this loop into vectors, and std::min_element into a loop over bytes.
    const std::uint32_t n_known = std::min(n_compared, block.n_rows);
    std::uint8_t nearest = kForbidden;
    for (std::uint32_t b = 0; b < n_known; ++b) nearest = std::min(nearest, distances_[b]);
    if (nearest > least && n_compared < block.n_rows) {
      n_compared = kernels_.row_distances(&bits_[first_][a * n_words_], view(block), n_compared, block.n_rows,
                                          full_.data(), least, distances_.data());
      continue;
    }
    if (nearest == kForbidden) break;
    const void* found = std::memchr(distances_.data(), nearest, n_known);
    const auto b = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - distances_.data());
    packed += take(a, block, b);
    distances_[b] = kForbidden;
    if (others_left_[block.first + b] == 0) spent_.push_back(static_cast<std::uint32_t>(b));
  }
  forget_spent(block);
  return packed;
}

/// Gives a pair all the weight that is left for it.
Ticks PairPacker::take(std::size_t a, Block& block, std::size_t b) {
  const Word *x = &bits_[first_][a * n_words_], *y = &other_words_[block.first * n_words_ + b];
  Ticks& other_left = others_left_[block.first + b];
  Ticks weight = std::min(left_[first_][a], other_left), n_columns = 0;
  const auto for_each_column = [&](auto visit) {
    for (std::size_t w = 0; w < n_words_; ++w)
      for (Word word = x[w] ^ y[w * block.stride]; word != 0; word &= word - 1)
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
  other_left -= weight;
  return weight;
}

/// Removes the rows of the other class that have no weight left; the last row of the tile takes the place of each.
void PairPacker::forget_spent(Block& block) {
  std::sort(spent_.begin(), spent_.end(), std::greater<>());
  for (const std::uint32_t b : spent_) {
    const std::size_t last = --block.n_rows;
    others_left_[block.first + b] = others_left_[block.first + last];
    Word* const words = &other_words_[block.first * n_words_];
    for (std::size_t w = 0; w < n_words_; ++w) words[w * block.stride + b] = words[w * block.stride + last];
  }
}

}  // namespace hornbeam::search
