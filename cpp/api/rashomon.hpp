// api/rashomon.hpp
//
// WHAT    The entry point of the sets of near-optimal trees: checks the input, and scores each tree that is read again.
// FLOW    bindings -> here -> data (merge rows) -> rashomon/tree_set -> verify (each tree that is read).
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/solve.hpp"
#include "rashomon/tree_set.hpp"

namespace hornbeam::api {

struct AucObjective {
  Ticks half_pair;
  std::int64_t max_false_positives;
  Ticks leaf;  // whatever it is in the costs of the set
};

struct BestRanking {
  rashomon::BestOfSet found;
  run::Status status;  // optimal: all trees were examined
};

/// What leaves predict and what counts as a cost; see rashomon::TreeKind.
struct TreeRule {
  rashomon::LeafRule leaf_rule;
  int loss_bits = 0;
};

/// What was asked for does not fit into a limit on bytes.
class MemoryLimitReached : public std::bad_alloc {
 public:
  const char* what() const noexcept override {
    return "filters and counts over all trees need an index of the set, which does not fit into memory_limit: raise "
           "it, or find a smaller set.";
  }
};

/// The columns that belong to one variable each, for the reliance on it: the group of each column, from 0, and the
/// weight of each row as a source of values, with a sum below 2^52.
struct ColumnGroups {
  std::span<const std::int32_t> group_of;
  std::span<const std::int64_t> shares;
};

class FilteredSet;

/// One thread at a time looks into the graph; the others wait.
class RashomonSet {
 public:
  /// All trees of at most `bound` ticks, of which the losses of leaves are rounded; `optimum` is the cost of the best
  /// one or near it. With `prefixes`, only those of RESPLIT, and `optimum` is the value of the best prefix. The input
  /// has no limit on leaves and no reference, and every class has a positive cost. Throws std::invalid_argument for
  /// input out of range.
  RashomonSet(const data::PackedColumns& columns, const Input& input, Ticks optimum, Ticks bound, const TreeRule& rule,
              const std::optional<rashomon::PrefixRule>& prefixes, const run::OnPoll& on_poll);

  const rashomon::TreeSet& trees() const { return *trees_; }
  /// optimal: all trees up to the bound are in the set, or all of RESPLIT.
  run::Status status() const { return status_; }
  double seconds() const { return seconds_; }

  /// Tree number `rank` of those that cost `cost`. Throws std::invalid_argument if there is none, std::logic_error if
  /// the tree does not cost what the set reports, before rounding (a bug in hornbeam).
  tree::ResultTree tree(Ticks cost, const rashomon::Limbs& rank);

  /// What may stand at the end of a path, within `budget` ticks (`TreeSet::view`). Throws std::invalid_argument if
  /// there is no such column.
  std::optional<rashomon::NodeView> view(std::span<const rashomon::PathStep> path, Ticks budget, bool with_splits);

  /// The trees that pass a filter, counted by `limits.threads`; null if `on_poll` returned true. It shares this set,
  /// which must outlive it. Throws std::invalid_argument if the set is empty, or the filter is not for its columns;
  /// MemoryLimitReached if this set and all its filtered ones would need more than `limits.bytes`.
  std::unique_ptr<FilteredSet> filtered(rashomon::TreeFilter filter, const run::SearchLimits& limits,
                                        const run::OnPoll& on_poll);

  /// The tree whose leaves, ordered by their share of positives, lose least of the curve up to `max_false_positives`
  /// (api/ranking.hpp) and these costs, if it costs less than `below`; of a set of the rule LeafRule::best. It has at
  /// most `most_leaves`. Throws std::invalid_argument for input out of range, std::logic_error if the tree does not
  /// cost what was found.
  BestRanking best_ranking(const AucObjective& objective, Ticks below, std::optional<std::uint32_t> most_leaves,
                           const run::SearchLimits& limits, const run::OnPoll& on_poll);

  /// The range over all trees for each group of columns. Nothing if `on_poll` returned true. Throws
  /// std::invalid_argument for input out of range or an empty set.
  std::optional<std::vector<rashomon::RelianceRange>> reliance(const ColumnGroups& groups, const run::OnPoll& on_poll);

 private:
  friend class FilteredSet;

  /// `measure(group, run)` of each group; nothing if `on_poll` returned true.
  template <class Measure>
  auto of_each_group(const ColumnGroups& groups, const run::OnPoll& on_poll, Measure measure);
  data::DistinctRows rows_unless_stopped(run::Run& run) const;
  data::RowTargets targets() const { return {target_, weights_, model_.n_targets()}; }

  std::vector<std::uint8_t> bytes_;
  data::PackedColumns columns_;
  std::vector<std::int32_t> target_;
  std::vector<std::int64_t> weights_;
  std::vector<Ticks> costs_;
  models::LeafModel model_;
  rashomon::TreeKind kind_;
  TreeLimits tree_limits_;
  std::unique_ptr<rashomon::TreeSet> trees_;
  run::Status status_;
  double seconds_;
  std::mutex in_use_;
};

/// The trees of a RashomonSet that pass a filter.
class FilteredSet {
 public:
  FilteredSet(std::unique_ptr<rashomon::FilteredTrees> trees, RashomonSet& set) : trees_(std::move(trees)), set_(set) {}

  /// As that of RashomonSet.
  std::optional<rashomon::NodeView> view(std::span<const rashomon::PathStep> path, Ticks budget, bool with_splits);

  /// How many trees predict each class for each row; nothing if `on_poll` returned true. Throws std::invalid_argument
  /// if the rows have other columns.
  std::optional<rashomon::VoteCounts> votes(const data::PackedColumns& rows, const rashomon::TreeLimit& limit,
                                            const run::OnPoll& on_poll);

  /// Least, largest and sum of what the trees predict for each row; else the same.
  std::optional<rashomon::PredictionSpread> spread(const data::PackedColumns& rows, const rashomon::TreeLimit& limit,
                                                   const run::OnPoll& on_poll);

  /// The sum over the trees within a limit, for each group; the rest as for `RashomonSet::reliance`.
  std::optional<std::vector<rashomon::RelianceSum>> sums_of_reliance(const ColumnGroups& groups,
                                                                     const rashomon::TreeLimit& limit,
                                                                     const run::OnPoll& on_poll);

 private:
  /// `tally(rows, run)` of the rows; nothing if `on_poll` returned true.
  template <class Tally>
  auto over_rows(const data::PackedColumns& rows, const rashomon::TreeLimit& limit, const run::OnPoll& on_poll,
                 Tally tally);

  std::unique_ptr<rashomon::FilteredTrees> trees_;
  RashomonSet& set_;
};

}  // namespace hornbeam::api
