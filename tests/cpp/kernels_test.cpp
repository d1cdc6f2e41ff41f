// kernels_test.cpp: every instruction set of this machine against counting group by group.
#include "kernels/kernels.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "bounds/pair_stage.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"
#include "support/kernels.hpp"

namespace hornbeam::testing::kernels_test {

using namespace hornbeam::kernels;
using namespace hornbeam::models;

namespace {

/// Groups with a bit in each column, and the slots that count them.
struct Counted {
  CostMatrix matrix;
  LeafModel costs = matrix.costs();
  Groups groups;
  std::vector<std::vector<bool>> bits;  // (column, group)
  std::uint32_t stride;
  std::vector<Segment> segments;
  AlignedVector<Word> slots;
  std::uint32_t n_words = 0;

  Counted(Random& draw, std::uint32_t n_columns, std::uint32_t n_groups, std::int64_t heaviest)
      : matrix(random_cost_matrix(draw)), stride(padded_to_lanes(std::max(n_columns, 1u))) {
    groups = random_groups(draw, n_groups, matrix.n_classes, heaviest);
    for (std::uint32_t c = 0; c < n_columns; ++c) {
      const std::uint32_t chance = draw.choose<std::uint32_t>({5, 50, 90});
      bits.emplace_back(n_groups);
      for (std::uint32_t g = 0; g < n_groups; ++g) bits[c][g] = draw.percent(chance);
    }
    add_slots(draw);
  }

  std::uint32_t n_columns() const { return static_cast<std::uint32_t>(bits.size()); }
  SlotTile tile() const {
    return {{slots.data(), n_words, stride}, segments.data(), static_cast<std::uint32_t>(segments.size())};
  }
  Word word(std::uint32_t at, std::uint32_t column) const { return slots[std::size_t{at} * stride + column]; }

  /// The groups where column f and column g have these values.
  Groups cell(std::uint32_t f, bool of_f, std::uint32_t g, bool of_g) const {
    Groups found;
    for (std::uint32_t i = 0; i < groups.size(); ++i)
      if (bits[f][i] == of_f && bits[g][i] == of_g) found.push_back(groups[i]);
    return found;
  }

 private:
  std::int64_t count(const Group& group, std::uint32_t target) const {
    std::vector<std::int64_t> counts = group.weight;
    counts.resize(costs.measures().n_counts());
    if (matrix.counts_rows) counts.back() = group.n_rows;
    costs.merge(counts.data());
    return counts[target];
  }

  /// Writes each count in binary over segments, now and then as copies of a lower power of two.
  void add_slots(Random& draw) {
    for (std::uint32_t target = 0; target < costs.measures().n_counts(); ++target) {
      std::vector<std::vector<std::uint32_t>> at_shift(64);
      for (std::uint32_t g = 0; g < groups.size(); ++g) {
        const auto weight = static_cast<std::uint64_t>(count(groups[g], target));
        for (std::uint32_t shift = 0; shift < static_cast<std::uint32_t>(std::bit_width(weight)); ++shift) {
          if (((weight >> shift) & 1) == 0) continue;
          const std::uint32_t lower = shift - std::min(shift, draw.choose<std::uint32_t>({0, 0, 1}));
          at_shift[lower].insert(at_shift[lower].end(), std::size_t{1} << (shift - lower), g);
        }
      }
      for (std::uint32_t shift = 0; shift < 64; ++shift) add_segment(at_shift[shift], target, shift);
    }
  }

