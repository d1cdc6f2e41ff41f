// api/rashomon.hpp
//
// WHAT    The door of the sets of near-optimal trees: checked input in, a set out whose trees are scored again.
// FLOW    bindings -> here -> data (merge rows) -> rashomon/tree_set -> verify (each tree that is read).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "api/solve.hpp"
#include "rashomon/tree_set.hpp"

namespace hornbeam {

struct RankingPrices {
  Ticks half_pair;
  std::int64_t cut;
  Ticks leaf;  // whatever it is in the costs of the set
};

struct BestRanking {
  LeastOfSet found;
  Status status;  // optimal: all trees were asked
};

class RashomonSet {
 public:
  /// All trees of at most `bound` ticks; `optimum` is the cost of the best one or less. With a `rule`, only those of
  /// RESPLIT, and `optimum` is what the best prefix is worth. The input has no limit of leaves and no reference, and
  /// every class costs something. Throws std::invalid_argument for input out of range.
  RashomonSet(const PackedColumns& columns, const Input& input, Ticks optimum, Ticks bound, LeafRule leaf_rule,
              const std::optional<PrefixRule>& rule, const OnPoll& on_poll);

  const TreeSet& trees() const { return *trees_; }
  /// optimal: all trees up to the bound are in the set, or all of RESPLIT.
  Status status() const { return status_; }
  double seconds() const { return seconds_; }

  /// Tree number `rank` of those that cost `cost`. Throws std::invalid_argument if there is none, std::logic_error if
  /// the tree does not cost what the set says (a fault of hornbeam).
  ResultTree tree(Ticks cost, const Limbs& rank);

  /// The tree whose leaves, ordered by their share of positives, lose least of the curve up to `cut` (api/ranking.hpp)
  /// and these prices, if it costs less than `below`; of a set of the rule LeafRule::best. It has at most
  /// `most_leaves`. Throws std::invalid_argument for input out of range, std::logic_error if the tree does not cost
  /// what was found.
  BestRanking best_ranking(const RankingPrices& prices, Ticks below, std::optional<std::uint32_t> most_leaves,
                           const SearchLimits& limits, const OnPoll& on_poll);

  /// Over all trees, of each group of columns; `groups` has the group of each column, from 0, and `shares` what each
  /// row weighs, less than 2^52 in all. Throws std::invalid_argument for input out of range or an empty set.
  std::vector<RelianceRange> reliance(std::span<const std::int32_t> groups, std::span<const std::int64_t> shares,
                                      const std::function<void()>& on_poll);

 private:
  DistinctRows rows_unless_stopped(Run& run) const;
  RowTargets targets() const { return {target_, weights_, model_.n_targets()}; }

  std::vector<std::uint8_t> bytes_;
  PackedColumns columns_;
  std::vector<std::int32_t> target_;
  std::vector<std::int64_t> weights_;
  std::vector<Ticks> costs_;
  LeafModel model_;
  Ticks leaf_cost_;
  TreeLimits tree_limits_;
  std::unique_ptr<TreeSet> trees_;
  Status status_;
  double seconds_;
};

}  // namespace hornbeam
