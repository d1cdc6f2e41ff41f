// kernels/cells.inl
//
// WHAT    The kernel of shallow/cell_solver: what trees are worth in the cells of a few columns, for eight columns at
//         once. Included by lanes.inl.

/// Below any worth, also two of them.
constexpr Ticks kNoWorth = -(Ticks{1} << 61);

/// Rows of cells begin anywhere.
HORNBEAM_KERNEL Lanes load_anywhere(const Ticks* from) { return *reinterpret_cast<const LanesAnywhere*>(from); }
HORNBEAM_KERNEL void raise_anywhere(Ticks* to, Lanes by) {
  *reinterpret_cast<LanesAnywhere*>(to) = larger(load_anywhere(to), by);
}

/// From the sums where all columns of each subset hold to those where the others fail.
template <int kColumns, class Number>
HORNBEAM_KERNEL void separate_cells(Number* sums) {
  for (int bit = 1; bit < 1 << kColumns; bit *= 2)
    for (int cell = 0; cell < 1 << kColumns; ++cell)
      if ((cell & bit) == 0) sums[cell] -= sums[cell | bit];
}

/// A cell with column number `at` added, which fails.
constexpr std::size_t with_column(std::size_t cell, int at) {
  const std::size_t below = (std::size_t{1} << at) - 1;
  return (cell & below) | (cell & ~below) << 1;
}

/// What the best trees are worth in the cells of the set and each column of a block; kNoWorth where a lane does not
/// count.
template <class Formula, int kColumns>
HORNBEAM_KERNEL void cell_worths(const models::Measures& m, const CellSet& in, const Ticks* totals, std::size_t at,
                                 Lanes* worth) {
  constexpr int kCells = 1 << kColumns;
  const Lanes number = Lanes{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<Ticks>(at);
  const Lanes counts = (number >= static_cast<Ticks>(in.begin)) & (number < static_cast<Ticks>(in.end));
  Lanes held[kCells];  // nowhere, in lanes that do not count
  for (int subset = 0; subset < kCells; ++subset) held[subset] = load_anywhere(in.held[subset] + at) & counts;
  separate_cells<kColumns>(held);
  const Lanes low = all_lanes((Ticks{1} << in.shift) - 1);
  for (int cell = 0; cell < kCells; ++cell)
    for (int side = 0; side < 2; ++side) {
      const Lanes sum = side == 1 ? held[cell] : all_lanes(totals[cell]) - held[cell];
      worth[cell + side * kCells] =
          Formula::template explained<Lanes>(m, sum >> in.shift, sum & low) * in.unit - in.leaf_cost;
    }
  if (in.worth != nullptr)
    for (int cell = 0; cell < 2 * kCells; ++cell) {
      Ticks* const known = in.worth + static_cast<std::size_t>(cell) * in.width + at;
      worth[cell] = larger(worth[cell], load_anywhere(known));
      raise_anywhere(known, counts != 0 ? worth[cell] : all_lanes(kNoWorth));
    }
  if (at < in.begin || at + kLanes > in.end)
    for (int cell = 0; cell < 2 * kCells; ++cell) worth[cell] = counts != 0 ? worth[cell] : all_lanes(kNoWorth);
}

/// Raises what trees with one of the columns at the root are worth in the cells of the others.
template <int kColumns>
HORNBEAM_KERNEL void raise_without_one(const CellSet& in, std::size_t at, const Lanes* worth, Lanes* most) {
  constexpr std::size_t kCells = std::size_t{1} << kColumns;
  for (int r = 0; r < kColumns; ++r)
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const std::size_t fails = with_column(cell, r);
      raise_anywhere(in.without[r] + cell * in.width_without[r] + at,
                     worth[fails] + worth[fails | std::size_t{1} << r]);
    }
  for (std::size_t cell = 0; cell < kCells; ++cell) most[cell] = larger(most[cell], worth[cell] + worth[cell | kCells]);
}

template <class Formula, int kColumns>
void raise_cells_as(const models::Measures m, const CellSet& in) {
  constexpr std::size_t kCells = std::size_t{1} << kColumns;
  Ticks totals[kCells];
  for (std::size_t subset = 0; subset < kCells; ++subset) totals[subset] = in.total[subset];
  separate_cells<kColumns>(totals);
  Lanes most[kCells];
  for (Lanes& each : most) each = all_lanes(2 * kNoWorth);
  for (std::size_t at = 0; at < in.end; at += kLanes) {
    Lanes worth[2 * kCells];
    cell_worths<Formula, kColumns>(m, in, totals, at, worth);
    raise_without_one<kColumns>(in, at, worth, most);
  }
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    Ticks& known = in.of_set[cell * in.stride_of_set];
    known = std::max(known, largest_lane(most[cell]));
  }
}

void raise_cells(const models::Measures& m, const CellSet& in) {
  models::with_two_sums(m, [&]<class Formula>(Formula) {
    switch (in.n_columns) {
      case 0: return raise_cells_as<Formula, 0>(m, in);
      case 1: return raise_cells_as<Formula, 1>(m, in);
      case 2: return raise_cells_as<Formula, 2>(m, in);
      case 3: return raise_cells_as<Formula, 3>(m, in);
      default: return raise_cells_as<Formula, 4>(m, in);
    }
  });
}
