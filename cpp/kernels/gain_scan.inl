// kernels/gain_scan.inl
//
// WHAT    The kernel of sorted/ for rows that gain by several predictions: the best stumps on both sides of many root
//         splits, by one walk over the rows in the order of one variable. Included by lanes.inl.
// HOLDS   The root splits on one variable are nested, so a row is added to the sums of only one of them, the first that
//         holds. The rows where a root split holds are added up at the ends of blocks of rows, and the thresholds
//         inside a block are compared, for one side of one root split, only where one may be better.
//         A row that the walk passes changes what the best leaves of a stump gain by at most the row's weight: the sum
//         of each target on one side grows by at most that, and those on the other side fall. So a stump inside a block
//         gains at most what that at either end does, and the weight of the rows between on this side of the root
//         split: at most half of what those at both ends gain and of the weight of all rows of the block on this side.
// COST    One addition of a row's gains for each variable of the root splits, and one comparison for each root split
//         and block, instead of an addition for each row and root split.

/// The rows of a block, or more up to the next threshold.
constexpr std::uint32_t kBlockRows = 16;
/// How many rows ahead the gains of a row are fetched.
constexpr std::uint32_t kFetchAhead = 8;

HORNBEAM_KERNEL Lanes& lanes(TickVector* vector) { return *reinterpret_cast<LanesInMemory*>(vector); }
HORNBEAM_KERNEL const Lanes& lanes(const TickVector* vector) { return *reinterpret_cast<const LanesInMemory*>(vector); }

/// The largest lanes of a and b together, and of c and d, in lanes 0 and 4.
HORNBEAM_KERNEL Lanes add_largest(Lanes a, Lanes b, Lanes c, Lanes d) {
  const Lanes ab = larger(__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11),
                          __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)),
              cd = larger(__builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11),
                          __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15));
  const Lanes pairs = larger(__builtin_shufflevector(ab, cd, 0, 1, 4, 5, 8, 9, 12, 13),
                             __builtin_shufflevector(ab, cd, 2, 3, 6, 7, 10, 11, 14, 15));
  const Lanes most = larger(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2, 5, 4, 7, 6));
  return most + __builtin_shufflevector(most, most, 2, 3, 0, 1, 6, 7, 4, 5);
}

/// `kVectors` > 0 fixes at compile time how many vectors have a lane for each target.
template <int kVectors, bool kLeastRows>
class GainScanner {
 public:
  explicit GainScanner(const GainScan& scan)
      : in_(scan), next_(scan.scratch), n_vectors_(kVectors > 0 ? kVectors : gain_vectors(scan.n_targets)) {
    const std::uint32_t n_tail = scan.n_targets % kLanes;
    for (std::uint32_t j = 0; j < kLanes; ++j) tail_[j] = n_tail == 0 || j < n_tail ? -1 : 0;
    passed_ = take(n_vectors_);
    run_ = take(n_vectors_);
    first_ = take((scan.n_roots + 1) * n_vectors_);
    held_ = take(scan.n_roots * n_vectors_);
    for (std::int64_t** numbers : {&first_weight_, &held_weight_, &held_before_, &first_rows_, &held_rows_, &value_[0],
                                   &value_[1], &before_[0], &before_[1], &best_[0], &best_[1]})
      *numbers = take(scan.n_roots / kLanes + 1)->lanes;
    for (std::uint32_t r = 0; r < (scan.n_roots / kLanes + 1) * kLanes; ++r)
      for (int side = 0; side < 2; ++side)
        best_[side][r] = r < scan.n_roots ? weight_of(side, r) - scan.least_loss[side][r] : kInfinity / 2;
  }

  void walk() {
    add_up();
    remember();
    std::uint32_t begin = 0;
    bool has_inner = false;
    for (std::uint32_t i = 0; i < in_.n_rows; ++i) {
      if (i + kFetchAhead < in_.n_rows)
        __builtin_prefetch(in_.gain + std::size_t{in_.entries[i + kFetchAhead] >> 8} * in_.n_targets);
      pass(in_.entries[i] >> 8);
      const bool is_last = i + 1 == in_.n_rows, is_threshold = !is_last && (in_.entries[i] & 1) != 0;
      if (is_last || (is_threshold && i + 1 - begin >= kBlockRows)) {
        end_block(begin, i + 1, is_threshold, has_inner);
        begin = i + 1;
        has_inner = false;
      } else {
        has_inner |= is_threshold;
      }
    }
    for (int side = 0; side < 2; ++side)
      for (std::uint32_t r = 0; r < in_.n_roots; ++r) in_.least_loss[side][r] = weight_of(side, r) - best_[side][r];
  }

