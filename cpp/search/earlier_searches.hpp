// search/earlier_searches.hpp
//
// WHAT    What searches of one problem with other leaf penalties and other limits on leaves have proven: their tables
//         and their trees.
// FLOW    search/search adds its table when it ends, and reads those of the searches before. A search with the leaf
//         cost of an earlier one goes on with its table.
// HOLDS   All of them are of the same rows and costs, with the same limits on depth and rows per leaf. Read-only while
//         a search runs, so its threads need no lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rows/problem.hpp"
#include "table/subproblem_table.hpp"
#include "tree/result_tree.hpp"

namespace hornbeam::search {

class EarlierSearches {
 public:
  EarlierSearches() = default;
  EarlierSearches(EarlierSearches&&) = default;
  EarlierSearches(const EarlierSearches&) = delete;
  EarlierSearches& operator=(EarlierSearches&&) = default;
  EarlierSearches& operator=(const EarlierSearches&) = delete;
  ~EarlierSearches() = default;

  /// `root` is the support set of all rows. Throws std::invalid_argument if the searches are of another problem.
  void require_same(const rows::Problem& problem, const Fingerprint& root);

  /// Hands out the table of the searches with the same leaf cost, which is then added again; null if there is none.
  std::unique_ptr<table::SubproblemTable> take(Ticks leaf_cost);
  void add(Ticks leaf_cost, std::unique_ptr<table::SubproblemTable> table, const tree::ResultTree& tree);

  /// What all trees of a subproblem with at least so many leaves cost at least (bounds/leaf_penalty.hpp).
  Ticks bound(const table::SubproblemKey& key, Ticks leaf_cost, Ticks least_loss, Ticks least_leaves) const;

  /// The best tree within the limit on leaves; null if there is none.
  const tree::ResultTree* best_tree(const rows::Problem& problem) const;

  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Table {
    Ticks leaf_cost;
    std::unique_ptr<table::SubproblemTable> entries;
  };
  struct Tree {
    Ticks leaf_cost;
    tree::ResultTree tree;
  };

  std::vector<Table> tables_;  // one for each leaf cost, by leaf cost
  std::vector<Tree> trees_;
  std::uint64_t bytes_ = 0;
  std::optional<std::uint64_t> problem_;  // a hash of what all searches share
};

}  // namespace hornbeam::search
