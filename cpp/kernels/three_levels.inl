// kernels/three_levels.inl
//
// WHAT    The kernels of shallow/three_levels: the losses of all triples of few columns, on sixteen 32-bit lanes.
//         Included by lanes.inl after two_levels.inl.

void count_pairs(const TripleRow& in, std::uint32_t column, std::int32_t* scratch) {
  const PairRow& pairs = in.pairs;
  for (std::uint32_t w = 0; w < pairs.n_words; ++w) scratch[w] = pairs.words[std::size_t{w} * pairs.stride + column];
  for (std::uint32_t block = 0; block < pairs.stride; block += kNarrowLanes) {
    NarrowLanes count[kMostNarrowTargets];
    count_with(pairs, pairs.n_targets, scratch, block, count);
    for (std::uint32_t k = 0; k < pairs.n_targets; ++k)
      store_narrow(in.counts + (std::size_t{column} * pairs.n_targets + k) * pairs.stride + block, count[k]);
  }
}

/// Two columns and the stumps of all columns below them.
template <int kTargets>
HORNBEAM_KERNEL void triple_as(const TripleRow& in, std::uint32_t i, std::uint32_t j, std::int32_t* scratch) {
  const PairRow& pairs = in.pairs;
  constexpr std::uint32_t kMost = kTargets > 0 ? kTargets : kMostNarrowTargets;
  const std::uint32_t n_targets = kTargets > 0 ? kTargets : pairs.n_targets;
  const std::size_t stride = pairs.stride;
  for (std::uint32_t w = 0; w < pairs.n_words; ++w)
    scratch[w] = pairs.words[w * stride + i] & pairs.words[w * stride + j];
  NarrowLanes total[kMost][4], least[4];  // of each cell
  for (std::uint32_t k = 0; k < n_targets; ++k) {
    const std::int32_t both = in.counts[(std::size_t{i} * n_targets + k) * stride + j];
    const std::int32_t of_i = pairs.sums[k * stride + i] - both, of_j = pairs.sums[k * stride + j] - both;
    const std::int32_t cell[4] = {pairs.total[k] - of_i - of_j - both, of_j, of_i, both};
    for (int c = 0; c < 4; ++c) total[k][c] = narrow(cell[c]);
  }
  for (NarrowLanes& each : least) each = narrow(kNarrowInfinity);
  for (std::uint32_t block = 0; block < pairs.stride; block += kNarrowLanes) {
    NarrowLanes count[kMost], sum[4] = {}, most_held[4] = {}, most_failed[4] = {}, loss[4] = {};
    count_with(pairs, n_targets, scratch, block, count);
    NarrowLanes first_held[4], first_failed[4];
    for (std::uint32_t k = 0; k < n_targets; ++k) {
      const NarrowLanes with_i = load_narrow(in.counts + (std::size_t{i} * n_targets + k) * stride + block) - count[k];
      const NarrowLanes with_j = load_narrow(in.counts + (std::size_t{j} * n_targets + k) * stride + block) - count[k];
      const NarrowLanes alone = load_narrow(pairs.sums + k * stride + block) - with_i - with_j - count[k];
      const NarrowLanes held[4] = {alone, with_j, with_i, count[k]};
      for (int c = 0; c < 4; ++c) {
        const NarrowLanes failed = total[k][c] - held[c];
        if (kTargets == 2) {
          if (k == 1) loss[c] = smaller(first_held[c], held[c]) + smaller(first_failed[c], failed);
          first_held[c] = held[c];
          first_failed[c] = failed;
        } else {
          sum[c] += total[k][c];
          most_held[c] = larger(most_held[c], held[c]);
          most_failed[c] = larger(most_failed[c], failed);
        }
      }
    }
    for (int c = 0; c < 4; ++c) {
      if (kTargets != 2) loss[c] = sum[c] - most_held[c] - most_failed[c];
      least[c] = smaller(least[c], loss[c]);
    }
  }
  for (std::size_t c = 0; c < 4; ++c) in.stump_loss[c * stride + j] = smallest_lane(least[c]);
}

void triple_row(const TripleRow& in, std::uint32_t column, std::int32_t* scratch) {
  const bool has_two = in.pairs.n_targets == 2;
  for (std::uint32_t j = column + 1; j < in.n_columns; ++j) {
    if (has_two)
      triple_as<2>(in, column, j, scratch);
    else
      triple_as<0>(in, column, j, scratch);
  }
}
