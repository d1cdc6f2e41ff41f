// kernels/stump_scan.inl
//
// WHAT    The kernel of ordered/: the best stumps on both sides of up to 32 root splits, by one walk over the rows in
//         the order of one variable. Included by lanes.inl.

template <class T>
struct ScanLanes {
  typedef T Vector __attribute__((vector_size(kScanLanes * sizeof(T))));
  typedef Vector InMemory __attribute__((may_alias, aligned(alignof(T))));
  static Vector load(const T* from) { return *reinterpret_cast<const InMemory*>(from); }
  static void store(T* to, Vector value) { *reinterpret_cast<InMemory*>(to) = value; }
};

template <class T>
using ScanVector = typename ScanLanes<T>::Vector;

/// Lane j of a vector of T stands for this bit of a row's membership word: a broadcast word read as 16-bit lanes has
/// its low half in the even lanes.
template <class T>
constexpr std::uint32_t bit_of_lane(std::uint32_t lane) {
  return sizeof(T) == 2 ? (lane & 1) * 16 + lane / 2 : lane;
}

template <class T>
HORNBEAM_KERNEL ScanVector<T> bits_of_lanes() {
  ScanVector<T> bits{};
  for (std::uint32_t j = 0; j < kScanLanes; ++j) {
    const std::uint32_t bit = std::uint32_t{1} << (sizeof(T) == 2 ? j / 2 : j);
    bits[j] = static_cast<T>(bit);
  }
  return bits;
}

/// All ones in the lanes whose bit is set in `member`.
template <class T>
HORNBEAM_KERNEL ScanVector<T> spread(std::uint32_t member, ScanVector<T> bits) {
  using Vector = ScanVector<T>;
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  typedef Word Words __attribute__((vector_size(kScanLanes * sizeof(T))));
  const Vector all = reinterpret_cast<Vector>(Words{} + member);
  return reinterpret_cast<Vector>((all & bits) != Vector{});
}

template <class T, class Sum>
HORNBEAM_KERNEL ScanVector<T> from_bits(const Sum* by_bit) {
  ScanVector<T> value{};
  for (std::uint32_t j = 0; j < kScanLanes; ++j) value[j] = static_cast<T>(by_bit[bit_of_lane<T>(j)]);
  return value;
}

template <class T>
HORNBEAM_KERNEL void lower_by_bits(ScanVector<T> value, std::int64_t* by_bit) {
  for (std::uint32_t j = 0; j < kScanLanes; ++j) {
    std::int64_t& here = by_bit[bit_of_lane<T>(j)];
    here = value[j] < here ? value[j] : here;
  }
}

template <class Vector>
HORNBEAM_KERNEL Vector lesser(Vector a, Vector b) {
  return a < b ? a : b;
}
template <class Vector>
HORNBEAM_KERNEL Vector greater(Vector a, Vector b) {
  return a > b ? a : b;
}

/// Rows that a walk has passed, by side of the root splits.
template <class T>
struct RowsOfSides {
  using Vector = ScanVector<T>;
  Vector total[2], passed[2]{};
  Vector least;

  HORNBEAM_KERNEL explicit RowsOfSides(const StumpScan& in) : least(Vector{} + static_cast<T>(in.least_rows)) {
    total[1] = from_bits<T>(in.held_rows);
    total[0] = Vector{} + static_cast<T>(in.n_rows) - total[1];
  }
  HORNBEAM_KERNEL void add(Vector member) {
    passed[1] -= member;
    passed[0] -= ~member;
  }
  /// All ones where a stump that parts the rows here has enough on both sides.
  HORNBEAM_KERNEL Vector are_enough(int side) const {
    const Vector left = passed[side], right = total[side] - left;
    return reinterpret_cast<Vector>(left >= least) & reinterpret_cast<Vector>(right >= least);
  }
};

