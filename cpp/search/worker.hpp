// search/worker.hpp
//
// WHAT    One thread's depth-first branch and bound over subproblems with budgets.
// FLOW    search/search starts one worker a thread -> here -> rows/row_set, bounds/*, kernels, table.
// HOLDS   (W1) lower <= best <= upper in every frame and entry, also when a stop unwinds the search. (W2) a call of
//         solve(frame, budget) returns with lower >= budget, or lower = upper, or stopped, or
//         another thread has finished a frame above.
// COST    A subproblem costs (candidate columns x columns x slot words) / 8 vector steps for its pair stage.
// CHOICE  Depth first with budgets that grow by half, not best first: no queue, and the two sides of a split are
//         raised in turn so that the cheaper proof is found first. Candidates live in the frame, not in the table.
// SOURCE  Recursion over support sets: [lin2020gosdt]; the order and the budgets are ours.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "rows/row_set.hpp"
#include "search/frame.hpp"
#include "search/packing.hpp"
#include "search/shared_state.hpp"
#include "shallow/two_levels.hpp"

namespace hornbeam {

class Worker {
 public:
  /// `poll` is called now and then; it may stop the run.
  Worker(const Problem& problem, SharedState& shared, const Kernels& kernels, std::function<void()> poll);

  /// Makes the frame of the whole problem and records its single leaf. Throws Stopped if stopped.
  void open_root(Frame& root);

  /// A good first tree: at each set the split whose best two stumps cost least, recursively (LicketySPLIT with a
  /// lookahead of two levels, [babbar2025split]).
  void find_incumbent(Frame& frame);

  /// Raises the frame's lower bound to `budget`, or closes it (W2).
  void solve(Frame& frame, Ticks budget);

 private:
  /// Of search/probe.cpp: whether the side has reached the goal; if not, the most that a probe can prove.
  struct Probed {
    bool is_raised;
    Ticks reach;
  };

  bool stopped();
  void look_for_overtaken();
  void open(Frame& frame, const Room& room);
  void expand(Frame& frame);
  void pack_pairs(Frame& frame, Ticks budget);
  void list_candidates(Frame& frame);
  Candidate candidate_of(const Frame& frame, const Looks& looks, std::uint32_t column, std::uint32_t least_of_true_side,
                         std::uint32_t most_of_true_side) const;
  void pair_candidates(Frame& frame, Ticks budget);
  void pair(Frame& frame, Candidate& candidate);
  void spread_to_neighbours(Frame& frame, const Candidate& from);
  static void take_nested_bound(const Candidate& from, Candidate& to);
  void take_small_tree(Frame& frame, const Candidate& range);
  void divide(Frame& frame, std::size_t index);
  Candidate part_of(const Frame& frame, Candidate whole, std::uint32_t least_of_true_side,
                    std::uint32_t most_of_true_side) const;
  void expect_names(Frame& frame, Ticks budget);
  void find_keys(const Frame& frame, Candidate& candidate);
  void guess(Ticks reference_loss, Ticks upper, Ticks& lower);
  void expect(const Frame& frame, Candidate& candidate);
  void refresh(Frame& frame, Candidate& candidate);
  void take_tree(Frame& frame, const Candidate& candidate);
  Ticks lowest_rest(const Frame& frame) const;
  std::size_t choose(const Frame& frame, Ticks budget) const;
  bool is_taken(const Candidate& candidate, int x) const;
  void raise(Frame& frame, Candidate& candidate, Ticks budget);
  std::uint32_t needed_levels(const Candidate& candidate, int x) const;
  void record_below(const Frame& frame, const Candidate& candidate, int x);
  bool raise_by_probes(Frame& frame, Candidate& candidate, int x, Ticks goal, Ticks budget, bool may_probe_other);
  bool may_probe(const Frame& frame);
  Probed probe(Frame& frame, Candidate& candidate, int x, Ticks goal);
  Probed pair_counted(Frame& frame, Candidate& candidate, int x, Ticks goal);
  bool is_cheaper_built(const Looks& looks, Ticks cut) const;
  void open_counted(const Frame& frame, const Candidate& candidate, int x);
  void solve_shallow(Frame& frame, Candidate& candidate, int x, std::uint32_t levels);
  void learn_side(Frame& frame, Candidate& candidate, int x, const Interval& known);
  void spread_similarity(Frame& frame, const Candidate& from, Ticks budget);
  void record(Frame& frame);
  std::unique_ptr<Frame> make_child(const Frame& frame, const Candidate& candidate, int x);
  bool subset_holds(const Frame& frame) const;
  bool similarity_holds(const Frame& frame) const;
  void release(std::unique_ptr<Frame> frame);
  void count_bytes(Frame& frame);

  const Problem& problem_;
  SharedState& shared_;
  const Kernels& kernels_;
  const std::function<void()> poll_;
  Budget budget_;
  const Measures measures_;
  std::vector<Ticks> cell_;  // measures of one row set, spare
  RowSetMaker maker_;
  TwoLevelSolver two_levels_;
  PairPacker packer_;
  int packing_credit_ = 16;  // below zero: frames to leave out
  std::vector<std::pair<Ticks, std::uint32_t>> order_;
  std::vector<std::unique_ptr<Frame>> spare_;
  Frame counted_;  // the side that is being probed
  int probe_credit_ = 1;
  std::uint32_t n_probes_left_out_ = 0;
  struct Goal {
    const Frame* frame;
    Ticks budget;
  };
  std::vector<Goal> path_;            // the frames in work, the root first
  const Frame* overtaken_ = nullptr;  // the first of them that another thread has finished: everything below it ends
};

}  // namespace hornbeam
