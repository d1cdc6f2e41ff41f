#include "shallow/group_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/each_bit.hpp"

namespace hornbeam::shallow {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint64_t kWorkOfCell = 4;  // in words of kernel work: an addition to a vector of histograms

/// Of the first two targets.
std::array<std::int64_t, 2> totals(const rows::Problem& problem) {
  std::array<std::int64_t, 2> total{};
  for (std::uint32_t row = 0; row < problem.rows.n_rows; ++row)
    for (std::size_t i = 0; i < 2; ++i) total[i] += problem.rows.weight(row)[i];
  return total;
}

/// Sums over the codes of one dimension: of `from`, whose items of `width` numbers lie side by side, for the first
/// `n_sets` sets to items `stride` apart.
template <class Steps>
void sum_sets(const Steps& steps, std::uint32_t n_sets, const Ticks* from, std::size_t width, Ticks* to,
              std::size_t stride) {
  for (std::uint32_t s = 0; s < n_sets; ++s) {
    Ticks* const out = to + s * stride;
    if (steps[s].from == kNone)
      std::fill_n(out, width, 0);
    else
      std::copy_n(to + steps[s].from * stride, width, out);
    for (const std::uint32_t code : steps[s].codes)
      for (std::size_t i = 0; i < width; ++i) out[i] += from[code * width + i];
  }
}

/// The same for the last dimension: of `n_rows` rows of `n_codes` numbers, to rows `stride` apart.
template <class Steps>
void sum_sets_of_rows(const Steps& steps, std::uint32_t n_sets, const Ticks* from, std::size_t n_rows,
                      std::size_t n_codes, Ticks* to, std::size_t stride) {
  for (std::uint32_t s = 0; s < n_sets; ++s) {
    for (std::size_t row = 0; row < n_rows; ++row)
      to[row * stride + s] = steps[s].from == kNone ? 0 : to[row * stride + steps[s].from];
    for (const std::uint32_t code : steps[s].codes)
      for (std::size_t row = 0; row < n_rows; ++row) to[row * stride + s] += from[row * n_codes + code];
  }
}

}  // namespace

bool CodedRows::fit(const rows::Problem& problem) {
  if (!problem.model.measures().has_two_sums()) return true;
  const auto [weight, sum] = totals(problem);
  return bits_of(weight) + bits_of(sum) < 63;
}

CodedRows::CodedRows(const rows::Problem& problem)
    : groups(problem.rows), n_sums_of_row(n_sums(problem.model.measures())) {
  const models::Measures& measures = problem.model.measures();
  if (measures.has_two_sums()) shift = bits_of(totals(problem)[1]);
  sums.reserve(std::size_t{problem.rows.n_rows} * n_sums_of_row);
  for (std::uint32_t row = 0; row < problem.rows.n_rows; ++row) {
    const std::int64_t* weight = problem.rows.weight(row);
    if (measures.has_two_sums()) {
      sums.push_back((weight[0] << shift) + weight[1]);
      continue;
    }
    const Ticks most = models::AnyCosts::baseline(measures, weight);
    for (std::uint32_t k = 0; k < n_sums_of_row; ++k)
      sums.push_back(most - models::AnyCosts::loss_of(measures, weight, k));
  }
}

void GroupSums::open(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> columns) {
  choose_columns(numbers, columns);
  read_codes(numbers);
  const std::uint32_t n_columns = this->n_columns(), stride = padded_to_lanes(std::max(n_columns, 1u));
  std::uint32_t n_rows = n_columns;
  for (Group& group : groups_) {
    find_meets(group);
    find_steps(group);
    for (std::uint32_t s = 0; s < group.holds.size(); ++s)
      group.row.push_back(s < group.n_columns ? group.begin + s : n_rows++);
    for (std::uint32_t& meet : group.meets) meet = meet == kNone ? kNone : group.row[meet];
  }
  for (Group& group : groups_)
    for (std::uint32_t& meet : group.meets) meet = std::min(meet, n_rows);  // the last row is zero
  first_group_ = 0;
  columns_.n_sums = rows_.n_sums_of_row;
  columns_.stride = stride;
  columns_.shift = rows_.shift;
  columns_.n_of_pairs = std::size_t{n_rows + 1} * stride;
  sum_columns();
}

