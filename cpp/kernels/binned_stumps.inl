// kernels/binned_stumps.inl
//
// WHAT    The kernels of sorted/binned_roots: sums of the rows in each bin of every variable, and the best stumps on
//         both sides of one root split, given these sums of its true side. Included by lanes.inl.
// CHOICE  A row adds four words to a bin of each variable at once. Stumps are compared eight at a time.

/// The sums of the rows of one bin, or of several; in memory, four words of a TickVector's lanes.
typedef Ticks BinSums __attribute__((vector_size(4 * sizeof(Ticks))));
typedef BinSums BinSumsInMemory __attribute__((may_alias, aligned(sizeof(Ticks))));

HORNBEAM_KERNEL BinSums sums_at(const Ticks* sums, std::size_t bin) {
  return *reinterpret_cast<const BinSumsInMemory*>(sums + kBinSums * bin);
}

void add_to_bins(const BinnedRows& in, std::uint32_t begin, std::uint32_t end, Ticks* sums, Ticks* passed) {
  constexpr std::uint32_t kFetchBinsAhead = 16;
  BinSums all = sums_at(passed, 0);
  for (std::uint32_t i = begin; i < end; ++i) {
    if (i + kFetchBinsAhead < in.n_rows)
      __builtin_prefetch(in.records + (in.entries[i + kFetchBinsAhead] >> 8) * in.record_size);
    const TickVector* const record = in.records + (in.entries[i] >> 8) * in.record_size;
    const BinSums row = *reinterpret_cast<const BinSumsInMemory*>(record);
    const std::uint16_t* const bins = reinterpret_cast<const std::uint16_t*>(record->lanes + kBinSums);
    all += row;
    for (std::uint32_t v = 0; v < in.n_variables; ++v)
      *reinterpret_cast<BinSumsInMemory*>(sums + kBinSums * std::size_t{bins[v]}) += row;
  }
  *reinterpret_cast<BinSumsInMemory*>(passed) = all;
}

struct SquaresGain {
  HORNBEAM_KERNEL Lanes operator()(Lanes weight, Lanes sum) const {
    return models::squares_explained<Lanes>(sum, weight);
  }
};
struct ConvexGain {
  models::ConvexBuckets buckets;
  HORNBEAM_KERNEL Lanes operator()(Lanes first, Lanes second) const {
    return models::convex_explained<Lanes>(buckets, first, second);
  }
};

/// Sum k of eight bins in a row.
struct EightBins {
  Lanes of[kBinSums];
};
HORNBEAM_KERNEL EightBins eight_bins(const Ticks* sums) {
  const Lanes a = load(sums), b = load(sums + 8), c = load(sums + 16), d = load(sums + 24);
  const Lanes low01 = __builtin_shufflevector(a, b, 0, 4, 8, 12, 1, 5, 9, 13),
              high01 = __builtin_shufflevector(c, d, 0, 4, 8, 12, 1, 5, 9, 13),
              low23 = __builtin_shufflevector(a, b, 2, 6, 10, 14, 3, 7, 11, 15),
              high23 = __builtin_shufflevector(c, d, 2, 6, 10, 14, 3, 7, 11, 15);
  return {{__builtin_shufflevector(low01, high01, 0, 1, 2, 3, 8, 9, 10, 11),
           __builtin_shufflevector(low01, high01, 4, 5, 6, 7, 12, 13, 14, 15),
           __builtin_shufflevector(low23, high23, 0, 1, 2, 3, 8, 9, 10, 11),
           __builtin_shufflevector(low23, high23, 4, 5, 6, 7, 12, 13, 14, 15)}};
}

/// Visits the stumps of one variable, whose bins are from `begin` to `end`, a multiple of kLanes: for each side of the
/// root split and eight bins, the loss behind each bin, at least so much inside it, and the rows of both leaves behind.
template <class Gain, class Visit>
HORNBEAM_KERNEL void visit_binned(const BinnedStumps& in, const Gain& gain, std::uint32_t begin, std::uint32_t end,
                                  const Visit& visit) {
  Ticks* const passed = in.scratch;
  BinSums sum{};
  for (std::uint32_t bin = begin; bin < end; ++bin) {
    sum += sums_at(in.sums, bin);
    *reinterpret_cast<BinSumsInMemory*>(passed + kBinSums * std::size_t{bin - begin}) = sum;
  }
  Lanes all[2][kBinSums];
  for (std::uint32_t k = 0; k < kBinSums; ++k) {
    all[1][k] = all_lanes(sum[k]);
    all[0][k] = all_lanes(in.total[k]) - all[1][k];
  }
  Ticks before[2] = {0, 0};  // the loss of the near leaf at the bin before
  for (std::uint32_t bin = begin; bin < end; bin += kLanes) {
    const EightBins held = eight_bins(passed + kBinSums * std::size_t{bin - begin}),
                    everywhere = eight_bins(in.passed_of_all + kBinSums * std::size_t{bin});
    const Lanes outside = load(in.no_threshold_inside + bin);
    for (int side = 0; side < 2; ++side) {
      Lanes near[kBinSums], far[kBinSums];
      for (std::uint32_t k = 0; k < kBinSums; ++k) {
        near[k] = side == 1 ? held.of[k] : everywhere.of[k] - held.of[k];
        far[k] = all[side][k] - near[k];
      }
      const Lanes near_loss = near[2] - gain(near[0], near[1]), far_loss = far[2] - gain(far[0], far[1]);
      Lanes near_before = __builtin_shufflevector(near_loss, near_loss, 7, 0, 1, 2, 3, 4, 5, 6);
      near_before[0] = before[side];
      before[side] = near_loss[7];
      visit(bin, side, near_loss + far_loss, near_before + far_loss + outside, smaller(near[3], far[3]));
    }
  }
}

