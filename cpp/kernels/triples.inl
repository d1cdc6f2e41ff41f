// kernels/triples.inl
//
// WHAT    The kernel of data/triple_counter: the rows where three columns hold, for a block of third columns at once.
//         Included by lanes.inl.
// COST    Three steps of a vector for 512 rows of a triple, and three more for all 4,096.

/// Lane q of the result is the sum of the lanes of v[q].
HORNBEAM_KERNEL void store_sums(const Lanes (&v)[kTripleBlock], Ticks* to) {
  Lanes pairs[2];
  for (std::size_t q = 0; q < 2; ++q)
    pairs[q] = __builtin_shufflevector(v[2 * q], v[2 * q + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(v[2 * q], v[2 * q + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  const Lanes fours = __builtin_shufflevector(pairs[0], pairs[1], 0, 1, 8, 9, 4, 5, 12, 13) +
                      __builtin_shufflevector(pairs[0], pairs[1], 2, 3, 10, 11, 6, 7, 14, 15);
  for (int q = 0; q < 4; ++q) to[q] = fours[q] + fours[q + 4];
}

void count_triples(const TripleTile& tile, std::uint32_t i, std::uint32_t j, std::uint32_t first, Ticks* counts) {
  constexpr std::size_t kVectors = kTripleWords / kLanes;
  static_assert(kTripleBlock == 4 && kTripleWords % kLanes == 0);
  const auto column = [&](std::uint32_t c) { return tile.columns + std::size_t{c} * kTripleWords; };
  Lanes both[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) both[v] = load(column(i) + v * kLanes) & load(column(j) + v * kLanes);
  for (std::uint32_t k = first; k < tile.n_columns; k += kTripleBlock) {
    Lanes set_bits[kTripleBlock] = {};
    for (std::size_t v = 0; v < kVectors; ++v)
      for (std::uint32_t q = 0; q < kTripleBlock; ++q)
        set_bits[q] += popcount(both[v] & load(column(k + q) + v * kLanes));
    store_sums(set_bits, counts + (k - first));
  }
}