void GroupSums::open_where(const GroupSums& from, std::uint32_t i) {
  first_group_ = 0;
  while (i >= groups_[first_group_].begin + groups_[first_group_].n_columns) ++first_group_;
  const Group& of_column = from.groups_[first_group_];
  const std::uint32_t holds = of_column.holds[i - of_column.begin];
  kept_.resize(from.n_rows());
  std::size_t n = 0;
  for (std::uint32_t row = 0; row < from.n_rows(); ++row) {
    kept_[n] = row;
    n += holds >> of_column.codes[row] & 1;
  }
  kept_.resize(n);
  row_sums_.resize(rows_.n_sums_of_row * n);
  for (std::size_t s = 0; s < rows_.n_sums_of_row; ++s)
    for (std::size_t row = 0; row < n; ++row) row_sums_[s * n + row] = from.row_sums(s)[kept_[row]];
  for (std::size_t g = first_group_; g < groups_.size(); ++g) {
    groups_[g].codes.resize(n);
    for (std::size_t row = 0; row < n; ++row) groups_[g].codes[row] = from.groups_[g].codes[kept_[row]];
    sum_codes(groups_[g]);
  }
  sum_columns();
}

/// What does not depend on pairs, and room for these.
void GroupSums::sum_columns() {
  const std::uint32_t stride = columns_.stride;
  pairs_.assign(columns_.n_sums * columns_.n_of_pairs, 0);
  sums_.assign(std::size_t{columns_.n_sums} * stride, 0);
  totals_.clear();
  for (std::size_t s = 0; s < columns_.n_sums; ++s) {
    totals_.push_back(std::accumulate(row_sums(s), row_sums(s) + n_rows(), Ticks{0}));
    for (std::size_t g = first_group_; g < groups_.size(); ++g)
      for (std::uint32_t i = 0; i < groups_[g].n_columns; ++i)
        for_each_bit(groups_[g].holds[i], 0, [&](std::size_t code) {
          sums_[s * stride + groups_[g].begin + i] += groups_[g].sums[s * groups_[g].n_codes + code];
        });
  }
  columns_.totals = totals_.data();
  columns_.sums = sums_.data();
  columns_.pairs = pairs_.data();
}

void GroupSums::choose_columns(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> columns) {
  const std::uint32_t n_groups = rows_.groups.n_groups();
  group_codes_.assign(n_groups, 0);
  for (const std::uint32_t number : numbers) {
    const std::uint8_t* codes = rows_.groups.codes(number);
    for (std::uint32_t g = 0; g < n_groups; ++g) group_codes_[g] |= 1u << codes[g];
  }
  given_.resize(n_groups);
  for (auto& places : given_) places.clear();
  for (std::uint32_t place = 0; place < columns.size(); ++place)
    given_[rows_.groups.group_of(columns[place])].push_back(place);
  groups_.clear();
  data_group_.clear();
  column_.clear();
  for (std::uint32_t g = 0; g < n_groups; ++g) {
    Group group;
    group.begin = n_columns();
    choose_of_group(group, given_[g], columns);
    if (group.n_columns == 0) continue;
    groups_.push_back(std::move(group));
    data_group_.push_back(g);
  }
}

/// The columns that are neither constant nor equal or complementary to another one, smaller sets of codes first.
void GroupSums::choose_of_group(Group& group, std::span<const std::uint32_t> places,
                                std::span<const std::uint32_t> columns) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> chosen;  // codes, place
  std::uint32_t present = 0;
  if (!places.empty()) present = group_codes_[rows_.groups.group_of(columns[places[0]])];
  for (const std::uint32_t place : places) {
    const std::uint32_t codes = rows_.groups.holds(columns[place]) & present;
    const bool is_known = std::any_of(chosen.begin(), chosen.end(), [&](const auto& known) {
      return known.first == codes || known.first == (codes ^ present);
    });
    if (codes != 0 && codes != present && !is_known) chosen.emplace_back(codes, place);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto& a, const auto& b) { return std::popcount(a.first) < std::popcount(b.first); });
  for (const auto& [codes, place] : chosen) {
    group.holds.push_back(codes);
    column_.push_back(place);
  }
  group.n_columns = static_cast<std::uint32_t>(chosen.size());
}

