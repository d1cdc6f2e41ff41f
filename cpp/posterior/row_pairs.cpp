#include "posterior/row_pairs.hpp"

#include <algorithm>
#include <bit>
#include <queue>

#include "bounds/separated_pairs.hpp"

namespace hornbeam::posterior {

namespace {

constexpr std::size_t kMostWordPairs = std::size_t{1} << 28;
constexpr std::size_t kMostPairs = 512;
constexpr std::size_t kNearest = 8;

/// The depth whose costs decide how many pairs are kept: most nodes that the bound closes are near it.
constexpr std::uint32_t kDepthOfChoice = 2;

/// Counts of one kind of slot.
models::Measures counting_measures() {
  static constexpr Ticks kOne = 1;
  models::Measures measures{};
  measures.model = models::Measures::Model::separable_costs;
  measures.n_targets = measures.n_predictions = 1;
  measures.largest_cost = &kOne;
  return measures;
}

/// Some distinct rows, row by row and as a tile with rows for columns.
struct RowBits {
  std::vector<std::uint32_t> numbers;
  std::vector<Word> bits;
  AlignedVector<Word> tile;
  std::uint32_t n_words = 0, stride = 0;

  RowBits(const data::DistinctRows& rows, std::uint32_t kind) : n_words(words_for(rows.n_columns)) {
    for (std::uint32_t row = 0; row < rows.n_rows; ++row)
      if (rows.weight(row)[kind] > 0 && rows.weight(row)[1 - kind] == 0) numbers.push_back(row);
  }

  std::uint64_t bytes() const { return 2 * numbers.size() * n_words * sizeof(Word); }

  void fill(const data::DistinctRows& rows, run::Run& run) {
    stride = padded_to_lanes(std::max<std::uint32_t>(static_cast<std::uint32_t>(numbers.size()), 1));
    bits.assign(numbers.size() * n_words, 0);
    tile.assign(std::size_t{n_words} * stride, 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      run.require();
      Word* row = &bits[i * n_words];
      for (std::uint32_t c = 0; c < rows.n_columns; ++c)
        row[c / kWordBits] |= Word{rows.test(c, numbers[i])} << (c % kWordBits);
      for (std::uint32_t w = 0; w < n_words; ++w) tile[std::size_t{w} * stride + i] = row[w];
    }
  }
};

/// Calls `visit` with the indices of the `kNearest` least distances; the first ones in case of ties.
template <typename Visit>
void for_each_nearest(std::span<const std::uint8_t> distances, Visit visit) {
  std::size_t n_at[256] = {};
  for (const std::uint8_t distance : distances) ++n_at[distance];
  std::size_t below = 0, last = 0;
  while (last < 255 && below + n_at[last] < kNearest) below += n_at[last++];
  std::size_t n_at_last = kNearest - below;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] > last || (distances[i] == last && n_at_last == 0)) continue;
    if (distances[i] == last) --n_at_last;
    visit(i);
  }
}

double fourth_power(Ticks number) {
  const auto square = static_cast<double>(number * number);
  return square * square;
}

}  // namespace

RowPairs::RowPairs(const data::DistinctRows& rows, PosteriorCosts& costs, run::Run& run) : n_columns_(rows.n_columns) {
  if (rows.n_targets != 2) return;
  lay_out(rows, choose(rows, near_pairs(rows, run), costs, run));
}

std::vector<RowPairs::Pair> RowPairs::near_pairs(const data::DistinctRows& rows, run::Run& run) const {
  RowBits side[2] = {RowBits(rows, 0), RowBits(rows, 1)};
  std::vector<Pair> pool;
  if (side[0].numbers.size() * side[1].numbers.size() * side[0].n_words > kMostWordPairs) return pool;
  run.require(rows.bytes() + side[0].bytes() + side[1].bytes());
  for (RowBits& each : side) each.fill(rows, run);
  const std::vector<Word> no_column(side[0].n_words, 0);
  for (int k = 0; k < 2; ++k) {
    const RowBits &one = side[k], &other = side[1 - k];
    std::vector<std::uint8_t> distances(other.stride);
    for (std::size_t i = 0; i < one.numbers.size(); ++i) {
      run.require();
      const kernels::TileView tile{other.tile.data(), other.n_words, other.stride};
      for (std::uint32_t next = 0; next < tile.stride;)
        next = kernels::kernels().row_distances(&one.bits[i * one.n_words], tile, next, tile.stride, no_column.data(),
                                                0, distances.data());
      for_each_nearest({distances.data(), other.numbers.size()}, [&](std::size_t j) {
        const std::uint32_t both[2] = {one.numbers[i], other.numbers[j]};
        pool.push_back({both[k], both[1 - k]});
      });
    }
  }
  return pool;
}

