#include "primal/points.hpp"

#include <algorithm>

#include "base/fingerprint.hpp"
#include "base/number_index.hpp"
#include "primal/sample.hpp"

namespace hornbeam::primal {

namespace {

/// A number of rows; of more than 2^32 as many, so that a leaf that seems large enough is.
std::uint32_t number_of(std::int64_t rows) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(rows, ~std::uint32_t{0}));
}

/// For each column of many rows, which takes milliseconds.
void require(run::Run* run) {
  if (run != nullptr && !run->check()) throw run::Stopped{};
}

}  // namespace

Points::Points(const data::OrderedColumns& columns, const data::RowTargets& targets, bool joint, run::Run* run)
    : Points(targets.n_targets, joint) {
  std::vector<std::uint64_t> hash(columns.n_rows, 0);
  for (std::uint32_t v = 0; v < columns.n_variables(); ++v) {
    require(run);
    for (std::uint32_t row = 0; row < columns.n_rows; ++row) hash[row] = mix(hash[row] ^ columns.bins_of(v)[row]);
  }
  const auto are_equal = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t v = 0; v < columns.n_variables(); ++v)
      if (columns.bins_of(v)[a] != columns.bins_of(v)[b]) return false;
    return true;
  };
  NumberIndex index;
  index.reset(columns.n_rows);
  const std::vector<std::int64_t> nothing(n_weights(), 0);
  for (std::uint32_t row = 0; row < columns.n_rows; ++row) {
    std::uint32_t rows = number_of(targets.n_rows(row));
    targets.for_each(row, [&](std::uint32_t of_target, std::int64_t of_weight) {
      if (of_weight == 0) return;
      const std::uint32_t of_point = joint ? 0 : of_target, of_weights = joint ? of_target : 0;
      const std::uint32_t point = index.find_or_add(mix(hash[row] + of_point), size(), [&](std::uint32_t known) {
        return (joint || target[known] == of_target) && are_equal(first_row[known], row);
      });
      if (point == size()) {
        first_row.push_back(row);
        add(of_target, nothing, 0);
      }
      weight[std::size_t{point} * n_weights() + of_weights] += of_weight;
      row_count[point] = number_of(std::int64_t{row_count[point]} + rows);
      rows = 0;
    });
  }
  for (std::uint32_t v = 0; v < columns.n_variables(); ++v) {
    require(run);
    const std::uint32_t* bins = columns.bins_of(v);
    variables.emplace_back(size(), columns.n_thresholds[v], columns.first_column[v], false,
                           [&](std::uint32_t point) { return bins[first_row[point]]; });
  }
  merge_nominal(run);
}

namespace {

/// The lengths of the longest runs of columns of which each holds where the one before it does.
std::vector<std::uint32_t> nested_runs(const data::DistinctRows& rows) {
  std::vector<Word> outside(rows.n_columns, 0);  // of the next column, but in this one
  for (std::uint32_t word = 0; word < words_for(rows.n_rows); ++word) {
    const Word* bits = rows.bits.data() + std::size_t{word} * rows.stride;
    for (std::uint32_t column = 0; column + 1 < rows.n_columns; ++column)
      outside[column] |= bits[column] & ~bits[column + 1];
  }
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t column = 0; column < rows.n_columns; ++column) {
    if (column == 0 || outside[column - 1] != 0) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

}  // namespace

Points::Points(const data::DistinctRows& rows, bool joint, run::Run* run) : Points(rows.n_targets, joint) {
  std::vector<std::uint32_t> row_of;
  for (std::uint32_t row = 0; row < rows.n_rows; ++row) {
    std::uint32_t count = number_of(rows.row_count[row]);
    for (std::uint32_t of_target = 0; of_target < n_targets; of_target += n_weights()) {
      if (rows.weight(row)[of_target] == 0) continue;
      row_of.push_back(row);
      add(of_target, {rows.weight(row) + of_target, n_weights()}, count);
      count = 0;
    }
  }
  std::uint32_t first = 0;
  for (const std::uint32_t n : nested_runs(rows)) {
    require(run);
    // The thresholds of a variable hold from its first true one on.
    variables.emplace_back(size(), n, first, false, [&](std::uint32_t point) {
      std::uint32_t n_false = 0, n_left = n;
      while (n_left > 0) {
        const std::uint32_t half = n_left / 2;
        if (rows.test(first + n_false + half, row_of[point])) {
          n_left = half;
        } else {
          n_false += half + 1;
          n_left -= half + 1;
        }
      }
      return n_false;
    });
    first += n;
  }
  merge_nominal(run);
}

Points Points::sample(std::uint32_t n_sampled) const {
  Points sampled(n_targets, are_joint);
  std::vector<std::uint32_t> numbers;
  for_each_sampled(size(), n_sampled, [&](std::size_t point) {
    numbers.push_back(static_cast<std::uint32_t>(point));
    const auto i = static_cast<std::uint32_t>(point);
    sampled.add(are_joint ? 0 : target[point], weights_of(i), row_count[point]);
  });
  for (const Variable& variable : variables) sampled.variables.push_back(variable.of(numbers));
  return sampled;
}

void Points::add(std::uint32_t of_target, std::span<const std::int64_t> weights, std::uint32_t rows) {
  if (!are_joint) target.push_back(of_target);
  weight.insert(weight.end(), weights.begin(), weights.end());
  row_count.push_back(rows);
}

std::uint64_t Points::bytes() const {
  std::uint64_t sum = (size() + first_row.size()) * sizeof(row_count[0]) + target.size() * sizeof(target[0]) +
                      weight.size() * sizeof(weight[0]);
  for (const Variable& variable : variables) sum += variable.bytes();
  return sum;
}

/// Makes one variable of neighboring single conditions that exclude each other.
Split Points::split_of(std::uint32_t column) const {
  // Variables are in the order of their columns.
  const auto after = std::upper_bound(variables.begin(), variables.end(), column,
                                      [](std::uint32_t wanted, const Variable& one) { return wanted < one.column(0); });
  const auto variable = static_cast<std::uint32_t>(after - variables.begin() - 1);
  return {variable, column - variables[variable].column(0)};
}

void Points::merge_nominal(run::Run* run) {
  constexpr std::uint32_t kMostMerged = 255;
  std::vector<Variable> merged;
  std::vector<std::uint8_t> bin(size());
  for (std::size_t first = 0, end = 0; first < variables.size(); first = end) {
    std::uint32_t n_merged = 0;
    std::fill(bin.begin(), bin.end(), kMostMerged);
    for (end = first; end < variables.size() && n_merged < kMostMerged; ++end) {
      if (variables[end].n_conditions() > 1) break;
      require(run);
      const bool is_exclusive = variables[end].with_condition(0, [&](auto holds) {
        for (std::uint32_t point = 0; point < size(); ++point)
          if (holds(point) && bin[point] != kMostMerged) return false;
        for (std::uint32_t point = 0; point < size(); ++point)
          if (holds(point)) bin[point] = static_cast<std::uint8_t>(n_merged);
        return true;
      });
      if (!is_exclusive) break;
      ++n_merged;
    }
    if (n_merged < 2) {
      end = first + 1;
      merged.push_back(std::move(variables[first]));
    } else {
      merged.emplace_back(size(), n_merged, variables[first].column(0), true,
                          [&](std::uint32_t point) { return std::min<std::uint32_t>(bin[point], n_merged); });
    }
  }
  variables = std::move(merged);
}

}  // namespace hornbeam::primal