 private:
  TickVector* take(std::size_t n) {
    TickVector* const taken = next_;
    std::fill_n(taken, n, TickVector{});
    next_ += n;
    return taken;
  }
  std::uint32_t n_vectors() const { return kVectors > 0 ? kVectors : n_vectors_; }
  std::int64_t weight_of(int side, std::uint32_t root) const {
    return side == 1 ? in_.held_weight[root] : in_.total_weight - in_.held_weight[root];
  }
  std::int64_t weight_of(std::uint32_t row) const { return in_.weight == nullptr ? 1 : in_.weight[row]; }
  /// Part v of the gains of a row; the last one may reach into those of the next row.
  HORNBEAM_KERNEL Lanes gain_of(std::uint32_t row, std::uint32_t v) const {
    typedef Lanes Unaligned __attribute__((may_alias, aligned(8)));
    const Lanes gain = *reinterpret_cast<const Unaligned*>(in_.gain + std::size_t{row} * in_.n_targets + std::size_t{v} * kLanes);
    return v + 1 == n_vectors() ? gain & tail_ : gain;
  }

  HORNBEAM_KERNEL void pass(std::uint32_t row) {
    Lanes gain[kVectors > 0 ? kVectors : 1];
    for (std::uint32_t v = 0; v < n_vectors(); ++v) {
      const Lanes part = gain_of(row, v);
      if constexpr (kVectors > 0) gain[v] = part;
      lanes(passed_ + v) += part;
    }
    const std::int64_t weight = weight_of(row);
    passed_weight_ += weight;
    const std::uint16_t* root = in_.first_root_of_row + std::size_t{row} * in_.n_variables;
    for (std::uint32_t variable = 0; variable < in_.n_variables; ++variable) {
      const std::size_t r = root[variable];
      for (std::uint32_t v = 0; v < n_vectors(); ++v) {
        if constexpr (kVectors > 0)
          lanes(first_ + r * n_vectors() + v) += gain[v];
        else
          lanes(first_ + r * n_vectors() + v) += gain_of(row, v);
      }
      first_weight_[r] += weight;
      if constexpr (kLeastRows) ++first_rows_[r];
    }
  }

  /// Adds up where each root split holds, and finds what its stumps gain here.
  HORNBEAM_KERNEL void add_up() {
    for (std::uint32_t variable = 0; variable < in_.n_variables; ++variable) {
      Lanes kept[kVectors > 0 ? kVectors : 1]{};
      TickVector* const run = kVectors > 0 ? nullptr : run_;
      if constexpr (kVectors == 0) std::fill_n(run, n_vectors_, TickVector{});
      std::int64_t weight = 0, rows = 0;
      for (std::size_t r = in_.first_root[variable]; r < in_.first_root[variable + 1]; ++r) {
        Lanes most[4]{};
        for (std::uint32_t v = 0; v < n_vectors(); ++v) {
          Lanes& held = kVectors > 0 ? kept[v] : lanes(run + v);
          held += lanes(first_ + r * n_vectors() + v);
          lanes(held_ + r * n_vectors() + v) = held;
          const Lanes after = lanes(in_.held + r * n_vectors() + v) - held;
          const Lanes passed = lanes(passed_ + v), ahead = lanes(in_.total + v) - passed;
          most[0] = larger(most[0], held);
          most[1] = larger(most[1], after);
          most[2] = larger(most[2], passed - held);
          most[3] = larger(most[3], ahead - after);
        }
        const Lanes gains = add_largest(most[0], most[1], most[2], most[3]);
        value_[1][r] = gains[0];
        value_[0][r] = gains[4];
        weight += first_weight_[r];
        held_weight_[r] = weight;
        if constexpr (kLeastRows) held_rows_[r] = rows += first_rows_[r];
      }
    }
  }

  void remember() {
    for (int side = 0; side < 2; ++side) std::swap(before_[side], value_[side]);
    std::swap(held_before_, held_weight_);
    passed_before_ = passed_weight_;
  }

  bool are_enough(int side, std::uint32_t root, std::int64_t rows) const {
    const std::int64_t all = side == 1 ? in_.held_rows[root] : std::int64_t{in_.n_rows} - in_.held_rows[root];
    return rows >= in_.least_rows && all - rows >= in_.least_rows;
  }
  std::int64_t rows_passed(int side, std::uint32_t root, std::uint32_t passed) const {
    return side == 1 ? held_rows_[root] : passed - held_rows_[root];
  }

