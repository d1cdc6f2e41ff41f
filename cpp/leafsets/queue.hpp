// leafsets/queue.hpp
//
// WHAT    The open sets of leaves, least key first.
// HOLDS   Entries with equal keys are popped in the order of Python's heapq, as in the program of [hu2019osdt]: a
//         pushed entry rises past larger parents; in place of a popped one the smaller child rises, the later one of
//         two equals, down to the bottom, and the last entry then rises from there.
#pragma once

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "leafsets/leaves.hpp"

namespace hornbeam::leafsets {

/// A set of leaves: the first `n_kept` are final, the others are split next.
struct OpenSet {
  double key = 0;
  Ticks bound = 0;  // no tree below costs less
  std::span<LeafId> leaves;
  std::uint32_t n_kept = 0;
};

class Queue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const std::deque<OpenSet>& entries() const { return heap_; }
  std::size_t bytes() const { return heap_.size() * sizeof(OpenSet) + memory_.bytes(); }

  /// Memory for the leaves of the set that is pushed next.
  std::span<LeafId> take_leaves(std::size_t size) {
    if (free_.size() <= size) free_.resize(size + 1);
    if (free_[size].empty()) return memory_.take<LeafId>(size);
    const std::span<LeafId> leaves(free_[size].back(), size);
    free_[size].pop_back();
    return leaves;
  }
  /// Returns the memory of the leaves of a popped set.
  void give_back(const OpenSet& entry) { free_[entry.leaves.size()].push_back(entry.leaves.data()); }

  void push(OpenSet entry) {
    heap_.push_back(std::move(entry));
    rise(heap_.size() - 1);
  }

  OpenSet pop() {
    OpenSet last = std::move(heap_.back());
    heap_.pop_back();
    if (!heap_.empty()) {
      std::swap(last, heap_[0]);
      sink();
    }
    return last;
  }

 private:
  void rise(std::size_t at) {
    OpenSet entry = std::move(heap_[at]);
    for (; at > 0 && entry.key < heap_[(at - 1) / 2].key; at = (at - 1) / 2) heap_[at] = std::move(heap_[(at - 1) / 2]);
    heap_[at] = std::move(entry);
  }

  void sink() {
    OpenSet entry = std::move(heap_[0]);
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && !(heap_[child].key < heap_[child + 1].key)) ++child;
      heap_[at] = std::move(heap_[child]);
      at = child;
    }
    heap_[at] = std::move(entry);
    rise(at);
  }

  std::deque<OpenSet> heap_;                // grows without being copied
  LeafMemory memory_;                       // of their leaves
  std::vector<std::vector<LeafId*>> free_;  // of it, by number of leaves
};

}  // namespace hornbeam::leafsets