/// Numbers the patterns of the columns that are left, and reads those of the rows.
void GroupSums::read_codes(std::span<const std::uint32_t> numbers) {
  const std::size_t n_sums = rows_.n_sums_of_row;
  row_sums_.resize(n_sums * numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row)
    for (std::size_t s = 0; s < n_sums; ++s)
      row_sums_[s * numbers.size() + row] = rows_.sums[numbers[row] * n_sums + s];
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    std::vector<std::vector<bool>> patterns;
    std::uint8_t code_of[data::ColumnGroups::kMostCodes] = {};
    std::vector<std::uint32_t> holds(group.n_columns, 0);
    for_each_bit(group_codes_[data_group_[g]], 0, [&](std::size_t code) {
      std::vector<bool> pattern;
      pattern.reserve(group.holds.size());
      for (const std::uint32_t codes : group.holds) pattern.push_back((codes >> code & 1) != 0);
      const auto found = std::find(patterns.begin(), patterns.end(), pattern);
      code_of[code] = static_cast<std::uint8_t>(found - patterns.begin());
      if (found != patterns.end()) return;
      for (std::uint32_t i = 0; i < group.n_columns; ++i)
        if (pattern[i]) holds[i] |= 1u << code_of[code];
      patterns.push_back(std::move(pattern));
    });
    group.holds = std::move(holds);
    group.n_codes = static_cast<std::uint32_t>(patterns.size());
    group.codes.resize(numbers.size());
    const std::uint8_t* from = rows_.groups.codes(0) + data_group_[g];
    const std::size_t n_groups = rows_.groups.n_groups();
    for (std::size_t row = 0; row < numbers.size(); ++row) group.codes[row] = code_of[from[numbers[row] * n_groups]];
    sum_codes(group);
  }
}

void GroupSums::sum_codes(Group& group) {
  group.sums.assign(std::size_t{rows_.n_sums_of_row} * group.n_codes, 0);
  for (std::size_t s = 0; s < rows_.n_sums_of_row; ++s)
    for (std::size_t row = 0; row < n_rows(); ++row)
      group.sums[s * group.n_codes + group.codes[row]] += row_sums(s)[row];
}

/// Adds the intersections of two columns that are no columns themselves.
void GroupSums::find_meets(Group& group) {
  const std::uint32_t n = group.n_columns;
  group.meets.assign(std::size_t{n} * n, kNone);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t codes = group.holds[i] & group.holds[j];
      if (codes == 0) continue;
      const auto found = std::find(group.holds.begin(), group.holds.end(), codes);
      group.meets[std::size_t{i} * n + j] = static_cast<std::uint32_t>(found - group.holds.begin());
      if (found == group.holds.end()) group.holds.push_back(codes);
    }
}

void GroupSums::find_steps(Group& group) {
  for (std::uint32_t s = 0; s < group.holds.size(); ++s) {
    Step step{kNone, {}};
    std::uint32_t left = group.holds[s];
    for (std::uint32_t t = 0; t < s; ++t) {
      const std::uint32_t beyond = group.holds[s] & ~group.holds[t];
      if ((group.holds[t] & ~group.holds[s]) != 0 || std::popcount(beyond) >= std::popcount(left)) continue;
      step.from = t;
      left = beyond;
    }
    for_each_bit(left, 0, [&](std::size_t code) { step.codes.push_back(static_cast<std::uint32_t>(code)); });
    group.steps.push_back(std::move(step));
  }
}

bool GroupSums::count_pairs(run::WorkMeter& meter) {
  for (std::size_t s = 0; s < rows_.n_sums_of_row; ++s)
    for (std::size_t g = first_group_; g < groups_.size(); ++g) {
      sum_within(groups_[g], s);
      if (!meter.spend(kWorkOfRow * n_rows() * (groups_.size() - g))) return false;
      for (std::size_t h = g + 1; h < groups_.size(); ++h) sum_between(groups_[g], groups_[h], s);
    }
  return true;
}

/// The sums of each set of a group where each column of the group holds.
void GroupSums::sum_within(const Group& group, std::size_t s) {
  Ticks* const pairs = &pairs_[s * columns_.n_of_pairs];
  const Ticks* const sums = &group.sums[s * group.n_codes];
  for (std::uint32_t set = 0; set < group.holds.size(); ++set)
    for (std::uint32_t k = 0; k < group.n_columns; ++k) {
      Ticks& sum = pairs[std::size_t{group.row[set]} * columns_.stride + group.begin + k];
      for_each_bit(group.holds[set] & group.holds[k], 0, [&](std::size_t code) { sum += sums[code]; });
    }
}

