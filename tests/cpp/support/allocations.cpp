#include "support/allocations.hpp"

#include <atomic>
#include <cstdlib>

namespace {

constexpr std::int64_t kNever = std::int64_t{1} << 62;

std::atomic<std::int64_t> n_before_failure{kNever};
std::atomic<bool> fails_all_after{false}, has_false{false};

bool fails() {
  const std::int64_t n_before = n_before_failure.fetch_sub(1, std::memory_order_relaxed);
  if (n_before > 0 || (n_before < 0 && !fails_all_after)) return false;
  has_false = true;
  return true;
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  if (fails()) return nullptr;
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step + (size == 0 ? step : 0));
}

void* allocate_or_throw(std::size_t size, std::align_val_t alignment) {
  if (void* found = allocate(size, alignment)) return found;
  throw std::bad_alloc();
}

constexpr std::align_val_t kDefault{__STDCPP_DEFAULT_NEW_ALIGNMENT__};

}  // namespace

namespace hornbeam::testing {

void fail_allocation(std::uint64_t number, bool all_after) {
  has_false = false;
  fails_all_after = all_after;
  n_before_failure = static_cast<std::int64_t>(number);
}

bool stop_failing() {
  n_before_failure = kNever;
  return has_false;
}

}  // namespace hornbeam::testing

// All forms: the sanitizers have some of their own, which do not match these.
void* operator new(std::size_t size) { return allocate_or_throw(size, kDefault); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, kDefault); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, alignment); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, kDefault); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, kDefault); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
