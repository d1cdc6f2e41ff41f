// api/incumbent.hpp
//
// WHAT    The best tree that is known without the search: that of the caller, that of the checkpoint, and the greedy
//         one (primal/greedy_tree.hpp), which is grown at most once, when it is asked for.
// FLOW    api/solve makes it -> the search starts from it -> api/solve returns it if the search ends with a worse one.
// CHOICE  Greedy trees are for problems whose rows weigh for every target. One is grown before the search if the time
//         that is left has room for it, so that no more time brings a worse tree. A search by sums over columns, and
//         one of a policy with few rows, often ends sooner than a greedy tree would have paid: it gets one only if it
//         is stopped. After a stop, a greedy tree may take a sixteenth of the time of the search, or a tenth of a
//         second; half a second where nothing else is known but a leaf. Nothing interrupts the growth, so four seconds
//         are the most.
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

  /// Before the search: grows the greedy tree if the time that is left has room for it, or if it is soon done. Policies
  /// do without one of a tenth of a second, which comes soon enough after a stop.
  void grow_first() {
    const bool is_policy = !model_.measures().has_two_sums();
    const double left = input_.limits.seconds.value_or(kMostSeconds);
    grow(is_policy ? kQuickSeconds : 0, std::clamp(left, kLateSeconds, kMostSeconds));
  }
  /// After a stop: grows it if that takes a small part of the seconds of the search, or is soon done; it is worth more
  /// time if nothing but a leaf was found.
  void grow_late(const run::Outcome& outcome) {
    const double soon = outcome.tree.n_leaves() == 1 ? kLateSeconds : kQuickSeconds;
    grow(0, std::clamp(kShare * outcome.seconds, soon, kMostSeconds));
  }

 private:
  static constexpr double kSecondsOfAddition = 1e-9, kQuickSeconds = 0.1, kLateSeconds = 0.5, kMostSeconds = 4,
                          kShare = 1.0 / 16;

  /// Unless it takes so many seconds or less, or more than allowed. Nothing interrupts it.
  void grow(double ignored, double allowed) {
    if (is_grown_ || !input_.bounds.primal || !input_.reference.empty() || !input_.losses.targets.target.empty())
      return;
    const primal::GreedyWork work = primal::greedy_work(columns_, model_, input_.tree);
    const double seconds = kSecondsOfAddition * static_cast<double>(work.additions);
    if (seconds <= ignored || seconds > allowed || (input_.limits.bytes && work.bytes > *input_.limits.bytes)) return;
    is_grown_ = true;
    consider(primal::greedy_tree(columns_, input_.losses.targets, model_, input_.leaf_cost, input_.tree).view());
  }

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
