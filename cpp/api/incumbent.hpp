// api/incumbent.hpp
//
// WHAT    The best tree that is known without the search: that of the caller, that of the checkpoint, and the greedy
//         one (primal/greedy_tree.hpp), which is grown at most once, when it is asked for.
// FLOW    api/solve makes it -> the search starts from it -> api/solve returns it if the search ends with a worse one.
// CHOICE  Greedy trees are for problems whose rows weigh for every target. A search by sums over columns has no tree
//         before it ends, which is often sooner than a greedy tree would have paid: it gets one only if it is stopped.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "api/solve.hpp"
#include "api/start_tree.hpp"
#include "primal/greedy_tree.hpp"

namespace hornbeam::api {

template <class Columns>
class Incumbent {
 public:
  Incumbent(const Columns& columns, const Input& input, const models::LeafModel& model,
            const run::Checkpoint* checkpoint)
      : columns_(columns), input_(input), model_(model) {
    consider(input.start);
    if (checkpoint == nullptr || !checkpoint->saved()) return;
    const run::SavedProgress& saved = *checkpoint->saved();
    consider({saved.column, saved.left, saved.right});
  }

  std::optional<tree::ResultTree>& best() { return best_; }
  /// What a search may adopt; null for none. A guessed bound may lie above the cost of a tree, which a search that
  /// adopts it does not expect.
  const tree::ResultTree* adopted() const { return best_ && input_.reference.empty() ? &*best_ : nullptr; }

  /// Grows the greedy tree, unless it takes more than a tenth of a second and more than a small part of so many.
  /// Nothing interrupts it, so four seconds are the most.
  void grow(double seconds) {
    if (is_grown_ || !input_.bounds.primal || !input_.reference.empty() || !input_.losses.targets.target.empty())
      return;
    const primal::GreedyWork work = primal::greedy_work(columns_, model_, input_.tree);
    const double allowed = std::clamp(kShare * seconds, kQuickSeconds, kMostSeconds);
    if (kSecondsOfAddition * static_cast<double>(work.additions) > allowed) return;
    if (input_.limits.bytes && work.bytes > *input_.limits.bytes) return;
    is_grown_ = true;
    consider(primal::greedy_tree(columns_, input_.losses.targets, model_, input_.leaf_cost, input_.tree).view());
  }

 private:
  static constexpr double kSecondsOfAddition = 1e-9, kQuickSeconds = 0.1, kMostSeconds = 4, kShare = 1.0 / 16;

  void consider(const tree::StartTree& given) {
    if (given.column.empty()) return;
    tree::ResultTree tree = start_tree(given, columns_, input_.losses, model_, input_.leaf_cost, input_.tree);
    if (!best_ || tree.cost < best_->cost) best_ = std::move(tree);
  }

  const Columns& columns_;
  const Input& input_;
  const models::LeafModel& model_;
  std::optional<tree::ResultTree> best_;
  bool is_grown_ = false;
};

}  // namespace hornbeam::api
