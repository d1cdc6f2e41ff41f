// bindings/counters.hpp
//
// WHAT    The classes that count the rows of a table read in batches.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

void add_counters(nanobind::module_& module);

}  // namespace hornbeam::bindings
