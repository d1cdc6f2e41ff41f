// kernels/convex_scan.inl
//
// WHAT    The kernel of kernels/stump_scan.inl for convex costs, where two sums say how much of the third one the best
//         prediction explains. Included by lanes.inl.
// HOLDS   A leaf does not lose less when rows are added. So a stump inside a block of rows loses at least what the leaf
//         on the near side does at the begin of the block, and that on the far side at its end.
// CHOICE  Weights of rows, by which squared error skips stumps, say little here: a row that has a late event costs a
//         leaf of early ones much. Where a stump inside a block may be better for some root split, a smaller block is
//         tried, and in the smallest ones every stump is compared. Blocks grow again while no stump inside them has to
//         be.

template <bool kLeastRows>
class ConvexScan {
 public:
  explicit ConvexScan(const StumpScan& scan) : in_(scan) {
    for (std::size_t k = 0; k < 3; ++k) ScanLanes<T>::store(all_.held[k], from_bits<T>(in_.held + k * kScanLanes));
    std::copy_n(in_.total, 3, all_.passed);
    if constexpr (kLeastRows) {
      ScanLanes<T>::store(all_.held[3], from_bits<T>(in_.held_rows));
      all_.passed[3] = in_.n_rows;
    }
    for (int side = 0; side < 2; ++side) ScanLanes<T>::store(least_[side], from_bits<T>(in_.least_loss[side]));
    // Nothing is asked of the lanes without a root, where all rows fail.
    ScanLanes<T>::store(is_used_, reinterpret_cast<Vector>(from_bits<T>(in_.held_rows) > Vector{}));
  }

  void walk() {
    std::uint32_t length = kLeastLength;
    for (std::uint32_t begin = 0; begin < in_.n_rows;) {
      const auto [end, has_inner] = end_of_block(begin, length);
      now_ = begin_;
      for (std::uint32_t i = begin; i < end; ++i) pass(i);
      const std::uint32_t open = compare(end < in_.n_rows, has_inner);
      if (open != 0 && length > kLeastLength) {
        length = std::max(kLeastLength, length / 4);
        continue;
      }
      if (open != 0) compare_inside(begin, end, open);
      length = open != 0 ? kLeastLength : std::min(2 * length, kMostLength);
      begin = end;
      begin_ = now_;
      for (int side = 0; side < 2; ++side) std::copy_n(near_[side], kScanLanes, near_at_begin_[side]);
    }
    for (int side = 0; side < 2; ++side) lower_by_bits<T>(ScanLanes<T>::load(least_[side]), in_.least_loss[side]);
  }

 private:
  using T = Ticks;
  using Vector = ScanVector<T>;
  using Part = ScanPart<T>;
  using PartVector = typename Part::Vector;
  static constexpr std::uint32_t kLeastLength = 8, kMostLength = 1024;
  static constexpr std::size_t kSums = kLeastRows ? 4 : 3;  // the last one is the number of rows

  /// Of rows, and of those where each root split holds.
  struct Sums {
    T passed[kSums]{}, held[kSums][kScanLanes]{};
  };

  /// The end of the block, at a threshold or behind the last row, and whether there are thresholds inside it.
  std::pair<std::uint32_t, bool> end_of_block(std::uint32_t begin, std::uint32_t length) const {
    bool has_inner = false;
    for (std::uint32_t end = begin + 1; end < in_.n_rows; ++end) {
      if ((in_.entries[end - 1] & 1) == 0) continue;
      if (end - begin >= length) return {end, has_inner};
      has_inner = true;
    }
    return {in_.n_rows, has_inner};
  }

  HORNBEAM_KERNEL void pass(std::uint32_t i) {
    if (i + kFetchAhead < in_.n_rows) __builtin_prefetch(in_.gain + std::size_t{in_.entries[i + kFetchAhead] >> 8} * 3);
    const std::uint32_t row = in_.entries[i] >> 8;
    const Vector member = spread<T>(in_.member[row], bits_of_lanes<T>());
    const std::int64_t* const gain = in_.gain + std::size_t{row} * 3;
    for (std::size_t k = 0; k < kSums; ++k) {
      const T more = k < 3 ? gain[k] : 1;
      now_.passed[k] += more;
      ScanLanes<T>::store(now_.held[k], ScanLanes<T>::load(now_.held[k]) + (member & (Vector{} + more)));
    }
  }

