// kernels_test.cpp: every instruction set of this machine against counting group by group.
#include "kernels/kernels.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "bounds/pair_stage.hpp"
#include "kernels/extract_plan.hpp"
#include "support/check.hpp"
#include "support/groups.hpp"

namespace hornbeam {

using testing::CostMatrix;
using testing::Group;
using testing::Groups;
using testing::Random;

namespace {

std::vector<const Kernels*> kernels_of_this_machine() {
  std::vector<const Kernels*> found;
  for (const char* name : {"avx512", "avx2", "portable"}) {
    try {
      found.push_back(&kernels(name));
    } catch (const std::invalid_argument&) {
      continue;  // this machine cannot run them
    }
  }
  return found;
}

/// Groups with a bit in each column, and the slots that count them.
struct Counted {
  CostMatrix matrix;
  Costs costs = matrix.costs();
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
    if (target < matrix.n_classes) return group.weight[target];
    if (target == matrix.n_classes + costs.n_loss_prices()) return group.n_rows;
    std::vector<std::int64_t> prices(costs.n_loss_prices());
    costs.add_least_loss_counts(group.weight.data(), prices.data());
    return prices[target - matrix.n_classes];
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

bool bit_at(const AlignedVector<Word>& words, std::uint32_t stride, std::uint32_t column, std::uint32_t bit) {
  return ((words[std::size_t{bit / kWordBits} * stride + column] >> (bit % kWordBits)) & 1) != 0;
}

Word random_mask(Random& draw) {
  const Word dense = draw.word(), sparse = dense & draw.word();
  return draw.choose<Word>({0, ~Word{0}, dense, sparse & draw.word()});
}

/// The hash of one column as kernels/lanes.inl computes it, one word at a time.
Word hash_of_column(const AlignedVector<Word>& words, std::uint32_t stride, std::uint32_t column, Word last_mask) {
  const Word flip = (words[column] & 1) != 0 ? ~Word{0} : Word{0};
  Word hash = 0;
  for (std::size_t at = column; at < words.size(); at += stride) {
    const bool is_last = at + stride >= words.size();
    hash = (hash ^ ((words[at] ^ flip) & (is_last ? last_mask : ~Word{0}))) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

TEST(the_portable_kernels_run_anywhere_and_unknown_ones_nowhere) {
  CHECK_EQUAL(std::string(kernels("portable").name), "portable");
  CHECK_EQUAL(&kernels(), kernels_of_this_machine().front());
  CHECK_THROWS(std::invalid_argument, kernels("abacus"));
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
  const AlignedVector<Ticks> sums = measured(kernels("portable"), counted, nullptr);
  const std::vector<Ticks> total = counted.matrix.measures(counted.groups);
  const Ticks each_group = counted.matrix.largest_loss(counted.groups) / static_cast<Ticks>(counted.groups.size());
  const PairInput input{sums.data(), total.data(), draw.between(0, 2 * each_group + 1), draw.between(1, each_group + 1),
                        draw.between(1, 5)};
  AlignedVector<Word> scratch(kernel_scratch_words(counted.tile(), counted.costs.measures()));
  for (std::uint32_t f = 0; f < counted.n_columns(); ++f) {
    const PairSide expected[2] = {pair_side(counted, f, true, input), pair_side(counted, f, false, input)};
    for (const Kernels* each : kernels_of_this_machine()) {
      PairSide found[2];
      each->pair_stage(counted.tile(), counted.costs.measures(), input, &f, 1, found, scratch.data());
      for (int side = 0; side < 2; ++side) {
        CHECK_EQUAL(found[side].stump_loss, expected[side].stump_loss);
        CHECK_EQUAL(found[side].three_leaf_loss, expected[side].three_leaf_loss);
        CHECK(found[side].four_leaves == expected[side].four_leaves);
      }
    }
  }
}

RANDOM_TEST(the_pair_stage_finds_the_same_for_a_batch_of_columns_as_for_each_alone, 100) {
  const Counted counted =
      draw.percent(20) ? Counted(draw, draw.size_between(1, 20), 64 * kStripeWords * 2 + 100, 1) : random_counted(draw);
  const Measures measures = counted.costs.measures();
  const AlignedVector<Ticks> sums = measured(kernels(), counted, nullptr);
  const std::vector<Ticks> total = counted.matrix.measures(counted.groups);
  const Ticks each_group = counted.matrix.largest_loss(counted.groups) / static_cast<Ticks>(counted.groups.size());
  const PairInput input{sums.data(), total.data(), draw.between(0, 2 * each_group + 1), draw.between(1, each_group + 1),
                        draw.between(1, 5)};
  const std::uint32_t n = draw.size_between(2, kPairBatch);
  std::vector<std::uint32_t> columns(n);
  for (std::uint32_t& column : columns) column = draw.below(counted.n_columns());
  AlignedVector<Word> scratch(kernel_scratch_words(counted.tile(), measures, n), ~Word{0});
  for (const Kernels* each : kernels_of_this_machine()) {
    std::vector<PairSide> found(2 * n);
    each->pair_stage(counted.tile(), measures, input, columns.data(), n, found.data(), scratch.data());
    for (std::uint32_t i = 0; i < n; ++i) {
      PairSide alone[2];
      each->pair_stage(counted.tile(), measures, input, &columns[i], 1, alone, scratch.data());
      for (std::size_t side = 0; side < 2; ++side) {
        CHECK_EQUAL(found[2 * i + side].stump_loss, alone[side].stump_loss);
        CHECK_EQUAL(found[2 * i + side].three_leaf_loss, alone[side].three_leaf_loss);
        CHECK(found[2 * i + side].four_leaves == alone[side].four_leaves);
      }
    }
  }
}

RANDOM_TEST(marks_are_the_weights_that_have_a_bit_or_are_large_enough, 100) {
  const std::uint32_t n_words = draw.size_between(1, 4);
  AlignedVector<std::int64_t> weight(std::size_t{n_words} * kWordBits);
  const std::int64_t heaviest = draw.choose<std::int64_t>({1, 9, std::int64_t{1} << 40, kLargestTotal});
  for (std::int64_t& each : weight) each = draw.between(0, heaviest);
  const std::int64_t bit = std::int64_t{1} << draw.below(52), least = draw.between(1, heaviest);
  for (const Kernels* each : kernels_of_this_machine()) {
    std::vector<Word> with_bit(n_words), large(n_words);
    each->mark_bit(weight.data(), bit, with_bit.data(), n_words);
    each->mark_at_least(weight.data(), least, large.data(), n_words);
    for (std::uint32_t i = 0; i < n_words * kWordBits; ++i) {
      CHECK(((with_bit[i / kWordBits] >> (i % kWordBits)) & 1) == ((weight[i] & bit) != 0 ? 1u : 0u));
      CHECK(((large[i / kWordBits] >> (i % kWordBits)) & 1) == (weight[i] >= least ? 1u : 0u));
    }
  }
}

RANDOM_TEST(extraction_appends_the_chosen_bits_of_the_chosen_columns_in_order, 150) {
  const std::uint32_t stride = kLanes * draw.size_between(1, 3), n_words = draw.size_between(1, 5);
  const AlignedVector<Word> source = random_words(draw, std::size_t{n_words} * stride);
  const bool takes_all = draw.percent(50);
  std::vector<std::uint32_t> columns(takes_all ? stride : draw.below(stride + 1));
  for (std::uint32_t i = 0; i < columns.size(); ++i) columns[i] = takes_all ? i : draw.below(stride);
  const auto n_columns = static_cast<std::uint32_t>(columns.size());

  std::vector<ExtractWord> plan;
  std::vector<std::uint32_t> chosen;  // source bit of each target bit
  std::uint32_t n_bits = 0;
  for (std::uint32_t repeat = draw.size_between(1, 6); repeat > 0; --repeat) {
    std::vector<Word> masks(n_words);
    for (Word& mask : masks) mask = random_mask(draw);
    n_bits = append_extraction(masks.data(), n_words, n_bits, plan);
    for (std::uint32_t bit = 0; bit < n_words * kWordBits; ++bit)
      if (((masks[bit / kWordBits] >> (bit % kWordBits)) & 1) != 0) chosen.push_back(bit);
  }
  CHECK_EQUAL(n_bits, chosen.size());

  for (const Kernels* each : kernels_of_this_machine()) {
    std::vector<ExtractWord> prepared = plan;
    each->prepare(prepared.data(), prepared.size());
    AlignedVector<Word> target(std::size_t{words_for(n_bits)} * stride, 0);
    each->extract({source.data(), n_words, stride}, takes_all ? nullptr : columns.data(), n_columns, prepared.data(),
                  prepared.size(), target.data(), stride);
    for (std::uint32_t c = 0; c < stride; ++c)
      for (std::uint32_t bit = 0; bit < words_for(n_bits) * kWordBits; ++bit)
        CHECK(bit_at(target, stride, c, bit) ==
              (c < n_columns && bit < n_bits && bit_at(source, stride, columns[c], chosen[bit])));
  }
}

RANDOM_TEST(hashes_equal_the_scalar_ones_and_do_not_tell_a_column_from_its_complement, 100) {
  const std::uint32_t stride = kLanes * draw.size_between(1, 3), n_words = draw.size_between(1, 5);
  AlignedVector<Word> words = random_words(draw, std::size_t{n_words} * stride);
  const Word last_mask = ~Word{0} >> draw.below(kWordBits);
  for (std::uint32_t w = 0; w < n_words; ++w) {
    const Word valid = w + 1 == n_words ? last_mask : ~Word{0};
    words[std::size_t{w} * stride + 1] = ~words[std::size_t{w} * stride] & valid;
    words[std::size_t{w} * stride + 2] = 0;
    words[std::size_t{w} * stride + 3] = valid;
  }
  for (const Kernels* each : kernels_of_this_machine()) {
    AlignedVector<Word> hashes(stride);
    each->hash_columns({words.data(), n_words, stride}, last_mask, hashes.data());
    for (std::uint32_t c = 0; c < stride; ++c) CHECK_EQUAL(hashes[c], hash_of_column(words, stride, c, last_mask));
    CHECK_EQUAL(hashes[0], hashes[1]);
    CHECK_EQUAL(hashes[2], Word{0});
    CHECK_EQUAL(hashes[3], Word{0});
    CHECK(n_words == 1 || hashes[0] != hashes[4]);
  }
}

}  // namespace hornbeam
