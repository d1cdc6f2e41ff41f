// bindings/flag_batches.hpp
//
// WHAT    The columns of booleans of a table of another library, as bits where they lie in its memory.
// FLOW    A data frame hands its batches over by C streams of Arrow, one or more -> here -> data/row_counter.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/row_counter.hpp"

namespace hornbeam::bindings {

/// The structures of Arrow's C data interface and C stream interface, which never change.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags, n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

/// What another library has handed over, and takes back at the end.
template <class T>
class Released {
 public:
  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  Released(Released&& other) noexcept : held_(std::exchange(other.held_, T{})) {}
  Released& operator=(Released&& other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Released() {
    if (held_.release != nullptr) held_.release(&held_);
  }
  T* operator->() { return &held_; }
  T* get() { return &held_; }

 private:
  T held_{};
};

struct FlagBatch {
  std::size_t n_rows;
  std::vector<data::CodesOfColumn> columns;  // in the order of the names that were asked for
  Released<ArrowArray> array;                // which has the bits
};

/// The batches of streams, capsules as `__arrow_c_stream__` returns them. None if a column of these names is not one of
/// booleans, or lacks a value.
std::optional<std::vector<FlagBatch>> read_flags(const std::vector<nanobind::capsule>& streams,
                                                 const std::vector<std::string>& names);

}  // namespace hornbeam::bindings
