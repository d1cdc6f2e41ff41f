// kernels/two_sums.inl
//
// WHAT    The kernels of shallow/two_sums: what leaves and stumps below one column, or below two, explain, for eight
//         columns at once. Included by lanes.inl.

/// Of packed sums (PackedSums).
template <class Formula>
HORNBEAM_INLINE Lanes explained(const models::Measures& m, Lanes packed, Ticks shift, Ticks mask) {
  return Formula::template explained<Lanes>(m, packed >> shift, packed & all_lanes(mask));
}

HORNBEAM_INLINE Ticks largest_lane(Lanes v) { return -smallest_lane(-v); }

HORNBEAM_INLINE void raise(Ticks* to, Lanes by) { store(to, larger(load(to), by)); }

template <class Formula>
void pair_sums_as(const models::Measures m, const SumColumns& in, std::uint32_t i, Ticks* leaf, Ticks* const* stump) {
  const Ticks shift = in.shift, mask = (Ticks{1} << shift) - 1;
  const Ticks* pairs = in.pairs + std::size_t{i} * in.stride;
  const Lanes of_i = all_lanes(in.sums[i]), total = all_lanes(in.total);
  Lanes most[2] = {};
  for (std::uint32_t block = i / kLanes * kLanes; block < in.stride; block += kLanes) {
    const Lanes both = load(pairs + block), of_k = load(in.sums + block);
    const Lanes cell[4] = {total - of_i - of_k + both, of_k - both, of_i - both, both};
    Lanes here[4];
    for (std::size_t c = 0; c < 4; ++c) {
      here[c] = explained<Formula>(m, cell[c], shift, mask);
      store(leaf + c * in.stride + block, here[c]);
    }
    for (std::size_t x = 0; x < 2; ++x) {
      most[x] = larger(most[x], here[2 * x] + here[2 * x + 1]);
      raise(stump[x] + block, here[x] + here[2 + x]);
    }
  }
  for (std::size_t x = 0; x < 2; ++x) stump[x][i] = std::max(stump[x][i], largest_lane(most[x]));
}

void pair_sums(const models::Measures& m, const SumColumns& in, std::uint32_t i, Ticks* leaf, Ticks* const* stump) {
  models::with_two_sums(m, [&](auto formula) { pair_sums_as<decltype(formula)>(m, in, i, leaf, stump); });
}

/// One block of columns k below columns i and j, of which those up to j do not count if it is the first.
template <class Formula, bool kIsFirst>
HORNBEAM_INLINE void triple_block(const models::Measures& m, const SumColumns& in, std::uint32_t i, std::uint32_t j,
                                  const Ticks* triples, Ticks* stump, std::uint32_t block, Lanes* most) {
  const Ticks shift = in.shift, mask = (Ticks{1} << shift) - 1;
  const std::size_t stride = in.stride;
  const Ticks both_ij = in.pairs[i * stride + j];
  const Ticks total[4] = {in.total - in.sums[i] - in.sums[j] + both_ij, in.sums[j] - both_ij, in.sums[i] - both_ij,
                          both_ij};
  const Lanes all = load(triples + block), with_i = load(in.pairs + i * stride + block) - all;
  const Lanes with_j = load(in.pairs + j * stride + block) - all;
  const Lanes alone = load(in.sums + block) - with_i - with_j - all;
  const Lanes held[4] = {alone, with_j, with_i, all};  // of k, by 2 * (i holds) + (j holds)
  Lanes cell[4][2];
  for (int c = 0; c < 4; ++c) {
    cell[c][1] = explained<Formula>(m, held[c], shift, mask);
    cell[c][0] = explained<Formula>(m, all_lanes(total[c]) - held[c], shift, mask);
  }
  if (kIsFirst) {
    const Lanes number = Lanes{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<Ticks>(block);
    const Lanes counts = number > static_cast<Ticks>(j);
    for (auto& each : cell)
      for (Lanes& side : each) side &= counts;
  }
  Ticks *below_i = stump + std::size_t{4} * i * stride + block, *below_j = stump + std::size_t{4} * j * stride + block;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t of_first = c / 2, of_k = c % 2;  // of i, or of j
    most[c] = larger(most[c], cell[c][0] + cell[c][1]);
    raise(below_i + c * stride, cell[2 * of_first][of_k] + cell[2 * of_first + 1][of_k]);
    raise(below_j + c * stride, cell[of_first][of_k] + cell[2 + of_first][of_k]);
  }
}

template <class Formula>
void triple_sums_as(const models::Measures m, const SumColumns& in, std::uint32_t i, std::uint32_t j,
                    const Ticks* triples, Ticks* stump) {
  Lanes most[4] = {};
  std::uint32_t block = j / kLanes * kLanes;
  triple_block<Formula, true>(m, in, i, j, triples, stump, block, most);
  for (block += kLanes; block < in.stride; block += kLanes)
    triple_block<Formula, false>(m, in, i, j, triples, stump, block, most);
  for (std::size_t c = 0; c < 4; ++c) {
    Ticks& known = stump[(4 * std::size_t{i} + c) * in.stride + j];
    known = std::max(known, largest_lane(most[c]));
  }
}

void triple_sums(const models::Measures& m, const SumColumns& in, std::uint32_t i, std::uint32_t j,
                 const Ticks* triples, Ticks* stump) {
  models::with_two_sums(m, [&](auto formula) { triple_sums_as<decltype(formula)>(m, in, i, j, triples, stump); });
}