/// Lowers the losses of stumps by those of one variable.
template <class Gain>
HORNBEAM_KERNEL void compare_binned(const BinnedStumps& in, const Gain& gain, std::uint32_t begin, std::uint32_t end) {
  Lanes least[2] = {all_lanes(kInfinity), all_lanes(kInfinity)}, lower[2] = {least[0], least[1]};
  const Lanes least_rows = all_lanes(in.least_rows), bound_rows = all_lanes(in.least_rows_of_bounds);
  visit_binned(in, gain, begin, end, [&](std::uint32_t, int side, Lanes behind, Lanes inside, Lanes n_rows) {
    least[side] = smaller(least[side], behind + ((n_rows < least_rows) & kInfinity));
    lower[side] = smaller(smaller(lower[side], inside), behind + ((n_rows < bound_rows) & kInfinity));
  });
  for (int side = 0; side < 2; ++side) {
    const Ticks at_borders = smallest_lane(least[side]), lowest = smallest_lane(lower[side]);
    if (at_borders < in.least_loss[side]) in.least_loss[side] = at_borders;
    if (lowest < in.lower_loss[side]) in.lower_loss[side] = lowest;
  }
}

/// Marks those of one variable that lose less than the limits.
template <class Gain>
HORNBEAM_KERNEL void mark_binned(const BinnedStumps& in, const Gain& gain, std::uint32_t begin, std::uint32_t end,
                                 const BinnedMarks& marks) {
  const Lanes limit[2] = {all_lanes(marks.limit[0]), all_lanes(marks.limit[1])};
  visit_binned(in, gain, begin, end, [&](std::uint32_t bin, int side, Lanes behind, Lanes inside, Lanes) {
    store(marks.at_border + bin, load(marks.at_border + bin) | (behind < limit[side]));
    store(marks.inside + bin, load(marks.inside + bin) | (inside < limit[side]));
  });
}

/// `use(gain)` with the formula of the sums.
template <class Use>
HORNBEAM_KERNEL void with_gain(const BinnedStumps& in, const Use& use) {
  if (in.buckets.tie != nullptr)
    use(ConvexGain{in.buckets});
  else
    use(SquaresGain{});
}

void binned_stumps(const BinnedStumps& in) {
  with_gain(in, [&](const auto& gain) {
    for (std::uint32_t v = 0; v < in.n_variables; ++v) compare_binned(in, gain, in.first_bin[v], in.first_bin[v + 1]);
  });
}

void binned_marks(const BinnedStumps& in, const BinnedMarks& marks) {
  with_gain(in, [&](const auto& gain) {
    for (std::uint32_t v = 0; v < in.n_variables; ++v)
      mark_binned(in, gain, in.first_bin[v], in.first_bin[v + 1], marks);
  });
}

void add_to_bin_pairs(const BinnedRows& in, std::uint32_t begin, std::uint32_t end, std::size_t n_bins, Ticks* sums) {
  constexpr std::uint32_t kFetchBinsAhead = 16;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (i + kFetchBinsAhead < in.n_rows)
      __builtin_prefetch(in.records + (in.entries[i + kFetchBinsAhead] >> 8) * in.record_size);
    const TickVector* const record = in.records + (in.entries[i] >> 8) * in.record_size;
    const BinSums row = *reinterpret_cast<const BinSumsInMemory*>(record);
    const std::uint16_t* const bins = reinterpret_cast<const std::uint16_t*>(record->lanes + kBinSums);
    for (std::uint32_t a = 0; a < in.n_variables; ++a) {
      Ticks* const of_bin = sums + kBinSums * n_bins * bins[in.n_variables + a];
      for (std::uint32_t b = 0; b < in.n_variables; ++b)
        *reinterpret_cast<BinSumsInMemory*>(of_bin + kBinSums * std::size_t{bins[b]}) += row;
    }
  }
}

void add_words(Ticks* to, const Ticks* plus, const Ticks* minus, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Lanes more = minus == nullptr ? load(plus + i) : load(plus + i) - load(minus + i);
    store(to + i, load(to + i) + more);
  }
}