  /// The sums of one part of the root splits, by side; of the rows passed, and of those ahead.
  struct PartSums {
    PartVector of[2][2][kSums];  // side, whether ahead
  };
  HORNBEAM_KERNEL PartSums sums_of(std::uint32_t lane) const {
    PartSums sums;
    for (std::size_t k = 0; k < kSums; ++k) {
      const PartVector held = Part::load(now_.held[k] + lane), ahead = Part::load(all_.held[k] + lane) - held;
      sums.of[1][0][k] = held;
      sums.of[1][1][k] = ahead;
      sums.of[0][0][k] = now_.passed[k] - held;
      sums.of[0][1][k] = (all_.passed[k] - now_.passed[k]) - ahead;
    }
    return sums;
  }
  HORNBEAM_KERNEL PartVector loss_of(const PartVector (&sums)[kSums]) const {
    return sums[2] - models::convex_explained<PartVector>(in_.buckets, sums[0], sums[1]);
  }

  /// Lowers the least losses of one part and one side by the stumps here; returns the losses of their leaves ahead.
  HORNBEAM_KERNEL PartVector compare_part(const PartSums& sums, std::uint32_t lane, int side, bool is_threshold) {
    const PartVector near = loss_of(sums.of[side][0]), far = loss_of(sums.of[side][1]);
    Part::store(near_[side] + lane, near);
    if (!is_threshold) return far;
    const PartVector before = Part::load(least_[side] + lane);
    PartVector after = lesser<PartVector>(before, near + far);  // NOLINT(misc-const-correctness): as above
    if constexpr (kLeastRows) {
      const PartVector least = PartVector{} + static_cast<T>(in_.least_rows);
      after = (sums.of[side][0][3] >= least) & (sums.of[side][1][3] >= least) ? after : before;
    }
    Part::store(least_[side] + lane, after);
    return far;
  }

  static constexpr std::uint32_t bit_of(std::uint32_t part, int side) {
    return 1u << (2 * part + static_cast<std::uint32_t>(side));
  }

  /// Compares the stumps at the end of a block; returns the parts and sides, as bits, with stumps inside that may be
  /// better.
  HORNBEAM_KERNEL std::uint32_t compare(bool is_threshold, bool has_inner) {
    std::uint32_t open = 0;
    for (std::uint32_t part = 0; part < Part::kParts; ++part) {
      const std::uint32_t lane = part * Part::kLanes;
      const PartSums sums = sums_of(lane);
      for (int side = 0; side < 2; ++side) {
        const PartVector far = compare_part(sums, lane, side, is_threshold);
        const PartVector is_open = Part::load(near_at_begin_[side] + lane) + far < Part::load(least_[side] + lane);
        if (has_inner && mask_of(is_open & Part::load(is_used_ + lane)) != 0) open |= bit_of(part, side);
      }
    }
    return open;
  }

  /// Compares every stump inside a block for some parts and sides, and ends as `compare` did.
  void compare_inside(std::uint32_t begin, std::uint32_t end, std::uint32_t open) {
    const Sums sums_at_end = now_;
    T near_at_end[2][kScanLanes];
    for (int side = 0; side < 2; ++side) std::copy_n(near_[side], kScanLanes, near_at_end[side]);
    now_ = begin_;
    for (std::uint32_t i = begin; i + 1 < end; ++i) {
      pass(i);
      if ((in_.entries[i] & 1) == 0) continue;
      for (std::uint32_t part = 0; part < Part::kParts; ++part) {
        if ((open & (bit_of(part, 0) | bit_of(part, 1))) == 0) continue;
        const PartSums sums = sums_of(part * Part::kLanes);
        for (int side = 0; side < 2; ++side)
          if ((open & bit_of(part, side)) != 0) compare_part(sums, part * Part::kLanes, side, true);
      }
    }
    now_ = sums_at_end;
    for (int side = 0; side < 2; ++side) std::copy_n(near_at_end[side], kScanLanes, near_[side]);
  }

  const StumpScan& in_;
  Sums all_, begin_, now_;  // of all rows, of those before the block, and of those passed
  T is_used_[kScanLanes]{}, least_[2][kScanLanes]{};
  T near_[2][kScanLanes]{}, near_at_begin_[2][kScanLanes]{};  // what the leaves of the rows passed lose
};

void scan_convex(const StumpScan& in) {
  if (in.least_rows > 1) return ConvexScan<true>(in).walk();
  ConvexScan<false>(in).walk();
}
