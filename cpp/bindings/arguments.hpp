// bindings/arguments.hpp
//
// WHAT    What the functions of the module share: arrays and limits in, trees out, and the poll.
// HOLDS   Nothing is converted quietly: arrays must have the exact type and layout.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/checks.hpp"
#include "api/solve.hpp"

namespace nb = nanobind;

namespace hornbeam {

template <class T, int kDimensions>
using ArrayIn = nb::ndarray<const T, nb::numpy, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;

/// An array of the values, in one dimension or of a shape.
template <class T>
nb::ndarray<nb::numpy, T> to_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), shape, owner};
}
template <class T>
nb::ndarray<nb::numpy, T> to_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_array(std::move(values), {size});
}

nb::tuple to_tuple(const Progress& at);
nb::dict to_dict(ResultTree found);
std::uint32_t to_count(std::size_t size, const char* what);

/// Ctrl-C and the callback, each asked no more often than it should be. Called without the GIL.
class Poll {
 public:
  Poll(nb::object callback, double interval) : callback_(std::move(callback)), interval_(interval) {}

  bool operator()(const Progress& at);
  /// Ctrl-C alone.
  bool interrupted();

 private:
  static bool ask_signals();
  nb::object callback_;
  double interval_;
  double signals_asked_ = 0;
  double callback_asked_ = -1e300;
};

/// The arguments that both doors share.
struct Arguments {
  const ArrayIn<std::int32_t, 1>& classes;
  const ArrayIn<std::int64_t, 1>& weights;
  const ArrayIn<std::int64_t, 2>& costs;
  std::int64_t leaf_cost;
  std::optional<std::int64_t> max_depth, max_leaves;
  std::int64_t min_samples_leaf;
  std::optional<double> time_limit;
  std::optional<std::int64_t> memory_limit;
  double gap_limit;
  std::int64_t n_threads;
  const nb::dict switches;
  const nb::object& callback;
  double callback_interval;
  bool trace;
  std::span<const std::int32_t> reference;
};

struct Limits {
  TreeLimits tree;
  SearchLimits search;
};

Limits limits_of(std::optional<std::int64_t> max_depth, std::optional<std::int64_t> max_leaves,
                 std::int64_t min_samples_leaf, std::optional<double> time_limit,
                 std::optional<std::int64_t> memory_limit, double gap_limit, std::int64_t n_threads);

Input input_of(const Arguments& given);
PackedColumns packed_columns(const ArrayIn<std::uint8_t, 2>& columns, std::int64_t n_rows);

}  // namespace hornbeam
