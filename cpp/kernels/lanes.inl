// kernels/lanes.inl
//
// WHAT    The source of all kernels, written on vectors of eight 64-bit lanes. Included by one file for each
//         instruction set, which defines HORNBEAM_KERNELS (the name of the table), HORNBEAM_KERNELS_NAME, and the
//         functions `popcount(Lanes)`,
//         `mask_of(Lanes)` (the signs of the lanes as bits) and `HORNBEAM_PEXT` where the machine has them.
// HOLDS   Nothing here has external linkage but the table, so no code of one instruction set can be linked into
//         another. Padding columns are all zero: their cells are empty and never allowed.
#include "bounds/pair_stage.hpp"
#include "kernels/kernels.hpp"

namespace hornbeam {
namespace {

constexpr std::uint32_t kNoColumn = ~std::uint32_t{0};

#define HORNBEAM_INLINE [[gnu::always_inline]] inline

HORNBEAM_INLINE Lanes all_lanes(Ticks value) { return Lanes{} + value; }
HORNBEAM_INLINE Lanes load(const void* from) {
  return *static_cast<const LanesInMemory*>(__builtin_assume_aligned(from, 64));
}
HORNBEAM_INLINE void store(void* to, Lanes value) {
  *static_cast<LanesInMemory*>(__builtin_assume_aligned(to, 64)) = value;
}
HORNBEAM_INLINE Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
HORNBEAM_INLINE Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }

Ticks smallest_lane(Lanes value) {
  Ticks least = value[0];
  for (std::uint32_t i = 1; i < kLanes; ++i) least = value[i] < least ? value[i] : least;
  return least;
}

/// Counts of the eight columns from `block` on, restricted to the rows in `mask` (one word a tile word).
/// `kCounts` > 0 fixes their number at compile time, so that they stay in registers.
template <int kCounts>
HORNBEAM_INLINE void count_block(const SlotTile& slots, std::uint32_t block, const Word* mask, std::uint32_t n_counts,
                                 Lanes* counts) {
  const std::uint32_t n = kCounts > 0 ? kCounts : n_counts;
  for (std::uint32_t i = 0; i < n; ++i) counts[i] = Lanes{};
  const Word* base = slots.tile.words + block;
  for (std::uint32_t s = 0; s < slots.n_segments; ++s) {
    const Segment& segment = slots.segments[s];
    Lanes set_bits{};
    for (std::uint32_t w = segment.begin; w < segment.end; ++w)
      set_bits += popcount(load(base + std::size_t{w} * slots.tile.stride) & all_lanes(static_cast<Ticks>(mask[w])));
    const Lanes weighed = set_bits << static_cast<Ticks>(segment.shift);
    if constexpr (kCounts > 0) {
      for (int i = 0; i < kCounts; ++i)
        if (static_cast<std::uint32_t>(i) == segment.target) counts[i] += weighed;
    } else {
      counts[segment.target] += weighed;
    }
  }
}

/// Turns counts into measures (kernels.hpp); `kClasses` = 2 is the separable two-class case, 0 anything.
template <int kClasses>
HORNBEAM_INLINE void measures_of(const Measures& m, const Lanes* counts, Lanes* measures) {
  const std::uint32_t n_classes = kClasses > 0 ? kClasses : m.n_classes;
  if (kClasses > 0 || m.separable) {
    for (std::uint32_t c = 0; c < n_classes; ++c) measures[c] = counts[c] * m.price[c];
  } else {
    for (std::uint32_t k = 0; k <= m.n_predictions; ++k) measures[k] = Lanes{};
    for (std::uint32_t c = 0; c < n_classes; ++c) {
      for (std::uint32_t k = 0; k < m.n_predictions; ++k)
        measures[k] += counts[c] * m.cost[std::size_t{c} * m.n_predictions + k];
      measures[m.n_predictions] += counts[c] * m.largest_cost[c];
    }
  }
  const std::uint32_t loss_index = kClasses > 0 ? kClasses : m.loss_index();
  measures[loss_index] = Lanes{};
  for (std::uint32_t i = 0; i < m.n_loss_prices; ++i) measures[loss_index] += counts[n_classes + i] * m.loss_price[i];
  if (kClasses == 0 && m.counts_rows) measures[m.rows_index()] = counts[m.n_counts() - 1];
}

template <int kClasses>
HORNBEAM_INLINE PairCell<Lanes> cell_of(const Measures& m, const Lanes* measures) {
  if constexpr (kClasses == 2) {
    return {measures[0] + measures[1], smaller(measures[0], measures[1]), measures[2]};
  } else if (m.separable) {
    Lanes sum = measures[0], most = measures[0];
    for (std::uint32_t c = 1; c < m.n_classes; ++c) {
      sum += measures[c];
      most = larger(most, measures[c]);
    }
    return {sum, sum - most, measures[m.loss_index()]};
  } else {
    Lanes least = measures[0];
    for (std::uint32_t k = 1; k < m.n_predictions; ++k) least = smaller(least, measures[k]);
    return {measures[m.n_predictions], least, measures[m.loss_index()]};
  }
}

/// Copies one column of the tile to contiguous words; all ones stand for "no column".
HORNBEAM_INLINE void copy_column(const TileView& tile, std::uint32_t column, Word* to) {
  for (std::uint32_t w = 0; w < tile.n_words; ++w)
    to[w] = column == kNoColumn ? ~Word{0} : tile.words[std::size_t{w} * tile.stride + column];
}

template <int kClasses, int kCounts>
void measure_as(const SlotTile& slots, const Measures& m, std::uint32_t column, Ticks* out, Word* scratch) {
  Lanes* counts = reinterpret_cast<Lanes*>(scratch);
  Lanes* measures = counts + m.n_counts();
  Word* mask = reinterpret_cast<Word*>(measures + m.size());
  copy_column(slots.tile, column, mask);
  Lanes fixed_counts[kCounts > 0 ? kCounts : 1];
  for (std::uint32_t block = 0; block < slots.tile.stride; block += kLanes) {
    Lanes* here = kCounts > 0 ? fixed_counts : counts;
    count_block<kCounts>(slots, block, mask, m.n_counts(), here);
    measures_of<kClasses>(m, here, measures);
    for (std::uint32_t i = 0; i < m.size(); ++i) store(out + std::size_t{i} * slots.tile.stride + block, measures[i]);
  }
}

/// Adds the rows that both a column of the batch and each of the eight columns from `block` on hold to `counts`, one
/// segment's words [begin, end). `masks` holds the words of the batch's columns side by side.
HORNBEAM_INLINE void count_stripe(const SlotTile& slots, const Segment& segment, std::uint32_t begin, std::uint32_t end,
                                  std::uint32_t block, const Word* masks, std::uint32_t n_columns, Word* counts,
                                  std::size_t column_step) {
  constexpr std::uint32_t kAtOnce = 4;  // as many sums as stay in registers everywhere
  const Word* base = slots.tile.words + block;
  for (std::uint32_t first = 0; first < n_columns; first += kAtOnce) {
    Lanes set_bits[kAtOnce] = {};
    for (std::uint32_t w = begin; w < end; ++w) {
      const Lanes word = load(base + std::size_t{w} * slots.tile.stride);
      const Word* mask = masks + std::size_t{w - begin} * kPairBatch + first;
      for (std::uint32_t i = 0; i < kAtOnce; ++i)
        set_bits[i] += popcount(word & all_lanes(static_cast<Ticks>(mask[i])));
    }
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      Word* count = counts + (first + i) * column_step + std::size_t{segment.target} * slots.tile.stride + block;
      store(count, load(count) + (set_bits[i] << static_cast<Ticks>(segment.shift)));
    }
  }
}

