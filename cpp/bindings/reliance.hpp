// bindings/reliance.hpp
//
// WHAT    How much sets of trees rely on columns; see api/rashomon.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam {

void add_reliance(nanobind::module_& module);

}  // namespace hornbeam