/// Two targets: the counts stay in registers.
template <class T, bool kWeighted, bool kLeastRows>
HORNBEAM_KERNEL void scan_two_targets(const StumpScan& in) {
  using Vector = ScanVector<T>;
  const Vector bits = bits_of_lanes<T>();
  const Vector is_second[2] = {Vector{}, ~Vector{}};
  const Vector held_total[2] = {from_bits<T>(in.held), from_bits<T>(in.held + kScanLanes)};
  const Vector failed_total[2] = {Vector{} + static_cast<T>(in.total[0]) - held_total[0],
                                  Vector{} + static_cast<T>(in.total[1]) - held_total[1]};
  Vector least_held = from_bits<T>(in.least_loss[1]), least_failed = from_bits<T>(in.least_loss[0]);
  Vector held{}, held_one{}, all{}, one{};  // left of the walk: where the root holds, and everywhere
  RowsOfSides<T> rows(in);                  // NOLINT(misc-const-correctness): changes with kLeastRows
  for (std::uint32_t i = 0; i + 1 < in.n_rows; ++i) {
    const std::uint32_t entry = in.entries[i];
    const Vector member = spread<T>(in.member[entry >> 8], bits), y = is_second[(entry >> 1) & 127];
    if constexpr (kWeighted) {
      const Vector weight = Vector{} + static_cast<T>(in.weight[entry >> 8]);
      held += member & weight;
      held_one += member & y & weight;
      all += weight;
      one += y & weight;
    } else {
      held -= member;
      held_one -= member & y;
      all += Vector{} + T{1};
      one -= y;
    }
    if constexpr (kLeastRows) rows.add(member);
    if ((entry & 1) == 0) continue;
    const Vector held_zero = held - held_one;
    const Vector failed_one = one - held_one, failed_zero = all - held - failed_one;
    const Vector held_loss =
        lesser<Vector>(held_zero, held_one) + lesser<Vector>(held_total[0] - held_zero, held_total[1] - held_one);
    const Vector failed_loss = lesser<Vector>(failed_zero, failed_one) +
                               lesser<Vector>(failed_total[0] - failed_zero, failed_total[1] - failed_one);
    if constexpr (kLeastRows) {
      least_held = rows.are_enough(1) ? lesser<Vector>(least_held, held_loss) : least_held;
      least_failed = rows.are_enough(0) ? lesser<Vector>(least_failed, failed_loss) : least_failed;
    } else {
      least_held = lesser<Vector>(least_held, held_loss);
      least_failed = lesser<Vector>(least_failed, failed_loss);
    }
  }
  lower_by_bits<T>(least_held, in.least_loss[1]);
  lower_by_bits<T>(least_failed, in.least_loss[0]);
}

/// Any number of targets: left of a threshold the largest target only grows, so one walk from each end gives both
/// largest targets of every threshold.
template <class T, bool kLeastRows>
void scan_many_targets(const StumpScan& in) {
  using Wide = ScanLanes<T>;
  using Vector = ScanVector<T>;
  const Vector bits = bits_of_lanes<T>();
  T* count = reinterpret_cast<T*>(in.scratch);  // [side][target] of the walk
  T* most_left = count + 2 * std::size_t{in.n_targets} * kScanLanes;
  Vector side_total[2] = {Vector{}, Vector{}};
  for (std::uint32_t k = 0; k < in.n_targets; ++k) {
    const Vector held = from_bits<T>(in.held + std::size_t{k} * kScanLanes);
    side_total[1] += held;
    side_total[0] += Vector{} + static_cast<T>(in.total[k]) - held;
  }
  Vector gain[2] = {Vector{}, Vector{}};
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint32_t i = 0; i < 2 * in.n_targets; ++i) Wide::store(count + i * kScanLanes, Vector{});
    Vector most[2] = {Vector{}, Vector{}};
    RowsOfSides<T> rows(in);  // NOLINT(misc-const-correctness): changes with kLeastRows
    for (std::uint32_t step = 0; step + 1 < in.n_rows; ++step) {
      const std::uint32_t i = pass == 0 ? step : in.n_rows - 1 - step;
      const std::uint32_t entry = in.entries[i], label = (entry >> 1) & 127;
      const T one = in.weight == nullptr ? T{1} : static_cast<T>(in.weight[entry >> 8]);
      const Vector weight = Vector{} + one;
      const Vector member = spread<T>(in.member[entry >> 8], bits);
      if constexpr (kLeastRows) rows.add(member);
      for (int side = 0; side < 2; ++side) {
        T* here = count + (side * in.n_targets + label) * kScanLanes;
        const Vector grown = Wide::load(here) + ((side == 1 ? member : ~member) & weight);
        Wide::store(here, grown);
        most[side] = greater<Vector>(most[side], grown);
      }
      const std::uint32_t threshold = pass == 0 ? i : i - 1;  // between rows threshold and threshold + 1
      if ((in.entries[threshold] & 1) == 0) continue;
      for (int side = 0; side < 2; ++side) {
        T* left = most_left + (2 * std::size_t{threshold} + side) * kScanLanes;
        if (pass == 0) {
          Wide::store(left, most[side]);
          continue;
        }
        const Vector here = greater<Vector>(gain[side], most[side] + Wide::load(left));
        if constexpr (kLeastRows)
          gain[side] = rows.are_enough(side) ? here : gain[side];
        else
          gain[side] = here;
      }
    }
  }
  for (int side = 0; side < 2; ++side) {
    const Vector has_threshold = reinterpret_cast<Vector>(gain[side] > Vector{});
    const Vector loss = side_total[side] - gain[side];
    lower_by_bits<T>(has_threshold ? loss : side_total[side], in.least_loss[side]);
  }
}

