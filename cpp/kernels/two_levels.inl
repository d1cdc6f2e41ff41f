// kernels/two_levels.inl
//
// WHAT    The kernels of shallow/two_levels: the losses of all pairs of columns, on sixteen 32-bit lanes, and the
//         transposition of bit blocks. Included by lanes.inl; `popcount(NarrowLanes)` comes from the including file.

/// One stage of the recursive block swap (Warren, Hacker's Delight, section 7-3) between vectors `distance` apart.
template <int kWidth>
HORNBEAM_KERNEL void swap_stage(WordLanes* v, Word mask) {
  constexpr int kDistance = kWidth >= 8 ? kWidth / 8 : kWidth;
  for (int i = 0; i < 8; ++i) {
    if (i & kDistance) continue;
    const WordLanes swapped = ((v[i] >> Word{kWidth}) ^ v[i + kDistance]) & mask;
    v[i] ^= swapped << Word{kWidth};
    v[i + kDistance] ^= swapped;
  }
}

/// Lane i of vector j changes places with lane j of vector i.
HORNBEAM_KERNEL void transpose_lanes(WordLanes* v) {
  WordLanes a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      b[i + j] = __builtin_shufflevector(a[i + j], a[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + j + 2] = __builtin_shufflevector(a[i + j], a[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int j = 0; j < 4; ++j) {
    v[j] = __builtin_shufflevector(b[j], b[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[j + 4] = __builtin_shufflevector(b[j], b[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

void transpose(Word* block) {
  WordLanes v[8];
  for (std::size_t i = 0; i < 8; ++i) v[i] = reinterpret_cast<WordLanes>(load(block + 8 * i));
  swap_stage<32>(v, 0x00000000ffffffffULL);
  swap_stage<16>(v, 0x0000ffff0000ffffULL);
  swap_stage<8>(v, 0x00ff00ff00ff00ffULL);
  transpose_lanes(v);
  swap_stage<4>(v, 0x0f0f0f0f0f0f0f0fULL);
  swap_stage<2>(v, 0x3333333333333333ULL);
  swap_stage<1>(v, 0x5555555555555555ULL);
  transpose_lanes(v);
  for (std::size_t i = 0; i < 8; ++i) store(block + 8 * i, reinterpret_cast<Lanes>(v[i]));
}

/// Weighs each target where all rows of `mask` and each column of a block hold.
HORNBEAM_KERNEL void count_with(const PairRow& in, std::uint32_t n_targets, const std::int32_t* mask,
                                std::uint32_t block, NarrowLanes* count) {
  for (std::uint32_t k = 0; k < n_targets; ++k) count[k] = NarrowLanes{};
  for (std::uint32_t s = 0; s < in.n_segments; ++s) {
    const Segment& segment = in.segments[s];
    const std::int32_t* word = in.words + std::size_t{segment.begin} * in.stride + block;
    NarrowLanes set_bits{};
    for (std::uint32_t w = segment.begin; w < segment.end; ++w, word += in.stride)
      set_bits += popcount(load_narrow(word) & narrow(mask[w]));
    const NarrowLanes weighed = set_bits << static_cast<std::int32_t>(segment.shift);
    for (std::uint32_t k = 0; k < n_targets; ++k)
      if (k == segment.target) count[k] += weighed;
  }
}

/// `kTargets` > 0 fixes the number of targets at compile time.
template <int kTargets>
HORNBEAM_KERNEL void pair_row_as(const PairRow& in, std::uint32_t column, std::int32_t* scratch) {
  constexpr std::uint32_t kMost = kTargets > 0 ? kTargets : kMostNarrowTargets;
  const std::uint32_t n_targets = kTargets > 0 ? kTargets : in.n_targets;
  for (std::uint32_t w = 0; w < in.n_words; ++w) scratch[w] = in.words[std::size_t{w} * in.stride + column];
  NarrowLanes held[kMost], failed[kMost];  // of the column itself
  for (std::uint32_t k = 0; k < n_targets; ++k) {
    held[k] = narrow(in.sums[std::size_t{k} * in.stride + column]);
    failed[k] = narrow(in.total[k]) - held[k];
  }
  NarrowLanes least_held = narrow(kNarrowInfinity), least_failed = least_held;
  for (std::uint32_t i = 0; i < in.n_blocks; ++i) {
    const std::uint32_t block = in.blocks[i];
    NarrowLanes count[kMost];
    count_with(in, n_targets, scratch, block, count);
    // Cells: a where both hold, b where only `column` holds, c where only the other one holds, d where none holds.
    NarrowLanes sum_a{}, sum_b{}, sum_c{}, sum_d{}, most_a{}, most_b{}, most_c{}, most_d{};
    NarrowLanes loss_a, loss_b, loss_c, loss_d;
    for (std::uint32_t k = 0; k < n_targets; ++k) {
      const NarrowLanes a = count[k], b = held[k] - a;
      const NarrowLanes c = load_narrow(in.sums + std::size_t{k} * in.stride + block) - a, d = failed[k] - c;
      if (kTargets == 2 && k == 1) {
        loss_a = smaller(sum_a, a), loss_b = smaller(sum_b, b), loss_c = smaller(sum_c, c), loss_d = smaller(sum_d, d);
      }
      sum_a += a, sum_b += b, sum_c += c, sum_d += d;
      if (kTargets != 2)
        most_a = larger(most_a, a), most_b = larger(most_b, b), most_c = larger(most_c, c), most_d = larger(most_d, d);
    }
    if (kTargets != 2)
      loss_a = sum_a - most_a, loss_b = sum_b - most_b, loss_c = sum_c - most_c, loss_d = sum_d - most_d;
    store_narrow(in.distance + block, smaller(sum_b + sum_c, sum_a + sum_d));
    least_held = smaller(least_held, loss_a + loss_b);
    least_failed = smaller(least_failed, loss_c + loss_d);
    std::int32_t* other_held = in.stump_loss[1] + block;
    std::int32_t* other_failed = in.stump_loss[0] + block;
    store_narrow(other_held, smaller(load_narrow(other_held), loss_a + loss_c));
    store_narrow(other_failed, smaller(load_narrow(other_failed), loss_b + loss_d));
  }
  std::int32_t& own_held = in.stump_loss[1][column];
  std::int32_t& own_failed = in.stump_loss[0][column];
  const std::int32_t here_held = smallest_lane(least_held), here_failed = smallest_lane(least_failed);
  own_held = here_held < own_held ? here_held : own_held;
  own_failed = here_failed < own_failed ? here_failed : own_failed;
}

void pair_row(const PairRow& in, std::uint32_t column, std::int32_t* scratch) {
  if (in.n_targets == 2) return pair_row_as<2>(in, column, scratch);
  pair_row_as<0>(in, column, scratch);
}

void raise_by_distance(const PairRow& in, std::int32_t level, std::int32_t* bound) {
  for (std::uint32_t i = 0; i < in.n_blocks; ++i) {
    std::int32_t* here = bound + in.blocks[i];
    store_narrow(here, larger(load_narrow(here), narrow(level) - load_narrow(in.distance + in.blocks[i])));
  }
}
