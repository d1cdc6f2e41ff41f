// run/latest.hpp
//
// WHAT    A value that one thread replaces by better ones, and that all threads of a search read.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace hornbeam::run {

template <class T>
class Latest {
 public:
  /// Null as long as there is none.
  std::shared_ptr<const T> get() const {
    if (!has_any_.load(std::memory_order_acquire)) return nullptr;
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    has_any_.store(value_ != nullptr, std::memory_order_release);
  }

 private:
  std::atomic<bool> has_any_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace hornbeam::run
