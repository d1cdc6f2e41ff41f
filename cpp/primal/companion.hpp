// primal/companion.hpp
//
// WHAT    Primal heuristics next to an exact search: they get a share of its work, and the search gets their trees.
// FLOW    api makes a companion -> the search calls `improve` from the poll of its first thread, and adopts the tree.
// HOLDS   A problem that is solved in a few milliseconds does without. How much the heuristics work follows from the
//         work of the search, not from the clock.
#pragma once

#include <functional>
#include <optional>

#include "primal/primal_search.hpp"

namespace hornbeam::primal {

/// In units of the search's work, which differ, for each point that the heuristics read in two nanoseconds.
struct Share {
  std::uint64_t searched_before;  // the heuristics start
  std::uint64_t at_first;         // until they are past their first steps and have not found a better tree for long
  std::uint64_t without_gain;
  /// A search of so much work is far from a proof, and better trees are what is left to find.
  std::uint64_t searched_long = ~std::uint64_t{0};
  std::uint64_t in_long_search = 1;  // of the work after that
  bool greedy_at_once = false;       // for many points, of which the search finds no tree for seconds
};

class Companion {
 public:
  /// `make_points` is called when the heuristics start, which need at most `most_bytes`. They start from a tree within
  /// the limits, if there is one, which lives as long as the companion.
  Companion(std::function<Points()> make_points, std::uint64_t most_bytes, const models::LeafModel& model,
            Ticks leaf_penalty, const TreeLimits& limits, run::Run& run, const Share& share,
            const tree::ResultTree* start = nullptr);

  /// To be called while the heuristics work.
  void on_poll(std::function<void()> poll) { poll_ = std::move(poll); }
  /// `searched` is the work of the search so far and `bytes` what it uses. True if there is a better tree.
  bool improve(std::uint64_t searched, std::uint64_t bytes);
  tree::ResultTree tree() const { return search_->tree(); }
  std::uint64_t bytes() const { return search_ ? search_->bytes() : 0; }
  /// How many better trees were found.
  std::uint64_t n_found() const { return n_found_; }

 private:
  const std::function<Points()> make_points_;
  const std::uint64_t most_bytes_;
  const models::LeafModel& model_;
  const Ticks leaf_penalty_;
  const TreeLimits limits_;
  run::Run& run_;
  const Share share_;
  const tree::ResultTree* const start_;
  std::function<void()> poll_;
  std::optional<PrimalSearch> search_;
  std::uint64_t spent_at_gain_ = 0, n_found_ = 0;
  bool is_working_ = false;
};

}  // namespace hornbeam::primal
