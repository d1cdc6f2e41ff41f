#include "ordered/plan.hpp"

#include <algorithm>

#include "ordered/two_level_cuts.hpp"

namespace hornbeam {

namespace {

class PlanReader {
 public:
  PlanReader(const RankedColumns& columns, const OrderedCosts& costs) : columns_(columns), costs_(costs) {}

  /// Writes the subtree that begins at `next`, and moves on behind it.
  void read(const OrderedRows& rows, Plan::const_iterator& next) {
    const PlanNode planned = *next++;
    if (planned.kind == PlanNode::Kind::stump) {
      const Plan stump = stump_plan(rows);
      Plan::const_iterator begin = stump.begin();
      return read(rows, begin);
    }
    const auto& weight = rows.class_weight();
    const auto prediction = static_cast<std::uint32_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
    if (planned.kind == PlanNode::Kind::leaf) return tree.add_leaf(prediction);
    const RankSplit& split = planned.split;
    tree.add_split(columns_.first_column[split.variable] + split.threshold, prediction, [&](bool side) {
      OrderedRows child;
      std::vector<std::uint32_t> number;
      rows.make_child(split.variable, rows.n_held_by(split), side, child, number, unlimited_);
      read(child, next);
    });
  }

  ResultTree tree;

 private:
  /// The best stump; the leaf, should none be better.
  Plan stump_plan(const OrderedRows& rows) const {
    const Plan leaf{{PlanNode::Kind::leaf}};
    const TwoLevelResult stump = best_stump(rows, costs_, costs_.leaf_cost(rows.class_weight()));
    return stump.cost < kInfinity ? join(stump.root, leaf, leaf) : leaf;
  }

  const RankedColumns& columns_;
  const OrderedCosts& costs_;
  Run never_stopped_;
  WorkMeter unlimited_{never_stopped_};
};

}  // namespace

Plan join(const RankSplit& root, const Plan& held, const Plan& failed) {
  Plan plan{{PlanNode::Kind::split, root}};
  plan.insert(plan.end(), held.begin(), held.end());
  plan.insert(plan.end(), failed.begin(), failed.end());
  return plan;
}

std::uint32_t count_leaves(const Plan& plan) {
  std::uint32_t n_leaves = 0;
  for (const PlanNode& node : plan)
    n_leaves += node.kind == PlanNode::Kind::leaf ? 1 : node.kind == PlanNode::Kind::stump ? 2 : 0;
  return n_leaves;
}

ResultTree read_plan(const OrderedRows& rows, const Plan& plan, const RankedColumns& columns,
                     const OrderedCosts& costs) {
  PlanReader reader(columns, costs);
  Plan::const_iterator next = plan.begin();
  reader.read(rows, next);
  return std::move(reader.tree);
}

}  // namespace hornbeam