/// Counts of a batch of columns, each with every column: counts[(i * n_counts + count) * stride + column]. A stripe of
/// words that the nearest cache holds is counted for the whole batch before the next is read.
void count_batch(const SlotTile& slots, const std::uint32_t* columns, std::uint32_t n_columns, std::uint32_t n_counts,
                 Word* counts, Word* masks) {
  const std::uint32_t stride = slots.tile.stride;
  const std::size_t column_step = std::size_t{n_counts} * stride;
  for (std::size_t i = 0; i < kPairBatch * column_step; i += kLanes) store(counts + i, Lanes{});
  for (std::uint32_t s = 0; s < slots.n_segments; ++s) {
    const Segment& segment = slots.segments[s];
    for (std::uint32_t begin = segment.begin; begin < segment.end; begin += kStripeWords) {
      const std::uint32_t end = segment.end - begin < kStripeWords ? segment.end : begin + kStripeWords;
      for (std::uint32_t w = begin; w < end; ++w)
        for (std::uint32_t i = 0; i < kPairBatch; ++i)
          masks[(w - begin) * kPairBatch + i] =
              i < n_columns ? slots.tile.words[std::size_t{w} * stride + columns[i]] : Word{0};
      for (std::uint32_t block = 0; block < stride; block += kLanes)
        count_stripe(slots, segment, begin, end, block, masks, n_columns, counts, column_step);
    }
  }
}

