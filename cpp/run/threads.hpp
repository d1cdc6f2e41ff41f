// run/threads.hpp
//
// WHAT    Runs one search on several threads.
// HOLDS   An exception in one thread stops the others and is rethrown once all are done.
#pragma once

#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "run/run.hpp"

namespace hornbeam::run {

/// Calls `work(i)` for 0 on the calling thread and for 1 to n_threads - 1 on others.
template <class Work>
void on_threads(Run& run, std::uint32_t n_threads, const Work& work) {
  std::vector<std::exception_ptr> faults(n_threads);
  const auto guarded = [&](std::uint32_t thread) {
    try {
      run.guard([&] { work(thread); });
    } catch (...) {
      faults[thread] = std::current_exception();
      run.stop(Status::interrupted);
    }
  };
  std::vector<std::thread> others;
  others.reserve(n_threads - std::size_t{1});
  for (std::uint32_t i = 1; i < n_threads; ++i) {
    try {
      others.emplace_back(guarded, i);
    } catch (const std::exception&) {
      break;  // the system allows no more threads, or has no memory for one: those that exist do the work
    }
  }
  guarded(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& fault : faults)
    if (fault) std::rethrow_exception(fault);
}

}  // namespace hornbeam::run
