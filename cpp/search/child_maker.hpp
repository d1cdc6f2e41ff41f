// search/child_maker.hpp
//
// WHAT    Makes frames: the root's, those of the sides of a split, and their keys.
// HOLDS   Equal subproblems get equal keys, whatever path led to them (NodeLimits::without_idle_limits).
// CHOICE  Keys are found before frames are made: what the table knows of a side often makes its frame unnecessary.
#pragma once

#include <memory>
#include <vector>

#include "search/search_thread.hpp"

namespace hornbeam::search {

class ChildMaker {
 public:
  explicit ChildMaker(SearchThread& thread) : thread_(thread) {}

  /// Throws Stopped.
  void make_root(Frame& root);
  static NodeLimits limits_of_root(const TreeLimits& limits);

  /// The frame of one side of a candidate that has keys; the frame's row set has its slot rows.
  std::unique_ptr<Frame> make(const Frame& frame, const Candidate& candidate, int x);
  /// Takes back a frame for reuse.
  void release(std::unique_ptr<Frame> frame) { spare_.push_back(std::move(frame)); }

  /// The side as a filter of its parent's slots: measured, but with no column dropped and no row merged. Its first tree
  /// is the leaf. Valid until the next call.
  Frame& filter(Frame& frame, const Candidate& candidate, int x);

  /// Finds the keys of both sides by one pass over the slots of the smaller one.
  void find_keys(const Frame& frame, Candidate& candidate);
  /// Makes keys cheaper if many will be needed.
  void prepare_keys(Frame& frame, Ticks budget);

  /// Brings the memory counted for a frame up to date.
  void count_bytes(Frame& frame);

 private:
  void open(Frame& frame, const NodeLimits& limits);

  SearchThread& thread_;
  std::vector<std::unique_ptr<Frame>> spare_;
  Frame filtered_;
};

/// Raises `lower` to the bound that the reference's loss on a set guesses (bounds/reference.hpp), and remembers if that
/// is more than what is proven.
void raise_to_guess(SearchThread& thread, Ticks reference_loss, Ticks upper, Ticks& lower);

}  // namespace hornbeam::search
