// ordered/ordered_search.hpp
//
// WHAT    The exact search for problems whose columns are the thresholds of a few variables, with a depth limit.
// FLOW    api/solve -> here -> ordered/two_level_cuts at the lowest two levels.
// HOLDS   (O1) `lower` of a result never exceeds the cost of any tree of the allowed depth; `cost` is that of a tree.
//         (O2) nothing of the size of a column is ever stored: 10^5 thresholds cost what their variables cost.
// COST    A subproblem costs its rows x variables, whatever the number of thresholds; how many cuts are tried depends
//         on how soon ordered/open_cuts.hpp closes the runs between them.
// SOURCE  [mazumder2022quantbnb], [brita2025contree]; the search with cutoffs and the exact integers are ours.
#pragma once

#include <functional>

#include "base/options.hpp"
#include "base/stop.hpp"
#include "ordered/ordered_rows.hpp"
#include "ordered/two_level_cuts.hpp"
#include "search/search.hpp"

namespace hornbeam {

struct OrderedProblem {
  const RankedColumns& columns;
  std::span<const std::int32_t> classes;
  std::span<const std::int64_t> weights;
  std::uint32_t n_classes;
  OrderedCosts costs;
  std::uint32_t depth;
  bool closes_cuts;                             // Switches::similarity
  std::uint64_t work_between_polls = 1u << 20;  // entries read between two looks at the clock
};

Outcome search_ordered(const OrderedProblem& problem, const SearchLimits& limits, StopSignal& stop,
                       const std::function<bool(const Progress&)>& on_poll);

}  // namespace hornbeam
