// kernels/kernels.hpp
//
// WHAT    The counting kernels: sums over all columns at once, the pair stage, and the transposition of bits. One
//         source (lanes.inl), compiled once per instruction set and chosen at run time.
// FLOW    rows/row_set and search/ call through the table that `kernels()` returns.
// HOLDS   Every instruction set gives the same numbers: all arithmetic is on exact integers.
// CHOICE  Word-major tiles: word w of all columns lies side by side, so a vector holds the same word of eight
//         columns and is fully used however few rows a subproblem has. Column-major bits waste a vector on
//         subproblems of a few words, which are most of them.
#pragma once

#include "base/types.hpp"
#include "models/measures.hpp"

namespace hornbeam::kernels {

inline constexpr std::uint32_t kMostNarrowTargets = 32;
inline constexpr std::int32_t kNarrowInfinity = 1 << 30;

/// A bit matrix, word-major: word w of column c is words[w * stride + c]; stride is a multiple of kNarrowLanes.
struct TileView {
  const Word* words;
  std::uint32_t n_words;
  std::uint32_t stride;
};

/// Words [begin, end) of a slot tile, with `n_slots` bits in use; each set bit adds 2^shift to the count `target`.
struct Segment {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t target;
  std::uint32_t shift;
  std::uint32_t n_slots;

  /// The bits of word w that are in use.
  Word valid(std::uint32_t w) const {
    return w + 1 == end && n_slots % kWordBits != 0 ? (Word{1} << (n_slots % kWordBits)) - 1 : ~Word{0};
  }
};

/// The slots of one subproblem, and what its pair stage needs to know.
struct SlotTile {
  TileView tile;
  const Segment* segments;
  std::uint32_t n_segments;
  const Word* filter = nullptr;  // the slots that count, one word a tile word; null for all

