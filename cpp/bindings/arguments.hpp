// bindings/arguments.hpp
//
// WHAT    Shared by the functions of the module: arrays in, trees and outcomes out, and the poll.
// HOLDS   Nothing is converted silently: arrays must have the exact type and layout.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "api/checks.hpp"
#include "api/solve.hpp"

namespace nb = nanobind;

namespace hornbeam::bindings {

template <class T, int kDimensions>
using ArrayIn = nb::ndarray<const T, nb::numpy, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;
template <class T>
using ArrayOfAnyShape = nb::ndarray<const T, nb::numpy, nb::c_contig, nb::device::cpu>;
template <class T>
using ArrayOut = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// An array of the values, in one dimension or of a shape.
template <class T, class Array = ArrayOut<T>>
Array to_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), shape, owner};
}
template <class T>
ArrayOut<T> to_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_array(std::move(values), {size});
}

inline bool is_callback(PyObject* object) { return object == Py_None || PyCallable_Check(object) != 0; }

inline bool is_dict_or_none(PyObject* object) { return object == Py_None || PyDict_Check(object); }

// Typed dictionaries of core.pat, and what may be called back; nanobind writes these names into the stub.
// NOLINTBEGIN(readability-redundant-member-init): in the macro of nanobind
class CallbackIn : public nb::object {
  NB_OBJECT_DEFAULT(CallbackIn, nb::object, "Callable[[Progress], bool | None]", is_callback)
};
class CheckpointListenerIn : public nb::object {
  NB_OBJECT_DEFAULT(CheckpointListenerIn, nb::object, "Callable[[str, int, float], object]", is_callback)
};
class TreeOut : public nb::dict {
  NB_OBJECT_DEFAULT(TreeOut, nb::dict, "TreeArrays", PyDict_Check)
};
class OutcomeOut : public nb::dict {
  NB_OBJECT_DEFAULT(OutcomeOut, nb::dict, "Outcome", PyDict_Check)
};
class SetOut : public nb::dict {
  NB_OBJECT_DEFAULT(SetOut, nb::dict, "SetDescription", PyDict_Check)
};
class NodeViewOut : public nb::object {
  NB_OBJECT_DEFAULT(NodeViewOut, nb::object, "NodeView | None", is_dict_or_none)
};
class RankingOut : public nb::dict {
  NB_OBJECT_DEFAULT(RankingOut, nb::dict, "BestRanking", PyDict_Check)
};
// NOLINTEND(readability-redundant-member-init)

/// Calls a listener with the error, the lower bound in ticks and the seconds of CheckpointNews; it has to outlive the
/// search.
run::CheckpointOptions with_listener(run::CheckpointOptions options, const CheckpointListenerIn& listener);

nb::tuple to_tuple(const run::Progress& at);
TreeOut to_dict(tree::ResultTree found);
/// `searches` are those of base/bounds.hpp whose counters are told.
nb::dict to_dict(const Counters& counters, unsigned searches);
OutcomeOut to_dict(run::Outcome outcome, unsigned searches, bool with_trace);
std::uint32_t to_count(std::size_t size, const char* what);

/// Checks for Ctrl-C and calls the callback, each at its own rate. Called without the GIL.
class Poll {
 public:
  Poll(CallbackIn callback, double interval) : callback_(std::move(callback)), interval_(interval) {
    api::require(interval >= 0, "callback_interval: must be at least 0");
  }

  bool operator()(const run::Progress& at);
  /// Ctrl-C alone.
  bool interrupted();

 private:
  static bool check_signals();
  CallbackIn callback_;
  double interval_;
  double signals_checked_ = 0;
  double callback_called_ = -1e300;
};

}  // namespace hornbeam::bindings