/// The pair stage of one column; `counted` are its counts with every column, or null if they are still to be counted.
template <int kClasses, int kCounts>
HORNBEAM_INLINE void pair_column(const SlotTile& slots, const Measures& m, const PairInput& in, std::uint32_t column,
                                 const Word* counted, PairSide* sides, Word* scratch) {
  const std::uint32_t size = kClasses > 0 ? kClasses + 1 : m.size();
  const std::uint32_t n_counts = kCounts > 0 ? kCounts : m.n_counts();
  const std::uint32_t stride = slots.tile.stride;
  Lanes* counts = reinterpret_cast<Lanes*>(scratch);
  Lanes* spare = counts + m.n_counts();
  Word* mask = reinterpret_cast<Word*>(spare + 4 * std::size_t{m.size()});
  if (counted == nullptr) copy_column(slots.tile, column, mask);
  Lanes fixed_counts[kCounts > 0 ? kCounts : 1];
  Lanes fixed_cells[kClasses > 0 ? 4 * (kClasses + 1) : 1];
  Lanes* cells = kClasses > 0 ? fixed_cells : spare;

  const Lanes leaf_cost = all_lanes(in.leaf_cost), infinity = all_lanes(kInfinity);
  const Lanes threshold = all_lanes(in.support_threshold);
  PairMinima<Lanes> minima[2] = {{infinity, infinity, Lanes{}}, {infinity, infinity, Lanes{}}};
  for (std::uint32_t block = 0; block < stride; block += kLanes) {
    Lanes* here = kCounts > 0 ? fixed_counts : counts;
    if (counted == nullptr) {
      count_block<kCounts>(slots, block, mask, m.n_counts(), here);
    } else {
      for (std::uint32_t i = 0; i < n_counts; ++i) here[i] = load(counted + std::size_t{i} * stride + block);
    }
    measures_of<kClasses>(m, here, cells);  // f1 g1
    for (std::uint32_t i = 0; i < size; ++i) {
      const Lanes f1 = all_lanes(in.sums[std::size_t{i} * stride + column]);
      const Lanes g1 = load(in.sums + std::size_t{i} * stride + block);
      cells[size + i] = f1 - cells[i];                                          // f1 g0
      cells[2 * size + i] = g1 - cells[i];                                      // f0 g1
      cells[3 * size + i] = all_lanes(in.total[i]) - f1 - cells[2 * size + i];  // f0 g0
    }
    for (std::uint32_t side = 0; side < 2; ++side) {
      const Lanes* true_cell = cells + 2 * std::size_t{side} * size;
      const Lanes* false_cell = true_cell + size;
      const PairCell<Lanes> p = cell_of<kClasses>(m, true_cell), r = cell_of<kClasses>(m, false_cell);
      auto allowed = (p.largest_loss - p.least_loss >= threshold) & (r.largest_loss - r.least_loss >= threshold);
      if (kClasses == 0 && m.counts_rows) {
        const Lanes rows = all_lanes(in.rows_per_leaf);
        allowed &= (true_cell[m.rows_index()] >= rows) & (false_cell[m.rows_index()] >= rows);
      }
      take_pair(p, r, allowed, leaf_cost, infinity, minima[side]);
    }
  }
  for (std::uint32_t side = 0; side < 2; ++side)
    sides[side] = {smallest_lane(minima[side].stump_loss), smallest_lane(minima[side].three_leaf_loss),
                   smallest_lane(minima[side].four_leaves) != 0};
}