/// The root splits whose sums one register holds.
template <class T>
struct ScanPart {
  typedef T Vector __attribute__((vector_size(64)));
  typedef Vector InMemory __attribute__((may_alias, aligned(alignof(T))));
  static constexpr std::uint32_t kLanes = 64 / sizeof(T), kParts = kScanLanes / kLanes;
  static Vector load(const T* from) { return *reinterpret_cast<const InMemory*>(from); }
  static void store(T* to, Vector value) { *reinterpret_cast<InMemory*>(to) = value; }
};

/// Squared error: the sums of w and w y say how much of that of w y^2 the best prediction explains. What is not held is
/// what the walk has passed less what is held.
/// A row that the walk passes lowers the loss of a stump by at most its weight: the best gain of one side grows by no
/// more, and that of the other does not grow. So the stumps of a part are not compared until the rows passed since
/// weigh more than each of them is above its least.
template <bool kLeastRows>
struct SquareScan {
  using T = Ticks;
  using Vector = ScanVector<T>;
  using Part = ScanPart<T>;
  using PartVector = typename Part::Vector;

  RowsOfSides<T> rows;
  const StumpScan& in;
  std::int64_t* passed;  // of each target, left of the walk
  T *held, *held_total;  // the same where the root holds, and of all rows
  static constexpr std::size_t kSums = 2;
  std::int64_t passed_weight = 0, first_due = -1;
  std::int64_t due[Part::kParts]{};  // the weight passed up to which nothing of a part can be better
  T is_used[kScanLanes]{}, base[2][kScanLanes]{}, least[2][kScanLanes]{}, is_enough[2][kScanLanes]{};

  explicit SquareScan(const StumpScan& scan)
      : rows(scan),
        in(scan),
        passed(static_cast<std::int64_t*>(scan.scratch)),
        held(reinterpret_cast<T*>(passed + scan.n_targets)),
        held_total(held + std::size_t{scan.n_targets} * kScanLanes) {
    for (std::size_t k = 0; k < kSums; ++k) {
      passed[k] = 0;
      ScanLanes<T>::store(held + k * kScanLanes, Vector{});
      ScanLanes<T>::store(held_total + k * kScanLanes, from_bits<T>(in.held + k * kScanLanes));
    }
    const Vector held_base = from_bits<T>(in.held + 2 * std::size_t{kScanLanes});
    ScanLanes<T>::store(base[1], held_base);
    ScanLanes<T>::store(base[0], Vector{} + in.total[2] - held_base);
    for (int side = 0; side < 2; ++side) ScanLanes<T>::store(least[side], from_bits<T>(in.least_loss[side]));
    // Nothing is asked of the lanes without a root, where all rows fail.
    ScanLanes<T>::store(is_used, reinterpret_cast<Vector>(from_bits<T>(in.held_rows) > Vector{}));
    for (std::int64_t& each : due) each = -1;
  }

  HORNBEAM_KERNEL void pass(std::uint32_t row, Vector member) {
    passed_weight += in.weight == nullptr ? 1 : in.weight[row];
    const std::int64_t* gain = in.gain + std::size_t{row} * in.n_targets;
    for (std::size_t k = 0; k < kSums; ++k) {
      passed[k] += gain[k];
      T* here = held + k * kScanLanes;
      ScanLanes<T>::store(here, ScanLanes<T>::load(here) + (member & (Vector{} + static_cast<T>(gain[k]))));
    }
    if constexpr (kLeastRows) rows.add(member);
  }