/// Chooses pair after pair by the least sum of (1 + pairs that the column separates)^4 over the columns that separate
/// it. These sums only grow, so each is recomputed only when it is the least.
std::vector<RowPairs::Pair> RowPairs::choose(const data::DistinctRows& rows, const std::vector<Pair>& pool,
                                             PosteriorCosts& costs, run::Run& run) {
  std::vector<Ticks> n_separated(rows.n_columns, 0);
  const auto separates = [&](const Pair& pair, std::uint32_t c) {
    return rows.test(c, pair.first) != rows.test(c, pair.second);
  };
  const auto sum_of = [&](const Pair& pair) {
    double sum = 0;
    for (std::uint32_t c = 0; c < rows.n_columns; ++c)
      if (separates(pair, c)) sum += fourth_power(1 + n_separated[c]);
    return sum;
  };
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    run.require();
    queue.push({sum_of(pool[i]), i});
  }
  std::vector<bool> is_used(rows.n_rows, false);
  std::vector<Pair> chosen;
  std::size_t n_best = 0;
  Ticks best = 0, most_separated = 0;
  least_distance_ = rows.n_columns;
  std::uint32_t distance_of_best = least_distance_;
  const auto n_fewest = static_cast<Ticks>(costs.largest_increment().size());
  while (!queue.empty() && chosen.size() < kMostPairs) {
    run.require();
    const auto [sum, i] = queue.top();
    const Pair& pair = pool[i];
    queue.pop();
    if (is_used[pair.first] || is_used[pair.second]) continue;
    if (const double now = sum_of(pair); now > sum) {
      queue.push({now, i});
      continue;
    }
    is_used[pair.first] = is_used[pair.second] = true;
    std::uint32_t distance = 0;
    for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
      if (!separates(pair, c)) continue;
      ++distance;
      most_separated = std::max(most_separated, ++n_separated[c]);
    }
    chosen.push_back(pair);
    least_distance_ = std::min(least_distance_, distance);
    n_pairs_ = static_cast<std::uint32_t>(chosen.size());
    rates_.clear();
    const Ticks beyond = static_cast<Ticks>(n_pairs_) - most_separated;
    if (beyond <= 0) continue;
    const Ticks worth = bounds::separated_pairs_bound(rate(costs, kDepthOfChoice, most_separated), beyond, n_fewest,
                                                      costs.least_pure(), costs.largest_increment());
    if (worth <= best) continue;
    best = worth;
    n_best = chosen.size();
    distance_of_best = least_distance_;
  }
  rates_.clear();
  least_distance_ = distance_of_best;
  chosen.resize(n_best);
  return chosen;
}

void RowPairs::lay_out(const data::DistinctRows& rows, const std::vector<Pair>& pairs) {
  n_pairs_ = static_cast<std::uint32_t>(pairs.size());
  n_words_ = words_for(n_pairs_);
  stride_ = padded_to_lanes(2 * n_columns_);
  tile_.assign(std::size_t{n_words_} * stride_, 0);
  for (std::uint32_t i = 0; i < n_pairs_; ++i)
    for (std::uint32_t c = 0; c < n_columns_; ++c) {
      const bool holds = rows.test(c, pairs[i].first);
      if (holds != rows.test(c, pairs[i].second)) continue;
      tile_[std::size_t{i / kWordBits} * stride_ + tile_column(c, holds)] |= Word{1} << (i % kWordBits);
    }
}

std::vector<Word> RowPairs::all() const {
  std::vector<Word> all(n_words_, ~Word{0});
  if (n_pairs_ % kWordBits != 0) all.back() = (Word{1} << (n_pairs_ % kWordBits)) - 1;
  return all;
}

void RowPairs::keep_side(std::uint32_t column, bool side, std::vector<Word>& pairs) const {
  for (std::uint32_t w = 0; w < n_words_; ++w) pairs[w] &= tile_[std::size_t{w} * stride_ + tile_column(column, side)];
}

PairsLeft RowPairs::count_in(const std::vector<Word>& pairs, const std::uint32_t* tile_column,
                             AlignedVector<Ticks>& counts) {
  PairsLeft left;
  for (std::uint32_t w = 0; w < n_words_; ++w)
    left.n_pairs += std::popcount(pairs[w] & (tile_column ? tile_[std::size_t{w} * stride_ + *tile_column] : ~Word{0}));
  if (left.n_pairs == 0) return left;
  const kernels::Segment segment{0, n_words_, 0, 0, n_pairs_};
  const kernels::SlotTile slots{{tile_.data(), n_words_, stride_}, &segment, 1, pairs.data()};
  const models::Measures measures = counting_measures();
  counts.resize(std::size_t{measures.size()} * stride_);
  scratch_.resize(std::max(scratch_.size(), kernels::kernel_scratch_words(slots, measures)));
  kernels::kernels().measure(slots, measures, tile_column, counts.data(), scratch_.data());
  left.true_side = counts.data();
  left.false_side = counts.data() + n_columns_;
  for (std::uint32_t c = 0; c < n_columns_; ++c)
    left.most_separated = std::max(left.most_separated, left.n_pairs - left.true_side[c] - left.false_side[c]);
  return left;
}

PairsLeft RowPairs::count(const std::vector<Word>& pairs, AlignedVector<Ticks>& counts) {
  return count_in(pairs, nullptr, counts);
}

PairsLeft RowPairs::count_side(const std::vector<Word>& pairs, std::uint32_t column, bool side,
                               AlignedVector<Ticks>& counts) {
  const std::uint32_t at = tile_column(column, side);
  return count_in(pairs, &at, counts);
}

const bounds::PairRate& RowPairs::rate(PosteriorCosts& costs, std::uint32_t depth, Ticks most_separated) {
  if (rates_.size() <= depth) rates_.resize(depth + 1);
  rates_[depth].resize(n_pairs_ + std::size_t{1});
  std::optional<bounds::PairRate>& rate = rates_[depth][static_cast<std::size_t>(most_separated)];
  if (!rate)
    rate = bounds::pair_rate(
        {costs.at(depth).split_below, costs.logs(), least_distance_, costs.pure_increments(), costs.all_rows()},
        most_separated, n_pairs_);
  return *rate;
}

}  // namespace hornbeam::posterior
