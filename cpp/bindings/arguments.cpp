#include "bindings/arguments.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hornbeam::bindings {

run::CheckpointOptions with_listener(run::CheckpointOptions options, const CheckpointListenerIn& listener) {
  if (listener.is_none()) return options;
  options.on_news = [&listener](const run::CheckpointNews& news) {
    const nb::gil_scoped_acquire gil;
    listener(news.error, news.saved.lower, news.saved.seconds);
  };
  return options;
}

nb::tuple to_tuple(const run::Progress& at) {
  return nb::make_tuple(at.seconds, at.upper, at.lower, at.n_subproblems, at.bytes, at.n_leaves);
}

bool Poll::check_signals() {
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
  return check_signals();
}

bool Poll::operator()(const run::Progress& at) {
  const bool is_time_for_signals = at.seconds - signals_checked_ >= 0.05;
  const bool is_time_for_callback = !callback_.is_none() && at.seconds - callback_called_ >= interval_;
  if (!is_time_for_signals && !is_time_for_callback) return false;
  const nb::gil_scoped_acquire gil;
  if (is_time_for_signals) {
    signals_checked_ = at.seconds;
    if (check_signals()) return true;
  }
  if (!is_time_for_callback) return false;
  callback_called_ = at.seconds;
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

TreeOut to_dict(tree::ResultTree found) {
  TreeOut tree;
  tree["column"] = to_array(std::move(found.column));
  tree["left"] = to_array(std::move(found.left));
  tree["right"] = to_array(std::move(found.right));
  tree["prediction"] = to_array(std::move(found.prediction));
  tree["leaf_of_row"] = to_array(std::move(found.leaf_of_row));
  return tree;
}

nb::dict to_dict(const Counters& counters, unsigned searches) {
  nb::dict found;
  for (const BoundRow& row : kBounds)
    if ((row.searches & searches) != 0) found[row.name] = counters.*row.counter;
  return found;
}

OutcomeOut to_dict(run::Outcome outcome, unsigned searches, bool with_trace) {
  nb::dict statistics;
  statistics["subproblems"] = outcome.n_subproblems;
  statistics["table_entries"] = outcome.n_table_entries;
  statistics["bytes"] = outcome.bytes;
  statistics["seconds"] = outcome.seconds;
  if (outcome.checkpoint) {
    statistics["seconds_before"] = outcome.checkpoint->seconds_before;
    statistics["checkpoint_failures"] = outcome.checkpoint->n_failed;
    statistics["checkpoint_error"] = outcome.checkpoint->error;
  }
  statistics["bounds"] = to_dict(outcome.counters, searches);
  nb::list trace;
  if (with_trace)
    for (const run::Progress& at : outcome.trace) trace.append(to_tuple(at));
  OutcomeOut result;
  result["upper"] = outcome.tree.cost;
  result["tree"] = to_dict(std::move(outcome.tree));
  result["lower"] = outcome.lower;
  result["status"] = name_of(outcome.status);
  result["statistics"] = statistics;
  result["trace"] = trace;
  return result;
}

std::uint32_t to_count(std::size_t size, const char* what) {
  if (size >= 0xffffffffULL) throw std::invalid_argument(std::string(what) + ": there are too many (2^32 or more)");
  return static_cast<std::uint32_t>(size);
}

}  // namespace hornbeam::bindings
