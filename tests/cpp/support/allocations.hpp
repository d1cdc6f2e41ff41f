// support/allocations.hpp
//
// WHAT    Allocations that fail on purpose. A program that links support/allocations.cpp has the operators new and
//         delete of that file.
#pragma once

#include <cstdint>
#include <new>

#include "support/check.hpp"

namespace hornbeam::testing {

/// From now on, allocation `number` of all threads throws std::bad_alloc, counted from 0; with `all_after`, so do all
/// after it.
void fail_allocation(std::uint64_t number, bool all_after);

/// All allocations succeed again. True if one failed.
bool stop_failing();

/// Calls `work`, which returns a result, with one allocation that fails, or all from one on: the first, the second, ...
/// until none is left that can fail; later ones with gaps. `work` either throws std::bad_alloc or has a result, for
/// which `check` is called while nothing fails.
template <class Work, class Check>
void fail_each_allocation(const Work& work, const Check& check) {
  for (const bool all_after : {false, true}) {
    bool has_false = true;
    for (std::uint64_t number = 0; has_false; number += 1 + number / 10) {
      fail_allocation(number, all_after);
      try {
        const auto result = work();
        has_false = stop_failing();
        check(result);
      } catch (const std::bad_alloc&) {
        has_false = stop_failing();
        CHECK(has_false);
      }
    }
  }
}

}  // namespace hornbeam::testing