  void add_segment(const std::vector<std::uint32_t>& members, std::uint32_t target, std::uint32_t shift) {
    if (members.empty()) return;
    const std::uint32_t begin = n_words;
    n_words += words_for(static_cast<std::uint32_t>(members.size()));
    segments.push_back({begin, n_words, target, shift, static_cast<std::uint32_t>(members.size())});
    slots.resize(std::size_t{n_words} * stride);
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::uint32_t c = 0; c < n_columns(); ++c)
        if (bits[c][members[i]]) slots[(begin + i / kWordBits) * stride + c] |= Word{1} << (i % kWordBits);
  }
};

Counted random_counted(Random& draw) {
  return {draw, draw.size_between(1, 20), draw.choose<std::uint32_t>({1, 5, 40, 64, 100, 200}),
          draw.choose<std::int64_t>({1, 1, 3, 1000, std::int64_t{1} << 30})};
}

AlignedVector<Ticks> measured(const Kernels& kernels, const Counted& counted, const std::uint32_t* column) {
  const Measures measures = counted.costs.measures();
  AlignedVector<Ticks> out(std::size_t{measures.size()} * counted.stride, -1);
  AlignedVector<Word> scratch(kernel_scratch_words(counted.tile(), measures), ~Word{0});
  kernels.measure(counted.tile(), measures, column, out.data(), scratch.data());
  return out;
}

/// The input in 32 bits where the measures allow it, else as it is.
struct NarrowSums {
  AlignedVector<std::int32_t> sums;
  PairInput input;

