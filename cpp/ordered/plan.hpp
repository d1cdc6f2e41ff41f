// ordered/plan.hpp
//
// WHAT    A tree that the ordered search found, and how it becomes a result.
#pragma once

#include <cstdint>
#include <vector>

#include "ordered/ordered_problem.hpp"
#include "ordered/ordered_rows.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam {

/// A node of a tree that was found. Which columns the best stump splits on is found again at the end.
struct PlanNode {
  enum class Kind { leaf, stump, split } kind;
  RankSplit split{};
};

/// A tree in pre-order, true sides first.
using Plan = std::vector<PlanNode>;

Plan join(const RankSplit& root, const Plan& held, const Plan& failed);
std::uint32_t count_leaves(const Plan& plan);

/// What is found of one subproblem.
struct OrderedResult {
  Ticks lower = 0;         // of all trees that cost less than asked for
  Ticks cost = kInfinity;  // of the tree `plan` if it costs less than asked for
  Plan plan;
};

/// The tree of a plan for these rows, its cost left out.
ResultTree read_plan(const OrderedRows& rows, const Plan& plan, const RankedColumns& columns,
                     const OrderedCosts& costs);

}  // namespace hornbeam
