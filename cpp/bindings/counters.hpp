// bindings/counters.hpp
//
// WHAT    The class that merges and counts the rows of a table read in batches.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

void add_counters(nanobind::module_& module);

}  // namespace hornbeam::bindings
