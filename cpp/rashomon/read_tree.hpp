// rashomon/read_tree.hpp
//
// WHAT    Finds one tree of a graph by its number, without the others.
// FLOW    rashomon/tree_graph -> here; rashomon/read_prefix reads the part above the graph's nodes, then calls this.
// HOLDS   The trees of one cost are in the order of their splits from the root: the leaf, then columns in the order of
//         the data, then the cost and the number of the tree on the true side, then of the one on the false side.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/row_list.hpp"
#include "rashomon/tree_graph.hpp"
#include "rashomon/unranking.hpp"

namespace hornbeam::rashomon {

template <class Count>
class TreeReader {
 public:
  explicit TreeReader(TreeGraph<Count>& graph) : graph_(graph), problem_(graph.problem_) {}

  tree::ResultTree read(Ticks cost, Count rank);

 private:
  friend class PrefixReader<Count>;

  using Split = TreeGraph<Count>::Split;
  using Node = TreeGraph<Count>::Node;

  /// A column of the data that is equal or complementary (`flipped`) to another one on some rows.
  struct Copy {
    std::uint32_t column;
    bool flipped;
  };

  void read_node(rows::RowSet& rows, const data::RowList& numbers, std::uint32_t node, std::uint32_t depth,
                 std::size_t level, Ticks cost, Count rank);
  /// The leaf of this number among those of this cost; false, and `rank` lowered, if there are fewer.
  bool read_leaf(const rows::RowSet& rows, Ticks cost, Count& rank);
  /// Of the columns from `begin` on that are equal or complementary to `column` on these rows, number `copy`.
  Copy copy_of(const data::RowList& numbers, std::uint32_t column, std::uint32_t begin, std::uint32_t copy) const;

  /// A split by a copy of `column`; `add_side(x, numbers)` adds what is on side x of `column` itself.
  template <class AddSide>
  void add_split(const data::RowList& numbers, std::uint32_t column, Copy copy, AddSide add_side) {
    const auto sides = data::partition(problem_.rows, numbers, column);
    const std::uint32_t prediction =
        problem_.model.best_prediction(data::target_weights(problem_.rows, numbers).data());
    tree_.add_split(copy.column, prediction, [&](bool side) {
      const int x = side != copy.flipped ? 1 : 0;
      add_side(x, sides[x]);
    });
  }

  /// The same where both sides have a node of their own: `read_side(child, numbers, x)` reads what is on side x.
  template <class ReadSide>
  void read_split(rows::RowSet& rows, const data::RowList& numbers, std::uint32_t column, std::uint32_t copy,
                  std::size_t level, ReadSide read_side) {
    graph_.maker_.make_slot_rows(rows);
    const auto at = std::find(rows.columns.begin(), rows.columns.end(), column) - rows.columns.begin();
    add_split(numbers, column, copy_of(numbers, column, column, copy), [&](int x, const data::RowList& side) {
      read_side(graph_.child_of(rows, static_cast<std::uint32_t>(at), x == 1, level), side, x);
    });
  }

  [[noreturn]] static void missing(const std::string& what) {
    throw std::logic_error("a " + what + " is missing in the set of trees: please report this bug in hornbeam");
  }

  /// One split with two leaves, in the order in which a node of these rows would have it (S2).
  struct Stump {
    std::uint32_t first;  // of the columns that are the same split of these rows
    std::uint32_t column;
    Ticks true_loss;              // of the leaf where `first` holds
    std::uint32_t prediction[2];  // where `first` holds, where it fails
    friend auto operator<=>(const Stump&, const Stump&) = default;
  };

  void read_shallow(const rows::RowSet& rows, const data::RowList& numbers, std::uint32_t levels, Ticks cost,
                    Count rank);
  void add_one_level_tree(const rows::RowSet& rows, const data::RowList& of_node, const data::RowList& numbers,
                          const std::vector<OneLevelTree>& trees, Ticks cost, const Count& rank);
  Ticks loss_of(const data::RowList& numbers, std::uint32_t column, std::uint32_t prediction) const;

  TreeGraph<Count>& graph_;
  const TreeSetProblem& problem_;
  tree::ResultTree tree_;
};

}  // namespace hornbeam::rashomon
