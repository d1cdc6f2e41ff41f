// shallow/group_sums.hpp
//
// WHAT    Sums over the rows of a side where one, two or three columns hold: the weights of two targets, or what each
//         prediction explains.
// FLOW    shallow/sum_solver opens a side -> pairs -> triples, one pair of columns after the other.
// HOLDS   All sums are exact: those of two targets are packed into one integer of 63 bits; a problem where they do not
//         fit is refused.
// COST    One addition for each row and each pair or triple of groups, however many columns a group has; then three
//         sums over the patterns of a histogram. Not one for each row and each triple of columns that hold there.
// SOURCE  Sums of the pairs of each row by additions: [vanderlinden2023streed]; groups of columns: ours.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "data/column_groups.hpp"
#include "kernels/kernels.hpp"
#include "rows/problem.hpp"
#include "run/run.hpp"

namespace hornbeam::shallow {

/// Bits of a number that is not negative.
inline int bits_of(Ticks number) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number))); }

/// In words of kernel work: an addition to a histogram.
inline constexpr std::uint64_t kWorkOfRow = 16;

/// The rows of a problem by their codes and sums (kernels::SumColumns). Immutable.
struct CodedRows {
  explicit CodedRows(const rows::Problem& problem);
  /// Whether the sums of all rows can be packed.
  static bool fit(const rows::Problem& problem);
  static std::uint32_t n_sums(const models::Measures& m) { return m.has_two_sums() ? 1 : m.n_predictions; }

  data::ColumnGroups groups;
  std::uint32_t n_sums_of_row;
  Ticks shift = 0;
  std::vector<Ticks> sums;  // (n_rows, n_sums_of_row)
  std::size_t bytes() const { return groups.bytes() + sums.capacity() * sizeof(Ticks); }
  /// In words of kernel work: sums of the columns, without pairs, over so many rows.
  std::uint64_t work_on_columns(std::size_t n_rows) const {
    return kWorkOfRow * n_rows * n_sums_of_row * groups.n_groups();
  }
  /// What a side of so many rows takes: their numbers, sums and codes. Sums of pairs and triples come on top.
  std::size_t bytes_to_solve(std::size_t n_rows) const {
    return n_rows * (sizeof(std::uint32_t) + n_sums_of_row * sizeof(Ticks) + groups.n_groups() + sizeof(std::uint16_t));
  }
};

class GroupSums {
 public:
  explicit GroupSums(const CodedRows& rows) : rows_(rows) {}

  /// Lays out some rows, by number, and those of `columns`, of the data, that differ among them.
  void open(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> columns);
  /// The rows of `from` where its column i holds, with the columns of `from`, whether they differ among these rows or
  /// not. This is to be a copy of `from`, whatever rows it has been narrowed to; counts are of the columns from i on.
  void open_where(const GroupSums& from, std::uint32_t i);

  std::uint32_t n_columns() const { return static_cast<std::uint32_t>(column_.size()); }
  /// Index in the `columns` that were given.
  std::uint32_t column(std::uint32_t i) const { return column_[i]; }
  const kernels::SumColumns& columns() const { return columns_; }

  /// Fills the pairs. False if stopped.
  bool count_pairs(run::WorkMeter& meter);

  /// Calls `use(i, j, triples)` for all i < j, once the pairs are counted: `triples` counts for k > j. After
  /// `open_where`, i is in the group of that column, or behind. False if stopped.
  template <class Use>
  bool each_triple(run::WorkMeter& meter, Use use) {
    for (std::size_t g = first_group_; g < groups_.size(); ++g) {
      const Group& first = groups_[g];
      for (std::uint32_t i = 0; i < first.n_columns; ++i)
        for (std::uint32_t j = i + 1; j < first.n_columns; ++j)
          use(first.begin + i, first.begin + j, row_of_pairs(first.meet(i, j)));
      for (std::size_t h = g + 1; h < groups_.size(); ++h) {
        if (!count_triples(g, h, meter)) return false;
        const Group& second = groups_[h];
        for (std::uint32_t i = 0; i < first.n_columns; ++i)
          for (std::uint32_t j = 0; j < second.n_columns; ++j)
            use(first.begin + i, second.begin + j, triple_row(i, j, second));
      }
    }
    return true;
  }

 private:
  /// A sum over some codes: that of an earlier set, if any, and of single codes.
  struct Step {
    std::uint32_t from;  // kNone, or the number of the set in its group
    std::vector<std::uint32_t> codes;
  };

  /// The columns of one group that are left on the side, each a set of codes, and their intersections.
  struct Group {
    std::uint32_t begin = 0, n_columns = 0, n_codes = 0;
    std::vector<std::uint32_t> holds;  // of each set, the columns first: its codes
    std::vector<std::uint32_t> row;    // of each set: its row of pairs_
    std::vector<std::uint32_t> meets;  // (n_columns, n_columns): the row of pairs_ of the intersection
    std::vector<Step> steps;           // of each set
    std::vector<Ticks> sums;           // (n_sums, n_codes)
    std::vector<std::uint8_t> codes;   // of each row
    std::uint32_t meet(std::uint32_t i, std::uint32_t j) const { return meets[std::size_t{i} * n_columns + j]; }
  };

  void choose_columns(std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> columns);
  void choose_of_group(Group& group, std::span<const std::uint32_t> places, std::span<const std::uint32_t> columns);
  void read_codes(std::span<const std::uint32_t> numbers);
  void sum_codes(Group& group);
  void sum_columns();
  static void find_meets(Group& group);
  static void find_steps(Group& group);
  // Each for sum number s.
  void sum_within(const Group& group, std::size_t s);
  void sum_between(const Group& first, const Group& second, std::size_t s);
  void copy_triples(const Group& first, const Group& second, std::size_t s);
  void sum_triples(const Group& first, const Group& second, const Group& third, std::size_t s);
  bool count_triples(std::size_t g, std::size_t h, run::WorkMeter& meter);

  std::size_t n_rows() const { return row_sums_.size() / rows_.n_sums_of_row; }
  const Ticks* row_sums(std::size_t s) const { return row_sums_.data() + s * n_rows(); }
  kernels::TripleSums row_of_pairs(std::uint32_t row) const {
    return {&pairs_[std::size_t{row} * columns_.stride], columns_.n_of_pairs};
  }
  kernels::TripleSums triple_row(std::uint32_t i, std::uint32_t j, const Group& second) const {
    return {&triples_[(std::size_t{i} * second.n_columns + j) * columns_.stride], n_of_triples_};
  }

  const CodedRows& rows_;
  std::vector<Group> groups_;
  std::size_t first_group_ = 0;  // whose sums are counted
  std::vector<std::uint32_t> column_;
  std::vector<Ticks> row_sums_;  // (n_sums, n_rows), of the rows of the side
  kernels::SumColumns columns_{};
  std::vector<Ticks> totals_;
  AlignedVector<Ticks> sums_, pairs_, triples_;
  std::size_t n_of_triples_ = 0;  // of each sum

  std::vector<std::uint32_t> group_codes_;         // of the data's groups: the codes that some row has
  std::vector<std::vector<std::uint32_t>> given_;  // of the data's groups: places in `columns`
  std::vector<std::uint32_t> data_group_;          // of each group
  std::vector<std::uint16_t> pair_code_;           // of each row, in two groups
  std::vector<std::uint32_t> kept_;                // rows of the sums that these have been narrowed from
  std::vector<Ticks> histogram_, summed_, summed_twice_;
};

}  // namespace hornbeam::shallow
