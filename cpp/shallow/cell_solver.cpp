#include "shallow/cell_solver.hpp"

#include <bit>

#include "models/formulas.hpp"

namespace hornbeam::shallow {

namespace {

constexpr std::uint64_t kWorkOfBlock = 16;  // of a block of columns, in words of kernel work
constexpr std::uint64_t kRowsOfCell = 2;    // added to a sum in the time of a cell
constexpr std::uint64_t kManyRows = 4;      // times as many cells are counted for these
constexpr Ticks kUnit = 64;                 // more than the leaves of five levels
constexpr int kMostBits = 62;
constexpr Ticks kNoWorth = -(Ticks{1} << 61);  // less than any tree

/// The first column behind a set, and the first one of its block.
std::uint32_t behind_of(const std::uint32_t* set, std::uint32_t size) { return size == 0 ? 0 : set[size - 1] + 1; }
std::uint32_t block_of(const std::uint32_t* set, std::uint32_t size) { return behind_of(set, size) / kLanes * kLanes; }

/// How many sets of k of n columns there are.
std::uint64_t n_sets(std::uint64_t n, std::uint32_t k) {
  std::uint64_t sets = 1;
  for (std::uint32_t i = 0; i < k; ++i) sets = sets * (n - std::min<std::uint64_t>(n, i)) / (i + 1);
  return sets;
}

/// Calls `use(set)` for all sets of `size` columns of n; false if it once is false.
template <class Use>
bool each_set(std::uint32_t n, std::uint32_t size, Use use) {
  std::array<std::uint32_t, kMostCellColumns> set{};
  for (std::uint32_t i = 0; i < size; ++i) set[i] = i;
  while (size <= n) {
    if (!use(set.data())) return false;
    std::uint32_t i = size;  // the last column that can move on
    while (i > 0 && set[i - 1] == n - size + i - 1) --i;
    if (i == 0) break;
    ++set[i - 1];
    for (; i < size; ++i) set[i] = set[i - 1] + 1;
  }
  return true;
}

}  // namespace

std::uint64_t CellSolver::n_cells(std::uint32_t levels, std::uint32_t n_columns) {
  return n_sets(n_columns, levels) << levels;
}

std::size_t CellSolver::bytes(std::uint32_t levels, std::uint32_t n_columns) {
  std::size_t n = 0;
  for (std::uint32_t size = 0; size + 1 < levels; ++size) n += CellRows::count(n_columns, size, (2u << size) + 1);
  return n * sizeof(Ticks);
}

bool CellSolver::is_faster(std::uint32_t levels, const rows::Problem& problem, const CodedRows& rows) {
  const std::uint32_t n_columns = problem.rows.n_columns;
  const std::uint64_t n = n_cells(levels, n_columns);
  if (n <= problem.most_cells) return true;
  // A search adds up all rows for each set of columns above the last three levels, and there for all triples of groups.
  const std::uint64_t additions =
      n_sets(n_columns, levels - 3) * problem.rows.n_rows * n_sets(rows.groups.n_groups(), 3);
  return n <= kManyRows * problem.most_cells && kRowsOfCell * n <= additions;
}

CellSolver::CellSolver(const rows::Problem& problem, const CodedRows& rows, const kernels::Kernels& kernels,
                       run::WorkMeter& meter)
    : problem_(problem), measures_(problem.model.measures()), kernels_(kernels), meter_(meter), sums_(rows) {}

bool CellSolver::solve(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> columns,
                       std::uint32_t levels) {
  columns_ = columns;
  levels_ = levels;
  sums_.open(numbers, columns);
  Ticks baseline = 0;
  models::with_two_sums(measures_, [&](auto formula) {
    for (const std::uint32_t number : numbers) baseline += formula.baseline(measures_, problem_.rows.weight(number));
  });
  // All leaves together explain at most the baseline, and there are at most as many as a unit is worth.
  const int bits = std::max(bits_of(baseline), bits_of(problem_.leaf_cost) + bits_of(kUnit - 1));
  unit_ = bits + bits_of(kUnit) <= kMostBits ? kUnit : 1;
  leaf_cost_ = unit_ * problem_.leaf_cost + (unit_ == 1 ? 0 : 1);
  held_.resize(levels - 1);
  worth_.resize(levels - 1);
  for (std::uint32_t size = 0; size + 1 < levels; ++size) {
    held_[size].lay_out(sums_.n_columns(), size, 1, 0);
    worth_[size].lay_out(sums_.n_columns(), size, 2u << size, kNoWorth);
  }
  worth_of_all_ = leaf_of({});
  where_.clear();
  while (where_.size() + 3 < levels) where_.push_back(sums_);
  if (!count_all()) return false;
  for (std::uint32_t size = levels - 1; size-- > 0;)
    if (!raise_sets(size)) return false;
  return true;
}

/// Counts sums from the last column down: those of a set follow from those of sets whose first column is behind.
bool CellSolver::count_all() {
  if (!sums_.count_pairs(meter_)) return false;
  const kernels::SumColumns& all = sums_.columns();
  copy_row(nullptr, 0, all.sums);
  for (std::uint32_t i = 0; i < sums_.n_columns(); ++i) copy_row(&i, 1, all.pairs + std::size_t{i} * all.stride);
  const bool is_done = sums_.each_triple(meter_, [&](std::uint32_t i, std::uint32_t j, kernels::TripleSums triples) {
    const std::uint32_t set[2] = {i, j};
    copy_row(set, 2, triples.first);
  });
  for (std::uint32_t i = sums_.n_columns(); is_done && i-- > 0;)
    if (!count_below(i)) return false;
  return is_done;
}

/// Of sets whose first column is i.
bool CellSolver::count_below(std::uint32_t i) {
  GroupSums& where_i = where_[0];
  where_i.open_where(sums_, i);
  std::uint32_t set[4] = {i};
  const auto count = [&](GroupSums& sums, std::uint32_t n_fixed) {
    return sums.count_pairs(meter_) &&
           sums.each_triple(meter_, [&](std::uint32_t j, std::uint32_t k, kernels::TripleSums triples) {
             if (j <= set[n_fixed - 1]) return;
             set[n_fixed] = j;
             set[n_fixed + 1] = k;
             if (n_fixed + 3 == levels_)
               raise(set, n_fixed + 2, triples.first + block_of(set, n_fixed + 2));
             else
               copy_row(set, n_fixed + 2, triples.first);
           });
  };
  if (!count(where_i, 1)) return false;
  if (levels_ == kLeastLevels) return true;
  for (std::uint32_t j = i + 1; j < sums_.n_columns(); ++j) {
    set[1] = j;
    where_[1].open_where(where_i, j);
    if (!count(where_[1], 2)) return false;
  }
  return true;
}

void CellSolver::copy_row(const std::uint32_t* set, std::uint32_t size, const Ticks* from) {
  CellRows& rows = held_[size];
  const std::uint32_t behind = behind_of(set, size);
  std::copy_n(from + behind, rows.width(set), rows.at(set, behind));
}

/// Raises what trees are worth by those whose root is in a set or behind it. Where the set holds, the columns behind it
/// have the sums `all_hold`, from their first block on.
void CellSolver::raise(const std::uint32_t* set, std::uint32_t size, const Ticks* all_hold) {
  const std::uint32_t behind = behind_of(set, size), first = block_of(set, size), end = sums_.n_columns();
  if (behind == end) return;
  kernels::CellSet in{};
  in.n_columns = size;
  in.begin = behind - first;
  in.end = end - first;
  in.shift = sums_.columns().shift;
  in.unit = unit_;
  in.leaf_cost = leaf_cost_;
  const std::uint32_t all = (1u << size) - 1;
  for (std::uint32_t subset = 0; subset <= all; ++subset) {
    std::uint32_t of[4], n = 0;
    for (std::uint32_t b = 0; b < size; ++b)
      if ((subset >> b & 1) != 0) of[n++] = set[b];
    in.held[subset] = subset == all ? all_hold : held_[n].at(of, first);
    in.total[subset] = sum_where(of, n);
  }
  if (size + 1 < levels_) {
    in.worth = worth_[size].at(set, first);
    in.width = worth_[size].width(set);
  }
  for (std::uint32_t r = 0; r < size; ++r) {
    std::uint32_t without[4], n = 0;
    for (std::uint32_t b = 0; b < size; ++b)
      if (b != r) without[n++] = set[b];
    CellRows& rows = worth_[n];
    in.without[r] = rows.at(without, first);
    in.width_without[r] = rows.width(without);
  }
  in.of_set = &worth_of_all_;
  in.stride_of_set = 0;
  if (size > 0) {
    CellRows& rows = worth_[size - 1];
    in.of_set = rows.at(set, set[size - 1]);
    in.stride_of_set = rows.width(set);
  }
  kernels_.raise_cells(measures_, in);
  meter_.add((kWorkOfBlock << size) * (in.end + kLanes - 1) / kLanes);
}

/// The sets of `size` columns, whose cells with one column more are known.
bool CellSolver::raise_sets(std::uint32_t size) {
  return each_set(sums_.n_columns(), size, [&](const std::uint32_t* each) {
    raise(each, size, held_[size].at(each, block_of(each, size)));
    return meter_.spend(0);
  });
}

/// The sum of the rows where all columns of a set hold.
Ticks CellSolver::sum_where(const std::uint32_t* set, std::uint32_t size) const {
  if (size == 0) return sums_.columns().totals[0];
  return *held_[size - 1].at(set, set[size - 1]);
}

Ticks CellSolver::sum_of(const Cell& cell) const {
  Ticks sum = 0;
  const std::uint32_t fails = ((1u << cell.n) - 1) & ~cell.holds;
  for (std::uint32_t more = fails;; more = (more - 1) & fails) {
    std::uint32_t of[kMostCellColumns], n = 0;
    for (std::uint32_t b = 0; b < cell.n; ++b)
      if (((cell.holds | more) >> b & 1) != 0) of[n++] = cell.column[b];
    sum += std::popcount(more) % 2 == 0 ? sum_where(of, n) : -sum_where(of, n);
    if (more == 0) return sum;
  }
}

Ticks CellSolver::leaf_of(const Cell& cell) const {
  const Ticks sum = sum_of(cell), shift = sums_.columns().shift;
  return models::with_two_sums(measures_, [&](auto formula) {
    return formula.template explained<Ticks>(measures_, sum >> shift, sum & ((Ticks{1} << shift) - 1)) * unit_ -
           leaf_cost_;
  });
}

Ticks CellSolver::worth_of(const Cell& cell) const {
  if (cell.n == 0) return worth_of_all_;
  const CellRows& rows = worth_[cell.n - 1];
  const std::uint32_t* const set = cell.column.data();
  return rows.at(set, set[cell.n - 1])[cell.holds * rows.width(set)];
}

std::optional<std::uint32_t> CellSolver::root_of(const Cell& cell) const {
  const Ticks worth = worth_of(cell);
  if (worth == leaf_of(cell)) return std::nullopt;
  for (std::uint32_t one = 0; one < sums_.n_columns(); ++one) {
    if (cell.has(one)) continue;
    const Cell fails = cell.with(one, false), holds = cell.with(one, true);
    if (worth_of(fails) + worth_of(holds) == worth && sum_of(fails) != 0 && sum_of(holds) != 0) return one;
  }
  return std::nullopt;
}

Ticks CellSolver::gain_of_stump(const Cell& cell) const {
  // A stump has a leaf more, which a unit above 1 counts apart.
  const Ticks more = worth_of(cell) - leaf_of(cell);
  return unit_ == 1 || more == 0 ? more : (more + 1) / unit_;
}

}  // namespace hornbeam::shallow
