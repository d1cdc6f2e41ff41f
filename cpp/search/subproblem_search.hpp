// search/subproblem_search.hpp
//
// WHAT    Searches subproblems of one problem one by one, where another process says which: the rows at the end of a
//         path of conditions, with limits and a budget, or some splits of them.
// FLOW    api/subproblems -> here -> search/and_or_search.
// HOLDS   All subproblems share one table, with the keys that every process gives them. So a subproblem that is met
//         again goes on where it was, and tables of several processes can exchange what they prove. `solve` may be
//         called by several threads at a time.
// CHOICE  Only bounds that took some work to prove are exchanged: all others are proven again sooner than sent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rows/problem.hpp"
#include "search/open_split.hpp"
#include "search/shared_state.hpp"

namespace hornbeam::search {

struct Condition {
  std::uint32_t column;
  bool holds;
};

struct Subproblem {
  std::vector<Condition> path;  // each condition separates the rows that the ones before leave
  NodeLimits limits;
  Ticks budget;                                  // to raise the lower bound to
  std::optional<std::vector<SplitName>> splits;  // none: the leaf and all splits
};

struct SubproblemOutcome {
  Ticks lower = 0;              // of the trees with these splits
  Ticks upper = kInfinity;      // of the best tree, which bounds were compared with
  tree::ResultTree tree;        // it, or a worse one where the table has forgotten it; empty before there is one
  std::vector<OpenSplit> open;  // all others have no better tree
  bool is_open = false;         // false: stopped before the splits were known, so that `open` says nothing
  std::uint64_t n_subproblems = 0;
  Counters counters;
};

class SubproblemSearch {
 public:
  /// The limits on the tree are those of the whole problem. Whoever calls keeps what `problem` refers to.
  /// News are bounds that took so many words of kernel work to prove: 2^20 are about a tenth of a millisecond.
  SubproblemSearch(const rows::Problem& problem, std::optional<std::uint64_t> byte_limit, std::uint64_t work_of_news);

  /// Throws std::invalid_argument if no row satisfies the path.
  SubproblemOutcome solve(const Subproblem& subproblem, run::Run& run);

  /// Lower bounds for other processes since the last call, and those of others (table/saved_bounds.cpp).
  std::vector<std::uint64_t> take_news() { return table_.take_news(); }
  void read_news(std::span<const std::uint64_t> news) { table_.read_news(news); }

  std::uint64_t bytes() const { return problem_.rows.bytes() + table_.bytes(); }

 private:
  std::vector<std::uint32_t> rows_at(const std::vector<Condition>& path) const;

  const rows::Problem problem_;
  table::SubproblemTable table_;
};

}  // namespace hornbeam::search
