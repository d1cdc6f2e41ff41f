// leafsets/choices.hpp
//
// WHAT    All ways to choose which of some new leaves are split next: at least one, and only leaves that can be split.
#pragma once

#include <cstddef>
#include <vector>

namespace hornbeam::leafsets {

class Choices {
 public:
  /// Starts with no leaf chosen; then add the leaves that can be split.
  void reset(std::size_t n_leaves) {
    free_.clear();
    is_split_.assign(n_leaves, false);
  }
  void add_free(std::size_t leaf) { free_.push_back(leaf); }

  /// Counts up in binary, the last free leaf first; false when all choices have been made.
  bool next() {
    for (std::size_t k = free_.size(); k-- > 0;) {
      is_split_[free_[k]] = !is_split_[free_[k]];
      if (is_split_[free_[k]]) return true;
    }
    return false;
  }
  bool is_split(std::size_t leaf) const { return is_split_[leaf]; }

 private:
  std::vector<std::size_t> free_;
  std::vector<bool> is_split_;
};

}  // namespace hornbeam::leafsets
