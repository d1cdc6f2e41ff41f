// lookahead/lookahead_search.hpp
//
// WHAT    SPLIT: the best prefix of a few splits, where every leaf of the prefix costs as much as its greedy tree; then
//         optimal trees replace the greedy ones, unless these are to be kept. LicketySPLIT: the first split of that
//         prefix, then the same again on both sides.
// FLOW    api/solve_lookahead -> here -> lookahead/prefixes -> lookahead/greedy_trees; for the optimal trees, the
//         search passed by the caller.
// HOLDS   (K1) The tree costs no more than the greedy tree of the same depth, and after a stop no more than the best
//         known at that time. (K2) SPLIT's tree costs no more than any tree of the lookahead depth.
// SOURCE  [babbar2025split]: algorithms 1 and 3, theorems A.1 and A.2. Every prefix leaf is completed to the full
//         remaining depth, as in the paper. All costs are those of the whole problem, so none is rescaled.
#pragma once

#include <functional>

#include "lookahead/greedy_trees.hpp"
#include "rows/problem.hpp"
#include "run/run.hpp"

namespace hornbeam::lookahead {

struct Lookahead {
  std::uint32_t depth;  // splits searched exhaustively; at least 1
  bool is_recursive;    // LicketySPLIT
  bool last_by_loss;    // the last split of a greedy tree leaves the least loss, instead of having the largest gain
  bool keeps_greedy;    // the result is the best prefix with its greedy trees; not for LicketySPLIT
};

/// Finds an optimal tree: search/search.
using ExactSearch = std::function<run::Outcome(const rows::Problem&, run::Run&)>;

/// `problem` has a depth limit and no limit of leaves.
run::Outcome search_lookahead(const rows::Problem& problem, const Lookahead& lookahead, run::Run& run,
                              const ExactSearch& search);

}  // namespace hornbeam::lookahead
