// bindings/rashomon.hpp
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

void add_rashomon_sets(nanobind::module_& module);

}  // namespace hornbeam::bindings
