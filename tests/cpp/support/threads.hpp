// support/threads.hpp: the same work on several threads at once.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

namespace hornbeam::testing {

/// Calls `work(0)` to `work(n_threads - 1)`, each on a thread of its own, and waits for all.
template <class Work>
void run_on_threads(std::uint32_t n_threads, const Work& work) {
  std::vector<std::thread> threads(n_threads);
  for (std::uint32_t i = 0; i < n_threads; ++i) threads[i] = std::thread([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace hornbeam::testing
