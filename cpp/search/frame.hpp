// search/frame.hpp
//
// WHAT    A subproblem while it is being searched: its rows, its interval, and the candidates for its root split.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"
#include "rows/row_set.hpp"
#include "search/shared_state.hpp"

namespace hornbeam::search {

/// One side of a candidate split.
struct Side {
  Ticks leaf;                // its cost as a leaf
  Ticks largest_loss;        // n
  Ticks loss;                // err
  Ticks least_loss;          // q
  Ticks base_loss;           // q of the distinct rows before merges; known once the keys are
  Ticks reference_loss = 0;  // the same
  Ticks lower;
  Ticks larger_trees_lower;  // of the trees larger than those that bounds/pair_stage.hpp counts for `upper`
  Ticks upper;               // cost of the best tree known
  table::TreeShape shape;    // of that tree
  NodeLimits limits;

  bool is_closed() const { return lower >= upper; }
  void update_tree(Ticks cost, table::TreeShape of_tree) {
    if (cost < upper || (cost == upper && of_tree < shape)) {
      upper = cost;
      shape = of_tree;
    }
  }
};

/// A split and the leaves that its sides may have. If leaves are limited, it stands for a range of ways to share them
/// (`is_range`): the true side has at least what the limit of the false side leaves over and at most its own limit. The
/// trees of the two sides may then have too many leaves together, so a range is split before its sides are searched.
struct Candidate {
  std::uint32_t column;  // of the frame's row set
  bool is_range = false;
  bool is_of_list = false;  // of a rule list: where one side is searched, the other one is a leaf
  bool is_paired = false;
  bool has_keys = false;
  Side side[2];  // 0: the column fails, 1: it holds
  /// Lower bound: a tree with this root split that costs less is no better than the two best trees known of the sides.
  Ticks lower = 0;
  table::SubproblemKey key[2];

  Ticks upper() const { return side[0].upper + side[1].upper; }
  table::TreeShape shape() const {
    return {side[0].shape.leaves + side[1].shape.leaves, std::max(side[0].shape.depth, side[1].shape.depth) + 1};
  }
  /// What the other side costs at least where the side `x` is searched.
  Ticks least_of_other(int x) const { return is_of_list ? side[1 - x].leaf : side[1 - x].lower; }
  /// Whether raising the side `x` may raise the bound of the split to `target`.
  bool needs(int x, Ticks target) const {
    return !side[x].is_closed() && (!is_of_list || side[x].lower + least_of_other(x) < target);
  }
  /// Leaves for the true side in proportion to what the sides lose as leaves.
  std::uint32_t fair_share(std::uint32_t leaves) const {
    const auto lost = static_cast<double>(side[1].loss);
    return static_cast<std::uint32_t>(leaves * lost / std::max(1.0, lost + static_cast<double>(side[0].loss)));
  }
  /// Raises the bound of the split to what its sides prove together.
  void raise() {
    if (is_range) {
      lower = std::max(lower, side[0].lower + side[1].lower);
      return;
    }
    Ticks larger[2];
    for (int x = 0; x < 2; ++x)
      larger[x] = side[x].is_closed() ? kInfinity : std::max(side[x].larger_trees_lower, side[x].lower);
    lower = std::max(lower, std::min({larger[1] + least_of_other(1), least_of_other(0) + larger[0], kInfinity}));
  }
};

inline constexpr std::uint32_t kNoCandidate = ~std::uint32_t{0};

struct Frame : table::Interval {
  rows::RowSet rows;
  table::SubproblemKey key;
  NodeLimits limits;
  Ticks largest_loss, loss, least_loss;
  bool is_root = false;
  bool has_all_splits = true;  // otherwise its bound is about some of them only, and no news for the table
  bool is_expanded;
  bool is_packed, is_clustered, has_known_pairs;
  Ticks priced_by;  // the total of the prices that have bounded it; 0 if none have
  std::vector<Candidate> candidates;
  std::vector<std::uint32_t> candidate_of;  // by column, or kNoCandidate; made when first needed
  std::uint64_t counted_bytes = 0;
  std::uint64_t path_columns = 0;  // their groups: table::Proof
  std::uint64_t work = 0;          // words of kernel work spent on it and below
};

}  // namespace hornbeam::search