/// The sums of each set of one group where each column of the other one holds, and the other way round.
void GroupSums::sum_between(const Group& first, const Group& second, std::size_t s) {
  Ticks* const pairs = &pairs_[s * columns_.n_of_pairs];
  const Ticks* const sums = row_sums(s);
  histogram_.assign(std::size_t{first.n_codes} * second.n_codes, 0);
  for (std::size_t row = 0; row < n_rows(); ++row)
    histogram_[std::size_t{first.codes[row]} * second.n_codes + second.codes[row]] += sums[row];
  const auto n_first = static_cast<std::uint32_t>(first.holds.size()),
             n_second = static_cast<std::uint32_t>(second.holds.size());
  summed_.resize(std::size_t{n_first} * second.n_codes);
  sum_sets(first.steps, n_first, histogram_.data(), second.n_codes, summed_.data(), second.n_codes);
  summed_twice_.resize(std::size_t{n_first} * n_second);
  sum_sets_of_rows(second.steps, n_second, summed_.data(), n_first, second.n_codes, summed_twice_.data(), n_second);
  for (std::uint32_t a = 0; a < n_first; ++a)
    for (std::uint32_t b = 0; b < n_second; ++b) {
      const Ticks sum = summed_twice_[std::size_t{a} * n_second + b];
      if (b < second.n_columns) pairs[std::size_t{first.row[a]} * columns_.stride + second.begin + b] = sum;
      if (a < first.n_columns) pairs[std::size_t{second.row[b]} * columns_.stride + first.begin + a] = sum;
    }
}

/// Fills the rows of all triples of a column of each of the two groups and one of the second or a later one.
bool GroupSums::count_triples(std::size_t g, std::size_t h, run::WorkMeter& meter) {
  const Group &first = groups_[g], &second = groups_[h];
  n_of_triples_ = std::size_t{first.n_columns} * second.n_columns * columns_.stride;
  triples_.resize(std::max(triples_.size(), rows_.n_sums_of_row * n_of_triples_));
  pair_code_.resize(n_rows());
  for (std::size_t row = 0; row < n_rows(); ++row)
    pair_code_[row] = static_cast<std::uint16_t>(first.codes[row] * second.n_codes + second.codes[row]);
  const std::size_t n_pairs = std::size_t{first.n_codes} * second.n_codes;
  for (std::size_t s = 0; s < rows_.n_sums_of_row; ++s) {
    copy_triples(first, second, s);
    for (std::size_t m = h + 1; m < groups_.size(); ++m) {
      if (!meter.spend(kWorkOfRow * n_rows() + kWorkOfCell * n_pairs * groups_[m].n_codes)) return false;
      sum_triples(first, second, groups_[m], s);
    }
  }
  return true;
}

/// Those of a column of the first group and two of the second one are pairs.
void GroupSums::copy_triples(const Group& first, const Group& second, std::size_t s) {
  const std::size_t stride = columns_.stride;
  const Ticks* const pairs = &pairs_[s * columns_.n_of_pairs];
  for (std::uint32_t i = 0; i < first.n_columns; ++i)
    for (std::uint32_t j = 0; j < second.n_columns; ++j) {
      Ticks* const row = &triples_[s * n_of_triples_ + (std::size_t{i} * second.n_columns + j) * stride];
      std::fill(row, row + stride, 0);
      for (std::uint32_t k = j + 1; k < second.n_columns; ++k)
        row[second.begin + k] = pairs[std::size_t{second.meet(j, k)} * stride + first.begin + i];
    }
}

void GroupSums::sum_triples(const Group& first, const Group& second, const Group& third, std::size_t s) {
  const std::size_t stride = columns_.stride, n_codes = third.n_codes, width = second.n_codes * n_codes;
  histogram_.assign(first.n_codes * width, 0);
  Ticks* const histogram = histogram_.data();
  const Ticks* const sums = row_sums(s);
  for (std::size_t row = 0; row < n_rows(); ++row) histogram[pair_code_[row] * n_codes + third.codes[row]] += sums[row];
  summed_.resize(first.n_columns * width);
  sum_sets(first.steps, first.n_columns, histogram, width, summed_.data(), width);
  summed_twice_.resize(second.n_columns * n_codes);
  for (std::uint32_t i = 0; i < first.n_columns; ++i) {
    sum_sets(second.steps, second.n_columns, &summed_[i * width], n_codes, summed_twice_.data(), n_codes);
    sum_sets_of_rows(third.steps, third.n_columns, summed_twice_.data(), second.n_columns, n_codes,
                     &triples_[s * n_of_triples_ + std::size_t{i} * second.n_columns * stride + third.begin], stride);
  }
}

}  // namespace hornbeam::shallow