template <int kClasses, int kCounts>
void pair_stage_as(const SlotTile& slots, const Measures& m, const PairInput& in, const std::uint32_t* columns,
                   std::uint32_t n_columns, PairSide* sides, Word* scratch) {
  if (n_columns == 1) return pair_column<kClasses, kCounts>(slots, m, in, columns[0], nullptr, sides, scratch);
  const std::size_t n_counted = std::size_t{m.n_counts()} * slots.tile.stride;
  Word* masks = scratch + kPairBatch * n_counted;
  count_batch(slots, columns, n_columns, m.n_counts(), scratch, masks);
  Word* spare = masks + kPairBatch * kStripeWords;
  for (std::uint32_t i = 0; i < n_columns; ++i)
    pair_column<kClasses, kCounts>(slots, m, in, columns[i], scratch + i * n_counted, sides + 2 * std::size_t{i},
                                   spare);
}

bool is_two_class(const Measures& m) { return m.separable && m.n_classes == 2 && !m.counts_rows; }

void measure(const SlotTile& slots, const Measures& m, const std::uint32_t* column, Ticks* out, Word* scratch) {
  const std::uint32_t which = column == nullptr ? kNoColumn : *column;
  if (is_two_class(m) && m.n_loss_prices == 1) return measure_as<2, 3>(slots, m, which, out, scratch);
  measure_as<0, 0>(slots, m, which, out, scratch);
}

void pair_stage(const SlotTile& slots, const Measures& m, const PairInput& in, const std::uint32_t* columns,
                std::uint32_t n_columns, PairSide* sides, Word* scratch) {
  const auto run = is_two_class(m) && m.n_loss_prices == 1   ? pair_stage_as<2, 3>
                   : is_two_class(m) && m.n_loss_prices == 2 ? pair_stage_as<2, 4>
                                                             : pair_stage_as<0, 0>;
  run(slots, m, in, columns, n_columns, sides, scratch);
}

/// Moves the bits of each lane that `plan.mask` selects to its low end, in order.
HORNBEAM_INLINE Lanes extract_bits(Lanes x, const ExtractWord& plan) {
#ifdef HORNBEAM_PEXT
  for (std::uint32_t i = 0; i < kLanes; ++i)
    x[i] = static_cast<Ticks>(HORNBEAM_PEXT(static_cast<Word>(x[i]), plan.mask));
  return x;
#else
  // The parallel suffix method (Warren, Hacker's Delight, section 7-4): six shifts by powers of two.
  x &= all_lanes(static_cast<Ticks>(plan.mask));
  for (int i = 0; i < 6; ++i) {
    const Lanes moved = x & all_lanes(static_cast<Ticks>(plan.moves[i]));
    x = (x ^ moved) | reinterpret_cast<Lanes>(reinterpret_cast<WordLanes>(moved) >> (Word{1} << i));
  }
  return x;
#endif
}

template <class Holds>
HORNBEAM_INLINE void mark(const std::int64_t* weight, Word* mask, std::uint32_t n_words, Holds holds) {
  for (std::uint32_t w = 0; w < n_words; ++w) {
    Word word = 0;
    for (std::uint32_t i = 0; i < kWordBits; i += kLanes)
      word |= Word{mask_of(holds(load(weight + std::size_t{w} * kWordBits + i)))} << i;
    mask[w] = word;
  }
}

void mark_bit(const std::int64_t* weight, std::int64_t bit, Word* mask, std::uint32_t n_words) {
  mark(weight, mask, n_words, [wanted = all_lanes(bit)](Lanes x) { return (x & wanted) != 0; });
}