  /// Compares what the stumps at the end of a block of rows gain, and those inside it where they may gain more.
  HORNBEAM_KERNEL void end_block(std::uint32_t begin, std::uint32_t end, bool is_threshold, bool has_inner) {
    add_up();
    if (is_threshold && kLeastRows) {
      for (int side = 0; side < 2; ++side)
        for (std::uint32_t r = 0; r < in_.n_roots; ++r)
          if (are_enough(side, r, rows_passed(side, r, end)) && value_[side][r] > best_[side][r])
            best_[side][r] = value_[side][r];
    }
    const Lanes passed = all_lanes(passed_weight_ - passed_before_);
    std::uint32_t variable = 0;
    for (std::uint32_t r = 0; r < in_.n_roots; r += kLanes) {
      const Lanes held = load(held_weight_ + r) - load(held_before_ + r);
      for (int side = 0; side < 2; ++side) {
        const Lanes value = load(value_[side] + r);
        if (is_threshold && !kLeastRows) store(best_[side] + r, larger(load(best_[side] + r), value));
        if (!has_inner) continue;
        const Lanes most = load(before_[side] + r) + value + (side == 1 ? held : passed - held);
        Word may_be_better = mask_of(load(best_[side] + r) * 2 - most);
        for (; may_be_better != 0; may_be_better &= may_be_better - 1) {
          const std::uint32_t root = r + static_cast<std::uint32_t>(__builtin_ctzll(may_be_better));
          while (in_.first_root[variable] > root) --variable;
          while (in_.first_root[variable + 1] <= root) ++variable;
          compare_inside(root, variable, side, begin, end);
        }
      }
    }
    remember();
  }

  /// Walks back from the end of a block.
  void compare_inside(std::uint32_t root, std::uint32_t variable, int side, std::uint32_t begin, std::uint32_t end) {
    Lanes fixed[kVectors > 0 ? kVectors : 1];
    const auto left = [&](std::uint32_t v) -> Lanes& { return kVectors > 0 ? fixed[v] : lanes(run_ + v); };
    for (std::uint32_t v = 0; v < n_vectors(); ++v) {
      const Lanes held = lanes(held_ + root * n_vectors() + v);
      left(v) = side == 1 ? held : lanes(passed_ + v) - held;
    }
    std::int64_t rows = rows_passed(side, root, end), seen = value_[side][root], since = 0, best = best_[side][root];
    for (std::uint32_t i = end - 1; i > begin; --i) {
      const std::uint32_t row = in_.entries[i] >> 8;
      const bool is_held = in_.first_root_of_row[std::size_t{row} * in_.n_variables + variable] <= root;
      if (is_held == (side == 1)) {
        for (std::uint32_t v = 0; v < n_vectors(); ++v) left(v) -= gain_of(row, v);
        since += weight_of(row);
        --rows;
      }
      if ((in_.entries[i - 1] & 1) == 0 || seen + since <= best) continue;
      Lanes most[2]{};
      for (std::uint32_t v = 0; v < n_vectors(); ++v) {
        const Lanes held = lanes(in_.held + root * n_vectors() + v);
        const Lanes all = side == 1 ? held : lanes(in_.total + v) - held;
        most[0] = larger(most[0], left(v));
        most[1] = larger(most[1], all - left(v));
      }
      seen = add_largest(most[0], most[1], most[0], most[1])[0];
      since = 0;
      if (seen > best && (!kLeastRows || are_enough(side, root, rows))) best = seen;
    }
    best_[side][root] = best;
  }

  Lanes tail_{};  // all ones in the lanes of the last vector that stand for a target
  const GainScan& in_;
  TickVector* next_;
  TickVector *passed_, *run_, *first_, *held_;
  std::int64_t passed_weight_ = 0, passed_before_ = 0;
  // Of each root split; `before` is at the begin of the block.
  std::int64_t *first_weight_, *held_weight_, *held_before_, *first_rows_, *held_rows_, *value_[2], *before_[2],
      *best_[2];
  const std::uint32_t n_vectors_;
};

template <int kVectors>
void scan_gains_in(const GainScan& in) {
  if (in.least_rows > 1) return GainScanner<kVectors, true>(in).walk();
  GainScanner<kVectors, false>(in).walk();
}

void scan_gains(const GainScan& in) {
  switch (gain_vectors(in.n_targets)) {
    case 1: return scan_gains_in<1>(in);
    case 2: return scan_gains_in<2>(in);
    case 3: return scan_gains_in<3>(in);
    default: return scan_gains_in<0>(in);
  }
}