  NarrowSums(const Counted& counted, const PairInput& wide) : input(wide) {
    const Ticks error_cost = counted.matrix.dearest(0), most = std::max({wide.total[0], wide.total[1], wide.leaf_cost});
    if (!counted.matrix.is_cancelled() || counted.matrix.counts_rows || most / error_cost >= kNarrowInfinity) return;
    const std::uint32_t stride = counted.stride;
    const auto in_weight = [error_cost](Ticks cost) { return static_cast<std::int32_t>(cost / error_cost); };
    sums.resize(2 * std::size_t{stride});
    for (std::uint32_t k = 0; k < 2; ++k)
      for (std::uint32_t c = 0; c < counted.n_columns(); ++c)
        sums[k * stride + narrow_place(c)] = in_weight(wide.sums[k * counted.stride + c]);
    input.narrow = {sums.data(),
                    {in_weight(wide.total[0]), in_weight(wide.total[1])},
                    in_weight(wide.leaf_cost),
                    in_weight(wide.support_threshold + error_cost - 1)};
  }
};

/// What bounds/pair_stage.hpp says about one side x of the split f, by trying every column g.
PairSide pair_side(const Counted& counted, std::uint32_t f, bool side, const PairInput& input) {
  const CostMatrix& matrix = counted.matrix;
  PairSide found;
  for (std::uint32_t g = 0; g < counted.n_columns(); ++g) {
    Ticks loss[2], least_loss[2];
    bool allowed = true, splittable[2];
    for (int value = 0; value < 2; ++value) {
      const Groups cell = counted.cell(f, side, g, value == 1);
      loss[value] = matrix.loss(cell);
      least_loss[value] = matrix.least_loss(cell);
      splittable[value] = loss[value] - least_loss[value] > input.leaf_cost;
      if (matrix.largest_loss(cell) - least_loss[value] < input.support_threshold) allowed = false;
      if (matrix.counts_rows && matrix.n_rows(cell) < input.rows_per_leaf) allowed = false;
    }
    if (!allowed) continue;
    found.stump_loss = std::min(found.stump_loss, loss[0] + loss[1]);
    if (splittable[0] && splittable[1]) found.four_leaves = true;
    for (int split = 0; split < 2; ++split)
      if (splittable[split] && !splittable[1 - split])
        found.three_leaf_loss = std::min(found.three_leaf_loss, least_loss[split] + loss[1 - split]);
  }
  return found;
}

AlignedVector<Word> random_words(Random& draw, std::size_t n) {
  AlignedVector<Word> words(n);
  for (Word& word : words) word = draw.word();
  return words;
}

/// The hash of one column as kernels/lanes.inl computes it, one word at a time.
Word hash_of_column(const AlignedVector<Word>& words, std::uint32_t stride, std::uint32_t column,
                    const std::vector<Word>& valid) {
  const Word flip = (words[column] & 1) != 0 ? ~Word{0} : Word{0};
  Word hash = 0;
  for (std::size_t w = 0; w < valid.size(); ++w) {
    hash = (hash ^ ((words[w * stride + column] ^ flip) & valid[w])) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

TEST(the_portable_kernels_run_anywhere_and_unknown_ones_nowhere) {
  CHECK_EQUAL(std::string(kernels::kernels("portable").name), "portable");
  CHECK_EQUAL(&kernels::kernels(), kernels_of_this_machine().front());
  CHECK_THROWS(std::invalid_argument, kernels::kernels("abacus"));
}

RANDOM_TEST(bit_j_of_word_i_of_a_block_becomes_bit_i_of_word_j, 100) {
  alignas(64) Word before[kWordBits], after[kWordBits];
  for (Word& word : before) word = draw.word();
  for (const Kernels* each : kernels_of_this_machine()) {
    std::copy(before, before + kWordBits, after);
    each->transpose(after);
    for (std::uint32_t i = 0; i < kWordBits; ++i)
      for (std::uint32_t j = 0; j < kWordBits; ++j) CHECK(((after[i] >> j) & 1) == ((before[j] >> i) & 1));
  }
}

RANDOM_TEST(measures_of_all_columns_equal_sums_over_their_groups, 150) {
  const Counted counted = random_counted(draw);
  const std::uint32_t column = draw.below(counted.n_columns());
  for (const Kernels* each : kernels_of_this_machine()) {
    const AlignedVector<Ticks> alone = measured(*each, counted, nullptr), pairs = measured(*each, counted, &column);
    for (std::uint32_t c = 0; c < counted.stride; ++c) {
      const bool is_padding = c >= counted.n_columns();
      const auto of_column = counted.matrix.measures(is_padding ? Groups{} : counted.cell(c, true, c, true));
      const auto of_pair = counted.matrix.measures(is_padding ? Groups{} : counted.cell(column, true, c, true));
      for (std::size_t m = 0; m < of_column.size(); ++m) {
        CHECK_EQUAL(alone[m * counted.stride + c], of_column[m]);
        CHECK_EQUAL(pairs[m * counted.stride + c], of_pair[m]);
      }
    }
  }
}

RANDOM_TEST(the_pair_stage_finds_what_its_bound_says_of_every_column, 150) {
  const Counted counted = random_counted(draw);
  const AlignedVector<Ticks> sums = measured(kernels::kernels("portable"), counted, nullptr);
  const std::vector<Ticks> total = counted.matrix.measures(counted.groups);
  const Ticks each_group = counted.matrix.largest_loss(counted.groups) / static_cast<Ticks>(counted.groups.size());
  const PairInput input{sums.data(),
                        total.data(),
                        draw.between(0, 2 * each_group + 1),
                        draw.between(1, each_group + 1),
                        draw.between(1, 5),
                        {}};
  const NarrowSums narrow(counted, input);
  AlignedVector<Word> scratch(kernel_scratch_words(counted.tile(), counted.costs.measures()));
  for (std::uint32_t f = 0; f < counted.n_columns(); ++f) {
    const PairSide expected[2] = {pair_side(counted, f, true, input), pair_side(counted, f, false, input)};
    for (const Kernels* each : kernels_of_this_machine()) {
      for (const PairInput& one : {input, narrow.input}) {
        PairSide found[2];
        each->pair_stage(counted.tile(), counted.costs.measures(), one, f, found, scratch.data());
        for (int side = 0; side < 2; ++side) {
          CHECK_EQUAL(found[side].stump_loss, expected[side].stump_loss);
          CHECK_EQUAL(found[side].three_leaf_loss, expected[side].three_leaf_loss);
          CHECK(found[side].four_leaves == expected[side].four_leaves);
        }
      }
    }
  }
}

RANDOM_TEST(a_filter_counts_as_if_the_other_slots_were_empty, 100) {
  Counted counted = random_counted(draw);
  const Measures measures = counted.costs.measures();
  const AlignedVector<Word> filter = random_words(draw, counted.n_words), all = counted.slots;
  SlotTile filtered = counted.tile().filtered(filter.data());
  filtered.tile.words = all.data();
  for (std::uint32_t w = 0; w < counted.n_words; ++w)
    for (std::uint32_t c = 0; c < counted.stride; ++c) counted.slots[w * counted.stride + c] &= filter[w];
  const std::uint32_t column = draw.below(counted.n_columns());
  const std::size_t n_sums = std::size_t{measures.size()} * counted.stride;
  AlignedVector<Word> scratch(kernel_scratch_words(counted.tile(), measures));
  for (const Kernels* each : kernels_of_this_machine()) {
    AlignedVector<Ticks> sums = measured(*each, counted, nullptr), found(n_sums);
    each->measure(filtered, measures, nullptr, found.data(), scratch.data());
    CHECK(found == sums);
    each->measure(filtered, measures, &column, found.data(), scratch.data());
    CHECK(found == measured(*each, counted, &column));
    std::vector<Ticks> total(measures.size());
    for (const Group& group : counted.groups)  // any total that no cell exceeds
      for (std::size_t m = 0; m < total.size(); ++m) total[m] += counted.matrix.measures({group})[m];
    const PairInput wide{sums.data(), total.data(), draw.between(0, 50), draw.between(1, 50), 1, {}};
    const NarrowSums narrow(counted, wide);
    for (const PairInput& input : {wide, narrow.input}) {
      PairSide expected[2], sides[2];
      each->pair_stage(counted.tile(), measures, input, column, expected, scratch.data());
      each->pair_stage(filtered, measures, input, column, sides, scratch.data());
      for (int side = 0; side < 2; ++side) {
        CHECK_EQUAL(sides[side].stump_loss, expected[side].stump_loss);
        CHECK_EQUAL(sides[side].three_leaf_loss, expected[side].three_leaf_loss);
        CHECK(sides[side].four_leaves == expected[side].four_leaves);
      }
    }
  }
}

RANDOM_TEST(narrow_sums_are_the_sums_in_units_of_the_error_cost_in_their_places, 50) {
  const std::uint32_t n = kNarrowLanes * draw.size_between(1, 4);
  const Ticks error_cost = draw.choose<Ticks>({1, 3, Ticks{1} << 20, 1234567});
  AlignedVector<Ticks> sums(n);
  for (Ticks& sum : sums) sum = error_cost * draw.between(0, kNarrowInfinity - 1);
  for (const Kernels* each : kernels_of_this_machine()) {
    AlignedVector<std::int32_t> narrow(n);
    each->narrow_sums(sums.data(), error_cost, n, narrow.data());
    for (std::uint32_t c = 0; c < n; ++c) CHECK_EQUAL(Ticks{narrow[narrow_place(c)]} * error_cost, sums[c]);
  }
}

RANDOM_TEST(the_fingerprint_of_a_column_is_the_xor_of_those_of_its_rows, 50) {
  const std::uint32_t stride = kNarrowLanes * draw.size_between(1, 2), n_words = draw.size_between(1, 5);
  const AlignedVector<Word> words = random_words(draw, std::size_t{n_words} * stride);
  const AlignedVector<Word> planes = random_words(draw, std::size_t{n_words} * 128);
  const std::uint32_t column = draw.below(stride);
  Word expected[2] = {0, 0};
  for (std::uint32_t w = 0; w < n_words; ++w)
    for (std::uint32_t bit = 0; bit < 128; ++bit) {
      const int n_set = std::popcount(words[w * stride + column] & planes[w * 128 + bit]);
      expected[bit / kWordBits] ^= Word{n_set % 2 == 1} << (bit % kWordBits);
    }
  for (const Kernels* each : kernels_of_this_machine()) {
    Word name[2];
    each->fingerprint_column({words.data(), n_words, stride}, column, planes.data(), name);
    CHECK_EQUAL(name[0], expected[0]);
    CHECK_EQUAL(name[1], expected[1]);
  }
}

/// Rows of a few classes in 32-bit words, a segment for each class and power of two of the rows' weight.
struct NarrowTile {
  std::uint32_t n_classes, n_columns, stride, n_words = 0;
  std::vector<Segment> segments;
  AlignedVector<std::int32_t> words, sums;
  std::vector<std::int32_t> total;
  std::vector<std::uint32_t> blocks;

  explicit NarrowTile(Random& draw)
      : n_classes(draw.size_between(2, 4)),
        n_columns(draw.size_between(2, 40)),
        stride((n_columns + kNarrowLanes - 1) / kNarrowLanes * kNarrowLanes) {
    for (std::uint32_t target = 0; target < n_classes; ++target)
      for (std::uint32_t shift = 0; shift < 3; ++shift) {
        const std::uint32_t end = n_words + draw.below(3);
        if (end > n_words) segments.push_back({n_words, end, target, shift, 0});
        n_words = end;
      }
    words.assign(std::size_t{n_words} * stride, 0);
    for (std::uint32_t w = 0; w < n_words; ++w)
      for (std::uint32_t c = 0; c < n_columns; ++c)
        words[w * stride + c] = static_cast<std::int32_t>(draw.word() & draw.word());
    sums.assign(std::size_t{n_classes} * stride, 0);
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      total.push_back(weigh(k, [](std::uint32_t) { return ~0u; }));
      for (std::uint32_t c = 0; c < n_columns; ++c)
        sums[k * stride + c] = weigh(k, [&](std::uint32_t w) { return at(w, c); });
    }
    for (std::uint32_t block = 0; block < stride; block += kNarrowLanes) blocks.push_back(block);
  }

  std::uint32_t at(std::uint32_t w, std::uint32_t c) const { return static_cast<std::uint32_t>(words[w * stride + c]); }

  /// Weight of one class in the rows that `rows` says of each word.
  template <class RowsOf>
  std::int32_t weigh(std::uint32_t k, RowsOf rows) const {
    std::int32_t weight = 0;
    for (const Segment& segment : segments)
      for (std::uint32_t w = segment.begin; w < segment.end; ++w)
        if (segment.target == k) weight += std::popcount(rows(w)) << segment.shift;
    return weight;
  }

  /// What one leaf loses there.
  template <class RowsOf>
  std::int32_t loss(RowsOf rows) const {
    std::int32_t all = 0, most = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
      all += weigh(k, rows);
      most = std::max(most, weigh(k, rows));
    }
    return all - most;
  }

  PairRow pair_row() const {
    return {words.data(), n_words,     stride,       segments.data(), static_cast<std::uint32_t>(segments.size()),
            n_classes,    sums.data(), total.data(), blocks.data(),   static_cast<std::uint32_t>(blocks.size()),
            {},           nullptr};
  }
};

RANDOM_TEST(triples_have_the_least_loss_of_two_leaves_in_each_cell_of_two_columns, 40) {
  const NarrowTile tile(draw);
  const std::uint32_t i = draw.below(tile.n_columns - 1);
  std::vector<std::int32_t> expected(std::size_t{4} * tile.stride, kNarrowInfinity);
  for (std::uint32_t j = i + 1; j < tile.n_columns; ++j)
    for (std::uint32_t cell = 0; cell < 4; ++cell)
      for (std::uint32_t h = 0; h < tile.n_columns; ++h) {
        const auto in_cell = [&](std::uint32_t w) {
          return (cell & 2 ? tile.at(w, i) : ~tile.at(w, i)) & (cell & 1 ? tile.at(w, j) : ~tile.at(w, j));
        };
        const std::int32_t loss = tile.loss([&](std::uint32_t w) { return in_cell(w) & tile.at(w, h); }) +
                                  tile.loss([&](std::uint32_t w) { return in_cell(w) & ~tile.at(w, h); });
        expected[cell * tile.stride + j] = std::min(expected[cell * tile.stride + j], loss);
      }
  for (const Kernels* each : kernels_of_this_machine()) {
    AlignedVector<std::int32_t> counts(std::size_t{tile.n_columns} * tile.n_classes * tile.stride);
    AlignedVector<std::int32_t> stump_loss(std::size_t{4} * tile.stride);
    std::vector<std::int32_t> scratch(tile.n_words);
    const TripleRow rows{tile.pair_row(), tile.n_columns, counts.data(), stump_loss.data()};
    for (std::uint32_t c = 0; c < tile.n_columns; ++c) each->count_pairs(rows, c, scratch.data());
    each->triple_row(rows, i, scratch.data());
    for (std::uint32_t cell = 0; cell < 4; ++cell)
      for (std::uint32_t j = i + 1; j < tile.n_columns; ++j)
        CHECK_EQUAL(stump_loss[cell * tile.stride + j], expected[cell * tile.stride + j]);
  }
}

RANDOM_TEST(columns_are_allowed_or_constant_on_one_side_as_their_groups_say, 150) {
  const Counted counted = random_counted(draw);
  const CostMatrix& matrix = counted.matrix;
  const AlignedVector<Ticks> sums = measured(kernels::kernels("portable"), counted, nullptr);
  const std::vector<Ticks> total = matrix.measures(counted.groups);
  const Ticks each_group = matrix.largest_loss(counted.groups) / static_cast<Ticks>(counted.groups.size());
  const PairInput input{sums.data(), total.data(), 1, draw.between(1, each_group + 1), draw.between(1, 5), {}};
  AlignedVector<Word> scratch(kernel_scratch_words(counted.tile(), counted.costs.measures()));
  const std::uint32_t f = draw.below(counted.n_columns());
  const bool side = draw.percent(50);
  for (const Kernels* each : kernels_of_this_machine()) {
    Word allowed = ~Word{0}, constant = ~Word{0};
    each->test_columns(counted.tile(), counted.costs.measures(), input, f, side, &allowed, &constant, scratch.data());
    for (std::uint32_t g = 0; g < counted.stride; ++g) {
      bool is_allowed = g < counted.n_columns(), is_constant = !is_allowed;
      for (int value = 0; value < 2 && g < counted.n_columns(); ++value) {
        const Groups cell = counted.cell(f, side, g, value == 1);
        is_constant |= matrix.largest_loss(cell) == 0;
        is_allowed &= matrix.largest_loss(cell) - matrix.least_loss(cell) >= input.support_threshold;
        is_allowed &= !matrix.counts_rows || matrix.n_rows(cell) >= input.rows_per_leaf;
      }
      CHECK(((constant >> g) & 1) == (is_constant ? 1u : 0u));
      CHECK(((allowed >> g) & 1) == (is_allowed && !is_constant ? 1u : 0u));
    }
  }
}

RANDOM_TEST(hashes_equal_the_scalar_ones_and_do_not_tell_a_column_from_its_complement, 100) {
  const std::uint32_t stride = kLanes * draw.size_between(1, 3), n_words = draw.size_between(1, 5);
  AlignedVector<Word> words = random_words(draw, std::size_t{n_words} * stride);
  std::vector<Word> valid_bits(n_words);
  for (std::uint32_t w = 0; w < n_words; ++w) {
    const Word valid = valid_bits[w] = draw.percent(50) ? ~Word{0} : ~Word{0} >> draw.below(kWordBits);
    words[std::size_t{w} * stride + 1] = ~words[std::size_t{w} * stride] & valid;
    words[std::size_t{w} * stride + 2] = 0;
    words[std::size_t{w} * stride + 3] = valid;
  }
  for (const Kernels* each : kernels_of_this_machine()) {
    AlignedVector<Word> hashes(stride);
    each->hash_columns({words.data(), n_words, stride}, valid_bits.data(), hashes.data());
    for (std::uint32_t c = 0; c < stride; ++c) CHECK_EQUAL(hashes[c], hash_of_column(words, stride, c, valid_bits));
    CHECK_EQUAL(hashes[0], hashes[1]);
    CHECK_EQUAL(hashes[2], Word{0});
    CHECK_EQUAL(hashes[3], Word{0});
    CHECK(n_words == 1 || hashes[0] != hashes[4]);
  }
}

RANDOM_TEST(rows_where_three_columns_hold_are_counted_from_a_column_on, 100) {
  const std::uint32_t n_columns = draw.size_between(1, 11), n_read = n_columns + kTripleBlock - 1;
  const AlignedVector<Word> words = random_words(draw, std::size_t{n_read} * kTripleWords);
  const std::uint32_t i = draw.below(n_columns), j = draw.below(n_columns), first = draw.below(n_columns + 1);
  for (const Kernels* each : kernels_of_this_machine()) {
    std::vector<Ticks> counts(n_read, -1);
    each->count_triples({words.data(), n_columns}, i, j, first, counts.data());
    for (std::uint32_t k = first; k < n_columns; ++k) {
      Ticks expected = 0;
      for (std::uint32_t w = 0; w < kTripleWords; ++w)
        expected +=
            std::popcount(words[i * kTripleWords + w] & words[j * kTripleWords + w] & words[k * kTripleWords + w]);
      CHECK_EQUAL(counts[k - first], expected);
    }
  }
}

RANDOM_TEST(rows_differ_in_as_many_bits_as_counted_one_by_one, 200) {
  const std::uint32_t stride = kLanes * draw.size_between(1, 4), n_words = draw.size_between(1, 9);
  const AlignedVector<Word> words = random_words(draw, std::size_t{n_words} * stride);
  const AlignedVector<Word> row = random_words(draw, n_words);
  std::vector<Word> forbidden(n_words, 0);  // few bits, so that some rows are not forbidden
  for (std::uint32_t w = 0; w < n_words; ++w)
    if (draw.percent(30)) forbidden[w] = Word{1} << draw.below(kWordBits);
  std::vector<std::uint8_t> expected;
  Ticks least = kInfinity;
  const std::uint32_t begin = kLanes * draw.below(stride / kLanes), end = begin + 1 + draw.below(stride - begin);
  const auto enough = static_cast<std::uint8_t>(draw.below(255));
  for (std::uint32_t i = 0; i < stride; ++i) {
    Ticks sum = 0;
    bool is_forbidden = false;
    for (std::uint32_t w = 0; w < n_words; ++w) {
      const Word differ = words[std::size_t{w} * stride + i] ^ row[w];
      sum += std::popcount(differ);
      is_forbidden |= (differ & forbidden[w]) != 0;
    }
    least = std::min(least, sum);
    expected.push_back(static_cast<std::uint8_t>(is_forbidden ? 255 : std::min<Ticks>(sum, 254)));
  }
  for (const Kernels* each : kernels_of_this_machine()) {
    const TileView tile{words.data(), n_words, stride};
    std::vector<std::uint8_t> distances(stride);
    CHECK(each->row_distances(row.data(), tile, 0, stride, forbidden.data(), 0, distances.data()) >= stride);
    CHECK(distances == expected);
    // Not before `begin`, and not behind the eight rows with one that is near enough.
    const auto is_near = [enough](std::uint8_t distance) { return distance <= enough; };
    const auto found = std::find_if(expected.begin() + begin, expected.begin() + end, is_near);
    const auto n_compared = std::min(static_cast<std::uint32_t>(found - expected.begin()) / kLanes * kLanes + kLanes,
                                     (end + kLanes - 1) / kLanes * kLanes);
    std::fill(distances.begin(), distances.end(), std::uint8_t{200});
    const std::uint32_t next =
        each->row_distances(row.data(), tile, begin, end, forbidden.data(), enough, distances.data());
    CHECK(next >= n_compared && (next == n_compared || next >= end));
    for (std::uint32_t i = 0; i < stride; ++i)
      CHECK_EQUAL(distances[i], i >= begin && i < n_compared ? expected[i] : 200);
    CHECK_EQUAL(each->least_row_distance(row.data(), tile), least);
  }
}

}  // namespace hornbeam::testing::kernels_test
