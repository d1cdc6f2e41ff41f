// bindings/ordered_subproblems.hpp
//
// WHAT    Subproblems of one problem whose columns are thresholds, for searches that several processes share.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

void add_ordered_subproblems(const nanobind::module_& module);

}  // namespace hornbeam::bindings
