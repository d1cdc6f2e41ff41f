// leafsets/queue.hpp
//
// WHAT    The open sets of leaves, least key first.
// HOLDS   Entries of equal keys come out in the order of one certain binary heap: an entry that is added rises past
//         larger parents; in place of one taken out the smaller child rises, the later one of two equals, down to the
//         bottom, and the last entry then rises from there. It is the order of Python's heapq, in which the search
//         counts of [hu2019osdt, table 6.2] were made.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "leafsets/leaves.hpp"

namespace hornbeam {

/// A set of leaves of which the first `n_kept` stay leaves for ever and the others are split next.
template <class Cost>
struct OpenSet {
  double key = 0;
  Cost bound = 0;  // no tree below costs less
  std::vector<LeafId> leaves;
  std::uint32_t n_kept = 0;
};

template <class Cost>
class Queue {
  using Entry = OpenSet<Cost>;

 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const std::deque<Entry>& entries() const { return heap_; }
  std::size_t bytes() const { return heap_.size() * sizeof(Entry) + leaf_bytes_; }

  void push(Entry entry) {
    leaf_bytes_ += bytes_of(entry);
    heap_.push_back(std::move(entry));
    rise(heap_.size() - 1);
  }

  Entry pop() {
    Entry last = std::move(heap_.back());
    heap_.pop_back();
    if (!heap_.empty()) {
      std::swap(last, heap_[0]);
      sink();
    }
    leaf_bytes_ -= bytes_of(last);
    return last;
  }

 private:
  static std::size_t bytes_of(const Entry& entry) {
    return entry.leaves.capacity() * sizeof(LeafId) + 2 * sizeof(void*);
  }

  void rise(std::size_t at) {
    Entry entry = std::move(heap_[at]);
    for (; at > 0 && entry.key < heap_[(at - 1) / 2].key; at = (at - 1) / 2) heap_[at] = std::move(heap_[(at - 1) / 2]);
    heap_[at] = std::move(entry);
  }

  void sink() {
    Entry entry = std::move(heap_[0]);
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && !(heap_[child].key < heap_[child + 1].key)) ++child;
      heap_[at] = std::move(heap_[child]);
      at = child;
    }
    heap_[at] = std::move(entry);
    rise(at);
  }

  std::deque<Entry> heap_;  // grows without being copied
  std::size_t leaf_bytes_ = 0;
};

}  // namespace hornbeam
