// posterior/row_pairs.hpp
//
// WHAT    Pairs of rows of different classes for bounds/separated_pairs.hpp, chosen once so that no column separates
//         many of them, and how many of them lie entirely in the cells of two columns.
// FLOW    posterior/posterior_search chooses; posterior/split_scanner counts.
// HOLDS   (Q1) No row is in two pairs, and no distinct row of a pair has both classes. (Q2) The bound holds for any
//         such pairs; how they are chosen only decides how large it is.
// COST    Rows of one class x rows of the other x words of a row, once; no pairs if that is more than 2^28. A count
//         costs as much as that of a tile with two columns for each of the data, and a slot for each pair.
// CHOICE  A row may be paired with the rows nearest to it. Pairs are chosen one by one: the next is the one whose
//         columns separate the fewest pairs so far. Of the sequence, as many are kept as make the bound largest.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bounds/separated_pairs.hpp"
#include "data/distinct_rows.hpp"
#include "models/leaf_model.hpp"
#include "posterior/posterior_costs.hpp"
#include "run/run.hpp"

namespace hornbeam::posterior {

/// The pairs that lie entirely in one set of rows, and how many of them each column does not separate.
struct PairsLeft {
  Ticks n_pairs = 0;
  Ticks most_separated = 0;           // by one column
  const Ticks* true_side = nullptr;   // by column of the data: the pairs both of whose rows it holds in
  const Ticks* false_side = nullptr;  // the same where it fails
};

class RowPairs {
 public:
  /// No pairs.
  RowPairs() = default;
  /// Chooses pairs; none if there are not two classes. Throws Stopped.
  RowPairs(const data::DistinctRows& rows, PosteriorCosts& costs, run::Run& run);

  std::uint64_t bytes() const { return tile_.capacity() * sizeof(Word); }
  /// A bit for each pair; all are set.
  std::vector<Word> all() const;
  /// Those of `pairs` that lie on one side of a column.
  void keep_side(std::uint32_t column, bool side, std::vector<Word>& pairs) const;

  /// Counts all of `pairs`, or those on one side of a column; the counts are written to `counts`.
  PairsLeft count(const std::vector<Word>& pairs, AlignedVector<Ticks>& counts);
  PairsLeft count_side(const std::vector<Word>& pairs, std::uint32_t column, bool side, AlignedVector<Ticks>& counts);

  /// The cost of a node at `depth` for pairs beyond the most that a column separates.
  const bounds::PairRate& rate(PosteriorCosts& costs, std::uint32_t depth, Ticks most_separated);

 private:
  struct Pair {
    std::uint32_t first, second;  // distinct rows
  };

  std::vector<Pair> near_pairs(const data::DistinctRows& rows, run::Run& run) const;
  std::vector<Pair> choose(const data::DistinctRows& rows, const std::vector<Pair>& pool, PosteriorCosts& costs,
                           run::Run& run);
  void lay_out(const data::DistinctRows& rows, const std::vector<Pair>& pairs);
  std::uint32_t tile_column(std::uint32_t column, bool side) const { return side ? column : n_columns_ + column; }
  PairsLeft count_in(const std::vector<Word>& pairs, const std::uint32_t* tile_column, AlignedVector<Ticks>& counts);

  std::uint32_t n_columns_ = 0, n_pairs_ = 0, n_words_ = 0, stride_ = 0, least_distance_ = 0;
  AlignedVector<Word> tile_;  // column c: both rows hold; n_columns + c: both fail
  std::vector<std::vector<std::optional<bounds::PairRate>>> rates_;  // by depth and most separated, where needed
  AlignedVector<Word> scratch_;
};

}  // namespace hornbeam::posterior