void mark_at_least(const std::int64_t* weight, std::int64_t least, Word* mask, std::uint32_t n_words) {
  mark(weight, mask, n_words, [wanted = all_lanes(least)](Lanes x) { return x >= wanted; });
}

/// The moves of the parallel suffix method for eight masks at once.
void prepare(ExtractWord* plan, std::size_t n_plan) {
#ifdef HORNBEAM_PEXT
  static_cast<void>(plan);
  static_cast<void>(n_plan);
#else
  for (std::size_t first = 0; first < n_plan; first += kLanes) {
    const std::size_t n = n_plan - first < kLanes ? n_plan - first : kLanes;
    WordLanes left{};
    for (std::size_t i = 0; i < n; ++i) left[i] = plan[first + i].mask;
    WordLanes zeros = ~left << Word{1};
    for (int step = 0; step < 6; ++step) {
      WordLanes parity = zeros ^ (zeros << Word{1});
      for (Word shift = 2; shift <= 32; shift *= 2) parity ^= parity << shift;
      const WordLanes moved = parity & left;
      left = (left ^ moved) | (moved >> (Word{1} << step));
      zeros &= ~parity;
      for (std::size_t i = 0; i < n; ++i) plan[first + i].moves[step] = moved[i];
    }
  }
#endif
}

void extract(TileView source, const std::uint32_t* columns, std::uint32_t n_columns, const ExtractWord* plan,
             std::size_t n_plan, Word* target, std::uint32_t target_stride) {
  for (std::size_t j = 0; j < n_plan; ++j) {
    const ExtractWord& step = plan[j];
    const Word* from = source.words + std::size_t{step.source_word} * source.stride;
    Word* to = target + std::size_t{step.first_bit / kWordBits} * target_stride;
    const std::uint32_t shift = step.first_bit % kWordBits;
    const bool spills = shift + step.n_bits > kWordBits;
    for (std::uint32_t block = 0; block < n_columns; block += kLanes) {
      Lanes x{};
      if (columns == nullptr) {
        x = load(from + block);
      } else {
        const std::uint32_t n = n_columns - block < kLanes ? n_columns - block : kLanes;
        for (std::uint32_t i = 0; i < n; ++i) x[i] = static_cast<Ticks>(from[columns[block + i]]);
      }
      const WordLanes bits = reinterpret_cast<WordLanes>(extract_bits(x, step));
      store(to + block, load(to + block) | reinterpret_cast<Lanes>(bits << Word{shift}));
      if (spills) {
        Word* next = to + target_stride + block;
        store(next, load(next) | reinterpret_cast<Lanes>(bits >> Word{kWordBits - shift}));
      }
    }
  }
}

void hash_columns(TileView tile, Word last_mask, Word* hashes) {
  const WordLanes odd = WordLanes{} + Word{0x9e3779b97f4a7c15ULL};
  for (std::uint32_t block = 0; block < tile.stride; block += kLanes) {
    const WordLanes first = reinterpret_cast<WordLanes>(load(tile.words + block));
    const WordLanes flip = WordLanes{} - (first & Word{1});  // all ones where row 0 is set
    WordLanes hash{};
    for (std::uint32_t w = 0; w < tile.n_words; ++w) {
      const Word valid = w + 1 == tile.n_words ? last_mask : ~Word{0};
      const WordLanes word =
          (reinterpret_cast<WordLanes>(load(tile.words + std::size_t{w} * tile.stride + block)) ^ flip) & valid;
      hash = (hash ^ word) * odd;
      hash ^= hash >> Word{29};
    }
    store(hashes + block, reinterpret_cast<Lanes>(hash));
  }
}

#include "kernels/stump_scan.inl"
#include "kernels/two_levels.inl"

}  // namespace

const Kernels HORNBEAM_KERNELS = {HORNBEAM_KERNELS_NAME, measure,      pair_stage, mark_bit, mark_at_least,    prepare,
                                  extract,               hash_columns, transpose,  pair_row, raise_by_distance, scan_stumps};

}  // namespace hornbeam
