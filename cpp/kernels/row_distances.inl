// kernels/row_distances.inl
//
// WHAT    In how many bits one row differs from the rows of a tile. Included by lanes.inl.
// CHOICE  Word-major like every tile, with rows in the place of columns: a vector compares eight rows at once. Rows are
//         short, so the number of words is a constant of the loop up to kMostWords: the row then stays in registers.

constexpr std::uint32_t kMostWords = 4;

/// Calls `visit` with `n_words` as a constant, or with 0 where it is above kMostWords.
template <class Visit>
HORNBEAM_KERNEL auto with_words(std::uint32_t n_words, Visit visit) {
  static_assert(kMostWords == 4);
  switch (n_words) {
    case 1: return visit(std::integral_constant<std::uint32_t, 1>{});
    case 2: return visit(std::integral_constant<std::uint32_t, 2>{});
    case 3: return visit(std::integral_constant<std::uint32_t, 3>{});
    case 4: return visit(std::integral_constant<std::uint32_t, 4>{});
    default: return visit(std::integral_constant<std::uint32_t, 0>{});
  }
}

/// One word of a row in each lane. The copies are no longer read from memory, which a store of bytes might change.
template <std::uint32_t kWords>
struct RowLanes {
  explicit RowLanes(const Word* words) : row(words) {
    for (std::uint32_t w = 0; w < kWords; ++w) lanes[w] = all_lanes(static_cast<Ticks>(words[w]));
  }
  HORNBEAM_KERNEL Lanes operator[](std::uint32_t w) const {
    if constexpr (kWords > 0)
      return lanes[w];
    else
      return all_lanes(static_cast<Ticks>(row[w]));
  }
  const Word* row;
  Lanes lanes[kWords > 0 ? kWords : 1];
};

/// Distances are short: the lesser of two in 32-bit lanes takes one cycle, in 64-bit ones three or a comparison.
HORNBEAM_KERNEL Lanes nearer(Lanes a, Lanes b) {
  return reinterpret_cast<Lanes>(smaller(reinterpret_cast<NarrowLanes>(a), reinterpret_cast<NarrowLanes>(b)));
}

std::uint32_t row_distances(const Word* row, TileView rows, std::uint32_t begin, std::uint32_t end,
                            const Word* forbidden, std::uint8_t enough, std::uint8_t* distances) {
  typedef std::uint8_t Bytes __attribute__((vector_size(kLanes)));
  // Captured by value, so that no store of bytes can change them.
  return with_words(rows.n_words, [=](auto words) {
    const std::uint32_t n_words = words > 0 ? words : rows.n_words;
    const RowLanes<words> row_lanes(row), forbidden_lanes(forbidden);
    const Lanes none{}, most = all_lanes(254), no_distance = all_lanes(255), enough_lanes = all_lanes(enough);
    for (std::uint32_t block = begin; block < end; block += kLanes) {
      Lanes sum{};
      Lanes hit{};
      for (std::uint32_t w = 0; w < n_words; ++w) {
        const Lanes differ = load(rows.words + std::size_t{w} * rows.stride + block) ^ row_lanes[w];
        sum += popcount(differ);
        hit |= differ & forbidden_lanes[w];
      }
      sum = hit != none ? no_distance : nearer(sum, most);
      const Bytes bytes = __builtin_convertvector(sum, Bytes);
      __builtin_memcpy(distances + block, &bytes, sizeof bytes);
      if (mask_of(sum <= enough_lanes) != 0) return block + kLanes;
    }
    return padded_to_lanes(end);
  });
}

Ticks least_row_distance(const Word* row, TileView rows) {
  return with_words(rows.n_words, [=](auto words) {
    const std::uint32_t n_words = words > 0 ? words : rows.n_words;
    const RowLanes<words> row_lanes(row);
    Lanes least = all_lanes(kNarrowInfinity);
    for (std::uint32_t block = 0; block < rows.stride; block += kLanes) {
      Lanes sum{};
      for (std::uint32_t w = 0; w < n_words; ++w)
        sum += popcount(load(rows.words + std::size_t{w} * rows.stride + block) ^ row_lanes[w]);
      least = nearer(least, sum);
    }
    return smallest_lane(least);
  });
}