  SlotTile filtered(const Word* by) const { return {tile, segments, n_segments, by}; }
};

/// Where the sums of a column lie in NarrowPairInput: two vectors of eight 64-bit counts become one of sixteen 32-bit
/// ones by a shift and an OR, which leaves the first eight columns in the even places.
constexpr std::uint32_t narrow_place(std::uint32_t column) {
  const std::uint32_t i = column % kNarrowLanes;
  return column - i + 2 * (i % kLanes) + i / kLanes;
}

/// What the pair stage of cancelled measures needs in 32 bits, in units of the cost of an error.
struct NarrowPairInput {
  const std::int32_t* sums = nullptr;  // of the two targets, in `narrow_place`; null where they do not fit
  std::int32_t total[2];
  std::int32_t leaf_cost;          // rounded down
  std::int32_t support_threshold;  // rounded up
};

struct PairInput {
  const Ticks* sums;   // measures of each column's true side: sums[m * stride + column]
  const Ticks* total;  // measures of the whole subproblem
  Ticks leaf_cost;
  Ticks support_threshold;  // bounds/support_condition.hpp
  Ticks rows_per_leaf;
  NarrowPairInput narrow;
};

/// What the pair stage finds for one side of a split; see bounds/pair_stage.hpp.
struct PairSide {
  Ticks stump_loss = kInfinity;
  Ticks three_leaf_loss = kInfinity;
  bool four_leaves = false;
};

/// Arrays over the columns, by side.
struct SplitScan {
  Ticks* largest_loss[2];
  Ticks* loss[2];
  Ticks* least_loss[2];
  Ticks* bound;
  Ticks* stump_loss;
};

/// One root split of shallow/two_levels against all columns that are not done: a word-major tile of 32-bit words.
struct PairRow {
  const std::int32_t* words;
  std::uint32_t n_words;
  std::uint32_t stride;     // a multiple of kNarrowLanes
  const Segment* segments;  // in 32-bit words
  std::uint32_t n_segments;
  std::uint32_t n_targets;
  const std::int32_t* sums;     // weight of each target where each column holds: sums[k * stride + column]
  const std::int32_t* total;    // (n_targets)
  const std::uint32_t* blocks;  // first columns of the blocks of kNarrowLanes columns to pair with
  std::uint32_t n_blocks;
  std::int32_t* stump_loss[2];  // of each column, by side: the least loss of two leaves there; lowered
  std::int32_t* distance;       // of each column: the weight that tells the two splits apart; written
};

/// All triples of few columns, for shallow/three_levels.
struct TripleRow {
  PairRow pairs;  // the tile; neither its losses nor its distances are used
  std::uint32_t n_columns;
  std::int32_t* counts;  // weight of target k where columns i and j hold: counts[(i * n_targets + k) * stride + j]
  /// Of one column and each column j behind it, by cell 2 * (the one holds) + (j holds): the least loss of two leaves
  /// there, at [cell * stride + j]; written.
  std::int32_t* stump_loss;
};

/// The columns of a side for shallow/sum_solver, with one or more sums for each set of rows. Of a formula of two sums,
/// there is one: the weights of two targets are packed, the first one, times 2^shift, plus the second one, which is
/// less than 2^shift. Of others, there is what each prediction explains.
struct SumColumns {
  std::uint32_t n_sums;
  std::uint32_t stride;  // a multiple of kLanes; columns of padding hold nowhere
  Ticks shift;
  const Ticks* totals;     // (n_sums), of all rows
  const Ticks* sums;       // (n_sums, stride), where each column holds
  const Ticks* pairs;      // of sum s where columns i and k hold: pairs[s * n_of_pairs + i * stride + k]
  std::size_t n_of_pairs;  // how many of each sum there are
};

/// Where columns i, j and each column k hold: of sum s first[s * n_of_sum + k].
struct TripleSums {
  const Ticks* first;
  std::size_t n_of_sum;
};

/// A set of at most four columns, and the columns behind its last one, for shallow/cell_solver. Subsets and cells are
/// numbers whose bit i is set where column i of the set is in the subset, or holds; the column behind comes last. A
/// leaf is worth `unit` times what it explains, less `leaf_cost`, and a tree what its leaves are. Pointers to rows of
/// numbers are to the same column, `begin` before the first one behind the set. What lies there, or from `end` on, may
/// belong to other rows: it is read, but not changed.
struct CellSet {
  std::uint32_t n_columns;
  std::uint32_t begin, end;  // of the columns behind the set; `begin` is below kLanes
  Ticks shift;               // as in SumColumns
  Ticks unit, leaf_cost;
  const Ticks* held[16];  // by subset: the sums where it and each column hold
  Ticks total[16];        // by subset: the sum where it holds
  Ticks* worth;           // a row for each cell of the set, `width` apart: raised to that of a leaf; null for none
  std::size_t width;
  Ticks* without[4];  // the same of the set without its column r, whose rows are width_without[r] apart; raised
  std::size_t width_without[4];
  Ticks* of_set;  // of the cells of the set itself, stride_of_set apart; raised
  std::size_t stride_of_set;
};

inline constexpr std::uint32_t kScanLanes = 32;

/// Up to 32 root splits, and the rows in the order of one variable whose thresholds may be the stumps below them. Rows
/// weigh for one target each, or have the three sums of squared error or of convex costs (sorted/leaf_formula.hpp).
struct StumpScan {
  const std::uint32_t* entries;  // row << 8 | target << 1 | whether the next row has another value
  std::uint32_t n_rows;
  const std::uint32_t* member;  // of each row: bit i is set where root split i holds
  const std::int64_t* weight;   // of each row; null where all weigh one
  std::uint32_t lane_bytes;     // 2, 4 or 8: in so many, every sum of weights or rows is positive
  std::uint32_t n_targets;
  const std::int64_t* held;       // weight of each target where root split i holds: held[target * kScanLanes + i]
  const std::int64_t* total;      // weight of each target
  std::uint32_t least_rows;       // of each side of a stump
  const std::int32_t* held_rows;  // rows where root split i holds
  std::int64_t* least_loss[2];    // by side of the root splits; lowered
  void*
      scratch;  // more than two targets: (n_targets + rows) * 2 * kScanLanes lanes; squared error: n_targets words more
  const std::int64_t* gain = nullptr;  // (n_rows, 3) the sums; lanes of 8 bytes; null where a row has a target
  std::int64_t total_weight = 0;       // of all rows; needed with `gain`
  models::ConvexBuckets buckets = {};  // of convex costs
};

struct alignas(64) TickVector {
  Ticks lanes[kLanes];
};

/// The most root splits of a GainScan.
inline constexpr std::uint32_t kMostRoots = 256;

/// Vectors with a lane for each target.
constexpr std::uint32_t gain_vectors(std::uint32_t n_targets) { return (n_targets + kLanes - 1) / kLanes; }

/// Words behind the gains of all rows that a GainScan may read.
inline constexpr std::uint32_t kSpareGains = kLanes - 1;

/// Root splits, ordered by variable and then by threshold, and the rows in the order of one variable whose thresholds
/// may be the stumps below them. Rows lose what each target, a prediction, does not gain (sorted/row_gains.hpp).
struct GainScan {
  const std::uint32_t* entries;  // row << 8 | 0 | whether the next row has another value
  std::uint32_t n_rows;
  const std::int64_t* gain;    // (n_rows, n_targets)
  const std::int64_t* weight;  // of each row, no gain is larger; null where all weigh one
  std::uint32_t n_targets;
  std::uint32_t n_roots, n_variables;      // of the root splits
  const std::uint32_t* first_root;         // (n_variables + 1) of each variable
  const std::uint16_t* first_root_of_row;  // (n_rows, n_variables) the first that holds, or n_roots
  const TickVector* held;                  // (n_roots, gain_vectors) gains of the rows where each holds
  const TickVector* total;                 // (gain_vectors)
  const std::int64_t* held_weight;         // (n_roots) of these rows
  std::int64_t total_weight;
  std::uint32_t least_rows;       // of each side of a stump
  const std::int32_t* held_rows;  // (n_roots)
  std::int64_t* least_loss[2];    // (n_roots) by side of the root splits; lowered
  TickVector* scratch;            // gain_scan_scratch(n_targets, n_roots)
};

constexpr std::size_t gain_scan_scratch(std::uint32_t n_targets, std::uint32_t n_roots) {
  return (2 * std::size_t{n_roots} + 3) * gain_vectors(n_targets) + 11 * (std::size_t{n_roots} / kLanes + 1);
}

/// Words of the sums of a bin: the three sums that formulas need, the last one being the base, and the number of rows.
inline constexpr std::uint32_t kBinSums = 4;

/// Rows with the bin of each variable that they are in.
struct BinnedRows {
  const std::uint32_t* entries;  // in the order of one variable, as those of StumpScan
  std::uint32_t n_rows;
  const TickVector* records;  // of each row: kBinSums words, then the number of its bin of each variable in 16 bits
  std::size_t record_size;    // in vectors
  std::uint32_t n_variables;
};

/// The sums of the bins where a root split holds; the thresholds between bins, or inside them, may be the stumps below.
struct BinnedStumps {
  const Ticks* sums;               // (n_bins, kBinSums)
  const Ticks* passed_of_all;      // (n_bins, kBinSums) of all rows, those of each variable's bins added up to this one
  const Ticks* total;              // (kBinSums) of all rows
  const std::uint32_t* first_bin;  // (n_variables + 1) of each variable; multiples of kLanes, padded with empty bins
  std::uint32_t n_variables;
  const Ticks* no_threshold_inside;  // of each bin: 0 if there are thresholds inside it, else kInfinity
  Ticks least_rows;                  // of each side of a stump between bins
  Ticks least_rows_of_bounds;        // of one that is counted in `lower_loss`
  models::ConvexBuckets buckets;     // of convex costs; without a table, squared error
  Ticks* scratch;                    // kBinSums words for each bin of a variable
  Ticks *least_loss, *lower_loss;    // by side of the root split, lowered: of stumps between bins; of all at least
};

/// Rows of a table for data/triple_counter: columns one behind the other, each of kTripleWords words. Behind the last
/// one are kTripleBlock - 1 more, of any bits.
struct TripleTile {
  const Word* columns;
  std::uint32_t n_columns;
};
inline constexpr std::uint32_t kTripleWords = 64, kTripleBlock = 4;

/// For binned_marks: which stumps lose less than a limit.
struct BinnedMarks {
  Ticks limit[2];             // by side of the root split
  Ticks *at_border, *inside;  // of each bin: set to all ones if the stump behind it does, or one inside it may
};

struct Kernels {
  const char* name;
  /// out[m * stride + c]: measures of the rows of column c and, unless `column` is null, of column *column.
  void (*measure)(const SlotTile&, const models::Measures&, const std::uint32_t* column, Ticks* out, Word* scratch);
  void (*pair_stage)(const SlotTile&, const models::Measures&, const PairInput&, std::uint32_t column, PairSide* sides,
                     Word* scratch);
  /// One scan of each column as a split: n, err and q of its sides, its bound, and the loss of two leaves (both
  /// infinite where the split is not allowed, the bound also where both sides are best closed as leaves).
  void (*scan_splits)(const models::Measures&, const PairInput&, std::uint32_t stride, const SplitScan&, Word* scratch);
  /// Fills the sums of NarrowPairInput, from those of `n` columns.
  void (*narrow_sums)(const Ticks* sums, Ticks error_cost, std::size_t n, std::int32_t* narrow);
  /// Bit c of `allowed`: column c splits the rows where `column` equals `side`, and both its sides are heavy and have
  /// enough rows; of `constant`: it does not split them at all.
  void (*test_columns)(const SlotTile&, const models::Measures&, const PairInput&, std::uint32_t column, bool side,
                       Word* allowed, Word* constant, Word* scratch);
  /// A hash of each column that is equal for a column and its complement; `valid` marks the bits of each word in use.
  void (*hash_columns)(TileView tile, const Word* valid, Word* hashes);
  /// The XOR over the rows of a column of fingerprints that lie in bit planes: bit i of planes[w * 128 + b] is bit b of
  /// the fingerprint of row i of word w.
  void (*fingerprint_column)(TileView tile, std::uint32_t column, const Word* planes, Word* fingerprint);
  /// Transposes an aligned 64 x 64 bit block: bit j of word i becomes bit i of word j.
  void (*transpose)(Word* block);
  /// Lowers the stump losses of `column` and of the columns in `blocks` by their pairs; `scratch` has n_words words.
  void (*pair_row)(const PairRow&, std::uint32_t column, std::int32_t* scratch);
  /// Counts the pairs of `column` with all columns.
  void (*count_pairs)(const TripleRow&, std::uint32_t column, std::int32_t* scratch);
  /// Finds the stump losses of `column` with the columns behind it, once all pairs are counted; `scratch` has n_words
  /// words, as above.
  void (*triple_row)(const TripleRow&, std::uint32_t column, std::int32_t* scratch);
  /// bound = max(bound, level - distance) over the blocks.
  void (*raise_by_distance)(const PairRow&, std::int32_t level, std::int32_t* bound);
  /// Lowers the least losses of two leaves on both sides of the root splits by the thresholds of one variable.
  void (*scan_stumps)(const StumpScan&);
  void (*scan_gains)(const GainScan&);
  /// What leaves and stumps explain (models/formulas.hpp), for column i and each column k from its block on. Writes
  /// that of leaves to leaf[c * stride + k] for c = 2 * (i holds) + (k holds), and raises stump[x][k], that of the best
  /// stump below a column on its false or true side, for i and for k.
  void (*pair_sums)(const models::Measures&, const SumColumns&, std::uint32_t i, Ticks* leaf, Ticks* const* stump);
  /// Raises stump[(4 * a + c) * stride + b], that of the best stump in the cells of columns a < b, by all triples of
  /// i < j and the columns k behind j.
  void (*triple_sums)(const models::Measures&, const SumColumns&, std::uint32_t i, std::uint32_t j, TripleSums,
                      Ticks* stump);
  /// Raises what trees are worth whose root is a column of a set, or one behind it, in the cells of the others.
  void (*raise_cells)(const models::Measures&, const CellSet&);
  /// In how many bits `row` differs from each row of a tile whose "columns" are rows: 254 for more, 255 where it
  /// differs in a bit of `forbidden`. From the row `begin`, a multiple of kLanes, to `end` or the eight rows that have
  /// one whose distance is at most `enough`, which is less than 255. Returns the row to go on from.
  std::uint32_t (*row_distances)(const Word* row, TileView rows, std::uint32_t begin, std::uint32_t end,
                                 const Word* forbidden, std::uint8_t enough, std::uint8_t* distances);
  /// The least of these numbers of bits, over all rows of the tile.
  Ticks (*least_row_distance)(const Word* row, TileView rows);
  /// Adds the rows of some entries to the sums of their bins, and to those of all rows passed.
  void (*add_to_bins)(const BinnedRows&, std::uint32_t begin, std::uint32_t end, Ticks* sums, Ticks* passed);
  void (*binned_stumps)(const BinnedStumps&);
  void (*binned_marks)(const BinnedStumps&, const BinnedMarks&);
  /// Adds the rows of some entries to the sums of all pairs of a bin a of a second list, which follows the first one in
  /// each record, and a bin b of the first list: sums[(a * n_bins + b) * kBinSums].
  void (*add_to_bin_pairs)(const BinnedRows&, std::uint32_t begin, std::uint32_t end, std::size_t n_bins, Ticks* sums);
  /// to += plus - minus, `n` words, a multiple of kLanes; `minus` may be null.
  void (*add_words)(Ticks* to, const Ticks* plus, const Ticks* minus, std::size_t n);
  /// Counts the rows where columns i and j hold, and each column from `first` on: counts[k] of column `first` + k, and
  /// up to kTripleBlock - 1 numbers behind the last.
  void (*count_triples)(const TripleTile&, std::uint32_t i, std::uint32_t j, std::uint32_t first, Ticks* counts);
  /// Adds to the sum of each column the values of those of the rows whose mask, -1 or 0, is -1 there. `masks` has
  /// `stride` columns a row, a multiple of 64.
  void (*add_masked)(const std::int8_t* masks, std::size_t stride, const std::uint32_t* rows,
                     const std::int32_t* values, std::size_t n_rows, std::int32_t* sums);
};

/// Words of scratch space that a kernel call needs.
std::size_t kernel_scratch_words(const SlotTile& slots, const models::Measures& measures);

/// Whether this processor has the instructions that the core is compiled for outside of its kernels.
bool runs_here();

/// The best kernels of this machine; `name` picks one ("avx512", "avx2", "portable") for tests, or null.
const Kernels& kernels(const char* name = nullptr);

extern const Kernels kPortableKernels;
#ifdef HORNBEAM_X86
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace hornbeam::kernels
