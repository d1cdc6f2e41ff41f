// kernels/sums.inl
//
// WHAT    The kernels of shallow/sum_solver: what leaves and stumps below one column, or below two, explain, for eight
//         columns at once. Included by lanes.inl.

/// How many sums a formula has; known when compiled where it is one.
template <class Formula>
HORNBEAM_KERNEL std::uint32_t n_sums_of(const SumColumns& in) {
  return Formula::kHasTwoSums ? 1 : in.n_sums;
}

/// Raises what a leaf explains by one of its sums.
template <class Formula>
HORNBEAM_KERNEL void explain(const models::Measures& m, const SumColumns& in, Lanes sum, Lanes& explained) {
  if constexpr (Formula::kHasTwoSums)
    explained = Formula::template explained<Lanes>(m, sum >> in.shift, sum & all_lanes((Ticks{1} << in.shift) - 1));
  else
    explained = larger(explained, sum);
}

HORNBEAM_KERNEL Ticks largest_lane(Lanes v) { return -smallest_lane(-v); }

HORNBEAM_KERNEL void raise(Ticks* to, Lanes by) { store(to, larger(load(to), by)); }

template <class Formula>
void pair_sums_as(const models::Measures m, const SumColumns& in, std::uint32_t i, Ticks* leaf, Ticks* const* stump) {
  Lanes most[2] = {};
  for (std::uint32_t block = i / kLanes * kLanes; block < in.stride; block += kLanes) {
    Lanes here[4] = {};
    for (std::size_t s = 0; s < n_sums_of<Formula>(in); ++s) {
      const Ticks* const sums = in.sums + s * in.stride;
      const Lanes of_i = all_lanes(sums[i]), of_k = load(sums + block);
      const Lanes both = load(in.pairs + s * in.n_of_pairs + std::size_t{i} * in.stride + block);
      const Lanes cell[4] = {all_lanes(in.totals[s]) - of_i - of_k + both, of_k - both, of_i - both, both};
      for (std::size_t c = 0; c < 4; ++c) explain<Formula>(m, in, cell[c], here[c]);
    }
    for (std::size_t c = 0; c < 4; ++c) store(leaf + c * in.stride + block, here[c]);
    for (std::size_t x = 0; x < 2; ++x) {
      most[x] = larger(most[x], here[2 * x] + here[2 * x + 1]);
      raise(stump[x] + block, here[x] + here[2 + x]);
    }
  }
  for (std::size_t x = 0; x < 2; ++x) stump[x][i] = std::max(stump[x][i], largest_lane(most[x]));
}

void pair_sums(const models::Measures& m, const SumColumns& in, std::uint32_t i, Ticks* leaf, Ticks* const* stump) {
  models::with_sums(m, [&](auto formula) { pair_sums_as<decltype(formula)>(m, in, i, leaf, stump); });
}

/// What leaves explain in the cells of columns i and j, by 2 * (i holds) + (j holds), on both sides of a block of columns.
template <class Formula>
HORNBEAM_KERNEL void explain_triples(const models::Measures& m, const SumColumns& in, std::uint32_t i, std::uint32_t j,
                                     TripleSums triples, std::uint32_t block, Lanes (&cell)[4][2]) {
  for (std::size_t s = 0; s < n_sums_of<Formula>(in); ++s) {
    const Ticks *const sums = in.sums + s * in.stride, *const pairs = in.pairs + s * in.n_of_pairs;
    const Ticks *const with_i = pairs + std::size_t{i} * in.stride, *const with_j = pairs + std::size_t{j} * in.stride;
    const Ticks both = with_i[j];
    const Ticks total[4] = {in.totals[s] - sums[i] - sums[j] + both, sums[j] - both, sums[i] - both, both};
    const Lanes all = load(triples.first + s * triples.n_of_sum + block);
    const Lanes only_i = load(with_i + block) - all, only_j = load(with_j + block) - all;
    const Lanes held[4] = {load(sums + block) - only_i - only_j - all, only_j, only_i, all};
    for (int c = 0; c < 4; ++c) {
      explain<Formula>(m, in, all_lanes(total[c]) - held[c], cell[c][0]);
      explain<Formula>(m, in, held[c], cell[c][1]);
    }
  }
}

/// One block of columns k below columns i and j, of which those up to j do not count if it is the first.
template <class Formula, bool kIsFirst>
HORNBEAM_KERNEL void triple_block(const models::Measures& m, const SumColumns& in, std::uint32_t i, std::uint32_t j,
                                  TripleSums triples, Ticks* stump, std::uint32_t block, Lanes* most) {
  Lanes cell[4][2] = {};
  explain_triples<Formula>(m, in, i, j, triples, block, cell);
  if (kIsFirst) {
    const Lanes number = Lanes{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<Ticks>(block);
    const Lanes counts = number > static_cast<Ticks>(j);
    for (auto& each : cell)
      for (Lanes& side : each) side &= counts;
  }
  const std::size_t stride = in.stride;
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
                    TripleSums triples, Ticks* stump) {
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

void triple_sums(const models::Measures& m, const SumColumns& in, std::uint32_t i, std::uint32_t j, TripleSums triples,
                 Ticks* stump) {
  models::with_sums(m, [&](auto formula) { triple_sums_as<decltype(formula)>(m, in, i, j, triples, stump); });
}
