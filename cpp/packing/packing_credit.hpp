// packing/packing_credit.hpp
//
// WHAT    Which subproblems to pack: packing that rarely closes them is tried less often.
#pragma once

#include <algorithm>

namespace hornbeam::packing {

class PackingCredit {
 public:
  /// `first` packings may fail at first, and `gain` more for each one that closes what it bounds.
  PackingCredit(int first, int gain) : credit_(first), gain_(gain) {}

  /// Whether the next subproblem is to be left out.
  bool leaves_out() {
    if (credit_ >= 0) return false;
    ++credit_;
    return true;
  }
  void count(bool has_closed) {
    if (has_closed)
      credit_ = std::min(credit_ + gain_, kMost);
    else
      credit_ = credit_ > 0 ? credit_ - 1 : -kMost;
  }

 private:
  static constexpr int kMost = 64;
  int credit_;  // below zero: how many are to be left out
  int gain_;
};

}  // namespace hornbeam::packing
