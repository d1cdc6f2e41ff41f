// kernels/row_distances.inl
//
// WHAT    In how many bits one row differs from the rows of a tile. Included by lanes.inl.
// CHOICE  Word-major like every tile, with rows in the place of columns: a vector compares eight rows at once.

void row_distances(const Word* row, TileView rows, const Word* forbidden, std::uint8_t* distances) {
  typedef std::uint8_t Bytes __attribute__((vector_size(kLanes)));
  const Lanes none{}, most = all_lanes(254), no_distance = all_lanes(255);
  for (std::uint32_t block = 0; block < rows.stride; block += kLanes) {
    Lanes sum{};
    Lanes hit{};
    for (std::uint32_t w = 0; w < rows.n_words; ++w) {
      const Lanes differ = load(rows.words + std::size_t{w} * rows.stride + block) ^ static_cast<Ticks>(row[w]);
      sum += popcount(differ);
      hit |= differ & static_cast<Ticks>(forbidden[w]);
    }
    sum = hit != none ? no_distance : smaller(sum, most);
    const Bytes bytes = __builtin_convertvector(sum, Bytes);
    __builtin_memcpy(distances + block, &bytes, sizeof bytes);
  }
}

Ticks least_row_distance(const Word* row, TileView rows) {
  Lanes least = all_lanes(kInfinity);
  for (std::uint32_t block = 0; block < rows.stride; block += kLanes) {
    Lanes sum{};
    for (std::uint32_t w = 0; w < rows.n_words; ++w)
      sum += popcount(load(rows.words + std::size_t{w} * rows.stride + block) ^ static_cast<Ticks>(row[w]));
    least = smaller(least, sum);
  }
  return smallest_lane(least);
}
