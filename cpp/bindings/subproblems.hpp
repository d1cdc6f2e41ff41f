// bindings/subproblems.hpp
//
// WHAT    Subproblems of one problem, for searches that several processes share.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

void add_subproblems(const nanobind::module_& module);

}  // namespace hornbeam::bindings
