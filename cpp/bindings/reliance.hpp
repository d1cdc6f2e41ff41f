// bindings/reliance.hpp
//
// WHAT    The reliance of sets of trees on columns; see api/rashomon.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

void add_reliance(nanobind::module_& module);

}  // namespace hornbeam::bindings