  HORNBEAM_KERNEL void compare() {
    if (passed_weight <= first_due) return;
    if constexpr (kLeastRows)
      for (int side = 0; side < 2; ++side) ScanLanes<T>::store(is_enough[side], rows.are_enough(side));
    first_due = passed_weight + in.total_weight;
    for (std::uint32_t part = 0; part < Part::kParts; ++part) {
      if (passed_weight > due[part]) due[part] = passed_weight + compare_part(part * Part::kLanes);
      first_due = due[part] < first_due ? due[part] : first_due;
    }
  }

  /// How much the nearest stump of a part is above its least.
  HORNBEAM_KERNEL std::int64_t compare_part(std::uint32_t lane) {
    PartVector gain[2][2]{};  // by side of the root and of the threshold
    PartVector sums[kSums][2][2];
    for (std::size_t k = 0; k < kSums; ++k) {
      sums[k][1][1] = Part::load(held + k * kScanLanes + lane);
      sums[k][1][0] = Part::load(held_total + k * kScanLanes + lane) - sums[k][1][1];
      sums[k][0][1] = PartVector{} + passed[k] - sums[k][1][1];
      sums[k][0][0] = PartVector{} + (in.total[k] - passed[k]) - sums[k][1][0];
    }
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 2; ++y) gain[x][y] = models::squares_explained<PartVector>(sums[1][x][y], sums[0][x][y]);
    PartVector above = PartVector{} + static_cast<T>(in.total_weight);
    const PartVector used = Part::load(is_used + lane);
    for (int side = 0; side < 2; ++side) {
      const PartVector loss = Part::load(base[side] + lane) - gain[side][1] - gain[side][0],
                       before = Part::load(least[side] + lane);
      PartVector after = lesser<PartVector>(before, loss);  // NOLINT(misc-const-correctness): changes with kLeastRows
      if constexpr (kLeastRows) after = Part::load(is_enough[side] + lane) ? after : before;
      Part::store(least[side] + lane, after);
      above = used ? lesser<PartVector>(above, loss - after) : above;
    }
    T nearest = above[0];
    for (std::uint32_t j = 1; j < Part::kLanes; ++j) nearest = above[j] < nearest ? above[j] : nearest;
    return nearest;
  }
};

template <bool kLeastRows>
void scan_squares(const StumpScan& in) {
  using T = Ticks;
  const ScanVector<T> bits = bits_of_lanes<T>();
  SquareScan<kLeastRows> scan(in);
  for (std::uint32_t i = 0; i + 1 < in.n_rows; ++i) {
    const std::uint32_t entry = in.entries[i], row = entry >> 8;
    scan.pass(row, spread<T>(in.member[row], bits));
    if ((entry & 1) != 0) scan.compare();
  }
  for (int side = 0; side < 2; ++side) lower_by_bits<T>(ScanLanes<T>::load(scan.least[side]), in.least_loss[side]);
}

template <class T, bool kLeastRows>
void scan_stumps_of(const StumpScan& in) {
  if (in.n_targets > 2) return scan_many_targets<T, kLeastRows>(in);
  if (in.weight == nullptr) return scan_two_targets<T, false, kLeastRows>(in);
  scan_two_targets<T, true, kLeastRows>(in);
}

template <class T>
void scan_stumps_in(const StumpScan& in) {
  if (in.least_rows > 1) return scan_stumps_of<T, true>(in);
  scan_stumps_of<T, false>(in);
}

void scan_convex(const StumpScan& in);  // kernels/convex_scan.inl

void scan_stumps(const StumpScan& in) {
  if (in.buckets.tie != nullptr) return scan_convex(in);
  if (in.gain != nullptr) {
    if (in.least_rows > 1) return scan_squares<true>(in);
    return scan_squares<false>(in);
  }
  if (in.lane_bytes == 2) return scan_stumps_in<std::int16_t>(in);
  if (in.lane_bytes == 4) return scan_stumps_in<std::int32_t>(in);
  scan_stumps_in<std::int64_t>(in);
}
