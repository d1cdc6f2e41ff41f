// lookahead/prefixes.hpp
//
// WHAT    The costs of prefixes of a few levels of splits: a leaf at the last of these levels costs as much as its
//         greedy tree, a leaf above costs as much as a leaf.
// FLOW    lookahead/lookahead_search uses the best prefix; rashomon/prefix_graph uses all that are good enough.
// HOLDS   (P1) The cost of the best prefix is exact unless the run was stopped. (P2) No prefix or greedy tree has a
//         side with fewer rows than a leaf may have.
// COST    One greedy tree for both sides of each column of each prefix node above the last level; if several prefixes
//         lead to the same rows, their costs are looked up.
// SOURCE  [babbar2025split, algorithms 1 and 2].
#pragma once

#include <optional>
#include <vector>

#include "base/bounds.hpp"
#include "lookahead/greedy_trees.hpp"
#include "rows/row_set.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::lookahead {

class Prefixes {
 public:
  struct Best {
    Ticks cost;
    std::uint32_t column;  // of the row set, kNoSplit for a leaf
  };

  /// Of at most `levels` levels of splits. `looks_up`: whether several prefixes may lead to the same rows; otherwise
  /// row sets have no support sets, which would take most of their memory.
  Prefixes(const data::DistinctRows& data, const models::LeafModel& model, Ticks leaf_cost, std::uint64_t rows_per_leaf,
           std::uint32_t levels, bool looks_up, bool last_by_loss, std::optional<std::uint64_t> table_bytes,
           run::WorkMeter& meter);

  /// The best prefix of at most `steps` levels of splits; with the greedy trees, it has at most `depth` levels.
  Best best(rows::RowSet& rows, std::uint32_t depth, std::uint32_t steps);

  /// Costs of the best prefixes on both sides of a column, or nothing if they come to more than `most`.
  using Sides = GreedyTrees::Sides;
  std::optional<Sides> best_of_sides(rows::RowSet& rows, std::uint32_t column, std::uint32_t depth, std::uint32_t steps,
                                     Ticks most);

  /// Cost of the greedy tree, also after a stop.
  Ticks greedy_cost(const rows::RowSet& rows, std::uint32_t depth);

  rows::RowSetMaker& maker() { return maker_; }
  GreedyTrees& greedy() { return greedy_; }
  const table::SubproblemTable& table() const { return table_; }
  std::uint64_t n_subproblems() const { return n_subproblems_; }
  const Counters& counters() const { return counters_; }
  std::uint64_t bytes() const;

  /// Of both sides of a column; they stay as they are if nothing is looked up.
  void supports_of_sides(const rows::RowSet& rows, std::uint32_t column, rows::SupportSet (&support)[2]) const {
    if (!looks_up_) return;
    support[1] = maker_.support_of(rows, column, true);
    support[0] = support[1];
    support[0].fingerprint ^= rows.support.fingerprint;
  }

 private:
  struct Side {
    Ticks leaf;
    std::uint64_t n_rows;
  };

  Ticks cost_of_split(const rows::RowSet& rows, std::uint32_t column, std::uint32_t depth, std::uint32_t steps,
                      Ticks bound);
  Sides greedy_sides(const rows::RowSet& rows, std::uint32_t column, std::uint32_t depth);
  Side side_of(const rows::RowSet& rows, std::uint32_t column, bool side) const;

  const Ticks leaf_cost_;
  const std::uint64_t rows_per_leaf_;
  const bool looks_up_;
  run::WorkMeter& meter_;
  const models::LeafModel counting_;
  rows::RowSetMaker maker_;
  GreedyTrees greedy_;
  table::SubproblemTable table_;     // prefixes by the levels left; greedy trees under 0
  std::vector<rows::RowSet> child_;  // by the levels left
  std::uint64_t n_subproblems_ = 0;
  Counters counters_;
};

}  // namespace hornbeam::lookahead
