// search/candidate_list.hpp
//
// WHAT    The candidate splits of a frame: listed with one cheap bound each, bounded again by pairs of columns, kept in
//         step with the table, and chosen from.
// HOLDS   Every split that is not a candidate costs at least the frame's upper bound. A candidate's bounds only rise.
// COST    (candidate columns x columns x slot words) / 8 vector instructions for the pairs of a frame.
#pragma once

#include <cstddef>
#include <vector>

#include "search/child_maker.hpp"

namespace hornbeam::search {

class CandidateList {
 public:
  CandidateList(SearchThread& thread, ChildMaker& children) : thread_(thread), children_(children) {}

  /// Computes one bound for each column and lists the splits that may still win, lowest bound first.
  void list(Frame& frame);

  /// The split on `column`. If leaves are limited, the true side gets at least and at most this many of them.
  Candidate make(const Frame& frame, const kernels::SplitScan& scan, std::uint32_t column,
                 std::uint32_t least_of_true_side, std::uint32_t most_of_true_side) const;

  /// Bounds a candidate by the pairs of its column with all others (bounds/pair_stage.hpp), once.
  void pair(Frame& frame, Candidate& candidate);
  /// Does the same for every candidate below the budget.
  void pair_open(Frame& frame, Ticks budget);

  /// Adopts what the table knows of the sides of one candidate, or of every candidate below the budget.
  void refresh(Frame& frame, Candidate& candidate);
  void refresh_open(Frame& frame, Ticks budget);
  /// Adopts what is known of the side `x`.
  void update_side(Frame& frame, Candidate& candidate, int x, const table::Interval& known) const;
  /// Joins the two best trees known of the sides, in a list one of them to a leaf; they become the frame's tree if that
  /// is better.
  void update_tree(Frame& frame, const Candidate& candidate) const;

  /// The index of the candidate to work on next; at least one is below the budget.
  std::size_t choose(const Frame& frame, Ticks budget) const;
  /// Whether a side is open and another thread is in it.
  bool is_taken(const Candidate& candidate, int x) const;
  static Ticks lowest(const Frame& frame);

  /// Replaces a range of ways to share the leaves by two, below and above a fair share.
  void split_range(Frame& frame, std::size_t index);

 private:
  Candidate narrowed(const Frame& frame, Candidate candidate, std::uint32_t least_of_true_side,
                     std::uint32_t most_of_true_side) const;
  void update_tree_of_range(Frame& frame, const Candidate& range) const;
  static void update_list(Frame& frame, const Candidate& candidate);
  void adopt_earlier(Candidate& candidate, int x) const;

  SearchThread& thread_;
  ChildMaker& children_;
  std::vector<std::pair<Ticks, std::uint32_t>> order_;
};

}  // namespace hornbeam::search
