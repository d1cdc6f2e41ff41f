// posterior/posterior_worker.hpp
//
// WHAT    Branch and bound over pairs (support set, depth): raises the lower bound of one to a budget, or closes it.
// FLOW    posterior/posterior_search -> here -> posterior/split_scanner, rows/row_set, table.
// HOLDS   (W1) lower <= best <= upper of every frame and entry, also after a stop. (W2) A tree of cost `upper` can be
//         read off the table: an expanded pair has an entry, any other stands for a leaf or a tree of two leaves. An
//         entry of depth 1 is such a tree, of two leaves.
// COST    One frame a level. 56 bytes for each pair expanded.
// CHOICE  The AO* search of the paper ([sullivan2024maptree, algorithms 1 to 5]) keeps the graph that it has opened,
//         tens of megabytes a second. This search visits the same nodes, the split of least bound first as there, but
//         keeps only intervals and descends with budgets: an OR node is worth work only until its split reaches the
//         bound that rules it out. The search of a node is repeated at larger budgets, about 2 to 5 times. Of two
//         children, the one with less work so far is raised first, by half of what is missing. The choice of the paper,
//         the child with the larger gap between its bounds, may need more than twice the expansions
//         (docs/notes/2026-11-22-map-trees.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "posterior/split_scanner.hpp"
#include "run/run.hpp"
#include "table/subproblem_table.hpp"

namespace hornbeam::posterior {

class PosteriorWorker {
 public:
  struct Candidate {
    std::uint32_t column;  // of the row set
    bool has_fingerprints = false;
    SideBounds side[2];
    std::uint64_t work[2] = {0, 0};  // expansions below each side
    Fingerprint fingerprint[2];
    Ticks lower() const { return side[0].lower + side[1].lower; }
    Ticks upper() const { return side[0].upper + side[1].upper; }
    bool is_closed() const { return lower() >= upper(); }
  };

  struct Frame {
    rows::RowSet rows;
    std::vector<Word> pairs;  // RowPairs left in the rows
    std::uint32_t depth = 0;
    Ticks split = 0;  // cost of a split and of its choice
    table::Interval known;
    std::vector<Candidate> candidates;
    Ticks others = kInfinity;  // at least, of all trees whose first split is no candidate
  };

  /// `poll` is called about a hundred times a second; it may stop the search.
  PosteriorWorker(const data::DistinctRows& data, PosteriorCosts& costs, RowPairs& pairs, table::SubproblemTable& table,
                  run::Run& run, std::optional<std::uint64_t> max_expansions, std::function<void()> poll);

  /// Throws Stopped.
  void open_root(Frame& root);

  /// Grows a tree of `s` greedily: each node is split so that its two leaves cost least, as long as that pays.
  void grow(Frame& s);

  /// Raises the lower bound of `s` to `budget` or closes it, unless stopped.
  void solve(Frame& s, Ticks budget);

  /// Improves the tree of `s`: at every node tries the `width` most promising splits, and completes each likewise; ends
  /// once `work()` exceeds `until`.
  void improve(Frame& s, std::uint32_t width, std::uint64_t until);

  const Counters& counters() const { return counters_; }
  std::uint64_t n_expansions() const { return n_expansions_; }
  /// Work done; a unit takes about a nanosecond.
  std::uint64_t work() const { return meter_.spent(); }
  /// Of everything that the search holds except the root, including `data`, `costs`, `pairs` and `table`.
  std::uint64_t bytes() const;

 private:
  bool goes_on();
  bool has_memory_for_child(const Frame& s);
  bool open(Frame& s);
  SideBounds leaf_of(const Frame& s, std::uint32_t column, int x);
  void expand(Frame& s, Ticks budget);
  void choose_candidates(Frame& s, Ticks target);
  void scan_candidates(Frame& s, Ticks target);
  void update_lower_bound(Frame& s);
  void find_fingerprints(Frame& s, Candidate& candidate);
  bool refresh(Frame& s, Candidate& candidate);
  void remember_sides(const Frame& s, const Candidate& candidate);
  void raise(Frame& s, Candidate& candidate, Ticks target);
  Frame& child_of(Frame& s, const Candidate& candidate, int x);
  void record(Frame& s) { s.known = table_.tighten({s.rows.support.fingerprint, s.depth}, s.known); }
  void take_tree(Frame& s, const Candidate& candidate) const;

  Counters counters_;  // first, as it fills whole cache lines
  const data::DistinctRows& data_;
  const models::LeafModel counting_;
  PosteriorCosts& costs_;
  RowPairs& pairs_;
  table::SubproblemTable& table_;
  run::Run& run_;
  run::WorkMeter meter_;
  rows::RowSetMaker maker_;
  SplitScanner scanner_;
  const std::optional<std::uint64_t> max_expansions_;
  std::vector<std::unique_ptr<Frame>> frames_;  // by depth
  std::uint64_t n_expansions_ = 0;
  std::vector<Ticks> column_bounds_;
};

}  // namespace hornbeam::posterior
