#include "bindings/arguments.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hornbeam {

namespace {

Switches switches_of(const nb::dict& given) {
  Switches switches;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    const bool on = nb::cast<bool>(value);
    if (name == "support_condition")
      switches.support_condition = on;
    else if (name == "pair_stage")
      switches.pair_stage = on;
    else if (name == "equivalent_points")
      switches.equivalent_points = on;
    else if (name == "similarity")
      switches.similarity = on;
    else if (name == "packing")
      switches.packing = on;
    else if (name == "subset")
      switches.subset = on;
    else
      throw std::invalid_argument("switches: there is no bound of the name '" + name + "'");
  }
  return switches;
}

}  // namespace

nb::tuple to_tuple(const Progress& at) {
  return nb::make_tuple(at.seconds, at.upper, at.lower, at.n_subproblems, at.bytes, at.n_leaves);
}

bool Poll::ask_signals() {
  // A handler that raises nothing, as that of a fit, is to end the search, too.
  const bool is_ctrl_c = PyOS_InterruptOccurred() != 0;
  if (is_ctrl_c) PyErr_SetInterrupt();
  if (PyErr_CheckSignals() == 0) return is_ctrl_c;
  if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
  PyErr_Clear();
  return true;
}

bool Poll::interrupted() {
  const nb::gil_scoped_acquire gil;
  return ask_signals();
}

bool Poll::operator()(const Progress& at) {
  const bool is_time_for_signals = at.seconds - signals_asked_ >= 0.05;
  const bool ask_callback = !callback_.is_none() && at.seconds - callback_asked_ >= interval_;
  if (!is_time_for_signals && !ask_callback) return false;
  const nb::gil_scoped_acquire gil;
  if (is_time_for_signals) {
    signals_asked_ = at.seconds;
    if (ask_signals()) return true;
  }
  if (!ask_callback) return false;
  callback_asked_ = at.seconds;
  try {
    const nb::object answer = callback_(to_tuple(at));
    const int is_true = PyObject_IsTrue(answer.ptr());
    if (is_true < 0) throw nb::python_error();
    return is_true == 1;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    return true;
  }
}

nb::dict to_dict(ResultTree found) {
  nb::dict tree;
  tree["column"] = to_array(std::move(found.column));
  tree["left"] = to_array(std::move(found.left));
  tree["right"] = to_array(std::move(found.right));
  tree["prediction"] = to_array(std::move(found.prediction));
  tree["leaf_of_row"] = to_array(std::move(found.leaf_of_row));
  return tree;
}

std::uint32_t to_count(std::size_t size, const char* what) {
  if (size >= 0xffffffffULL) throw std::invalid_argument(std::string(what) + ": there are too many (2^32 or more)");
  return static_cast<std::uint32_t>(size);
}

Limits limits_of(std::optional<std::int64_t> max_depth, std::optional<std::int64_t> max_leaves,
                 std::int64_t min_samples_leaf, std::optional<double> time_limit,
                 std::optional<std::int64_t> memory_limit, double gap_limit, std::int64_t n_threads) {
  require(!max_depth || *max_depth >= 0, "max_depth: must be at least 0");
  require(!max_leaves || *max_leaves >= 1, "max_leaves: must be at least 1");
  require(min_samples_leaf >= 1, "min_samples_leaf: must be at least 1");
  require(!memory_limit || *memory_limit >= 0, "memory_limit: must be at least 0");
  require(n_threads >= 1 && n_threads <= 1024, "n_threads: must be in [1, 1024]");
  const auto limit = [](std::optional<std::int64_t> value) {
    return value ? std::optional(static_cast<std::uint32_t>(std::min<std::int64_t>(*value, 0xffffffffLL)))
                 : std::nullopt;
  };
  Limits limits{{limit(max_depth), limit(max_leaves), static_cast<std::uint64_t>(min_samples_leaf)},
                {time_limit, std::nullopt, gap_limit, static_cast<std::uint32_t>(n_threads)}};
  if (memory_limit) limits.search.bytes = static_cast<std::uint64_t>(*memory_limit);
  return limits;
}

Input input_of(const Arguments& given) {
  const Limits limits = limits_of(given.max_depth, given.max_leaves, given.min_samples_leaf, given.time_limit,
                                  given.memory_limit, given.gap_limit, given.n_threads);
  return {
      .classes = {given.classes.data(), given.classes.shape(0)},
      .weights = {given.weights.data(), given.weights.shape(0)},
      .costs = {given.costs.data(), given.costs.size()},
      .n_classes = to_count(given.costs.shape(0), "costs"),
      .n_predictions = to_count(given.costs.shape(1), "costs"),
      .leaf_cost = given.leaf_cost,
      .tree = limits.tree,
      .limits = limits.search,
      .switches = switches_of(given.switches),
      .reference = given.reference,
  };
}

PackedColumns packed_columns(const ArrayIn<std::uint8_t, 2>& columns, std::int64_t n_rows) {
  require(n_rows > 0, "n_rows: must be greater than 0");
  require(columns.shape(1) == (static_cast<std::size_t>(n_rows) + 7) / 8,
          "columns: needs ceil(n_rows / 8) bytes a row");
  return {columns.data(), to_count(columns.shape(0), "columns"), to_count(static_cast<std::size_t>(n_rows), "n_rows")};
}

}  // namespace hornbeam
