// kernels/lanes.inl
//
// WHAT    The source of all kernels, written on vectors of eight 64-bit lanes. Included by one file for each
//         instruction set, which defines HORNBEAM_KERNELS (the name of the table), HORNBEAM_KERNELS_NAME, and the
//         functions `popcount(Lanes)`, `popcount(NarrowLanes)` and `mask_of(Lanes)` (the signs of the lanes as bits).
// HOLDS   Nothing here has external linkage but the table, so no code of one instruction set can be linked into
//         another. Padding columns are all zero: their cells are empty and never allowed.
#include <type_traits>

#include "bounds/pair_stage.hpp"
#include "kernels/kernels.hpp"
#include "models/formulas.hpp"

namespace hornbeam::kernels {
namespace {

constexpr std::uint32_t kNoColumn = ~std::uint32_t{0};

HORNBEAM_KERNEL Lanes all_lanes(Ticks value) { return Lanes{} + value; }
HORNBEAM_KERNEL Lanes load(const void* from) {
  return *static_cast<const LanesInMemory*>(__builtin_assume_aligned(from, 64));
}
HORNBEAM_KERNEL void store(void* to, Lanes value) {
  *static_cast<LanesInMemory*>(__builtin_assume_aligned(to, 64)) = value;
}
HORNBEAM_KERNEL Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
HORNBEAM_KERNEL Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }

HORNBEAM_KERNEL NarrowLanes narrow(std::int32_t value) { return NarrowLanes{} + value; }
HORNBEAM_KERNEL NarrowLanes load_narrow(const std::int32_t* from) {
  return *reinterpret_cast<const NarrowLanesInMemory*>(__builtin_assume_aligned(from, 64));
}
HORNBEAM_KERNEL void store_narrow(std::int32_t* to, NarrowLanes value) {
  *reinterpret_cast<NarrowLanesInMemory*>(__builtin_assume_aligned(to, 64)) = value;
}
HORNBEAM_KERNEL NarrowLanes smaller(NarrowLanes a, NarrowLanes b) { return a < b ? a : b; }
HORNBEAM_KERNEL NarrowLanes larger(NarrowLanes a, NarrowLanes b) { return a > b ? a : b; }

HORNBEAM_KERNEL Ticks smallest_lane(Lanes v) {
  v = smaller(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = smaller(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  return v[0] < v[1] ? v[0] : v[1];
}

HORNBEAM_KERNEL std::int32_t smallest_lane(NarrowLanes v) {
  v = smaller(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = smaller(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  v = smaller(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  return v[0] < v[1] ? v[0] : v[1];
}

/// Counts of the eight columns from `block` on, restricted to the rows in `mask` (one word a tile word).
/// `kCounts` > 0 fixes their number at compile time, so that they stay in registers.
template <int kCounts>
HORNBEAM_KERNEL void count_block(const SlotTile& slots, std::uint32_t block, const Word* mask, std::uint32_t n_counts,
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

/// Of the measures of a cell.
template <class Formula>
HORNBEAM_KERNEL std::uint32_t size_of(const models::Measures& m) {
  return Formula::kTargets > 0 ? Formula::kTargets + 1 : m.size();
}

/// Whether a column with these two cells is a legal split.
template <class Formula>
HORNBEAM_KERNEL Lanes is_allowed(const models::Measures& m, const PairInput& in, const Lanes* true_cell,
                                 const Lanes* false_cell) {
  const Lanes threshold = all_lanes(in.support_threshold);
  const models::Cell<Lanes> p = Formula::template cell<Lanes>(m, true_cell);
  const models::Cell<Lanes> r = Formula::template cell<Lanes>(m, false_cell);
  Lanes allowed = (p.largest_loss - p.least_loss >= threshold) & (r.largest_loss - r.least_loss >= threshold);
  if (Formula::kTargets == 0 && m.counts_rows) {
    const Lanes rows = all_lanes(in.rows_per_leaf);
    allowed &= (true_cell[m.rows_index()] >= rows) & (false_cell[m.rows_index()] >= rows);
  }
  return allowed;
}

/// Copies one column of the tile to contiguous words; all ones stand for "no column".
HORNBEAM_KERNEL void copy_column(const SlotTile& slots, std::uint32_t column, Word* to) {
  const TileView& tile = slots.tile;
  for (std::uint32_t w = 0; w < tile.n_words; ++w)
    to[w] = column == kNoColumn ? ~Word{0} : tile.words[std::size_t{w} * tile.stride + column];
  if (slots.filter != nullptr)
    for (std::uint32_t w = 0; w < tile.n_words; ++w) to[w] &= slots.filter[w];
}

template <class Formula, int kCounts>
void measure_as(const SlotTile& slots, const models::Measures& m, std::uint32_t column, Ticks* out, Word* scratch) {
  Lanes* counts = reinterpret_cast<Lanes*>(scratch);
  Lanes* measures = counts + m.n_counts();
  Word* mask = reinterpret_cast<Word*>(measures + m.size());
  copy_column(slots, column, mask);
  Lanes fixed_counts[kCounts > 0 ? kCounts : 1];
  for (std::uint32_t block = 0; block < slots.tile.stride; block += kLanes) {
    Lanes* here = kCounts > 0 ? fixed_counts : counts;
    count_block<kCounts>(slots, block, mask, m.n_counts(), here);
    models::measure_counts<Formula>(m, here, measures);
    for (std::uint32_t i = 0; i < m.size(); ++i) store(out + std::size_t{i} * slots.tile.stride + block, measures[i]);
  }
}

template <class Formula, int kCounts>
void pair_stage_as(const SlotTile& slots, const models::Measures& m, const PairInput& in, std::uint32_t column,
                   PairSide* sides, Word* scratch) {
  const std::uint32_t size = size_of<Formula>(m);
  const std::uint32_t stride = slots.tile.stride;
  Lanes* counts = reinterpret_cast<Lanes*>(scratch);
  Lanes* spare = counts + m.n_counts();
  Word* mask = reinterpret_cast<Word*>(spare + 4 * std::size_t{m.size()});
  copy_column(slots, column, mask);
  Lanes fixed_counts[kCounts > 0 ? kCounts : 1];
  Lanes fixed_cells[Formula::kTargets > 0 ? 4 * (Formula::kTargets + 1) : 1];
  Lanes* cells = Formula::kTargets > 0 ? fixed_cells : spare;

  const Lanes leaf_cost = all_lanes(in.leaf_cost), infinity = all_lanes(kInfinity);
  bounds::PairMinima<Lanes> minima[2] = {{infinity, infinity, Lanes{}}, {infinity, infinity, Lanes{}}};
  for (std::uint32_t block = 0; block < stride; block += kLanes) {
    Lanes* here = kCounts > 0 ? fixed_counts : counts;
    count_block<kCounts>(slots, block, mask, m.n_counts(), here);
    models::measure_counts<Formula>(m, here, cells);  // f1 g1
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
      const models::Cell<Lanes> p = Formula::template cell<Lanes>(m, true_cell);
      const models::Cell<Lanes> r = Formula::template cell<Lanes>(m, false_cell);
      const Lanes allowed = is_allowed<Formula>(m, in, true_cell, false_cell);
      bounds::take_pair(p, r, allowed, leaf_cost, infinity, minima[side]);
    }
  }
  for (std::uint32_t side = 0; side < 2; ++side)
    sides[side] = {smallest_lane(minima[side].stump_loss), smallest_lane(minima[side].three_leaf_loss),
                   smallest_lane(minima[side].four_leaves) != 0};
}

/// Counts of sixteen columns in the order of `narrow_place`.
HORNBEAM_KERNEL NarrowLanes narrow_pair(Lanes low, Lanes high) {
  return reinterpret_cast<NarrowLanes>(low | (high << Ticks{32}));
}

void narrow_sums(const Ticks* sums, Ticks error_cost, std::size_t n, std::int32_t* out) {
  typedef double Quotients __attribute__((vector_size(8 * kLanes)));  // exact: below 2^52
  const auto in_weight = [error_cost](Lanes cost) {
    return __builtin_convertvector(__builtin_convertvector(cost, Quotients) / static_cast<double>(error_cost), Lanes);
  };
  for (std::size_t i = 0; i < n; i += kNarrowLanes)
    store_narrow(out + i, narrow_pair(in_weight(load(sums + i)), in_weight(load(sums + i + kLanes))));
}

/// What bounds/pair_stage.hpp needs of one side under cancelled measures, less q. Of the two cells' err - q, the larger
/// exceeds L where a cell is splittable and the lesser where both are. Then the three leaves lose the lesser; the least
/// of these is L at most unless there are only columns with two such cells.
struct NarrowMinima {
  NarrowLanes stump_loss, lesser, no_lesser;  // the last: least of -lesser over all columns

  HORNBEAM_KERNEL void take(const NarrowLanes* p, const NarrowLanes* r, NarrowLanes threshold, NarrowLanes leaf_cost) {
    const NarrowLanes in_p = smaller(p[0], p[1]), in_r = smaller(r[0], r[1]);
    const NarrowLanes worth = smaller(p[0] + p[1], r[0] + r[1]);
    const NarrowLanes less = smaller(in_p, in_r), more = worth >= threshold ? larger(in_p, in_r) : narrow(-1);
    stump_loss = more >= 0 ? smaller(stump_loss, in_p + in_r) : stump_loss;
    lesser = more > leaf_cost ? smaller(lesser, less) : lesser;
    no_lesser = more > leaf_cost ? smaller(no_lesser, -less) : no_lesser;
  }
};

/// The pair stage of cancelled measures: q is the same on every column, so only the two targets are counted.
void pair_stage_narrow(const SlotTile& slots, const models::Measures& m, const PairInput& in, std::uint32_t column,
                       PairSide* sides, Word* mask) {
  const NarrowPairInput& narrow_in = in.narrow;
  const std::uint32_t stride = slots.tile.stride;
  std::uint32_t n_segments[3] = {0, 0, 0};  // before those of each target, and of both
  while (n_segments[1] < slots.n_segments && slots.segments[n_segments[1]].target == 0) ++n_segments[1];
  n_segments[2] = n_segments[1];
  while (n_segments[2] < slots.n_segments && slots.segments[n_segments[2]].target == 1) ++n_segments[2];
  const std::uint32_t n_words = n_segments[2] == 0 ? 0 : slots.segments[n_segments[2] - 1].end;
  for (std::uint32_t w = 0; w < n_words; ++w) mask[w] = slots.tile.words[std::size_t{w} * stride + column];
  if (slots.filter != nullptr)
    for (std::uint32_t w = 0; w < n_words; ++w) mask[w] &= slots.filter[w];
  const NarrowLanes leaf_cost = narrow(narrow_in.leaf_cost), threshold = narrow(narrow_in.support_threshold);
  NarrowLanes held[2], failed[2];
  for (int c = 0; c < 2; ++c) {
    held[c] = narrow(narrow_in.sums[std::size_t(c) * stride + narrow_place(column)]);
    failed[c] = narrow(narrow_in.total[c]) - held[c];
  }
  const NarrowMinima nothing = {narrow(kNarrowInfinity), narrow(kNarrowInfinity), NarrowLanes{}};
  NarrowMinima minima[2] = {nothing, nothing};
  for (std::uint32_t block = 0; block < stride; block += kNarrowLanes) {
    NarrowLanes cell[4][2];  // f1 g1, f1 g0, f0 g1, f0 g0
#pragma GCC unroll 2
    for (int c = 0; c < 2; ++c) {
      Lanes low{}, high{};
      for (std::uint32_t s = n_segments[c]; s < n_segments[c + 1]; ++s) {
        const Segment& segment = slots.segments[s];
        const Word* word = slots.tile.words + std::size_t{segment.begin} * stride + block;
        Lanes low_bits{}, high_bits{};
        for (std::uint32_t w = segment.begin; w < segment.end; ++w, word += stride) {
          const Lanes here = all_lanes(static_cast<Ticks>(mask[w]));
          low_bits += popcount(load(word) & here);
          high_bits += popcount(load(word + kLanes) & here);
        }
        low += low_bits << static_cast<Ticks>(segment.shift);
        high += high_bits << static_cast<Ticks>(segment.shift);
      }
      cell[0][c] = narrow_pair(low, high);
      cell[1][c] = held[c] - cell[0][c];
      cell[2][c] = load_narrow(narrow_in.sums + std::size_t(c) * stride + block) - cell[0][c];
      cell[3][c] = failed[c] - cell[2][c];
    }
#pragma GCC unroll 2
    for (std::size_t side = 0; side < 2; ++side)
      minima[side].take(cell[2 * side], cell[2 * side + 1], threshold, leaf_cost);
  }
  const Ticks held_least = in.sums[std::size_t{m.loss_index()} * stride + column];
  const Ticks least_loss[2] = {held_least, in.total[m.loss_index()] - held_least};
  const auto in_ticks = [&m](std::int32_t count, Ticks lost_anyway) {
    return count == kNarrowInfinity ? kInfinity : lost_anyway + m.largest_cost[0] * count;
  };
  for (int side = 0; side < 2; ++side) {
    const std::int32_t lesser = smallest_lane(minima[side].lesser);
    sides[side] = {in_ticks(smallest_lane(minima[side].stump_loss), least_loss[side]),
                   in_ticks(lesser <= narrow_in.leaf_cost ? lesser : kNarrowInfinity, least_loss[side]),
                   -smallest_lane(minima[side].no_lesser) > narrow_in.leaf_cost};
  }
}

using TwoTargets = models::SeparableCosts<2>;
bool has_two_targets(const models::Measures& m) { return m.is_separable() && m.n_targets == 2 && !m.counts_rows; }
using TwoSums = models::ConvexCosts<2>;  // and what equal rows lose
bool has_three_counts(const models::Measures& m) { return m.is_convex() && m.n_loss_units == 1 && !m.counts_rows; }
using ThreeSums = models::SquaredError<3>;  // and what equal rows lose
bool has_four_counts(const models::Measures& m) {
  return m.is_squared_error() && m.n_loss_units == 1 && !m.counts_rows;
}

void measure(const SlotTile& slots, const models::Measures& m, const std::uint32_t* column, Ticks* out, Word* scratch) {
  const std::uint32_t which = column == nullptr ? kNoColumn : *column;
  if (has_two_targets(m) && m.n_loss_units == 0) return measure_as<TwoTargets, 2>(slots, m, which, out, scratch);
  if (has_two_targets(m) && m.n_loss_units == 1) return measure_as<TwoTargets, 3>(slots, m, which, out, scratch);
  if (has_three_counts(m)) return measure_as<TwoSums, 3>(slots, m, which, out, scratch);
  if (has_four_counts(m)) return measure_as<ThreeSums, 4>(slots, m, which, out, scratch);
  with_formula(m, [&](auto formula) { measure_as<decltype(formula), 0>(slots, m, which, out, scratch); });
}

void pair_stage(const SlotTile& slots, const models::Measures& m, const PairInput& in, std::uint32_t column,
                PairSide* sides, Word* scratch) {
  if (in.narrow.sums != nullptr) return pair_stage_narrow(slots, m, in, column, sides, scratch);
  if (has_two_targets(m) && m.n_loss_units == 1)
    return pair_stage_as<TwoTargets, 3>(slots, m, in, column, sides, scratch);
  if (has_two_targets(m) && m.n_loss_units == 2)
    return pair_stage_as<TwoTargets, 4>(slots, m, in, column, sides, scratch);
  if (has_three_counts(m)) return pair_stage_as<TwoSums, 3>(slots, m, in, column, sides, scratch);
  if (has_four_counts(m)) return pair_stage_as<ThreeSums, 4>(slots, m, in, column, sides, scratch);
  with_formula(m, [&](auto formula) { pair_stage_as<decltype(formula), 0>(slots, m, in, column, sides, scratch); });
}

template <class Formula, int kCounts>
void test_columns_as(const SlotTile& slots, const models::Measures& m, const PairInput& in, std::uint32_t column,
                     bool side, Word* allowed, Word* constant, Word* scratch) {
  const std::uint32_t size = size_of<Formula>(m), stride = slots.tile.stride;
  Lanes* counts = reinterpret_cast<Lanes*>(scratch);
  Lanes* held = counts + m.n_counts();
  Lanes* failed = held + m.size();
  Word* mask = reinterpret_cast<Word*>(held + 4 * std::size_t{m.size()});
  copy_column(slots, column, mask);
  for (std::uint32_t w = 0; w < words_for(stride); ++w) allowed[w] = constant[w] = 0;
  for (std::uint32_t block = 0; block < stride; block += kLanes) {
    count_block<kCounts>(slots, block, mask, m.n_counts(), counts);
    models::measure_counts<Formula>(m, counts, held);
    for (std::uint32_t i = 0; i < size; ++i) {
      const Ticks here = in.sums[std::size_t{i} * stride + column];
      if (!side) held[i] = load(in.sums + std::size_t{i} * stride + block) - held[i];
      failed[i] = all_lanes(side ? here : in.total[i] - here) - held[i];
    }
    const Lanes none{};
    const Lanes is_constant = (Formula::template cell<Lanes>(m, held).largest_loss == none) |
                              (Formula::template cell<Lanes>(m, failed).largest_loss == none);
    constant[block / kWordBits] |= mask_of(is_constant) << (block % kWordBits);
    allowed[block / kWordBits] |= mask_of(is_allowed<Formula>(m, in, held, failed) & ~is_constant)
                                  << (block % kWordBits);
  }
}

void test_columns(const SlotTile& slots, const models::Measures& m, const PairInput& in, std::uint32_t column,
                  bool side, Word* allowed, Word* constant, Word* scratch) {
  if (has_two_targets(m) && m.n_loss_units == 1)
    return test_columns_as<TwoTargets, 3>(slots, m, in, column, side, allowed, constant, scratch);
  if (has_three_counts(m)) return test_columns_as<TwoSums, 3>(slots, m, in, column, side, allowed, constant, scratch);
  if (has_four_counts(m)) return test_columns_as<ThreeSums, 4>(slots, m, in, column, side, allowed, constant, scratch);
  with_formula(m, [&](auto formula) {
    test_columns_as<decltype(formula), 0>(slots, m, in, column, side, allowed, constant, scratch);
  });
}

template <class Formula>
void scan_splits_as(const models::Measures& m, const PairInput& in, std::uint32_t stride, const SplitScan& out,
                    Lanes* cells) {
  const std::uint32_t size = size_of<Formula>(m);
  const Lanes leaf_cost = all_lanes(in.leaf_cost), infinity = all_lanes(kInfinity);
  for (std::uint32_t block = 0; block < stride; block += kLanes) {
    for (std::uint32_t i = 0; i < size; ++i) {
      cells[size + i] = load(in.sums + std::size_t{i} * stride + block);
      cells[i] = all_lanes(in.total[i]) - cells[size + i];
    }
    Lanes stump{}, bound{}, can_grow{};
    for (int side = 0; side < 2; ++side) {
      const models::Cell<Lanes> cell =
          Formula::template cell<Lanes>(m, cells + std::size_t{size} * static_cast<std::size_t>(side));
      store(out.largest_loss[side] + block, cell.largest_loss);
      store(out.loss[side] + block, cell.loss);
      store(out.least_loss[side] + block, cell.least_loss);
      const Lanes grown = leaf_cost + cell.least_loss;
      stump += cell.loss;
      bound += leaf_cost + smaller(cell.loss, grown);
      can_grow |= grown < cell.loss;
    }
    const Lanes allowed = is_allowed<Formula>(m, in, cells + size, cells);
    store(out.bound + block, (allowed & can_grow) != 0 ? bound : infinity);
    store(out.stump_loss + block, allowed != 0 ? stump : infinity);
  }
}

void scan_splits(const models::Measures& m, const PairInput& in, std::uint32_t stride, const SplitScan& out,
                 Word* scratch) {
  if (has_two_targets(m)) return scan_splits_as<TwoTargets>(m, in, stride, out, reinterpret_cast<Lanes*>(scratch));
  if (has_three_counts(m)) return scan_splits_as<TwoSums>(m, in, stride, out, reinterpret_cast<Lanes*>(scratch));
  if (has_four_counts(m)) return scan_splits_as<ThreeSums>(m, in, stride, out, reinterpret_cast<Lanes*>(scratch));
  with_formula(m, [&](auto formula) {
    scan_splits_as<decltype(formula)>(m, in, stride, out, reinterpret_cast<Lanes*>(scratch));
  });
}

void hash_columns(TileView tile, const Word* valid, Word* hashes) {
  const WordLanes odd = WordLanes{} + Word{0x9e3779b97f4a7c15ULL};
  for (std::uint32_t block = 0; block < tile.stride; block += kLanes) {
    const WordLanes first = reinterpret_cast<WordLanes>(load(tile.words + block));
    const WordLanes flip = WordLanes{} - (first & Word{1});  // all ones where row 0 is set
    WordLanes hash{};
    for (std::uint32_t w = 0; w < tile.n_words; ++w) {
      const WordLanes word =
          (reinterpret_cast<WordLanes>(load(tile.words + std::size_t{w} * tile.stride + block)) ^ flip) & valid[w];
      hash = (hash ^ word) * odd;
      hash ^= hash >> Word{29};
    }
    store(hashes + block, reinterpret_cast<Lanes>(hash));
  }
}

#include "kernels/binned_stumps.inl"
#include "kernels/fingerprints.inl"
#include "kernels/gain_scan.inl"
#include "kernels/masked_sums.inl"
#include "kernels/row_distances.inl"
#include "kernels/stump_scan.inl"
#include "kernels/convex_scan.inl"  // uses what is in stump_scan.inl
#include "kernels/two_levels.inl"
#include "kernels/sums.inl"
#include "kernels/cells.inl"  // uses what is in sums.inl
#include "kernels/three_levels.inl"  // uses what is in two_levels.inl
#include "kernels/triples.inl"

}  // namespace

const Kernels HORNBEAM_KERNELS = {
    HORNBEAM_KERNELS_NAME, measure,        pair_stage,         scan_splits,       narrow_sums,
    test_columns,          hash_columns,   fingerprint_column, transpose,         pair_row,
    count_pairs,           triple_row,     raise_by_distance,  scan_stumps,       scan_gains,
    pair_sums,             triple_sums,    raise_cells,        row_distances,     least_row_distance,
    add_to_bins,           binned_stumps,  binned_marks,       add_to_bin_pairs,  add_words,
    count_triples,         add_masked};

}  // namespace hornbeam::kernels
